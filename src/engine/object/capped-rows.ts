/** Rows of a result as one JSON array: all of them, or a refusal that names the limit. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { SqlRow } from '../../store/sql.ts'

/** Limits of one answer: `Svc:Results:MaxRows` and `MaxBytes`. */
export interface RowLimits {
  rows: number
  bytes: number
}

/** Rows that were read and fit into one answer. */
interface CappedRows {
  /** A JSON array. */
  json: string
  /** Rows that there are, one more than asked for at most. */
  count: number
  bytes: number
}

const RUNNING_BYTES = 'sum(octet_length(_r)) OVER (ROWS UNBOUNDED PRECEDING) AS _b'
const RUNNING = `count(*) OVER (ROWS UNBOUNDED PRECEDING) AS _n, ${RUNNING_BYTES}`

const listWhere = (condition: string): string =>
  `'[' || coalesce(group_concat(_r) FILTER (WHERE ${condition}), '') || ']'`

const LISTED =
  `${listWhere('_n <= @_rows AND _b <= @_bytes')} ` +
  'AS _json, count(*) AS _count, coalesce(max(_b) FILTER (WHERE _n <= @_rows), 0) AS _size'

/**
 * A statement whose one row has the first `@_rows` rows of `inner` as JSON, within `@_bytes`.
 * `inner` gives a JSON object a row as `_r`, of one row beyond `@_rows`, too. `more` are further
 * aggregates over what it gives, and `_n`, which counts the rows.
 */
export const composeCapped = (inner: string, more: readonly string[] = []): string =>
  `SELECT ${[LISTED, ...more].join(', ')} FROM (SELECT *, ${RUNNING} FROM (${inner}))`

/**
 * A SELECT of one cell: the rows of `inner`, each a JSON object as `_r`, as a JSON array, or their
 * bytes where these are more than `@_bytes`.
 */
export const composeWithin = (inner: string): string =>
  `SELECT CASE WHEN max(_b) > @_bytes THEN max(_b) ELSE ${listWhere('_b <= @_bytes')} END ` +
  `FROM (SELECT _r, ${RUNNING_BYTES} FROM (${inner}))`

/** The cell of `composeWithin`. @throws invalid for rows of more bytes than the limit */
export function requireArray(cell: string, bytes: number): string {
  if (!cell.startsWith('[')) requireAnswerBytes(Number(cell), bytes)
  return cell
}

/** The rows of a capped statement's one row. */
export const readCapped = (row: SqlRow | undefined): CappedRows => ({
  json: String(row?._json ?? '[]'),
  count: Number(row?._count ?? 0),
  bytes: Number(row?._size ?? 0),
})

/** @throws invalid for more rows than one answer may hold: rows are never left out in silence. */
export function requireRows({ count }: Pick<CappedRows, 'count'>, { rows }: RowLimits): void {
  if (count > rows)
    throw invalid(say`The result has more than ${rows} rows (Svc:Results:MaxRows)`, {
      code: 'RESULT_TOO_LARGE',
    })
}

/** @throws invalid for more bytes than are left. */
export function requireBytes(
  { bytes }: Pick<CappedRows, 'bytes'>,
  limits: Pick<RowLimits, 'bytes'>,
  left: number = limits.bytes,
): void {
  if (bytes > left)
    throw invalid(say`The result is larger than ${limits.bytes} bytes (Svc:Results:MaxBytes)`, {
      code: 'RESULT_TOO_LARGE',
    })
}

/** UTF-8 takes at most so many bytes for one unit of a text. */
const BYTES_A_UNIT = 3

/**
 * An answer that is JSON text, as it is.
 * @throws invalid for one of more bytes than the limit, which says what to ask for less of.
 */
export function requireAnswerSize(text: string, { bytes }: Pick<RowLimits, 'bytes'>): string {
  if (text.length * BYTES_A_UNIT > bytes) requireAnswerBytes(Buffer.byteLength(text), bytes)
  return text
}

/** @throws invalid for an answer of more bytes than the limit. */
export function requireAnswerBytes(size: number, bytes: number): void {
  if (size > bytes)
    throw invalid(
      say`The response is over ${bytes} bytes (Svc:Results:MaxBytes). Load fewer rows or Fields.`,
      { code: 'RESULT_TOO_LARGE' },
    )
}
