/** The rows of a stored table as the wanted table will hold them. */
import { composeRoundedSql } from '../fields/decimal.ts'
import type { Column } from '../model.ts'
import { quote } from '../quote.ts'
import { planConversion } from './convert.ts'
import { newKey, oldKey } from './schema-match.ts'
import type { ColumnMatch, TableMatch } from './schema-match.ts'

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
  /** SQL that tells whether a stored value stays; undefined: each does. */
  isKept: string | undefined
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
  const conversion = planConversion(name, stored.type, wanted.type)
  const followed = match.follows && followValue(match.follows, name)
  const isKept = followed ? undefined : conversion.isKept
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
    isKept,
    unfitted: fitted === undefined ? undefined : conversion.value,
  }
}

const followValue = (map: string, name: string): string =>
  `(SELECT ${newKey(0)} FROM ${quote(map)} WHERE ${oldKey(0)} = ${name})`

function projectNew(match: ColumnMatch): Projected {
  const { wanted } = match
  const fill = findQueryFill(match) ? 'NULL' : findFill(match)
  const value = wanted.identity ? undefined : (fill ?? wanted.default ?? 'NULL')
  return { ...match, value, probe: value, isSame: false, isKept: undefined, unfitted: undefined }
}

/**
 * The value as a smaller Scale or MaxLength has it: rounded, or cut. Undefined: it fits as it is.
 */
function fitValue({ column, stored, wanted }: ColumnMatch, value: string): string | undefined {
  if (stored === undefined) return undefined
  if (wanted.scale !== null && isNarrower(stored.scale, wanted.scale, stored.type !== 'Integer'))
    return composeRoundedSql(value, wanted.scale)
  const { maxLength } = wanted
  if (maxLength === null || column.key || wanted.references !== null) return undefined
  const isLonger = isNarrower(stored.maxLength, maxLength, storesLongText(stored.type))
  return isLonger ? `substr(${value}, 1, ${maxLength})` : undefined
}

/** Another type than the wanted one has no such bound, and may have values beyond. */
const isNarrower = (stored: number | null, wanted: number, isUnbounded: boolean): boolean =>
  stored === null ? isUnbounded : stored > wanted

/** Any value of the other types is short. */
const storesLongText = (type: Column['type']): boolean => type === 'Json' || type === 'File'

/**
 * The `Fill` expression that this migration uses, as SQL: for a column that is new or becomes
 * required. One that was left in the file since then is not looked at, as its columns may be gone.
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

/** The stored rows under the wanted names before any key moves, as SQL that stands in a FROM. */
export function projectRows(table: TableMatch, from: string): string {
  const columns = planProjection(table).map(
    ({ probe, wanted }) => `${probe ?? 'NULL'} AS ${quote(wanted.name)}`,
  )
  return `(SELECT ${columns.join(', ')} FROM ${from})`
}
