/** The records among some that a caller sees in a view. */
import type { SqlRead, SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import type { Column, Entity } from '../../../model/compiled/entity.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { quote } from '../../../model/sql/quote.ts'
import { Bindings } from '../bindings.ts'
import type { Context } from '../context.ts'
import { isServed } from '../read/find-view.ts'
import { findOwnTable } from '../read/query-shape.ts'
import { bindNames, composeOnce, findSource } from '../read/source.ts'
import { composeKeys, toKeyList } from './stored-rows.ts'
import { keyText } from './written-row.ts'
import { toWire } from '../value.ts'
import type { ViewUse } from '../view-access.ts'

/** A view whose rows are an entity's records, with the fields that hold the entity's key. */
export interface KeyedView {
  view: View
  entity: Entity
  keys: readonly { field: Field; column: Column }[]
}

/** Undefined for a view of no stored entity, and for one that does not show the entity's key. */
export function findKeyedView(view: View): KeyedView | undefined {
  const { entity } = view
  if (!entity || entity.builtIn) return undefined
  const keys = entity.keys.flatMap((column) => {
    const field = view.keys.find((each) => each.column === column)
    return field ? [{ field, column }] : []
  })
  return keys.length === entity.keys.length && keys.length > 0 ? { view, entity, keys } : undefined
}

/**
 * Lists the entities whose records decide, beside the row's own record, whether a caller sees the
 * row and its content: joined tables, tables of subqueries, and tables that row filters ask. A row
 * may change with them although its own record does not.
 */
export function listJoined({ view, entity, keys }: KeyedView, { grant }: ViewUse): Set<Entity> {
  const { model } = grant
  const own = entity.table.toLowerCase()
  const joined = view.query.reads.filter((table) => table.toLowerCase() !== own)
  // A query that names its own table once puts each of its records into the row of its key alone.
  const [only] = keys
  const isAlone = view.isGenerated || (only && findOwnTable(view.query, only.field.name, model))
  const asked = grant.readFilters()?.flat() ?? []
  const tables = [...joined, ...(isAlone ? [] : [own]), ...asked.flatMap(({ reads }) => reads)]
  return new Set(tables.flatMap((table) => model.entityByTable.get(table.toLowerCase()) ?? []))
}

/** The read of `findVisible`. */
function planVisible(
  { keys: names }: KeyedView,
  { view, grant, context }: ViewUse,
  keys: readonly (readonly SqlValue[])[],
): SqlRead {
  const source = findSource(view, grant, 'read')
  const bindings = new Bindings()
  bindNames(source.names, bindings, context, { view, parameters: new Map() })
  bindings.set('_keys', toKeyList(keys))
  const fields = names.map(({ field }) => field.name)
  const among = composeKeys(fields, '_keys')
  const list = `json_array(${fields.map(quote).join(', ')}) AS Found`
  const sql = composeOnce(
    source,
    'visible keys',
    (form) => `${form.with}SELECT ${list} FROM ${form.from} ${form.where([], [among])}`,
  )
  return { ...sql, args: bindings.args(), runs: source.runs, of: source.of }
}

/** Finds which records of some keys are in the rows that a caller reads, by `keyText`. */
export async function findVisible(
  reader: Reader,
  keyed: KeyedView,
  use: ViewUse,
  keys: readonly (readonly SqlValue[])[],
): Promise<ReadonlySet<string>> {
  const rows = await reader.all<{ Found: string }>(planVisible(keyed, use, keys))
  return new Set(rows.map(({ Found }) => keyText(JSON.parse(Found) as SqlValue[])))
}

/**
 * Describes the rows of a view that a caller sees: equal texts mean equal rows, at any one
 * instant.
 */
export function describeVisible(keyed: KeyedView, use: ViewUse): string {
  const fixed: Context = { ...use.context, now: new Date(0) }
  const { sql, args } = planVisible(keyed, { ...use, context: fixed }, [])
  const values = Object.entries(args).map(([name, value]) => [name, String(value), typeof value])
  const { companyId, timeZone } = use.grant.caller
  return JSON.stringify([keyed.view.name, companyId, timeZone, sql, values])
}

/** A key as the wire has it; null for a caller who does not get all of its fields. */
export function toWireKeys(
  { view, keys }: KeyedView,
  { grant }: Pick<ViewUse, 'grant'>,
  key: readonly SqlValue[],
): Record<string, unknown> | null {
  if (!keys.every(({ field }) => isServed(view, grant, field))) return null
  return Object.fromEntries(
    keys.map(({ field }, at) => [field.name, toWire(field, key[at] ?? null)]),
  )
}
