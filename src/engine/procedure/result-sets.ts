/** Rows of authored statements as result sets: columns with their types, rows as JSON. */
import type { SqlArg, SqlRow, SqlValue } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import type { AuthoredSql, OutputColumn } from '../../model/compiled/authored-sql.ts'
import type { Column } from '../../model/compiled/entity.ts'
import {
  composeUnitsSql,
  DECIMAL_SCALE_DEFAULT,
  roundDecimal,
  toShown,
} from '../../model/fields/decimal.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import type { Model } from '../../model/model.ts'
import { quote, quoteText } from '../../model/sql/quote.ts'
import { composeShadowed } from '../../model/sql/shadow.ts'
import { bindStatement, type StatementRun } from '../object/after-write/authored-statement.ts'
import {
  composeCapped,
  readCapped,
  requireBytes,
  requireRows,
  type RowLimits,
} from '../object/capped-rows.ts'
import { clrTypeOf, clrTypeOfValue } from '../object/clr-type.ts'
import { composeJsonObject } from '../object/read/projection.ts'
import { toWire } from '../object/value.ts'

/** A column of a result, as it is answered. */
export interface ResultColumn {
  Name: string
  ClrType: string
}

/** The result of one statement. */
export interface ResultSet {
  columns: ResultColumn[]
  /** A JSON array of objects. */
  rows: string
  count: number
  bytes: number
  /** The first cell of the first row. */
  first: SqlArg
}

/** Room that is left in the answer. */
interface Room {
  limits: RowLimits
  /** Bytes that are left. */
  left: number
}

/** Rows of a query, all of them in one text. @throws invalid for more than there is room for. */
export async function readResultSet(
  reader: Reader,
  run: StatementRun,
  sql: AuthoredSql,
  { limits, left }: Room,
): Promise<ResultSet> {
  const { shadowScope, of } = run
  const { model } = run.context
  const origins = sql.columns.map((column) => findOrigin(model, column))
  const caps = { _max: limits.rows + 1, _rows: limits.rows, _bytes: left }
  const args = { ...(await bindStatement(reader, run, sql)), ...caps }
  const compose = (head: string): string => head + composeRows(sql, origins)
  const whole = composeShadowed(model, sql.reads, shadowScope, compose)
  const row = await reader.get({ ...whole, args, runs: 'lane', of })
  const capped = readCapped(row)
  requireRows(capped, limits)
  requireBytes(capped, limits, left)
  const columns = describeColumns(sql, origins, (at) => row?.[`_t${at}`])
  const { json, count, bytes } = capped
  return { columns, rows: json, count, bytes, first: row?._first ?? null }
}

/**
 * Composes the rows that meet `filter`, each cell as `shape` makes it, and the types of columns
 * that do not come from a table.
 */
export function composeRows(
  sql: AuthoredSql,
  origins: readonly (Column | undefined)[],
  filter = '',
  shape = (cell: string): string => cell,
): string {
  const pairs = sql.columns.map(
    (column, at) => `${quoteText(column.name)},${shape(composeCell(column, origins[at]))}`,
  )
  const unknown = sql.columns.flatMap(({ name }, at) => (origins[at] ? [] : [{ name, at }]))
  const cells = [
    `${composeJsonObject(pairs)} AS _r`,
    `${quote(sql.columns[0]?.name ?? '')} AS _c`,
    ...unknown.map(({ name, at }) => `nullif(typeof(${quote(name)}), 'null') AS _t${at}`),
  ]
  const where = filter === '' ? '' : ` WHERE ${filter}`
  const rows = `SELECT * FROM (\n${sql.text}\n)${where} LIMIT @_max`
  const inner = `SELECT ${cells.join(', ')} FROM (${rows})`
  return composeCapped(inner, [
    'max(CASE WHEN _n = 1 THEN _c END) AS _first',
    ...unknown.map(({ at }) => `min(printf('%09d', _n) || _t${at}) AS _t${at}`),
  ])
}

const NUMBER_DIGITS = 9

/** The columns with their types; `firstOf` gives a column's `_t` cell of `composeRows`. */
export const describeColumns = (
  sql: AuthoredSql,
  origins: readonly (Column | undefined)[],
  firstOf: (at: number) => unknown,
): ResultColumn[] =>
  sql.columns.map(({ name }, at) => {
    const origin = origins[at]
    return { Name: name, ClrType: origin ? typeOf(origin) : typeOfFirst(firstOf(at)) }
  })

const typeOfFirst = (first: unknown): string =>
  clrTypeOfValue(typeof first === 'string' ? first.slice(NUMBER_DIGITS) : undefined)

/** The column of an entity from which an output comes straight. */
export const findOrigin = (model: Model, { table, column }: OutputColumn): Column | undefined =>
  model.entityByTable.get(table?.toLowerCase() ?? '')?.columnByName.get(column?.toLowerCase() ?? '')

const typeOf = ({ kind, type }: Column): string => clrTypeOf(kind === 'stamp' ? 'Text' : type)

/** A cell as the grid would serve it; one that does not come from a table by its own type. */
function composeCell({ name, scale }: OutputColumn, origin: Column | undefined): string {
  const cell = quote(name)
  if (origin?.kind === 'stamp') return `CAST(${cell} AS TEXT)`
  if (origin) return FIELD_KINDS[origin.type].toJsonSql(cell, origin)
  const shown = scale === undefined ? cell : `${composeUnitsSql(cell, scale)} / 1e${scale}`
  const finite = `CASE WHEN ${cell} BETWEEN -1e300 AND 1e300 THEN ${shown} END`
  const others = `WHEN 'blob' THEN hex(${cell}) ELSE ${cell} END`
  return `CASE typeof(${cell}) WHEN 'real' THEN ${finite} ${others}`
}

/** Rows that a writing statement gave by RETURNING. */
export function toResultSet(
  model: Model,
  sql: AuthoredSql,
  rows: readonly SqlRow[],
  { limits, left }: Room,
): ResultSet {
  const origins = sql.columns.map((column) => findOrigin(model, column))
  const cellOf = (row: SqlRow, at: number): SqlValue => row[sql.columns[at]?.name ?? ''] ?? null
  const json = JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(
        sql.columns.map((column, at) => [
          column.name,
          toCell(origins[at], toShown(cellOf(row, at), column.scale)),
        ]),
      ),
    ),
  )
  const size = { count: rows.length, bytes: Buffer.byteLength(json) }
  requireRows(size, limits)
  requireBytes(size, limits, left)
  const columns = sql.columns.map(({ name }, at) => {
    const origin = origins[at]
    const first = rows.map((row) => cellOf(row, at)).find((value) => value !== null)
    return { Name: name, ClrType: origin ? typeOf(origin) : clrTypeOfValue(sqlTypeOf(first)) }
  })
  const [row] = rows
  return { columns, rows: json, ...size, first: row ? cellOf(row, 0) : null }
}

function toCell(origin: Column | undefined, value: SqlValue): unknown {
  if (origin?.kind === 'stamp') return value === null ? null : String(value)
  if (origin && FIELD_KINDS[origin.type].number === 'scaled' && typeof value === 'number') {
    return Number(roundDecimal(String(value), origin.scale ?? DECIMAL_SCALE_DEFAULT) ?? value)
  }
  return toWire(origin ?? { type: 'Text' }, value)
}

function sqlTypeOf(value: SqlValue | undefined): string {
  if (typeof value === 'bigint') return 'integer'
  if (typeof value !== 'number') return 'text'
  return Number.isInteger(value) ? 'integer' : 'real'
}
