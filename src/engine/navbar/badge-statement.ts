/** The statement of a badge: the author's query over the rows that the caller may read. */
import type { SqlArg, SqlRead } from '../../store/sql.ts'
import type { Badge, NavbarItem } from '../../model/compiled/navbar.ts'
import { composeShownSql } from '../../model/fields/decimal.ts'
import { quote } from '../../model/sql/quote.ts'
import { planNarrowedShadows, type ShadowForm, withShadows } from '../../model/sql/shadow.ts'
import { type CountReader, planCountedRows } from './counted-rows.ts'
import { type Context, contextValue } from '../object/context.ts'
import { mayRunInline } from '../object/read/source.ts'
import { type TableSet, toTableSet } from '../object/read/table-set.ts'

/** A badge without the values of a request: the same for all callers of the same roles. */
export interface BadgeStatement {
  /** The item that has the badge. */
  name: string
  kind: Badge['kind']
  read: Omit<SqlRead, 'args'>
  /** Context parameters that it names. */
  names: readonly string[]
  /** The tables that its value depends on beside the parameters. */
  tables: TableSet
}

/**
 * Plans a badge; undefined for an item without one, or with a column that the caller cannot see.
 */
export function planBadge(reader: CountReader, item: NavbarItem): BadgeStatement | undefined {
  if (!item.badge) return undefined
  const { kind, sql } = item.badge
  const counted = planCountedRows(reader, item, sql)
  if (!counted) return undefined
  const { model } = reader
  const parts = [sql, ...counted.parts]
  const [column] = sql.columns
  const cell = column ? composeShownSql(quote(column.name), column.scale) : '*'
  const compose = (form: ShadowForm): string => {
    const shadows = planNarrowedShadows(model, sql.reads, counted.conditions(form), form)
    return `${withShadows(shadows)}SELECT json_array((SELECT ${cell} FROM (\n${sql.text}\n)))`
  }
  const names = new Set(['CurrentCompanyId', ...parts.flatMap(({ parameters }) => parameters)])
  const read = {
    sql: compose('inlined'),
    own: () => compose('materialized'),
    runs: parts.every((part) => mayRunInline(part, model))
      ? ('measured' as const)
      : ('lane' as const),
    of: item.name,
  }
  const tables = toTableSet([...sql.reads, ...counted.parts.flatMap(({ reads }) => reads)])
  return { name: item.name, kind, read, names: [...names], tables }
}

/** A badge's statement as it is read now. */
export function bindBadge({ read, names }: BadgeStatement, context: Context): SqlRead {
  const args: Record<string, SqlArg> = {}
  for (const name of names) args[name] = contextValue(name, context)
  return { ...read, args }
}

/** The value that a client shows: a number, or whether there is anything. */
type BadgeValue = number | boolean

/** The value in the text of a statement; undefined for a text that is not a figure. */
export function parseBadge(kind: Badge['kind'], text: string): BadgeValue | undefined {
  const [cell] = JSON.parse(text) as [unknown]
  if (cell !== null && typeof cell !== 'number') return undefined
  return kind === 'Dot' ? cell !== null && cell !== 0 : (cell ?? 0)
}
