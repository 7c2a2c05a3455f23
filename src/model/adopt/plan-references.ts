/** Foreign keys as references: which hold, which the language has no form for, and why. */
import type { SourceFile } from '../../store/file/source-file.ts'
import {
  type AdoptedColumn,
  type AdoptedEntity,
  type AdoptedModel,
  findAdopted,
  findEntity,
  keysOf,
} from './adopted.ts'
import { describeCell, tellCount } from './column-profile.ts'
import { countValues, findReferences, type FoundLink } from './find-references.ts'
import { holdsAsRead } from './keep-apart.ts'
import { READINGS, type SourceReading } from './readings.ts'
import type { SourceReference } from './source-schema.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { quote } from '../sql/quote.ts'

/** A foreign key of one column, with where it leads. */
interface Link extends FoundLink {
  reference: SourceReference
}

/** Gives columns their References, and notes foreign keys without one. @throws SourceError */
export async function planReferences(source: SourceFile, model: AdoptedModel): Promise<void> {
  for (const entity of model.entities)
    for (const reference of entity.source.table.references) {
      const link = findLink(model, entity, reference)
      if (!link || !(await isHeld(source, model, link))) continue
      hold(model, link)
      await dropDefault(source, model, link)
    }
  for (const link of await findReferences(source, model)) {
    if (!(await isHeldAsRead(source, link))) continue
    hold(model, link)
    tellFound(model, link)
    await dropDefault(source, model, link)
  }
  for (const entity of model.entities)
    for (const column of entity.columns) takeReading(model, column)
  for (const entity of model.entities) await planParent(source, model, entity)
}

/** Finds the link of a foreign key that can be a reference; otherwise notes the reason. */
function findLink(
  model: AdoptedModel,
  entity: AdoptedEntity,
  reference: SourceReference,
): Link | undefined {
  const leave = (why: string): undefined => {
    const columns = reference.columns.join(', ')
    const text = `the foreign key (${columns}) to ${reference.table}: ${why}`
    model.notes.push({ kind: 'left', of: entity.source.table.name, text })
  }
  const target = findEntity(model, reference.table)
  if (!target) return leave('that table does not exist')
  if (reference.columns.length > 1) {
    keepIndexed(entity, reference)
    return leave('a reference can only have one column; the values are taken unchanged')
  }
  const column = findAdopted(entity, reference.columns[0] ?? '')
  if (!column) return leave('the column is not taken')
  if (target.madeKey) return leave(`the key is ${target.madeKey} here`)
  const [key, second] = keysOf(target)
  if (!key || second) return leave('a key of several columns cannot be referred to')
  const [to = target.source.table.keys[0] ?? ''] = reference.to
  if (to.toLowerCase() !== key.profile.column.name.toLowerCase())
    return leave(`it names ${to}, but a reference must name the key`)
  if (column.references) return leave('the column already refers to another table')
  return { entity, column, target, key, reference }
}

/** Keeps an index on the columns of a dropped reference, by which rows are still found. */
function keepIndexed(entity: AdoptedEntity, { columns }: SourceReference): void {
  const names = columns.flatMap((column) => findAdopted(entity, column)?.name ?? [])
  const isKey = keysOf(entity)
    .slice(0, names.length)
    .every(({ name }, at) => name === names[at])
  if (names.length === columns.length && !isKey)
    entity.indexes.push({ columns: names, unique: false })
}

/** Tests whether a reference holds for every row; otherwise it is dropped. */
async function isHeld(source: SourceFile, model: AdoptedModel, link: Link): Promise<boolean> {
  const { entity, column, target, key } = link
  const own = `c.${quote(column.profile.column.name)}`
  const orphans =
    `FROM main.${quote(entity.source.table.name)} AS c NOT INDEXED WHERE ${own} IS NOT NULL ` +
    (key.profile.empty === 0 ? `AND ${own} COLLATE BINARY <> '' ` : '') +
    `AND ${own} COLLATE BINARY NOT IN (SELECT ${target.source.table.isUnsorted ? '+' : ''}` +
    `p.${quote(key.profile.column.name)} COLLATE BINARY ` +
    `FROM main.${quote(target.source.table.name)} AS p)`
  const [found] = await source.all(
    `SELECT count(*) AS n, min(${own} COLLATE BINARY) AS first ${orphans}`,
  )
  const count = Number(found?.n)
  if (count === 0 && (await isHeldAsRead(source, link))) return true
  const { name } = target.source.table
  const text =
    count === 0
      ? `is not a reference: some values are written otherwise than the keys of ${name}`
      : `is not a reference: the ${name} of ${tellCount(count, 'row')} does not ` +
        `exist (${describeCell(found?.first ?? null)}); repair the source to get one`
  const of = `${entity.source.table.name}.${column.profile.column.name}`
  model.notes.push({ kind: 'changed', of, text })
  return false
}

/**
 * SQLite compares 1 with '1.0' as numbers. Where values and keys are not of one kind, they are
 * compared as they will be stored.
 */
