/**
 * The rows of a page as cells of one text, built within a bound of bytes: SQLite never makes the
 * text of a page that would be refused.
 */
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { Model } from '../../../model/model.ts'
import { requireAnswerBytes } from '../capped-rows.ts'
import { composeCursorValues } from './cursor.ts'
import type { SortColumn } from './sort.ts'

/** Separator of the cells that SQLite gives in one text; JSON never has this character in it. */
const BETWEEN = '\u001e'

/**
 * Several cells as one text. Long cells come last: SQLite copies the left side of `||`. The
 * character itself is in the text, since `char(30)` would be called for each mention.
 */
export const composeCells = (cells: readonly string[]): string => cells.join(` || '${BETWEEN}' || `)

/** Splits a text of `composeCells` into its cells. */
export const parseCells = (text: string): string[] => text.split(BETWEEN)

/** The text before the rows of a page, and the text behind them. */
export const ROWS = '"Rows":['
export const PAGINATION = '],"Pagination":'

/** A page as it was read. */
export interface PageRows {
  /** Rows of all pages, where they were counted. */
  count: number | undefined
  /** A row follows the page; read only if no count says so. */
  hasMore: boolean
  /** Keys of the page, where the rows were read by them. */
  keys: number | undefined
  /** Rows of the page. */
  shown: number
  /** Sort values of the last row that it does not show itself, as a JSON array, or ''. */
  beside: string
  /** The rows, each on a line; bytes of all rows where a guarded page has one over its share. */
  rows: string
}

/**
 * The value of the six cells in the order of `PageRows`: the rows come last, since SQLite copies
 * the left side of `||`.
 */
export function parsePage(text: string): PageRows {
  const [count = '', more, keys = '', shown, besides = '', rows = ''] = parseCells(text)
  return {
    count: count === '' ? undefined : Number(count),
    hasMore: more === '1',
    keys: keys === '' ? undefined : Number(keys),
    shown: Number(shown),
    beside: readLastLine(besides),
    rows,
  }
}

/** The last row of a page, as JSON. */
export const readLastLine = (lines: string): string => lines.slice(lines.lastIndexOf('\n') + 1)

/** The part of a row that a page shows, as SQL over it. */
export interface PageRow {
  row: string
  /** SQL that follows the rows. */
  joins: string
  /** Columns that the cursor needs besides the row. */
  beside: readonly SortColumn[]
  /** Rows may hold more than their shares of the bound, so that their sizes are looked at. */
  isGuarded: boolean
}

/** The cells before the rows in the text of a page, as SQL. */
export interface PageLead {
  count?: string | undefined
  more?: string | undefined
  keys?: string | undefined
}

/**
 * A SELECT of one text: the cells of `PageRows`. In a guarded page with a row of more than
 * `@_share` bytes the bytes of all rows replace the rows: a page without such a row is never
 * larger than the bound.
 */
export function composePage(
  { row, joins, beside, isGuarded }: PageRow,
  rows: string,
  { count = "''", more = "''", keys = "''" }: PageLead = {},
): string {
  const lead = [count, more, keys, 'count(*)']
  const cursor = beside.length > 0 ? composeCursorValues(beside) : undefined
  if (!isGuarded) {
    const cells = [...lead, cursor ? listLines(cursor, 'char(10)') : "''", listLines(row, NEXT_ROW)]
    return `SELECT ${composeCells(cells)} FROM (${rows})${joins}`
  }
  const size = '(octet_length(_r) + octet_length(_c))'
  const fits = ` FILTER (WHERE ${size} <= @_share)`
  const cells = composeCells([listLines('_c', 'char(10)', fits), listLines('_r', NEXT_ROW, fits)])
  const tooLarge = composeCells(["''", `sum(${size})`])
  const choice = `CASE WHEN max(${size}) > @_share THEN ${tooLarge} ELSE ${cells} END`
  // OFFSET keeps SQLite from flattening, which would make each row once for each mention here.
  return (
    `SELECT ${composeCells([...lead, choice])} FROM ` +
    `(SELECT ${row} AS _r, ${cursor ?? "''"} AS _c FROM (${rows})${joins} LIMIT -1 OFFSET 0)`
  )
}

