/** The rows of a stored table as the wanted table will hold them. */
import { quote } from '../quote.ts'
import { planConversion } from './convert.ts'
import type { ColumnMatch, TableMatch } from './match.ts'

export interface Projected extends ColumnMatch {
  /** SQL over the stored row, by its stored names; undefined: an identity that numbers itself. */
  value: string | undefined
  /** The value is the stored one as it is. */
  isSame: boolean
  /** SQL that tells whether a stored value stays; undefined: each does. */
  isKept: string | undefined
}

/** Plans the new value of each column. Pure. */
export const planProjection = (table: TableMatch): Projected[] => table.columns.map(projectColumn)

function projectColumn(match: ColumnMatch): Projected {
  const { stored, wanted } = match
  if (stored === undefined) {
    const value = wanted.identity ? undefined : (findFill(match) ?? wanted.default ?? 'NULL')
    return { ...match, value, isSame: false, isKept: undefined }
  }
  const name = quote(stored.name)
  const { value, isKept } = planConversion(name, stored.type, wanted.type)
  const fill = stored.notNull ? undefined : (findFill(match) ?? wanted.default)
  const filled = wanted.notNull && fill ? `coalesce(${value}, ${fill})` : value
  return { ...match, value: filled, isSame: filled === name, isKept }
}

/**
 * The `Fill` that this migration uses, as SQL: for a column that is new or becomes required. One
 * that was left in the file since then is not looked at, as its columns may be gone.
 */
export function findFill({ column, wanted, stored }: ColumnMatch): string | undefined {
  const isNeeded = stored === undefined || (wanted.notNull && !stored.notNull)
  return isNeeded && column.fill !== undefined ? `(\n${column.fill.sql}\n)` : undefined
}

/** The stored rows under the wanted names, as SQL that stands in a FROM clause. */
export function projectRows(table: TableMatch, from: string): string {
  const columns = planProjection(table).map(
    ({ value, wanted }) => `${value ?? 'NULL'} AS ${quote(wanted.name)}`,
  )
  return `(SELECT ${columns.join(', ')} FROM ${from})`
}
