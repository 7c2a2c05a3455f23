/**
 * The explorer's ad-hoc query: rows or groups of a view, of the caller's rows and fields, planned
 * with the pieces of the grid and read in a lane.
 */
import { invalid } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import type { SqlRead } from '../../store/sql.ts'
import type { Field } from '../../model/compiled/field.ts'
import type { View } from '../../model/compiled/view.ts'
import { quote } from '../../model/sql/quote.ts'
import type { Grant } from '../../access/rights/grant.ts'
import { planColumns, projectColumn, type QueryResultColumn } from './columns.ts'
import { planHaving } from './having.ts'
import { joinPaths } from './joined-view.ts'
import { listPaths } from './paths.ts'
import { keepRelated } from './related.ts'
import { QUERY_ROWS_DEFAULT, QUERY_ROWS_MAX, type QueryRequest } from './schema.ts'
import { Bindings } from '../object/bindings.ts'
import { composeCapped, readCapped, requireBytes, type RowLimits } from '../object/capped-rows.ts'
import { clrTypeOf } from '../object/clr-type.ts'
import type { Context } from '../object/context.ts'
import { requireListed } from '../object/read/find-view.ts'
import { findLabel, isSeen } from '../object/read/labels.ts'
import { composeJsonObject, projectPair, visibleFields } from '../object/read/projection.ts'
import type { QueryCache } from '../object/read/query-cache.ts'
import { composeOver, type RowForm } from '../object/read/row-forms.ts'
import { requireSearchText } from '../object/read/search-text.ts'
import { planSearch } from '../object/read/search.ts'
import { noteArray } from '../object/read/shown-records.ts'
import { composeOrder, planSort, SORT_MAX } from '../object/read/sort.ts'
import type { TableSet } from '../object/read/table-set.ts'
import { type Conditions, planConditions } from '../object/read/table.ts'

/** A column as it is described. */
interface DescribedColumn {
  Name: string
  Label: string
  Type: string
  ClrType: string
}

/** The one statement of a query, and its columns. */
interface QueryPlan {
  read: SqlRead
  columns: DescribedColumn[]
  limit: number
  /** All that groups are read from; undefined for rows. */
  tables: TableSet | undefined
}

/**
 * A QueryResult as JSON text; `signal` ends the read.
 * @throws invalid for a request that does not fit the view
 */
export async function runQuery(
  reader: QueryCache,
  requested: { view: View; request: QueryRequest; grant: Grant; context: Context },
  limits: Pick<RowLimits, 'bytes'>,
  signal?: AbortSignal,
): Promise<string> {
  const { view, request, grant, context } = requested
  const plan = planQuery(view, request, grant, context, limits.bytes)
  const { read, columns, limit } = plan
  let isRead = false
  const load = async (): Promise<string> => {
    isRead = true
    const found = readCapped(await reader.get({ ...read, signal }))
    requireBytes(found, limits)
    if (!plan.tables) noteArray(view, grant.model, found.json)
    return `"Rows":${found.json},"HasMore":${found.count > limit}`
  }
  const rows = await answer(reader, plan, load).catch((error: unknown) => {
    // A read that is shared ends with the request of another one.
    if (isRead || signal?.aborted) throw error
    return load()
  })
  return `{"Columns":${JSON.stringify(columns)},${rows}}`
}

/** Groups of many rows make a short answer, which holds until one of their tables changes. */
function answer(
  reader: QueryCache,
  { read, tables }: QueryPlan,
  load: () => Promise<string>,
): Promise<string> {
  return tables ? reader.answer(reader.keyOf(read), reader.versionsOf(tables), load) : load()
}

/** @throws invalid for a request that does not fit the view; nothing has been read then. */
function planQuery(
  view: View,
  request: QueryRequest,
  grant: Grant,
  context: Context,
  bytesMax: number,
): QueryPlan {
  const limit = requireLimit(request.Limit ?? QUERY_ROWS_DEFAULT)
  const joined = joinPaths(view, grant, listPaths(request))
  const bindings = new Bindings()
  const source = keepRelated(joined.source, request, { view, grant, context, bindings })
  const conditions = planConditions(joined.view, request, grant, context, source, bindings)
  const rows = selectRows(conditions, request)
  const isGrouped = (request.GroupBy?.length ?? 0) + (request.Aggregates?.length ?? 0) > 0
  const plan = isGrouped
    ? planGroups(conditions, request)
    : planRows(view, joined.view, grant, request)
  const { language } = grant.caller
  bindings.set('_max', limit + 1)
  bindings.set('_rows', limit)
  bindings.set('_bytes', bytesMax)
  const text = composeOver(source, (form) => form.with + composeCapped(plan.inner(rows(form))))
  const read: SqlRead = { ...text, args: bindings.args(), runs: 'lane', of: view.name }
  const columns = plan.columns.map((column) => describe(column, language))
  return { read, columns, limit, tables: isGrouped ? source.tables : undefined }
}

function requireLimit(limit: number): number {
  if (limit < 1 || limit > QUERY_ROWS_MAX)
    throw invalid(say`Limit must be between 1 and ${QUERY_ROWS_MAX}`)
  return limit
}

/** The rows that the caller may list and the request asks for. */
function selectRows(
  { scope, where }: Conditions,
  request: QueryRequest,
): (form: RowForm) => string {
  const search = planSearch(scope, requireSearchText(request.SearchText))
  const all = search.where === '' ? where : [...where, search.where]
  return (form) => `${search.join}${form.from} ${form.where(all)}`
}