/** No JSON that SQLite makes has a line break in it. */
const NEXT_ROW = "',' || char(10)"

const listLines = (line: string, between: string, filter = ''): string =>
  `coalesce(group_concat(${line}, ${between})${filter}, '')`

/** A guarded page has a row of more than its share; all rows together are within the bound. */
export class RowsOverShare extends Error {
  override readonly name = 'RowsOverShare'
}

/**
 * The rows of a page.
 * @throws invalid for rows of more bytes than `bytesMax`, RowsOverShare for others that do not fit
 */
export function requireRowsCell(cell: string, bytesMax: number | undefined): string {
  if (cell === '' || cell.startsWith('{')) return cell
  requireAnswerBytes(Number(cell), bytesMax ?? 0)
  throw new RowsOverShare()
}

/** Characters of a number, a date or another value that is short by its type. */
const SHORT = 40
/** Tables of the engine whose texts are names, with the characters that these may have. */
const NAMING_TABLES: ReadonlySet<string> = new Set(['svc_users', 'svc_companies'])
const NAME_CHARACTERS_MAX = 500

/**
 * Counts the characters that the fields may have in one row, as the model declares; Infinity if it
 * declares no bound. A character counts as one byte: an unguarded page is a few times the bound at
 * most.
 */
export function planCharacters(fields: readonly Field[], view: View, model: Model): number {
  const found = sums.get(fields)
  if (found !== undefined) return found
  let characters = 0
  for (const field of fields) characters += charactersOf(field, view, model)
  sums.set(fields, characters)
  return characters
}

const sums = new WeakMap<readonly Field[], number>()
const known = new WeakMap<Field, number>()

function charactersOf(field: Field, view: View, model: Model): number {
  const found = known.get(field)
  if (found !== undefined) return found
  const characters = field.name.length + reckon(field, view, model)
  known.set(field, characters)
  return characters
}

function reckon(field: Field, view: View, model: Model): number {
  if (field.link) return Infinity
  if (field.labelOf !== undefined) return reckonLabel(field, model)
  if (field.column?.kind === 'stamp') return SHORT
  if (FIELD_KINDS[field.type].isText) return reckonText(field, view, model)
  return FIELD_KINDS[field.type].structure !== undefined ? Infinity : SHORT
}

/** Bounds a text by the column that it shows; an expression of a query has no bound. */
function reckonText({ name, column, maxLength }: Field, view: View, model: Model): number {
  if (column) return maxLength ?? Infinity
  const output = view.query.columns.find((each) => each.name === name)
  return reckonColumn(output?.table, output?.column, model)
}

function reckonColumn(
  table: string | undefined,
  column: string | undefined,
  { entityByTable }: Model,
): number {
  if (table === undefined || column === undefined) return Infinity
  const key = table.toLowerCase()
  if (NAMING_TABLES.has(key)) return NAME_CHARACTERS_MAX
  const found = entityByTable.get(key)?.columnByName.get(column.toLowerCase())
  if (!found) return Infinity
  return FIELD_KINDS[found.type].isText ? (found.maxLength ?? Infinity) : SHORT
}

/** The Display of each entity on the way, and the fields that a lookup names instead. */
function reckonLabel({ labelSql, lookup }: Field, model: Model): number {
  if (!labelSql) return SHORT
  // A lookup may name any column of its view.
  if (labelSql.query || lookup?.label.length) return Infinity
  let characters = 0
  for (const table of labelSql.reads) {
    const display = model.entityByTable.get(table.toLowerCase())?.display ?? ['']
    for (const name of display) characters += reckonColumn(table, name, model)
  }
  return characters
}
