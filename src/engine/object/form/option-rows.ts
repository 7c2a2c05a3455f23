/** The source of a field's options, as SQL: a DataSet, a looked-up view, the users. */
import type { OutputColumn } from '../../../model/compiled/authored-sql.ts'
import type { DataSet, FieldFeatures } from '../../../model/compiled/field-features.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { composeShownSql } from '../../../model/fields/decimal.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { quote } from '../../../model/sql/quote.ts'
import { planShadows, withShadows } from '../../../model/sql/shadow.ts'
import { composeTextOrder } from '../../../model/sql/text-order.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import { Bindings } from '../bindings.ts'
import { bindLookup, listConditions, type LookupSource } from './lookup.ts'
import { type OptionCell, type OptionRows, toText } from './option-query.ts'
import { type Named, parseParameter } from '../parameters.ts'
import { isServed } from '../read/find-view.ts'
import { composeValue, findLabel, isSeen, listSearched } from '../read/labels.ts'
import { projectField } from '../read/projection.ts'
import type { QueryCache } from '../read/query-cache.ts'
import { findDataSetText, findSearchedText } from '../read/searched-text.ts'
import { composeOrder, planSort } from '../read/sort.ts'
import { bindNames, mayRunInline } from '../read/source.ts'
import { toTableSet } from '../read/table-set.ts'
import type { ViewAccess } from '../view-access.ts'

/** The requested field of a form, with the grant that the caller has on it. */
export interface FieldAccess extends ViewAccess<QueryCache, OptionOwner> {
  field: FieldFeatures
  /** Values that the options depend on, by lower-case name: present, never the request's own. */
  parameters: ReadonlyMap<string, unknown>
}

/** The owner of a field: a view, or an action of it with its parameters. */
export type OptionOwner = Named & Pick<View, 'name'>

/** Access to a field without a reader of text indexes. */
type RequestedValue = Omit<FieldAccess, 'reader'>

/** Names of an entry that are its own. */
const OWN_NAMES = new Set(['value', 'label'])

function planShadowed(
  { model, allCompanies }: Grant,
  tables: readonly string[],
): Pick<OptionRows, 'with' | 'materialized'> {
  const scope = allCompanies ? 'all' : 'company'
  return {
    with: withShadows(planShadows(model, tables, scope)),
    materialized: () => withShadows(planShadows(model, tables, scope, 'materialized')),
  }
}

/** The rows of a DataSet, in its own order; its parameters are the record's values. */
export function planDataSet(requested: FieldAccess, dataSet: DataSet): OptionRows {
  const { sql } = dataSet
  const { view, grant, context, parameters } = requested
  const bindings = new Bindings()
  const names = new Set([...sql.parameters, 'CurrentCompanyId'])
  bindNames(names, bindings, context, { view, parameters })
  const cells = sql.columns
    .filter(({ name }) => !OWN_NAMES.has(name.toLowerCase()))
    .map((column) => ({ name: column.name, sql: outputText(column, grant) }))
  const own = (name: string) => sql.columns.find((column) => column.name === name)
  const [value, label] = [own('Value'), own('Label')].map((column) =>
    column ? outputText(column, grant) : "''",
  )
  return {
    ...planShadowed(grant, sql.reads),
    from: `(\n${sql.text}\n)`,
    filter: '',
    conditions: [],
    order: '',
    value: { sql: toText('"Value"'), type: 'Text' },
    cells: [{ name: 'Value', sql: value ?? "''" }, { name: 'Label', sql: label ?? "''" }, ...cells],
    searched: ['"Value"', '"Label"'].map(toText),
    exact: ['"Value"', '"Label"'].map((name) => ({ sql: toText(name), type: 'Text' })),
    text: findDataSetText(dataSet, grant),
    // No index may answer for it, so that the rows stay in the query's order.
    key: { sql: '+"Value"', isOrdered: true },
    bindings,
    tables: toTableSet(sql.reads),
    runs: mayRunInline(sql, grant.model) ? 'measured' : 'lane',
    of: `${view.name}.${requested.field.name}`,
  }
}

/** A column that comes straight from an entity is shown by its type, another one as text. */
function outputText({ name, table, column, scale }: OutputColumn, { model }: Grant): string {
  const origin = model.entityByTable
    .get(table?.toLowerCase() ?? '')
    ?.columnByName.get(column?.toLowerCase() ?? '')
  if (scale !== undefined) return toText(composeShownSql(quote(name), scale))
  return toText(
    FIELD_KINDS[origin?.type ?? 'Text'].toJsonSql(quote(name), { scale: origin?.scale }),
  )
}

