/** The indexes of an entity's table, and which of them a broken unique rule names. */
import { createHash } from 'node:crypto'
import type { Column, Entity } from '../compiled/entity.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { isNotNull } from './column-schema.ts'
import { quote } from '../sql/quote.ts'
import { composeTextOrder, isColumnOrdered, isLongText, TEXT_ORDER } from '../sql/text-order.ts'

export interface IndexSchema {
  name: string
  /** The columns, the tenant column first where it was put before them. */
  columns: readonly string[]
  unique: boolean
  /**
   * Two NULLs are equal to a unique index: on an entity with a tenant column, but for a computed
   * column, which is NULL between its INSERT and the after-write pass.
   */
  nullsEqual: boolean
  /** The second index of a unique rule, over the rows that have a NULL in it. */
  isForNulls: boolean
  where: string | null
  sql: string
}

interface Wish {
  columns: readonly string[]
  unique: boolean
  where?: string
  /** The last of its columns, where the keys of its texts replace them. */
  ordered?: Column
  /** Columns of the entity's key that follow the others. */
  keys?: readonly string[]
}

/**
 * Plans the indexes: unique columns, declared ones, one on each reference (SQLite looks children up
 * by it), one by which a company's records come in the order of their key, and those by which texts
 * are sorted. On an entity with a
 * tenant column, unique and declared indexes begin with it, since every query is held to a company.
 * A declared one that a unique one says already is not made.
 */
export function planIndexes(entity: Entity): IndexSchema[] {
  const declared = [...uniqueWishes(entity), ...declaredWishes(entity)]
  const unique = declared.filter((wish) => wish.unique)
  const wishes = declared.filter((wish) => wish.unique || !isImplied(wish, unique))
  for (const column of entity.columns)
    if (column.references !== undefined && !isLed(entity, wishes, column.name))
      wishes.push({ columns: [column.name], unique: false })
  const company = companyWish(entity)
  if (company !== undefined && !hasSame(wishes, company.columns)) wishes.push(company)
  wishes.push(...orderWishes(entity, declared))
  return uniqueByName(wishes.flatMap((wish) => renderWish(entity, wish)))
}

const uniqueWishes = (entity: Entity): Wish[] =>
  entity.columns
    .filter((column) => column.unique && !(column.key && entity.keys.length === 1))
    .map((column) => ({ columns: inCompany(entity, [column.name]), unique: true }))

const declaredWishes = (entity: Entity): Wish[] =>
  entity.indexes.map(({ columns, unique, where }) => ({
    columns: inCompany(entity, columns),
    unique,
    ...(where === undefined ? {} : { where }),
  }))

/** Columns of a unique or declared index, with the tenant column at their head. */
export function inCompany(entity: Entity, columns: readonly string[]): readonly string[] {
  if (entity.company === undefined) return columns
  return [entity.company, ...columns.filter((name) => !isSame(name, entity.company))]
}

/**
 * Beside each unique or declared index, and a key that is a text, what gives its rows in the order
 * of its first text, and of its last one among rows of equal columns before.
 */
function orderWishes(entity: Entity, declared: readonly Wish[]): Wish[] {
  const keys = entity.keys.map(({ name }) => name)
  const plan = (columns: readonly string[]): Wish[] => {
    const last = entity.columnByName.get(columns.at(-1)?.toLowerCase() ?? '')
    const others = keys.filter((key) => !columns.some((name) => isSame(name, key)))
    // With the key it has a page's whole order, and is too wide to be mistaken for another.
    return last && isColumnOrdered(last)
      ? [{ columns, ordered: last, keys: others.length > 0 ? others : keys, unique: false }]
      : []
  }
  const ofKey = plan(inCompany(entity, keys.slice(0, 1)))
  const whole = declared.filter(({ where }) => where === undefined)
  const beside = whole.flatMap(({ columns }) => {
    const at = columns.findIndex((name) => !isSame(name, entity.company))
    const isFirst = at === columns.length - 1
    return [...(isFirst ? [] : plan(columns.slice(0, at + 1))), ...plan(columns)]
  })
  return [...beside, ...ofKey]
}

/** Plans an index on the company; a key that is the row's own number is in every index already. */
function companyWish(entity: Entity): Wish | undefined {
  if (entity.company === undefined || isSame(entity.keys[0]?.name, entity.company)) return undefined
  const keys = isRowNumber(entity.keys) ? [] : entity.keys.map((key) => key.name)
  return { columns: inCompany(entity, keys), unique: false }
}

const isRowNumber = ([key, ...others]: readonly Column[]): boolean =>
  key !== undefined && others.length === 0 && FIELD_KINDS[key.type].key === 'numbered'

const isLed = (entity: Entity, wishes: readonly Wish[], name: string): boolean =>
  isSame(entity.keys[0]?.name, name) ||
  wishes.some((wish) => wish.where === undefined && isSame(wish.columns[0], name))

/**
 * True when a unique index of the same columns finds the same rows in the same order. An index of
 * further columns does not: it gives rows of equal values in another order than that of keys.
 */
