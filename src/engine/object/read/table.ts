/** A page of a grid: planned as data, read as one JSON text that goes into the answer as it is. */
import type { Grant } from '../../../access/grant.ts'
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import { dayIn } from '../../../kernel/zones.ts'
import type { Field, Preset, View } from '../../../model/model.ts'
import type { SqlRead } from '../../../store/sql.ts'
import type { Hits } from '../../search/kept-text.ts'
import { Bindings } from '../bindings.ts'
import type { Context } from '../context.ts'
import { composeCursorValues, cursorScope, planAfter, readCursor } from './cursor.ts'
import { composeOperand, planFilters } from './filter.ts'
import type { FilterScope } from './filter-scope.ts'
import { findField, isServed, requireListed } from '../find-view.ts'
import { parseParameter, readParameters } from '../write/parameters.ts'
import { composeOver, type RowForm } from './own-rows.ts'
import { isCarried, projectRow, visibleFields } from './projection.ts'
import {
  BOUNDED_COUNT_MAX,
  PAGE_SIZE_DEFAULT,
  PAGE_SIZE_MAX,
  type TableRequest,
} from '../schema.ts'
import { planSearch, readSought, type Narrowing } from './search.ts'
import { composeOrder, planSort, type SortColumn } from './sort.ts'
import { bindNames, composeCondition, findSource, type Source } from './source.ts'
import { mayNarrow, takeParameters } from './view-parameters.ts'

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
  /**
   * Undefined where rows have no key, so that a cursor would lose those of equal values, and where
   * the sort has a field that the caller does not get, which a cursor would tell.
   */
  cursorScope: string | undefined
}

/**
 * `hits` are the rows that a kept text gave for the search; without them SQL searches.
 * @throws invalid for what does not fit the view; nothing has been read then.
 */
export function planTable(
  view: View,
  request: TableRequest,
  grant: Grant,
  context: Context,
  hits?: Hits,
): TablePlan {
  const { bindings, source, scope, where } = planConditions(view, request, grant, context, 'read')
  const search = planSearch(scope, readSought(request.SearchText), hits)
  // Pages, orders and cursors have their count in common: equal values, so one kept answer.
  const shared = { ...bindings.args() }
  const sort = planSort(view, grant, request.Sort)
  const { number, size } = requirePage(request)
  const countMode = requireCountMode(request.CountMode)
  const hasKey = view.keys.length > 0
  const isOpen = hasKey && sort.every(({ field }) => isServed(view, grant, field))
  const scopeOfCursor = isOpen ? cursorScope(view.name, sort) : undefined
  const after = request.Cursor
    ? [planAfter(sort, readCursor(request.Cursor, scopeOfCursor, sort.length), bindings)]
    : []
  const skipped = after.length ? 0 : (number - 1) * size
  bindings.set('_limit', size)
  bindings.set('_offset', skipped)
  bindings.set('_next', skipped + size)
  const selected = selectRows(search.page, [...where, ...after])
  const counted = selectRows(search.count, where)
  const args = bindings.args()
  const read: ComposeRead = (kind, compose) => ({
    ...composeOver(
      source,
      (form) => `${form.with}${compose(form)}`,
      (text) => source.texts.find(kind, text),
    ),
    args,
    quick: scope.matchesText ? 'never' : source.quick,
    of: source.of,
  })
  return {
    page: planPage({ view, grant, sort, fields: request.Fields }, selected, read),
    count: planCount(countMode, counted, (kind, compose) => ({
      ...read(kind, compose),
      args: shared,
    })),
    more: read(
      `more ${selected.key}`,
      (form) => `SELECT EXISTS (SELECT 1 FROM ${selected.text(form)} LIMIT 1 OFFSET @_next)`,
    ),
    number,
    size,
    countMode,
    isAfterCursor: after.length > 0,
    cursorScope: scopeOfCursor,
  }
}

/** Which rows of a view a request asks for, but for its search, cursor and page. */
export interface Conditions {
  bindings: Bindings
  source: Source
  scope: FilterScope
  /** Besides the row filter of the source. */
  where: string[]
}