async function isHeldAsRead(
  source: SourceFile,
  { entity, column, target, key }: FoundLink,
): Promise<boolean> {
  const listKinds = ({ source: { table } }: AdoptedEntity, { profile }: AdoptedColumn): string => {
    const name = quote(profile.column.name)
    const from = `main.${quote(table.name)} NOT INDEXED`
    return `SELECT typeof(${name}) AS kind FROM ${from} WHERE ${name} COLLATE BINARY <> ''`
  }
  const kinds = await source.all(`${listKinds(entity, column)} UNION ${listKinds(target, key)}`)
  if (kinds.length < 2) return true
  if (column.key || column.unique || isRuled(entity, column)) return false
  const child = { ...entity.source, column: column.profile }
  const parent = { ...target.source, column: key.profile }
  return holdsAsRead(source, { child, parent, reading: key.reading })
}

/** True for a column of a unique rule of the source. */
const isRuled = ({ source: { table } }: AdoptedEntity, { profile }: AdoptedColumn): boolean =>
  table.indexes.some(({ unique, columns }) => unique && columns.includes(profile.column.name))

function hold(model: AdoptedModel, link: FoundLink | Link): void {
  const { entity, column, target } = link
  column.references = {
    target: target.source.table.name.toLowerCase(),
    onDelete:
      'reference' in link ? planOnDelete(model, entity, column, link.reference) : 'Restrict',
  }
  column.identity = false
}

/** Drops a Default that is no key, such as the 0 by which a program means nothing. */
async function dropDefault(
  source: SourceFile,
  { notes }: AdoptedModel,
  { entity, column, target, key }: FoundLink,
): Promise<void> {
  if (column.default === undefined) return
  const table = `main.${quote(target.source.table.name)} NOT INDEXED`
  const [row] = await source.all(
    `SELECT EXISTS (SELECT 1 FROM ${table}
       WHERE CAST(${quote(key.profile.column.name)} AS TEXT) COLLATE BINARY = @value) AS isKey`,
    { value: column.default },
  )
  if (row?.isKey === 1) return
  const of = `${entity.source.table.name}.${column.profile.column.name}`
  const text = `its default ${column.default} is no key of ${target.source.table.name}`
  notes.push({ kind: 'left', of, text })
  column.default = undefined
}

function tellFound({ notes }: AdoptedModel, { entity, column, target }: FoundLink): void {
  const values = tellCount(countValues(column, entity), 'value')
  const of = `${entity.source.table.name}.${column.profile.column.name}`
  const table = target.source.table.name
  const text = `refers to ${table}: its ${values} are keys there, with no foreign key`
  notes.push({ kind: 'found', of, text })
}

function planOnDelete(
  model: AdoptedModel,
  entity: AdoptedEntity,
  column: AdoptedColumn,
  { onDelete }: SourceReference,
): 'Restrict' | 'Cascade' | 'SetNull' {
  if (onDelete === 'CASCADE') return 'Cascade'
  if (onDelete === 'SET NULL' && !column.required && !column.key) return 'SetNull'
  if (onDelete.startsWith('SET')) {
    const of = `${entity.source.table.name}.${column.profile.column.name}`
    const text = `ON DELETE ${onDelete} is Restrict: the column takes no other value`
    model.notes.push({ kind: 'changed', of, text })
  }
  return 'Restrict'
}

/** A reference has the values of the key that it means, so it is read in the same way. */
function takeReading(model: AdoptedModel, column: AdoptedColumn): void {
  const read = findReading(model, column, new Set())
  if (read === undefined || column.references === undefined) return
  const isText = FIELD_KINDS[read.type].isText
  column.reading = isText && !column.key && !hasEmptyKey(model, column) ? READINGS.filled : read
  column.type = read.type
  column.maxLength = undefined
  column.scale = undefined
}

/** Tells whether an empty text is the key of a record. */
function hasEmptyKey(model: AdoptedModel, { references }: AdoptedColumn): boolean {
  const [key] = keysOf(findEntity(model, references?.target ?? '') ?? { columns: [] })
  return key !== undefined && key.profile.empty > 0
}

function findReading(
  model: AdoptedModel,
  column: AdoptedColumn,
  seen: Set<AdoptedColumn>,
): SourceReading | undefined {
  if (!column.references || seen.has(column)) return column.reading
  const target = findEntity(model, column.references.target)
  const [key] = target ? keysOf(target) : []
  return key && findReading(model, key, seen.add(column))
}

/** Plans the one reference to the own table as a tree, if no record is above itself. */
async function planParent(
  source: SourceFile,
  { notes }: AdoptedModel,
  entity: AdoptedEntity,
): Promise<void> {
  const { table, rows } = entity.source
  const own = entity.columns.filter(
    ({ references }) => references?.target === table.name.toLowerCase(),
  )
  const [column, second] = own
  const [key] = keysOf(entity)
  if (!column || second || !key || column.key) return
  const [child, parent] = [key, column].map(({ profile }) => quote(profile.column.name))
  const [found] = await source.all(
    `WITH RECURSIVE reached (k) AS (
       SELECT ${child} COLLATE BINARY FROM main.${quote(table.name)} WHERE ${parent} IS NULL
       UNION ALL SELECT c.${child} FROM reached, main.${quote(table.name)} AS c
       WHERE c.${parent} = reached.k COLLATE BINARY)
     SELECT count(*) AS n FROM reached`,
  )
  if (Number(found?.n) === rows) entity.parent = column.name
  else {
    const of = `${table.name}.${column.profile.column.name}`
    const circle = tellCount(rows - Number(found?.n), 'row')
    const text = `is a reference but not a tree: ${circle} are their own ancestors`
    notes.push({ kind: 'changed', of, text })
  }
}
