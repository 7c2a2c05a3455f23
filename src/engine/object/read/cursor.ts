/** Keyset pages: a cursor holds the sort values of the last row and the sort that it belongs to. */
import { invalid } from '../../../kernel/failure.ts'
import { holdsMoreValues } from '../../../kernel/json-values.ts'
import { say } from '../../../kernel/messages.ts'
import type { SqlValue } from '../../../store/sql.ts'
import { TEXT_ORDER } from '../../../model/sql/text-order.ts'
import type { Bindings } from '../bindings.ts'
import type { SortColumn } from './sort.ts'

/** The scope of a cursor: one view in one order. */
export function cursorScope(view: string, columns: readonly SortColumn[]): string {
  const order = columns.map((c) => `${c.descending ? '-' : '+'}${c.field.name}`).join(',')
  return Bun.hash(`${TEXT_ORDER} ${view}:${order}`).toString(36)
}

/** The parts that the cursor of a page is made of. */
export interface CursorPlan {
  scope: string
  columns: readonly CursorColumn[]
}

interface CursorColumn {
  field: string
  /** The row shows the value as it is; a JSON array beside the row has the other values. */
  isShown: boolean
}

/** The sort values of a row, from its JSON and from the values beside it. */
export function readSortValues(
  columns: readonly CursorColumn[],
  row: string,
  beside: string,
): unknown[] {
  const cells = columns.some(({ isShown }) => isShown) ? readCells(row) : {}
  const others = (beside === '' ? [] : JSON.parse(beside)) as unknown[]
  return columns.map(({ field, isShown }) =>
    isShown ? toCursorValue(cells[field]) : others.shift(),
  )
}

type Cells = Record<string, unknown>

function readCells(row: string): Cells {
  const cells = JSON.parse(row) as Cells
  const isExact = Object.values(cells).every(
    (cell) => typeof cell !== 'number' || !Number.isInteger(cell) || Number.isSafeInteger(cell),
  )
  return isExact ? cells : (JSON.parse(row, keepDigits) as Cells)
}

/** A whole number with all of its digits. */
function keepDigits(_name: string, value: unknown, context?: { source: string }): unknown {
  const isWhole = typeof value === 'number' && Number.isInteger(value)
  return isWhole && context && INTEGER.test(context.source) ? BigInt(context.source) : value
}

function toCursorValue(cell: unknown): string | null {
  if (typeof cell === 'string') return `t${cell}`
  if (typeof cell === 'bigint') return `i${cell}`
  if (typeof cell === 'number') return `${Number.isInteger(cell) ? 'i' : 'r'}${cell}`
  return null
}

/**
 * Sort values of a row as SQL: a JSON array of null and of texts with the letter of their type,
 * since JSON keeps neither all digits of a number nor whole numbers and fractions apart.
 */
export function composeCursorValues(columns: readonly SortColumn[]): string {
  const values = columns.map(({ sql: name }) => {
    return (
      `CASE typeof(${name}) WHEN 'text' THEN 't'||${name} WHEN 'integer' THEN 'i'||${name} ` +
      `WHEN 'real' THEN 'r'||quote(${name}) END`
    )
  })
  return `json_array(${values.join(',')})`
}

/** A cursor that continues after the row of these sort values; opaque to clients. */
export function writeCursor(scope: string, values: readonly unknown[]): string {
  return Buffer.from(JSON.stringify([scope, ...values])).toString('base64url')
}

/** @throws invalid for a cursor of another view or order, or a text that is not a cursor. */
export function readCursor(cursor: string, scope: string | undefined, count: number): SqlValue[] {
  const bytes = Buffer.from(cursor, 'base64url')
  if (holdsMoreValues(bytes, count + 1)) throw foreignCursor()
  let content: unknown
  try {
    content = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw foreignCursor()
  }
  if (
    !Array.isArray(content) ||
    content.length !== count + 1 ||
    content[0] !== scope ||
    scope === undefined
  ) {
    throw foreignCursor()
  }
  return content.slice(1).map(readCursorValue)
}

const INTEGER = /^-?\d{1,19}$/
const REAL = /^-?(?:Inf|\d{1,30}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?)$/
const INTEGER_LIMIT = 2n ** 63n