/** What a grid's request narrows its rows by. @throws invalid for what does not fit the view. */
export function planConditions(
  view: View,
  request: Pick<TableRequest, 'Filters' | 'Preset' | 'Parameters'>,
  grant: Grant,
  context: Context,
  purpose: 'read' | 'export',
): Conditions {
  const bindings = new Bindings()
  const source = findSource(view, grant, purpose)
  const parameters = takeParameters(view, grant, readParameters(request.Parameters))
  bindNames(source.names, bindings, context, { view, parameters })
  const scope = filterScope(view, grant, bindings, context)
  const where = [
    planParents(scope, parameters),
    planFilters(request.Filters, scope),
    planPreset(view, request.Preset),
  ]
  return { bindings, source, scope, where: where.filter((part) => part !== '') }
}

/** A read of the source; the kind is what sets its text apart. */
type ComposeRead = (kind: string, compose: (form: RowForm) => string) => SqlRead

/** Rows that the conditions leave; the key is what sets them apart within the source. */
interface Selection {
  key: string
  text: (form: RowForm) => string
}

function selectRows({ join, where }: Narrowing, conditions: readonly string[]): Selection {
  const all = where === '' ? conditions : [...conditions, where]
  return {
    key: `${join}(${all.join(') AND (')})`,
    text: (form) => `${join}${form.from} ${form.where(all)}`,
  }
}

function planPage(
  shown: { view: View; grant: Grant; sort: SortColumn[]; fields: TableRequest['Fields'] },
  { key, text }: Selection,
  read: ComposeRead,
): SqlRead {
  const { view, grant, sort } = shown
  const order = composeOrder(sort)
  const fields = shown.fields?.length ? planFields(view, grant, shown.fields) : undefined
  const names = fields?.map((field) => field.name).join() ?? ''
  return read(`page ${names} ${order} ${key}`, (form) => {
    const row = projectRow(view, fields ?? visibleFields(view, grant, 'Grid'), grant)
    return (
      `SELECT json_group_array(${row}) || char(30) || ` +
      `coalesce(json_group_array(${composeCursorValues(sort)}) -> '$[#-1]', '') || ` +
      `char(30) || count(*) FROM (SELECT * FROM ${text(form)} ` +
      `${order && `ORDER BY ${order} `}LIMIT @_limit OFFSET @_offset)`
    )
  })
}

function planCount(
  mode: CountMode,
  { key, text }: Selection,
  read: ComposeRead,
): SqlRead | undefined {
  if (mode === 'none') return undefined
  if (mode === 'exact') return read(`count ${key}`, (form) => `SELECT count(*) FROM ${text(form)}`)
  const limit = `LIMIT ${BOUNDED_COUNT_MAX + 1}`
  return read(
    `bounded ${key}`,
    (form) => `SELECT count(*) FROM (SELECT 1 FROM ${text(form)} ${limit})`,
  )
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
    matchesText: false,
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
    if (!field || !mayNarrow(scope.view, scope.grant, field)) continue
    const bound = parseParameter(field.name, scope.view, value)
    const sql = composeOperand(field, scope)
    parts.push(bound === null ? `${sql} IS NULL` : `${sql} = ${scope.bindings.add(bound)}`)
  }
  return parts.join(' AND ')
}

function planPreset(view: View, name: string | null | undefined): string {
  if (!name) return ''
  return composeCondition(requirePreset(view, name).where)
}

function requirePreset(view: View, name: string): Preset {
  const key = name.toLowerCase()
  const preset = view.presets.find((candidate) => candidate.name.toLowerCase() === key)
  if (!preset) throw invalid(say`Unknown preset '${name.slice(0, 80)}'`)
  return preset
}

/** The fields that were asked for; key and stamp travel with them. */
function planFields(view: View, grant: Grant, asked: readonly string[]): Field[] {
  const wanted = new Set(asked.map((name) => requireListed(view, grant, name)))
  return visibleFields(view, grant, 'Grid').filter(
    (field) => wanted.has(field) || isCarried(view, field),
  )
}

function requirePage(request: TableRequest): { number: number; size: number } {
  const number = request.Page ?? 1
  const size = request.PageSize ?? PAGE_SIZE_DEFAULT
  if (number < 1) throw invalid(say`Page begins at 1`)
  if (size < 1 || size > PAGE_SIZE_MAX) throw invalid(say`PageSize is from 1 to ${PAGE_SIZE_MAX}`)
  if (number * size > Number.MAX_SAFE_INTEGER) throw invalid(say`Page is too large`)
  return { number, size }
}

function requireCountMode(mode: string | undefined): CountMode {
  const key = (mode ?? 'exact').toLowerCase()
  if (key === 'exact' || key === 'bounded' || key === 'none') return key
  throw invalid(say`CountMode is exact, bounded or none`)
}
