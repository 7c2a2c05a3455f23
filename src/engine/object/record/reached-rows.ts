/** The records that a caller's rows hold, for statements over many keys at once. */
import type { SqlArgs, SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import type { AuthoredCondition } from '../../../model/compiled/authored-sql.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import type { View } from '../../../model/compiled/view.ts'
import { quote } from '../../../model/sql/quote.ts'
import { Bindings } from '../bindings.ts'
import { composeOver } from '../read/row-forms.ts'
import { bindNames, composeCondition, findSource, type Purpose } from '../read/source.ts'
import { composeLookup, toKeyList } from './stored-rows.ts'
import { keyText } from './written-row.ts'
import type { EntityUse, RecordAccess, ViewUse } from '../view-access.ts'

/** Names of the key in the view, in the entity's order. */
export const listKeyNames = ({ view, entity }: { view: View; entity: Entity }): string[] =>
  entity.keys.map(
    (column) => view.keys.find((field) => field.column === column)?.name ?? column.name,
  )

/** A question about the rows that a purpose reaches. */
interface ReachRequest {
  purpose: Purpose
  /** Further conditions on the rows. */
  conditions: readonly string[]
  /** Arguments for the statement's own names. */
  args: SqlArgs
}

/**
 * Asks a statement over the reached rows: `join` goes behind a table of keys `_key0`, `_key1` …,
 * and ends the statement or a subquery of it.
 */
export async function queryReached(
  reader: Reader,
  { view, entity, grant, context }: EntityUse,
  { purpose, conditions, args }: ReachRequest,
  compose: (join: string) => string,
): Promise<SqlRow[]> {
  const source = findSource(view, grant, purpose)
  const bindings = new Bindings()
  bindNames(source.names, bindings, context, { view, parameters: new Map() })
  const same = listKeyNames({ view, entity }).map((name, at) => `${quote(name)} = _key${at}`)
  const { sql, own } = composeOver(
    source,
    (form) => form.with + compose(`CROSS JOIN ${form.from} ${form.where(conditions, same)}`),
  )
  const values = { ...bindings.args(), ...args }
  return reader.all({ sql, own, args: values, runs: 'lane', of: source.of })
}

/** Rows of a view that a purpose reaches: the cells of some keys, by `keyText`. */
export async function loadReached(
  { reader, view, entity, grant, context }: RecordAccess<Reader>,
  keys: readonly (readonly SqlValue[])[],
  { purpose, cells }: { purpose: Purpose; cells: readonly string[] },
): Promise<Map<string, SqlRow>> {
  const source = findSource(view, grant, purpose)
  const names = listKeyNames({ view, entity })
  const bindings = new Bindings()
  bindNames(source.names, bindings, context, { view, parameters: new Map() })
  bindings.set('_keys', toKeyList(keys))
  const all = [...names.map((name, at) => `${quote(name)} AS _k${at}`), ...cells].join(', ')
  const { sql, own } = composeOver(
    source,
    (form) => `${form.with}SELECT ${all} FROM ${composeLookup(form, names, '_keys')}`,
  )
  const read = { sql, own, args: bindings.args(), runs: 'lane' as const, of: source.of }
  const rows = await reader.all(read)
  return new Map(rows.map((row) => [keyText(names.map((_, at) => row[`_k${at}`] ?? null)), row]))
}

/** Composes the test that a condition holds. */
export const composeHolds = (condition: AuthoredCondition): string =>
  `coalesce(${composeCondition(condition)}, 0) <> 0`

/** The condition under which a record may be changed or deleted at all. */
export const findPermit = (
  { permits }: View,
  capability: 'Update' | 'Delete',
): AuthoredCondition | undefined => permits.find((permit) => permit.capability === capability)?.when

/** Tells whether a purpose reaches every record of the company, whatever its state. */
export const reachesAll = (
  { view, grant }: Pick<ViewUse, 'view' | 'grant'>,
  purpose: Purpose,
): boolean => view.isGenerated && findSource(view, grant, purpose).filter === ''