const isImplied = ({ columns, where }: Wish, unique: readonly Wish[]): boolean =>
  where === undefined && hasSame(unique, columns)

const hasSame = (wishes: readonly Wish[], columns: readonly string[]): boolean =>
  wishes.some(
    (wish) =>
      wish.where === undefined &&
      wish.columns.length === columns.length &&
      wish.columns.every((name, at) => isSame(name, columns[at])),
  )

const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one?.toLowerCase() === other?.toLowerCase()

const uniqueByName = (indexes: IndexSchema[]): IndexSchema[] => [
  ...new Map(indexes.map((index) => [index.name.toLowerCase(), index])).values(),
]

/**
 * Returns the name of an index. Dots part it, since underscores occur in names; a condition is part
 * of it by its hash. So a changed index has another name, and no two indexes share one.
 */
function nameOf(table: string, wish: Wish): string {
  const hash = wish.where && createHash('md5').update(wish.where).digest('hex').slice(0, 8)
  const parts = [table, ...wish.columns, ...(hash ? [hash] : [])]
  const order = wish.ordered && `ox${TEXT_ORDER}${isLongText(wish.ordered) ? 'l' : ''}`
  const kind = order ?? (wish.unique ? 'ux' : 'ix')
  return `${kind}_${parts.join('.')}`
}

function renderWish(entity: Entity, wish: Wish): IndexSchema[] {
  const index: IndexSchema = {
    name: nameOf(entity.table, wish),
    columns: wish.columns,
    unique: wish.unique,
    nullsEqual: wish.unique && entity.company !== undefined && !isComputed(entity, wish.columns),
    isForNulls: false,
    where: wish.where ?? null,
    sql: '',
  }
  const plain = { ...index, sql: renderIndex(entity, index, termsOf(wish), index.where) }
  const open = index.nullsEqual ? nullableColumns(entity, wish.columns) : []
  return open.length === 0 ? [plain] : [plain, nullsIndex(entity, index, open)]
}

const termsOf = ({ columns, ordered, keys = [] }: Wish): string[] =>
  ordered === undefined
    ? columns.map(quote)
    : [
        ...columns.slice(0, -1).map(quote),
        composeTextOrder(quote(ordered.name), isLongText(ordered)),
        ...keys.map(quote),
      ]

const isComputed = (entity: Entity, names: readonly string[]): boolean =>
  names.some((name) => entity.columnByName.get(name.toLowerCase())?.compute !== undefined)

function nullableColumns(entity: Entity, names: readonly string[]): string[] {
  return names.filter((name) => {
    const column = entity.columnByName.get(name.toLowerCase())
    return column !== undefined && !isNotNull(entity, column)
  })
}

/**
 * Plans the second index of a unique one, over the rows that have a NULL in it, where NULL is a
 * value like another: SQLite takes two NULLs for different in a unique index.
 */
function nullsIndex(entity: Entity, index: IndexSchema, open: readonly string[]): IndexSchema {
  const terms = index.columns.flatMap((name) =>
    open.includes(name)
      ? [`(${quote(name)} IS NULL)`, `ifnull(${quote(name)}, '')`]
      : [quote(name)],
  )
  const anyNull = open.map((name) => `${quote(name)} IS NULL`).join(' OR ')
  const where = index.where === null ? anyNull : `(${index.where}\n) AND (${anyNull})`
  const named = { ...index, name: `${index.name}.null`, isForNulls: true }
  return { ...named, sql: renderIndex(entity, named, terms, where) }
}

function renderIndex(
  entity: Entity,
  index: IndexSchema,
  terms: readonly string[],
  where: string | null,
): string {
  const kind = index.unique ? 'UNIQUE INDEX' : 'INDEX'
  const condition = where === null ? '' : ` WHERE ${where}`
  const on = `${quote(entity.table)} (${terms.join(', ')})`
  return `CREATE ${kind} ${quote(index.name)} ON ${on}${condition}`
}

/**
 * Finds the declared columns of the unique rule that an SQLite error names (`UNIQUE constraint
 * failed: orders.CompanyId, orders.Number` or `… index 'ux_orders.CompanyId.Number.null'`), without
 * the tenant column; undefined when no unique rule of this entity is meant.
 */
export function findBrokenUnique(entity: Entity, message: string): string[] | undefined {
  const [, failed] = /UNIQUE constraint failed: (.*)$/.exec(message) ?? []
  if (failed === undefined) return undefined
  const [, name] = /^index '(.*)'$/.exec(failed) ?? []
  const columns = name === undefined ? plainColumns(entity, failed) : findIndexColumns(entity, name)
  return columns?.filter((column) => columns.length === 1 || !isSame(column, entity.company))
}

function plainColumns(entity: Entity, failed: string): string[] | undefined {
  const names = failed.split(', ').map((part) => part.split('.'))
  if (names.some(([table]) => !isSame(table, entity.table))) return undefined
  return names.map(([, column]) => column ?? '')
}

const findIndexColumns = (entity: Entity, name: string): readonly string[] | undefined =>
  planIndexes(entity).find((index) => isSame(index.name, name))?.columns