interface Planned {
  /** Gives each row as a JSON object `_r`, from the text after FROM. */
  inner: (rows: string) => string
  columns: readonly Described[]
}

function planRows(own: View, view: View, grant: Grant, request: QueryRequest): Planned {
  const fields = request.Fields?.length
    ? listFields(view, grant, request.Fields)
    : visibleFields(own, grant, 'Grid')
  if (request.Having?.length)
    throw invalid(say`Having needs GroupBy or Aggregates: Filters narrow rows`)
  const order = composeOrder(planSort(view, grant, request.Sort))
  const row = composeJsonObject(fields.map((field) => projectPair(field, view, grant)))
  const sorted = order === '' ? '' : `ORDER BY ${order} `
  return {
    inner: (rows) => `SELECT ${row} AS _r FROM (SELECT * FROM ${rows} ${sorted}LIMIT @_max)`,
    columns: fields,
  }
}

/** The requested fields in their order, each with its label. */
function listFields(view: View, grant: Grant, requested: readonly string[]): readonly Field[] {
  const fields = requested.flatMap((name) => {
    const field = requireListed(view, grant, name)
    const label = findLabel(view, field)
    return label && isSeen(grant, label) ? [field, label] : [field]
  })
  return [...new Set(fields)]
}

type Described = Pick<QueryResultColumn, 'name' | 'label' | 'type'>

function describe({ name, label, type }: Described, language?: string): DescribedColumn {
  const Label = renderMessage(label, language)
  return { Name: name, Label, Type: type, ClrType: clrTypeOf(type) }
}

/** Rows to operands, operands to groups, groups in order, each as JSON. */
function planGroups(
  { scope, bindings, source, where }: Conditions,
  request: QueryRequest,
): Planned {
  if (request.Fields?.length)
    throw invalid(say`A query with GroupBy or Aggregates cannot have Fields`)
  const columns = planColumns(scope, request)
  const groups = columns.filter(({ over, operand }) => !over && operand !== undefined)
  const operands = columns.flatMap(({ operand, whole }, at) => [
    ...(operand === undefined ? [] : [`${operand} AS _o${at}`]),
    ...(whole === undefined ? [] : [`${whole} AS _w${at}`]),
  ])
  const cells = columns.flatMap(({ name, operand, whole, over }, at) => {
    const ofWhole = whole === undefined ? undefined : `_w${at}`
    if (over) return [`${over(`_o${at}`, ofWhole)} AS ${quote(name)}`]
    return operand === undefined ? [] : [`_o${at} AS ${quote(name)}`]
  })
  const keys = columns.flatMap((column, at) => (groups.includes(column) ? [`_o${at}`] : []))
  const isSorted = where.length === 0 && source.filter === '' && hasSums(request)
  const by =
    keys.length > 0 ? ` GROUP BY ${keys.map((key) => (isSorted ? `+${key}` : key)).join(', ')}` : ''
  const grouped = (rows: string): string =>
    `SELECT ${cells.join(', ')} FROM ` +
    `(SELECT ${operands.length > 0 ? operands.join(', ') : '1'} FROM ${rows})${by}`
  const order = composeGroupOrder(columns, groups, request.Sort)
  const row = composeJsonObject(columns.map(projectColumn))
  const having = planHaving(columns, request.Having ?? [], (name, value) =>
    bindings.set(name, value),
  )
  return {
    inner: (rows) =>
      `SELECT ${row} AS _r FROM (SELECT * FROM (${grouped(rows)})${having}${order} LIMIT @_max)`,
    columns,
  }
}

/**
 * True when numbers are summed up, which no index holds. One that has the rows in the order of
 * their groups would fetch each from another place of the table: to read all of them in its order,
 * and sort, is faster. Counts, and the first and last of dates, are read from the index alone.
 */
const hasSums = ({ Aggregates }: QueryRequest): boolean =>
  Aggregates?.some(({ Field, Function: fn }) => Field && SUMS.has(fn.toLowerCase())) === true

const SUMS: ReadonlySet<string> = new Set(['sum', 'avg', 'share'])

/** Orders by the requested columns, then by the groups: the order is whole, and always the same. */
function composeGroupOrder(
  columns: readonly QueryResultColumn[],
  groups: readonly QueryResultColumn[],
  sort: QueryRequest['Sort'],
): string {
  if (sort && sort.length > SORT_MAX) throw invalid(say`You can sort by at most ${SORT_MAX} fields`)
  const requested = (sort ?? []).map(({ Field, Direction }) => {
    const key = Field.toLowerCase()
    const column = columns.find(({ name }) => name.toLowerCase() === key)
    if (!column)
      throw invalid(say`Unknown field '${Field.slice(0, 80)}'`, { code: 'UNKNOWN_FIELD' })
    const direction = (Direction ?? 'asc').toLowerCase()
    if (direction !== 'asc' && direction !== 'desc')
      throw invalid(say`Sort by '${column.name}': the direction must be asc or desc`)
    return `${column.order}${direction === 'desc' ? ' DESC' : ''}`
  })
  const order = [...requested, ...groups.map((group) => group.order)]
  return order.length > 0 ? ` ORDER BY ${order.join(', ')}` : ''
}
