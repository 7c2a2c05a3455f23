/** Keys, unique rules and indexes of an adopted table. */
import {
  type AdoptedColumn,
  type AdoptedEntity,
  findAdopted,
  keysOf,
  type Note,
} from './adopted.ts'
import { tellCount } from './column-profile.ts'
import { TakenNames } from './names.ts'
import type { SourceIndex } from './source-schema.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'

/** Gives the entity its key: that of the table, else a unique one, else the row's own number. */
export function planKey(entity: AdoptedEntity, notes: Note[]): void {
  const { table, merged } = entity.source
  const keys = table.keys.flatMap((name) => findAdopted(entity, name) ?? [])
  const tell = (text: string): number => notes.push({ kind: 'changed', of: table.name, text })
  const isWhole = keys.length > 0 && keys.length === table.keys.length
  if (isWhole && keys.every(isFilled) && merged.key === undefined) {
    keys.forEach(setKey)
    tellBlank(entity, keys, notes)
    if (table.keyCollation !== undefined)
      notes.push({
        kind: 'left',
        of: table.name,
        text: `the collation of its key: ${tellCollation(table.keyCollation)}`,
      })
    const [key] = keys
    if (key && keys.length === 1 && FIELD_KINDS[key.type].key === 'numbered')
      key.identity = isNumbered(entity, key)
    if (key?.identity && !table.isRowKey)
      notes.push({
        kind: 'changed',
        of: `${table.name}.${key.profile.column.name}`,
        text: 'is an Identity: new records are numbered after the existing ones',
      })
    return
  }
  const why = explainNoKey(entity)
  const unique = table.indexes
    .filter((index) => index.unique && isPlain(index) && !merged.indexes.has(index.name))
    .map(({ columns }) => columns.flatMap((name) => findAdopted(entity, name ?? '') ?? []))
    .find((columns) => columns.length === 1 && columns.every(isFilled))
  if (unique) {
    unique.forEach(setKey)
    tell(`${why}: its unique ${unique.map(({ name }) => name).join(', ')} is the key`)
    return
  }
  const names = new TakenNames(entity.columns.map(({ name }) => name))
  entity.madeKey = names.take('Id', `${entity.name}Id`, 'RowNumber')
  const number = table.hasRowId ? 'the number by which SQLite stored them' : 'a number of their own'
  tell(`${why}: rows have ${number} as ${entity.madeKey}`)
}

function explainNoKey({ source: { table, merged } }: AdoptedEntity): string {
  if (table.keys.length === 0) return 'it has no primary key'
  return merged.key === undefined
    ? 'its key has rows without a value'
    : `its keys ${merged.key} are the same here`
}

/** Tells of records that others may refer to, and whose forms cannot be saved. */
function tellBlank({ source }: AdoptedEntity, keys: readonly AdoptedColumn[], notes: Note[]): void {
  for (const { profile } of keys) {
    if (profile.blank === 0) continue
    const of = `${source.table.name}.${profile.column.name}`
    const count = tellCount(profile.blank, 'key')
    const text = `${count} without a letter: a form cannot save such a record`
    notes.push({ kind: 'changed', of, text })
  }
}

/** Tests for a number: a key named like its table carries no other meaning. */
function isNumbered({ source, name }: AdoptedEntity, key: AdoptedColumn): boolean {
  const plain = key.name.toLowerCase().replaceAll('_', '')
  return source.table.isRowKey || plain === 'id' || plain === `${name.toLowerCase()}id`
}

function setKey(column: AdoptedColumn): void {
  column.key = true
  column.required = false
}

/** Every row has a value that can be a key. */
const isFilled = ({ profile, type }: AdoptedColumn): boolean =>
  profile.nulls === 0 &&
  (FIELD_KINDS[type].isText || profile.blank === 0) &&
  FIELD_KINDS[type].key !== undefined

/** Says how values were compared that are told apart as they are written here. */
function tellCollation(collation: string): string {
  if (/^nocase$/i.test(collation)) return 'it compares without case; here it is unique as written'
  if (/^rtrim$/i.test(collation))
    return 'it compares without blanks at the end; here it is unique as written'
  return `it compares by ${collation}, a rule of its own program; here it is unique as written`
}

const isPlain = ({ columns, isPartial }: SourceIndex): boolean =>
  !isPartial && columns.every((column) => column !== undefined)

/** Plans unique rules and indexes, except those that the engine makes by itself. */
export function planIndexes(entity: AdoptedEntity, notes: Note[]): void {
  const { table } = entity.source
  for (const index of table.indexes) {
    const { name, unique, collation } = index
    const columns = index.columns.flatMap((each) => findAdopted(entity, each ?? '') ?? [])
    const leave = (text: string): number =>
      notes.push({ kind: 'left', of: table.name, text: `the index ${name}: ${text}` })
    const twice = entity.source.merged.indexes.get(name)
    if (!isPlain(index)) leave('it is over an expression, or over a part of the rows')
    else if (columns.some(({ type }) => FIELD_KINDS[type].structure === 'files'))
      leave('it has a column of files')
    else {
      if (unique && collation !== undefined) leave(tellCollation(collation))
      if (twice !== undefined) leave(`it is not unique here: ${twice} are the same`)
      addIndex(entity, columns, unique && twice === undefined)
    }
  }
}

function addIndex(entity: AdoptedEntity, columns: readonly AdoptedColumn[], unique: boolean): void {
  const names = columns.map(({ name }) => name)
  const keys = keysOf(entity).map(({ name }) => name)
  const [first, second] = columns
  const isKey = names.every((name, at) => name === keys[at])
  if (isKey && (!unique || names.length === keys.length)) return
  if (first && !second && unique) first.unique = true
  else if (first && !second && (first.unique || first.references)) return
  else if (!entity.indexes.some((each) => each.columns.join() === names.join()))
    entity.indexes.push({ columns: names, unique })
}