function readCursorValue(value: unknown): SqlValue {
  if (value === null) return null
  if (typeof value !== 'string') throw foreignCursor()
  const rest = value.slice(1)
  if (value[0] === 't' && rest.isWellFormed() && !rest.includes('\0')) return rest
  if (value[0] === 'r' && REAL.test(rest)) return Number(rest.replace('Inf', 'Infinity'))
  if (value[0] !== 'i' || !INTEGER.test(rest)) throw foreignCursor()
  const whole = BigInt(rest)
  if (whole >= INTEGER_LIMIT || whole < -INTEGER_LIMIT) throw foreignCursor()
  return whole
}

const foreignCursor = () =>
  invalid(say`The cursor does not belong to this grid and sort`, { code: 'FOREIGN_CURSOR' })

/** The rows after a cursor. */
interface AfterCursor {
  where: string
  /** Its values in their order. */
  slots: readonly CursorSlot[]
}

/** The parameter of a value, or the value if the statement itself has it. */
export type CursorSlot = string | { value: SqlValue }

/** The rows after the cursor. NULL sorts first, as SQLite has it. */
export function planAfter(
  columns: readonly SortColumn[],
  values: readonly SqlValue[],
  bindings: Bindings,
): AfterCursor {
  const bound = values.map((value) => (value === null ? undefined : bindValue(value, bindings)))
  const slots = values.map((value, at) =>
    isBindable(value) ? String(bound[at]).slice(1) : { value },
  )
  const ordered = columns.map(({ sql, toOrder, ...column }) => {
    const order = toOrder(sql)
    return { ...column, sql: order, isColumn: order === sql }
  })
  const texts = bound.map((each, at) => each && columns[at]?.toOrder(each))
  return { where: composeAfter(ordered, texts), slots }
}

/** A sort key of rows, as SQL. */
interface Ordered extends Pick<SortColumn, 'field' | 'sql' | 'descending'> {
  /** The sort key is the value itself. */
  isColumn: boolean
}

/**
 * Composes the condition from values as SQL, undefined for NULL. A row value does not use an index
 * of an expression.
 */
function composeAfter(
  columns: readonly Ordered[],
  values: readonly (string | undefined)[],
): string {
  const first = columns[0]
  const uniform = columns.every(
    (c) => c.descending === first?.descending && c.isColumn && isNeverNull(c),
  )
  if (first && uniform && values.every((value) => value !== undefined)) {
    const names = columns.map((c) => c.sql).join(', ')
    return `(${names}) ${first.descending ? '<' : '>'} (${values.join(', ')})`
  }
  return planAfterStepwise(columns, values)
}

/**
 * Tells whether a parameter can hold a value to compare with. Infinity cannot be bound; SQLite
 * reads a literal beyond its range as infinite.
 */
export const isBindable = (value: SqlValue): boolean =>
  value !== null && value !== Infinity && value !== -Infinity

function bindValue(value: SqlValue, bindings: Bindings): string {
  if (value === Infinity) return '9e999'
  return value === -Infinity ? '-9e999' : bindings.add(value)
}

function isNeverNull({ field }: Ordered): boolean {
  return field.column !== undefined && (field.column.key || field.column.required)
}

function planAfterStepwise(
  columns: readonly Ordered[],
  values: readonly (string | undefined)[],
): string {
  const alternatives: string[] = []
  const equal: string[] = []
  columns.forEach((column, at) => {
    const name = column.sql
    const bound = values[at]
    const beyond = planBeyond(name, column.descending, bound)
    if (beyond) alternatives.push(`(${[...equal, beyond].join(' AND ')})`)
    equal.push(bound === undefined ? `${name} IS NULL` : `${name} = ${bound}`)
  })
  return alternatives.length ? `(${alternatives.join(' OR ')})` : '0'
}

function planBeyond(name: string, descending: boolean, bound: string | undefined) {
  if (bound === undefined) return descending ? undefined : `${name} IS NOT NULL`
  return descending ? `(${name} < ${bound} OR ${name} IS NULL)` : `${name} > ${bound}`
}
