/** A page of a grid: planned as data, read as one JSON text that goes into the answer as it is. */
import type { Grant } from '../../access/grant.ts'
import { invalid } from '../../kernel/failure.ts'
import { dayIn } from '../../kernel/zones.ts'
import type { Preset, View } from '../../model/model.ts'
import { quote } from '../../model/quote.ts'
import type { SqlRead } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import { Bindings } from './bindings.ts'
import type { Context } from './context.ts'
import { cursorScope, planAfter, readCursor, writeCursor } from './cursor.ts'
import { planFilters } from './filter.ts'
import type { FilterScope } from './filter-scope.ts'
import { findField, requireField } from './find-view.ts'
import { parseParameter, readParameters } from './parameters.ts'
import { isCarried, projectRow, visibleFields } from './projection.ts'
import {
  BOUNDED_COUNT_MAX,
  PAGE_SIZE_DEFAULT,
  PAGE_SIZE_MAX,
  type Pagination,
  type TableRequest,
} from './schema.ts'
import { composeOrder, planSort, type SortColumn } from './sort.ts'
import { bindNames, composeCondition, findSource } from './source.ts'
import { planTextPattern } from './text-match.ts'

type CountMode = 'exact' | 'bounded' | 'none'

/** The statements of one page. */
export interface TablePlan {
  /** One cell: rows as a JSON array, the sort values of the last row, the number of rows. */
  page: SqlRead
  count: SqlRead | undefined
  /** Whether a row follows the page: asked only where no count tells. */
  more: SqlRead
  number: number
  size: number
  countMode: CountMode
  isAfterCursor: boolean
  cursorScope: string
}

const SEPARATOR = '\u001e'
const SEARCH_MAX = 200

/** @throws invalid for what does not fit the view; nothing has been read then. */
export function planTable(
  view: View,
  request: TableRequest,
  grant: Grant,
  context: Context,
): TablePlan {
  const bindings = new Bindings()
  const source = findSource(view, grant, 'read')
  const parameters = readParameters(request.Parameters)
  bindNames(source.names, bindings, context, { view, parameters })
  const scope = filterScope(view, grant, bindings, context)
  const where = [
    source.filter,
    planParents(scope, parameters),
    planFilters(request.Filters, scope),
    planSearch(scope, request.SearchText),
    planPreset(view, request.Preset),
  ].filter((part) => part !== '')
  const sort = planSort(view, grant, request.Sort)
  const fields = planFields(view, grant, request.Fields)
  const { number, size } = requirePage(request)
  const countMode = requireCountMode(request.CountMode)
  const scopeOfCursor = cursorScope(view.name, sort)
  const rowsFrom = (conditions: readonly string[]) =>
    `${source.from}${conditions.length ? ` WHERE (${conditions.join(') AND (')})` : ''}`
  const counted = rowsFrom(where)
  const after = request.Cursor
    ? [planAfter(sort, readCursor(request.Cursor, scopeOfCursor, sort.length), bindings)]
    : []
  const limit = bindings.add(size)
  const offset = bindings.add(after.length ? 0 : (number - 1) * size)
  const next = bindings.add((after.length ? 0 : (number - 1) * size) + size)
  const selected = rowsFrom([...where, ...after])
  const order = composeOrder(sort)
  const row = projectRow(view, fields, grant)
  const args = bindings.args()
  const read = (sql: string): SqlRead => ({
    sql: `${source.with}${sql}`,
    args,
    quick: source.quick,
  })
  return {
    page: read(
      `SELECT json_group_array(${row}) || char(30) || ` +
        `coalesce(json_group_array(json_array(${sortValues(sort)})) -> '$[#-1]', '') || ` +
        `char(30) || count(*) FROM (SELECT * FROM ${selected} ` +
        `ORDER BY ${order} LIMIT ${limit} OFFSET ${offset})`,
    ),
    count: planCount(countMode, counted, read),
    more: read(`SELECT EXISTS (SELECT 1 FROM ${selected} LIMIT 1 OFFSET ${next})`),
    number,
    size,
    countMode,
    isAfterCursor: after.length > 0,
    cursorScope: scopeOfCursor,
  }
}

function planCount(mode: CountMode, counted: string, read: (sql: string) => SqlRead) {
  if (mode === 'none') return undefined
  if (mode === 'exact') return read(`SELECT count(*) FROM ${counted}`)
  const limit = BOUNDED_COUNT_MAX + 1
  return read(`SELECT count(*) FROM (SELECT 1 FROM ${counted} LIMIT ${limit})`)
}

/** What filters of this caller are planned with. */
export function filterScope(
  view: View,
  grant: Grant,
  bindings: Bindings,
  context: Context,
): FilterScope {
  const zone = grant.caller.timeZone
  let today: string | undefined
  return {
    view,
    grant,
    bindings,
    zone,
    get today() {
      return (today ??= dayIn(context.now, zone))
    },
  }
}

