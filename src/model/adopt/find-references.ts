/**
 * References that no foreign key declares. The name of a column has to say which table it means,
 * and every one of its values has to be a key of that table.
 */
import type { SourceFile } from '../../store/file/source-file.ts'
import { type AdoptedColumn, type AdoptedEntity, type AdoptedModel, keysOf } from './adopted.ts'
import { splitWords, toPascal } from './names.ts'
import { toSingular } from './plurals.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { quote } from '../sql/quote.ts'

/** A column, and the key that it names. */
export interface FoundLink {
  entity: AdoptedEntity
  column: AdoptedColumn
  target: AdoptedEntity
  key: AdoptedColumn
}

/** Least rows with a value, and least different values, that say more than chance does. */
const ROWS_MIN = 5
const VALUES_MIN = 3

/** Finds references by name and values, none where two tables may be meant. @throws SourceError */
export async function findReferences(
  source: SourceFile,
  model: AdoptedModel,
): Promise<FoundLink[]> {
  const targets = model.entities.flatMap((entity) => {
    const keys = keysOf(entity)
    const [key] = keys
    return key && keys.length === 1 && isKeyLike(key) ? [{ target: entity, key }] : []
  })
  const found: FoundLink[] = []
  for (const entity of model.entities)
    for (const column of entity.columns) {
      if (column.references || (column.key && keysOf(entity).length === 1)) continue
      if (!isKeyLike(column) || countValues(column, entity) < ROWS_MIN) continue
      const alike = targets.filter(({ key }) => key.type === column.type)
      const [target, second] = findMeant(alike, entity, column)
      if (!target || second) continue
      const link = { entity, column, ...target }
      if (await isBorneOut(source, link)) found.push(link)
    }
  return found
}

/** The number of rows with a value; an empty text is none. */
export const countValues = ({ profile }: AdoptedColumn, { source }: AdoptedEntity): number =>
  source.rows - profile.nulls - profile.empty

type Target = Pick<FoundLink, 'target' | 'key'>

/** True for a type that keys have: instants and amounts name none. */
const isKeyLike = ({ type }: AdoptedColumn): boolean =>
  FIELD_KINDS[type].key !== undefined && !FIELD_KINDS[type].isFlag && !FIELD_KINDS[type].isDated

/** `customer_id`, `CustomerNo` and `id_customer` name a customer. */
const ENDINGS: ReadonlySet<string> = new Set([
  'id',
  'fk',
  'key',
  'code',
  'nr',
  'no',
  'num',
  'number',
  'nummer',
  'ref',
  'uuid',
  'guid',
])
const BEGINNINGS: ReadonlySet<string> = new Set(['id', 'fk'])

/** Names of keys that say nothing of their table. */
const NO_TABLE = new Set([...ENDINGS, 'name', 'value', 'title', 'label', 'type', 'uid', 'pk'])

/** Words that count or order records of whatever kind. */
const NUMBERS = new Set([
  ...['order', 'sort', 'position', 'rank', 'level', 'version', 'page', 'index', 'step', 'line'],
  ...['year', 'month', 'week', 'day', 'hour', 'quantity', 'size', 'score', 'rating', 'priority'],
])

/** Finds the tables that the name may mean, by the surest rule that finds one. */
function findMeant(
  targets: readonly Target[],
  entity: AdoptedEntity,
  column: AdoptedColumn,
): Target[] {
  const words = splitWords(column.profile.column.name)
  const stem = cutEnds(words)
  const of = (test: (target: Target) => boolean): Target[] => targets.filter(test)
  const others = targets.filter(({ target }) => target !== entity)
  if (stem.length === 0) return []
  const rules: (() => Target[])[] =
    stem.length === words.length
      ? [
          () =>
            isBareName(entity, column, words) ? others.filter((each) => isNamed(each, words)) : [],
        ]
      : [
          () => others.filter((each) => isNamed(each, stem)),
          () => (isOwnParent(stem) ? of(({ target }) => target === entity) : []),
          ...stem.slice(1).map((_, at) => () => of((each) => isNamed(each, stem.slice(at + 1)))),
        ]
  const sameName = others.filter(({ key }) => isSameName(key, column))
  const byRule = rules.map((rule) => rule()).find((meant) => meant.length > 0)
  return byRule ?? sameName
}

/** The words without those that only say that it is a key; all of them where none is. */
function cutEnds(words: readonly string[]): readonly string[] {
  const [first = '', last = ''] = [words[0], words.at(-1)]
  if (words.length > 1 && ENDINGS.has(last)) return words.slice(0, -1)
  if (words.length > 1 && BEGINNINGS.has(first)) return words.slice(1)
  // `customerid` has no boundary; it means a table only if that has exactly this name.
  const [, joined] = /^(.{3,})(?:id|fk)$/.exec(last) ?? []
  return joined !== undefined && words.length === 1 ? [joined] : words
}

/**
 * A column called `customer` is a reference; `order` and `level` may be numbers, but not in a table
 * of their name, as `order` of `orders_tags`.
 */
function isBareName(
  { source }: AdoptedEntity,
  { type }: AdoptedColumn,
  words: readonly string[],
): boolean {
  const own = splitWords(source.table.name).map((word) => toSingular(word))
  return FIELD_KINDS[type].isText || words.every((word) => !NUMBERS.has(word) || own.includes(word))
}

const isOwnParent = (stem: readonly string[]): boolean => stem.join('') === 'parent'

/** Tells whether words are the name of a table: in singular or as it is. */
function isNamed({ target }: Target, words: readonly string[]): boolean {
  const name = words.join('')
  const one = splitWords(toSingular(toPascal(words.join('_'), name))).join('')
  const raw = toPascal(target.source.table.name, target.name)
  const names = [target.name, target.label ?? '', raw, toSingular(raw)].map((each) =>
    splitWords(each).join(''),
  )
  return names.includes(name) || names.includes(one)
}

/** `metadata_id` is the key of the one table that has a key of this name. */
function isSameName(key: AdoptedColumn, column: AdoptedColumn): boolean {
  const [one, other] = [key, column].map(({ profile }) => splitWords(profile.column.name).join(''))
  return one === other && !NO_TABLE.has(one ?? '')
}

/**
 * Tells whether there are enough values, and each is a key. The keys are read once at most, so the
 * time grows with the rows of both tables and not with their product.
 */
async function isBorneOut(
  source: SourceFile,
  { entity, column, target, key }: FoundLink,
): Promise<boolean> {
  const own = `${quote(column.profile.column.name)} COLLATE BINARY`
  const from = `main.${quote(entity.source.table.name)} NOT INDEXED`
  const rows = `FROM ${from} WHERE ${own} IS NOT NULL AND ${own} <> ''`
  const { name, isUnsorted } = target.source.table
  const its = `${isUnsorted ? '+' : ''}${quote(key.profile.column.name)}`
  const keys = `SELECT ${its} COLLATE BINARY FROM main.${quote(name)}`
  const [found] = await source.all(
    `SELECT (SELECT count(*) FROM (SELECT DISTINCT ${own} ${rows} LIMIT ${VALUES_MIN})) AS n,
       EXISTS (SELECT 1 ${rows} AND ${own} NOT IN (${keys})) AS isOther`,
  )
  return Number(found?.n) >= VALUES_MIN && found?.isOther === 0
}
