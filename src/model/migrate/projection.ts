/** The rows of a stored table as the wanted table will hold them. */
import { BLANKS } from '../../kernel/blanks.ts'
import type { Column } from '../compiled/entity.ts'
import type { FieldType } from '../compiled/field-features.ts'
import { composeRoundedSql, DECIMAL_DIGITS_MAX, DECIMAL_SCALE_DEFAULT } from '../fields/decimal.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { type ColumnSchema, storageOf } from './column-schema.ts'
import { type ColumnMatch, newKey, oldKey, type TableMatch } from './schema-match.ts'
import { quote } from '../sql/quote.ts'

export interface Projected extends ColumnMatch {
  /** SQL over the stored row, by its stored names; undefined: an identity that numbers itself. */
  value: string | undefined
  /**
   * The same before the migration, when no key has moved: NULL where the value is, and equal where
   * the values are.
   */
  probe: string | undefined
  /** The value is the stored one as it is. */
  isSame: boolean
  /** SQL that tests whether a stored value stays; undefined: each does. */
  isLossless: string | undefined
  /** Another type stores it in another form, or not every value of it. */
  isConverted: boolean
  /** SQL of the value before it is made to fit a smaller Scale or MaxLength. */
  unfitted: string | undefined
}

/** Plans the new value of each column. Pure. */
export const planProjection = (table: TableMatch): Projected[] => table.columns.map(projectColumn)

/** Plans the new value of one column. Pure. */
export function projectColumn(match: ColumnMatch): Projected {
  const { stored, wanted } = match
  if (stored === undefined) return projectNew(match)
  const name = quote(stored.name)
  const conversion = planConversion(settle(name, stored), stored.type, wanted)
  const followed = match.follows && followValue(match.follows, name)
  const isLossless = followed ? undefined : conversion.isLossless
  const fitted = followed ? undefined : fitValue(match, conversion.value)
  const value = followed ?? fitted ?? conversion.value
  const probe = followed ? name : value
  const fill = stored.notNull ? undefined : (findFill(match) ?? wanted.default)
  const fillOf = (sql: string): string =>
    wanted.notNull && fill ? `coalesce(${sql}, ${fill})` : sql
  return {
    ...match,
    value: fillOf(value),
    probe: fillOf(probe),
    isSame: fillOf(value) === name,
    isLossless,
    isConverted: isLossless !== undefined || conversion.value !== name,
    unfitted: fitted === undefined ? undefined : conversion.value,
  }
}

const followValue = (map: string, name: string): string =>
  `(SELECT ${newKey(0)} FROM ${quote(map)} WHERE ${oldKey(0)} = ${name})`

function projectNew(match: ColumnMatch): Projected {
  const { wanted } = match
  const fill = findQueryFill(match) ? 'NULL' : findFill(match)
  const value = wanted.identity ? undefined : (fill ?? wanted.default ?? 'NULL')
  return {
    ...match,
    value,
    probe: value,
    isSame: false,
    isLossless: undefined,
    isConverted: false,
    unfitted: undefined,
  }
}

/** A stored value as its type has it, whatever an earlier version left. */
const settle = (name: string, { holdsDays }: ColumnSchema): string =>
  holdsDays ? `(${toInstantSql(name)})` : name

/** A day as the instant at which it begins in UTC; an instant stays. */
const toInstantSql = (day: string): string =>
  `CASE WHEN length(${day}) = 10 THEN ${day} || 'T00:00:00.000Z' ELSE ${day} END`

/**
 * The value as a smaller Scale or MaxLength has it: rounded, or cut. Undefined: it fits as it is.
 */
function fitValue({ column, stored, wanted }: ColumnMatch, value: string): string | undefined {
  if (stored === undefined) return undefined
  if (
    wanted.scale !== null &&
    isNarrower(stored.scale, wanted.scale, FIELD_KINDS[stored.type].number !== 'whole')
  )
    return composeRoundedSql(value, wanted.scale)
  const { maxLength } = wanted
  if (maxLength === null || column.key || wanted.references !== null) return undefined
  const isLonger = isNarrower(stored.maxLength, maxLength, storesLongText(stored.type))
  return isLonger ? `substr(${value}, 1, ${maxLength})` : undefined
}

/** Tests for a narrower bound; another type than the wanted one has none, and may exceed it. */
const isNarrower = (stored: number | null, wanted: number, isUnbounded: boolean): boolean =>
  stored === null ? isUnbounded : stored > wanted

/** Any value of the other types is short. */
const storesLongText = (type: Column['type']): boolean => FIELD_KINDS[type].structure !== undefined

/**
 * The `Fill` expression that this migration uses, as SQL: for a column that is new or becomes
 * required. One that was left in the file since then is not looked at: its columns may be gone.
 */
export function findFill(match: ColumnMatch): string | undefined {
  const { column, wanted } = match
  if (!isFillNeeded(match) || column.fill?.kind !== 'expression') return undefined
  const sql = `(\n${column.fill.sql}\n)`
  return wanted.scale === null ? sql : composeRoundedSql(sql, wanted.scale)
}

/** The `Fill` query that this migration asks; see `findFill`. */
export const findQueryFill = (match: ColumnMatch): Column['fill'] =>
  isFillNeeded(match) && match.column.fill?.kind === 'query' ? match.column.fill : undefined

