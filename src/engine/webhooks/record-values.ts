/**
 * Values of one record that a user sees: of a stored one as it is now, of a removed one as its row
 * was before. Both are read again each time, by the rights of the user who asks.
 */
import { Failure } from '../../kernel/failure.ts'
import type { SqlValue } from '../../store/sql.ts'
import type { AuthoredSql } from '../../model/compiled/authored-sql.ts'
import type { View } from '../../model/compiled/view.ts'
import { storageOf } from '../../model/migrate/column-schema.ts'
import { quote, quoteText } from '../../model/sql/quote.ts'
import { findFormShape, planFormOf } from '../object/form/form-plan.ts'
import { loadForm } from '../object/form/load-form.ts'
import { readParameters } from '../object/parameters.ts'
import { parseCells } from '../object/read/page-cells.ts'
import { composeJsonObject } from '../object/read/projection.ts'
import type { QueryCache } from '../object/read/query-cache.ts'
import { noteKeys } from '../object/read/shown-records.ts'
import { findSource } from '../object/read/source.ts'
import { planByKey, requireViewKey } from '../object/record/record.ts'
import { findKeyedView, toWireKeys } from '../object/record/visible-keys.ts'
import { parseValue } from '../object/value.ts'
import type { ViewUse } from '../object/view-access.ts'

/** A record's key by the names of a view: `{"Id": 7}`. */
export type WireKeys = Readonly<Record<string, unknown>>

/** A record that a webhook reports. */
interface ToldRecord {
  keys: WireKeys
  /** The row of a removed record from `loadRemovedRow`; null for a stored one. */
  removed: string | null
}

/**
 * The record's fields as the caller's view serves them; undefined for a record that they do not
 * see, or of whose key they are not served every part.
 */
export async function findRecordValues(
  reader: QueryCache,
  use: ViewUse,
  { keys, removed }: ToldRecord,
): Promise<unknown> {
  const key = readKey(use, keys)
  if (!key) return undefined
  if (removed !== null) {
    noteKeys(use.view, [key])
    return findRemovedValues(reader, use, removed)
  }
  try {
    const text = await loadForm({ ...use, reader }, { Parameters: { ...keys } }, 'View')
    return (JSON.parse(text) as { Values: unknown }).Values
  } catch (error) {
    if (error instanceof Failure && error.kind === 'notFound') return undefined
    throw error
  }
}

/**
 * The values of a key in the order of the entity's keys; undefined where the view has no such key,
 * or the caller does not get all of it.
 */
export function readKey(use: ViewUse, keys: WireKeys): SqlValue[] | undefined {
  const keyed = findKeyedView(use.view)
  if (!keyed) return undefined
  const key: SqlValue[] = []
  for (const { field } of keyed.keys) {
    const parsed = parseValue(field, keys[field.name])
    if (parsed.fault !== undefined || parsed.value === null) return undefined
    key.push(parsed.value)
  }
  return toWireKeys(keyed, use, key) === null ? undefined : key
}

/**
 * Loads the row of a record that is about to be removed: each column that the view's query gives,
 * also those that the caller does not see, as `{"Id":7,"Cost":120}`. Undefined for a record that
 * the caller does not reach.
 */
export async function loadRemovedRow(
  reader: QueryCache,
  use: ViewUse,
  keys: WireKeys,
): Promise<string | undefined> {
  const key = requireViewKey(use.view, readParameters(keys))
  const pairs = use.view.query.columns.map(({ name }) => {
    const value = quote(name)
    // Only an adopted table holds bytes; JSON does not.
    return `${quoteText(name)}, iif(typeof(${value}) = 'blob', hex(${value}), ${value})`
  })
  const select = () => `${composeJsonObject(pairs)} AS Row`
  // The rows that reading reaches, with the fields that some of them hide.
  const found = await reader.get<{ Row: string }>(
    planByKey(use, key, 'with View', ['removed', select]),
  )
  return found?.Row
}

const PARAMETER = '_removed'

const removedViews = new WeakMap<View, View>()

/** The view with one row in place of its query: the row is bound as JSON text. */
const toRemovedView = (view: View): View =>
  removedViews.getOrInsertComputed(view, () => {
    const { query } = view
    const columns = query.columns.map(({ name }) => {
      const value = `json_extract(@${PARAMETER}, ${quoteText(`$.${JSON.stringify(name)}`)})`
      const column = view.fieldByName.get(name.toLowerCase())?.column
      // Comparisons convert by the type of a column, so the column of the table is needed.
      const typed = column ? `CAST(${value} AS ${storageOf(column.type)})` : value
      return `${typed} AS ${quote(name)}`
    })
    const row: AuthoredSql = {
      ...query,
      text: `SELECT ${columns.join(', ')}`,
      parameters: [PARAMETER],
      reads: [],
      writes: [],
      cells: [],
      mayRunInline: false,
    }
    return { ...view, query: row, isGenerated: false, formQuery: undefined }
  })

async function findRemovedValues(
  reader: QueryCache,
  use: ViewUse,
  removed: string,
): Promise<unknown> {
  const known = new Set(Object.keys(JSON.parse(removed) as object))
  // A filter on a column that was added later cannot be evaluated on the row.
  if (!use.view.query.columns.every(({ name }) => known.has(name))) return undefined
  const own = { ...use, view: toRemovedView(use.view) }
  const source = findSource(own.view, own.grant, 'read')
  const parameters = new Map([[PARAMETER, removed]])
  const shape = findFormShape(source, own, new Map())
  const found = await reader.text(planFormOf(source, shape, own, { parameters, mode: 'View' }))
  if (found === '') return undefined
  const [, , values = ''] = parseCells(found)
  return JSON.parse(values)
}