/** Parameters that name output columns narrow, in generated and authored queries alike. */
export function planParents(scope: FilterScope, parameters: ReadonlyMap<string, unknown>): string {
  const parts: string[] = []
  for (const [name, value] of parameters) {
    const field = findField(scope.view, scope.grant, name)
    if (!field) continue
    const bound = parseParameter(field.name, scope.view, value)
    const sql = quote(field.name)
    parts.push(bound === null ? `${sql} IS NULL` : `${sql} = ${scope.bindings.add(bound)}`)
  }
  return parts.join(' AND ')
}

/** Every Searchable field; a view that names none searches its visible texts. */
function planSearch({ view, grant, bindings }: FilterScope, text: string | null | undefined) {
  const sought = text?.trim()
  if (!sought) return ''
  if (sought.length > SEARCH_MAX) throw invalid(`SearchText has at most ${SEARCH_MAX} characters`)
  const visible = visibleFields(view, grant, 'Grid')
  const declared = visible.filter((field) => field.searchable)
  const fields = declared.length
    ? declared
    : visible.filter((field) => field.type === 'Text' && field.column && !field.hidden)
  if (fields.length === 0) return '0'
  const pattern = bindings.add(planTextPattern(sought, 'anywhere'))
  return fields.map((field) => `${quote(field.name)} GLOB ${pattern}`).join(' OR ')
}

function planPreset(view: View, name: string | null | undefined): string {
  if (!name) return ''
  return composeCondition(requirePreset(view, name).where)
}

function requirePreset(view: View, name: string): Preset {
  const key = name.toLowerCase()
  const preset = view.presets.find((candidate) => candidate.name.toLowerCase() === key)
  if (!preset) throw invalid(`Unknown preset '${name.slice(0, 80)}'`)
  return preset
}

function planFields(view: View, grant: Grant, asked: readonly string[] | null | undefined) {
  const visible = visibleFields(view, grant, 'Grid')
  if (!asked?.length) return visible
  const wanted = new Set(asked.map((name) => requireField(view, grant, name)))
  return visible.filter((field) => wanted.has(field) || isCarried(view, field))
}

function sortValues(sort: readonly SortColumn[]): string {
  return sort.map((column) => quote(column.field.name)).join(',')
}

function requirePage(request: TableRequest): { number: number; size: number } {
  const number = request.Page ?? 1
  const size = request.PageSize ?? PAGE_SIZE_DEFAULT
  if (number < 1) throw invalid('Page begins at 1')
  if (size < 1 || size > PAGE_SIZE_MAX) throw invalid(`PageSize is from 1 to ${PAGE_SIZE_MAX}`)
  if (number * size > Number.MAX_SAFE_INTEGER) throw invalid('Page is too large')
  return { number, size }
}

function requireCountMode(mode: string | undefined): CountMode {
  const key = (mode ?? 'exact').toLowerCase()
  if (key === 'exact' || key === 'bounded' || key === 'none') return key
  throw invalid('CountMode is exact, bounded or none')
}

/** A TableResult as JSON text. */
export async function loadTable(
  reader: Reader,
  view: View,
  request: TableRequest,
  grant: Grant,
  context: Context,
): Promise<string> {
  const plan = planTable(view, request, grant, context)
  const [page, count] = await Promise.all([
    reader.text(plan.page),
    plan.count ? reader.text(plan.count) : undefined,
  ])
  const rowsEnd = page.indexOf(SEPARATOR)
  const lastEnd = page.indexOf(SEPARATOR, rowsEnd + 1)
  const shown = Number(page.slice(lastEnd + 1))
  const total = count === undefined ? undefined : Number(count)
  const hasNext = await loadHasNext(reader, plan, shown, total)
  const last = page.slice(rowsEnd + 1, lastEnd)
  const pagination = toPagination(plan, total, hasNext, last)
  const permissions = JSON.stringify(grant.permissions())
  return (
    `{"Rows":${page.slice(0, rowsEnd)},"Pagination":${JSON.stringify(pagination)},` +
    `"Permissions":${permissions}}`
  )
}

async function loadHasNext(
  reader: Reader,
  plan: TablePlan,
  shown: number,
  total: number | undefined,
): Promise<boolean> {
  if (shown < plan.size) return false
  const isTold = total !== undefined && plan.countMode === 'exact' && !plan.isAfterCursor
  if (isTold) return plan.number * plan.size < total
  return (await reader.text(plan.more)) === '1'
}

function toPagination(
  plan: TablePlan,
  total: number | undefined,
  hasNext: boolean,
  last: string,
): Pagination {
  const isExact = plan.countMode === 'exact' || (total ?? Infinity) <= BOUNDED_COUNT_MAX
  const rows = total === undefined ? null : Math.min(total, isExact ? total : BOUNDED_COUNT_MAX)
  return {
    Page: plan.number,
    PageSize: plan.size,
    TotalRows: rows,
    TotalPages: rows === null ? null : Math.ceil(rows / plan.size),
    TotalIsExact: total !== undefined && isExact,
    HasNext: hasNext,
    NextCursor: hasNext ? writeCursor(plan.cursorScope, JSON.parse(last) as unknown[]) : null,
  }
}