/** The rows of a looked-up view: its own order, else that of the labels. */
export function planLookupRows(requested: RequestedValue, found: LookupSource): OptionRows {
  const { field, context, parameters } = requested
  const { view, grant, source } = found
  const bindings = new Bindings()
  bindLookup(found, bindings, context, (name) =>
    parseParameter(name, requested.view, parameters.get(name.toLowerCase())),
  )
  const key = view.keys[0]
  const keySql = key ? toText(projectField(key, view, grant)) : "''"
  const shown = findFields(field.lookup?.label.length ? field.lookup.label : displayOf(view), found)
  const labels = shown.map((each) => cellOf(each, found))
  const label = labels.length > 0 ? joinTexts(labels) : keySql
  const search = findFields(field.lookup?.search ?? [], found)
  const searchText = search.length > 0 ? search : listSearched(view).filter((f) => isSeen(grant, f))
  const searched = new Set([...shown, ...searchText].map((each) => shownOf(each, view)))
  const fill = findFields(field.lookup?.fill.map(({ from }) => from) ?? [], found)
  const given = [...new Set([...search, ...fill])].filter(
    ({ name }) => !OWN_NAMES.has(name.toLowerCase()),
  )
  return {
    with: source.with,
    materialized: source.materialized,
    from: source.from,
    filter: source.filter,
    conditions: listConditions(found),
    order: orderOf(view, grant, labels),
    value: { sql: key ? quote(key.name) : "''", type: key?.type ?? 'Text' },
    cells: [
      { name: 'Value', sql: keySql },
      { name: 'Label', sql: label },
      ...given.map((each) => ({
        name: each.name,
        sql: toText(projectField(each, view, grant)),
      })),
    ],
    searched: [...searched].map((each) => composeValue(each, grant)),
    exact: listExact(found, search, labels),
    text: findSearchedText(view, grant, [...searched]),
    key: { sql: key ? quote(key.name) : "''", isOrdered: false },
    bindings,
    tables: source.tables,
    runs: source.runs,
    of: source.of,
    view,
  }
}

const sqlOf = ({ sql }: OptionCell): string => sql

/** Fields of the looked-up view that the caller gets there. */
function findFields(names: readonly string[], { view, grant }: LookupSource): Field[] {
  return names.flatMap((name) => {
    const field = view.fieldByName.get(name.toLowerCase())
    return field && isServed(view, grant, field) ? [field] : []
  })
}

const displayOf = (view: View): readonly string[] => view.entity?.display ?? []

const shownOf = (field: Field, view: View): Field => findLabel(view, field) ?? field

/** Returns the cell of a row's field: its own label if it refers to a record. */
function cellOf(field: Field, { view, grant }: LookupSource): OptionCell {
  const shown = shownOf(field, view)
  return { sql: composeValue(shown, grant), type: shown.type }
}

const joinTexts = (parts: readonly OptionCell[]): string =>
  parts.length === 1
    ? toText(parts[0]?.sql ?? 'NULL')
    : `concat_ws(' ', ${parts.map(sqlOf).join(', ')})`

/** Lists cells that name a record: search columns, unique ones, a key people know, the label. */
function listExact(
  { view, grant }: LookupSource,
  search: readonly Field[],
  labels: readonly OptionCell[],
): OptionCell[] {
  const unique = view.fields.filter((field) => {
    const { column } = field
    const isUnique = column && (column.unique || (column.key && !column.identity))
    return isUnique && isServed(view, grant, field)
  })
  const cells = [...new Set([...search, ...unique])]
    .filter(({ type }) => FIELD_KINDS[type].matchesParts || FIELD_KINDS[type].number === 'whole')
    .map(({ name, type }) => ({ sql: quote(name), type }))
  const [label] = labels
  const isKnown = labels.length !== 1 || cells.some(({ sql }) => sql === label?.sql)
  return label && !isKnown ? [...cells, { ...label, type: 'Text' }] : cells
}

/** The view's own order; by the labels where it has none. */
function orderOf(view: View, grant: Grant, labels: readonly OptionCell[]): string {
  const sort = planSort(view, grant, undefined)
  const isByKey = sort.every(({ field }) => view.keys.includes(field))
  const ofLabels = labels.map(({ sql, type }) =>
    FIELD_KINDS[type].isText ? composeTextOrder(sql) : sql,
  )
  return isByKey ? [...ofLabels, composeOrder(sort)].join(', ') : composeOrder(sort)
}

/** The company's active users, for a caller who may list no view of them. */
export function planUsers({ grant, context, view }: RequestedValue): OptionRows {
  const bindings = new Bindings()
  bindNames(['CurrentCompanyId'], bindings, context, { view, parameters: new Map() })
  return {
    ...planShadowed(grant, ['svc_users']),
    from: '(SELECT Id, UserName, DisplayName FROM svc_users WHERE Active = 1)',
    filter: '',
    conditions: [],
    order: `${composeTextOrder('DisplayName')}, Id`,
    value: { sql: 'Id', type: 'Integer' },
    cells: [
      { name: 'Value', sql: toText('Id') },
      { name: 'Label', sql: 'DisplayName' },
      { name: 'UserName', sql: 'UserName' },
    ],
    searched: ['DisplayName', 'UserName'],
    exact: [{ sql: 'UserName', type: 'Text' }],
    text: undefined,
    key: { sql: 'Id', isOrdered: false },
    bindings,
    tables: toTableSet(['svc_users']),
    runs: 'measured',
    of: undefined,
  }
}
