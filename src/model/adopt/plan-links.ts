/** Tables that only hold pairs of two others: each side has the list of the other. */
import type { SourceFile } from '../../store/file/source-file.ts'
import {
  type AdoptedColumn,
  type AdoptedEntity,
  type AdoptedModel,
  findEntity,
  keysOf,
} from './adopted.ts'
import { tellCount } from './column-profile.ts'
import { TakenNames } from './names.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { quote } from '../sql/quote.ts'

/** Least rows that say that no pair comes twice. */
const ROWS_MIN = 5

/** Plans the lists of every table of pairs. @throws SourceError */
export async function planLinks(source: SourceFile, model: AdoptedModel): Promise<void> {
  for (const entity of model.entities) {
    if (entity.isSecret || sidesOf(entity).some(({ isSecret }) => isSecret)) continue
    entity.isLink = hasPairsAlone(entity) && (await isSet(source, model, entity))
    if (entity.isLink) planLists(model, entity)
  }
}

/** The references of a table between two others. */
const sidesOf = ({ columns }: AdoptedEntity): AdoptedColumn[] =>
  columns.filter(({ references }) => references !== undefined)

/** True when it holds two references, at most the time of its making, and nothing else. */
function hasPairsAlone(entity: AdoptedEntity): boolean {
  const sides = sidesOf(entity)
  const [one, other, third] = sides
  if (!one || !other || third || one.references?.target === other.references?.target) return false
  const rest = entity.columns.filter((column) => !column.key && !sides.includes(column))
  const isBare = rest.every(({ type }) => FIELD_KINDS[type].isDated)
  const isFree = rest.every(({ required, default: preset }) => !required || preset !== undefined)
  return rest.length <= 1 && isBare && isFree
}

/** Tells whether no pair comes twice: by the key, by a unique index, else by the rows. */
async function isSet(
  source: SourceFile,
  { notes }: AdoptedModel,
  entity: AdoptedEntity,
): Promise<boolean> {
  const sides = sidesOf(entity)
  const keys = keysOf(entity)
  if (keys.length === 2 && sides.every(({ key }) => key)) return true
  const isNumbered = entity.madeKey !== undefined || (keys.length === 1 && keys[0]?.identity)
  if (!isNumbered) return false
  const isOfBoth = ({ columns }: { columns: readonly string[] }): boolean =>
    columns.length === 2 && sides.every(({ name }) => columns.includes(name))
  if (entity.indexes.some((index) => index.unique && isOfBoth(index))) return true
  const { table, rows } = entity.source
  const names = sides.map(({ profile }) => `${quote(profile.column.name)} COLLATE BINARY`)
  const filled = names.map((name) => `${name} IS NOT NULL`).join(' AND ')
  if (rows < ROWS_MIN) return false
  const [found] = await source.all(
    `SELECT count(*) AS n FROM (
       SELECT DISTINCT ${names.join(', ')}
       FROM main.${quote(table.name)} NOT INDEXED WHERE ${filled})`,
  )
  if (Number(found?.n) !== rows) return false
  entity.indexes = entity.indexes.filter((index) => !isOfBoth(index))
  entity.indexes.push({ columns: sides.map(({ name }) => name), unique: true })
  const text = `none of its ${tellCount(rows, 'pair')} comes twice: they are lists of either side`
  notes.push({ kind: 'found', of: table.name, text })
  return true
}

function planLists(model: AdoptedModel, link: AdoptedEntity): void {
  const sides = sidesOf(link).flatMap(({ references }) => {
    const target = findEntity(model, references?.target ?? '')
    return target ? [target] : []
  })
  for (const owner of sides)
    for (const target of sides) {
      if (owner === target) continue
      const taken = [...owner.columns, ...owner.lists].map(({ name }) => name)
      const name = new TakenNames(taken).take(target.view, link.view)
      owner.lists.push({ name, label: undefined, through: link.name, target: target.view })
    }
}
