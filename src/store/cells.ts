/**
 * Rows as one JSON text. It makes of any SELECT a statement of one row, so that all of its work is
 * in its first step (the only one off the event loop), and it reads text as bytes: text that is not
 * UTF-8 (`json_extract('"\ud800"', '$')` makes some) ends the process inside the native package.
 */
import type { SqlRow, SqlValue } from './sql.ts'

/** SQLite allows 127 arguments to a function. */
const CELLS_MAX = 100

/** The first cell of the first row, as bytes. */
export const wrapText = (sql: string): string => `SELECT CAST((\n${sql}\n) AS BLOB)`

/** The first row as one JSON array, as bytes; `names` are the statement's column names. */
export const wrapFirst = (sql: string, names: readonly string[]): string =>
  `SELECT CAST(${rowArray(names)} AS BLOB) FROM (SELECT * FROM (\n${sql}\n) LIMIT 1 OFFSET 0)`

/** All rows as one JSON array of arrays, as bytes. */
export const wrapAll = (sql: string, names: readonly string[]): string =>
  // OFFSET keeps SQLite from flattening, which would compute a column once for each mention here.
  `SELECT CAST(json_group_array(${rowArray(names)}) AS BLOB)` +
  ` FROM (SELECT * FROM (\n${sql}\n) LIMIT -1 OFFSET 0)`

function rowArray(names: readonly string[]): string {
  const cells = names.map(cell)
  if (cells.length <= CELLS_MAX) return `json_array(${cells.join(',')})`
  const chunks: string[] = []
  for (let at = 0; at < cells.length; at += CELLS_MAX)
    chunks.push(`json_array(${cells.slice(at, at + CELLS_MAX).join(',')})`)
  return `json_array(${chunks.join(',')})`
}

/** Integers and nulls as they are; the rest as text behind a letter, which keeps it exact. */
function cell(name: string): string {
  const c = `"${name.replaceAll('"', '""')}"`
  return (
    `CASE typeof(${c}) WHEN 'text' THEN 't'||${c} WHEN 'real' THEN 'r'||quote(${c})` +
    ` WHEN 'blob' THEN 'b'||hex(${c}) ELSE ${c} END`
  )
}

/** Text of a cell that was cast to bytes; what is not UTF-8 becomes U+FFFD. */
export const decodeText = (cell: SqlValue | undefined): string =>
  cell instanceof Uint8Array ? asBuffer(cell).toString('utf8') : ''

const asBuffer = (bytes: Uint8Array): Buffer =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

type Encoded = (string | number | null)[]

/** Rows of `wrapAll`'s cell. */
export function decodeAll(cell: SqlValue | undefined, names: readonly string[]): SqlRow[] {
  const rows: Encoded[] = JSON.parse(decodeText(cell) || '[]')
  return rows.map((row) => decodeRow(row, names))
}

/** The row of `wrapFirst`'s cell; undefined when there was none. */
export function decodeFirst(
  cell: SqlValue | undefined,
  names: readonly string[],
): SqlRow | undefined {
  return cell === undefined ? undefined : decodeRow(JSON.parse(decodeText(cell)), names)
}

function decodeRow(row: Encoded | Encoded[], names: readonly string[]): SqlRow {
  const cells = names.length > CELLS_MAX ? row.flat() : row
  const decoded: SqlRow = {}
  for (let at = 0; at < names.length; at++)
    decoded[names[at] ?? ''] = decodeCell(cells[at] as string | number | null)
  return decoded
}

function decodeCell(cell: string | number | null): SqlValue {
  if (typeof cell !== 'string') return cell
  const rest = cell.slice(1)
  if (cell[0] === 't') return rest
  return cell[0] === 'r' ? toReal(rest) : Buffer.from(rest, 'hex')
}

/** SQLite writes what is infinite as `Inf` and `-Inf`. */
const toReal = (text: string): number => Number(text.endsWith('Inf') ? `${text}inity` : text)

/** A row by column name from the package's array. */
export function zipRow(cells: readonly SqlValue[], names: readonly string[]): SqlRow {
  const row: SqlRow = {}
  for (let at = 0; at < names.length; at++) row[names[at] ?? ''] = cells[at] ?? null
  return row
}