const isFillNeeded = ({ wanted, stored }: ColumnMatch): boolean =>
  stored === undefined || (wanted.notNull && !stored.notNull)

/** Projects stored rows under the wanted names before any key moves, as SQL for a FROM. */
export function projectRows(table: TableMatch, from: string): string {
  const columns = planProjection(table).map(
    ({ probe, wanted }) => `${probe ?? 'NULL'} AS ${quote(wanted.name)}`,
  )
  return `(SELECT ${columns.join(', ')} FROM ${from})`
}

interface Conversion {
  /** SQL of the new value; NULL where the old one has none in the new type. */
  value: string
  /** SQL that tests whether the old value, not being NULL, stays; undefined: each does. */
  isLossless: string | undefined
}

/**
 * Plans the conversion of a column, an SQL name. A text is only kept where it is spelled as the new
 * type spells it: `007` is not a whole number, since its noughts would be lost. A text of only
 * blanks counts as no value. The result is what a field of the new type would have stored.
 */
export function planConversion(
  column: string,
  from: FieldType,
  { type: to, scale }: Pick<ColumnSchema, 'type' | 'scale'>,
): Conversion {
  if (from === to) return unchanged(column)
  if (FIELD_KINDS[to].isText) return unchanged(asText(column, from))
  const direct = DIRECT[`${from} ${to}`]
  if (direct !== undefined) return guard(bounded(direct(column), to, scale))
  const reading =
    storageOf(from) === 'TEXT' && FIELD_KINDS[from].structure !== 'files'
      ? FIELD_KINDS[to].fromText
      : undefined
  const text = `trim(${column}, ${BLANKS_SQL})`
  if (!reading)
    return guard({ value: 'NULL', isLossless: FIELD_KINDS[from].isText ? `${text} = ''` : '0' })
  return orNothing(text, guard(bounded(reading(text), to, scale)))
}

/** The blanks of `trim`, as SQL. */
const BLANKS_SQL = `char(${[...BLANKS].map((blank) => blank.charCodeAt(0)).join(', ')})`

/** No number is beyond what its type can be given: it could never be saved again. */
function bounded(
  { value, isLossless }: Conversion,
  to: FieldType,
  scale: number | null,
): Conversion {
  if (FIELD_KINDS[to].number === undefined) return { value, isLossless }
  const most =
    FIELD_KINDS[to].number === 'whole'
      ? `<= ${Number.MAX_SAFE_INTEGER}`
      : `< 1e${DECIMAL_DIGITS_MAX - (scale ?? DECIMAL_SCALE_DEFAULT)}`
  const fits = `abs(${value}) ${most}`
  return { value, isLossless: isLossless === undefined ? fits : `(${isLossless}) AND ${fits}` }
}

/** The text itself is nothing where it is empty. */
const orNothing = (text: string, { value, isLossless }: Conversion): Conversion => ({
  value: `CASE WHEN ${text} <> '' THEN ${value} END`,
  isLossless: isLossless === undefined ? undefined : `${text} = '' OR (${isLossless})`,
})

const unchanged = (value: string): Conversion => ({ value, isLossless: undefined })

function guard({ value, isLossless }: Conversion): Conversion {
  return isLossless === undefined
    ? unchanged(value)
    : { value: `CASE WHEN ${isLossless} THEN ${value} END`, isLossless }
}

function asText(column: string, from: FieldType): string {
  if (FIELD_KINDS[from].isFlag) return `CASE ${column} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`
  return storageOf(from) === 'TEXT' ? column : `CAST(${column} AS TEXT)`
}

type Plan = (column: string) => Conversion

/** Pairs whose values are not read by way of a text. */
const DIRECT: Readonly<Partial<Record<`${FieldType} ${FieldType}`, Plan>>> = {
  'Boolean Integer': unchanged,
  'Boolean Decimal': (column) => unchanged(`CAST(${column} AS REAL)`),
  'Boolean Json': (column) => unchanged(asText(column, 'Boolean')),
  'Integer Boolean': (column) => ({ value: column, isLossless: `${column} IN (0, 1)` }),
  'Integer Decimal': (column) => unchanged(`CAST(${column} AS REAL)`),
  'Integer Json': (column) => unchanged(`CAST(${column} AS TEXT)`),
  'Decimal Boolean': (column) => ({
    value: `CAST(${column} AS INTEGER)`,
    isLossless: `${column} IN (0, 1)`,
  }),
  'Decimal Integer': (column) => ({
    value: `CAST(${column} AS INTEGER)`,
    isLossless: `CAST(CAST(${column} AS INTEGER) AS REAL) = ${column}`,
  }),
  // A whole number has no places in JSON, and SQLite writes an exponent where JSON has none.
  'Decimal Json': (column) => ({
    value:
      `CASE WHEN CAST(CAST(${column} AS INTEGER) AS REAL) = ${column} ` +
      `THEN CAST(CAST(${column} AS INTEGER) AS TEXT) ELSE CAST(${column} AS TEXT) END`,
    isLossless: `abs(${column}) < 1e15 AND (${column} = 0 OR abs(${column}) >= 1e-4)`,
  }),
  'Date DateTime': (column) => unchanged(toInstantSql(column)),
  'DateTime Date': (column) => ({
    value: `substr(${column}, 1, 10)`,
    isLossless: `substr(${column}, 11) = 'T00:00:00.000Z'`,
  }),
  'File Json': unchanged,
}
