/** A page of a grid: planned as data, read as one JSON text that goes into the answer as it is. */
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import { dayIn } from '../../../kernel/zones.ts'
import type { SqlRead } from '../../../store/sql.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { Preset, View } from '../../../model/compiled/view.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import type { Matches } from '../../grid-search/text-index.ts'
import { Bindings } from '../bindings.ts'
import type { Context } from '../context.ts'
import { parseParameter, readParameters } from '../parameters.ts'
import { type CursorPlan, cursorScope, type CursorSlot, planAfter, readCursor } from './cursor.ts'
import { type FilterScope, type FilterSlot, noteHole } from './filter-scope.ts'
import { composeOperand, planFilters } from './filter.ts'
import { isServed, requireShown } from './find-view.ts'
import { namesWord } from './masked.ts'
import {
  type ComposeRead,
  type CountMode,
  planAtOnce,
  planCount,
  planMore,
  planPage,
  planShown,
  planWhole,
  selectRows,
} from './page-statements.ts'
import { isCarried, visibleFields } from './projection.ts'
import { requireSearchText } from './search-text.ts'
import { isFew, planSearch } from './search.ts'
import { tellsRows } from './shown-records.ts'
import { planSort, type SortColumn } from './sort.ts'
import { bindNames, composeCondition, composeOnce, findSource, type Source } from './source.ts'
import { findNarrowing, takeParameters } from './view-parameters.ts'
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, type TableRequest } from '../schema.ts'

/** The statements of one page. */
export interface TablePlan {
  /** The rows of the page: one text, see `parsePage`. */
  page: SqlRead
  count: SqlRead | undefined
  /**
   * Page and count of a search from one pass, where that is one pass less. Good only while no two
   * rows have one key.
   */
  whole: SqlRead | undefined
  /** Tells whether a row follows the page: read only if no count says so. */
  more: SqlRead
  /** All of it in one statement, with the values of the page. */
  atOnce: () => SqlRead
  number: number
  size: number
  /** Rows before the page; 0 behind a cursor. */
  skipped: number
  /** The rows are named by their keys, which no other request names. */
  isOfMatches: boolean
  /** Bytes of all rows that the page may have; undefined where the model bounds them enough. */
  guardBytes: number | undefined
  source: Source
  countMode: CountMode
  isAfterCursor: boolean
  /**
   * Undefined where rows have no key, so that a cursor would lose those of equal values, and where
   * the sort has a field that the caller does not get, which a cursor would show.
   */
  cursor: CursorPlan | undefined
  /** Places of the request's values. */
  slots: PlanSlots
}

/** Places where the statements of a page take the values of its request. */
interface PlanSlots {
  filters: readonly FilterSlot[]
  after: readonly CursorSlot[]
}

/** Options for planning a page, besides the request. */
interface PlanOptions {
  /** Matches that a text index has for the search text; without them SQL searches. */
  matches?: Matches | undefined
  /** `Svc:Results:MaxBytes`; a plan without it is of no page that is read. */
  bytesMax?: number
}

/**
 * @throws invalid for a request that does not fit the view; nothing has been read then.
 */
export function planTable(
  view: View,
  request: TableRequest,
  grant: Grant,
  context: Context,
  { matches, bytesMax = Infinity }: PlanOptions = {},
): TablePlan {
  const { bindings, source, scope, where } = planConditions(view, request, grant, context, 'read')
  const searchText = requireSearchText(request.SearchText)
  const search = planSearch(scope, searchText, matches)
  // Pages, orders and cursors have their count in common: equal values, so one cached answer.
  const shared = { ...bindings.args() }
  const sort = planSort(view, grant, request.Sort)
  const { number, size } = requirePage(request)
  const countMode = requireCountMode(request.CountMode)
  const scopeOfCursor = findCursorScope(view, grant, sort)
  const begins = request.Cursor
    ? planAfter(sort, readCursor(request.Cursor, scopeOfCursor, sort.length), bindings)
    : undefined
  const after = begins ? [begins.where] : []
  const skipped = after.length ? 0 : (number - 1) * size
  bindings.set('_limit', size)
  bindings.set('_offset', skipped)
  bindings.set('_next', skipped + size)
  const selected = selectRows(search, [...where, ...after])
  const shown = planShown(scope, {
    sort,
    size,
    bytesMax,
    cursorScope: scopeOfCursor,
    fields: request.Fields?.length ? planFields(view, grant, request.Fields) : undefined,
  })
  const args = bindings.args()
  const isTold = tellsRows(view, grant.model)
  const read: ComposeRead = (kind, compose) => ({
    ...composeOnce(source, kind, (form) => form.with + compose(form)),
    args,
    runs: scope.matchesText ? 'lane' : source.runs,
    of: source.of,
    isTold,
  })
  const count = planCount(countMode, selectRows(search, where))
  const counted: ComposeRead = (kind, compose) => ({ ...read(kind, compose), args: shared })
  const isPassed = searchText !== undefined && !(matches && isFew(matches))
  const isInOnePass = isPassed && countMode === 'exact' && !after.length
  const asksMore = countMode !== 'exact' || after.length > 0
  const more = planMore(selected)
  return {
    page: planPage(shown, selected, read),
    whole: isInOnePass ? planWhole(shown, selected, read) : undefined,
    count: count && counted(count.key, count.text),
    more: read(more.key, more.text),
    atOnce: () => planAtOnce(shown, selected, read, { count, more: asksMore ? more : undefined }),
    number,
    size,
    skipped,
    isOfMatches: matches !== undefined,
    guardBytes: shown.isGuarded ? bytesMax : undefined,
    source,
    countMode,
    isAfterCursor: after.length > 0,
    cursor: shown.cursor,
    slots: { filters: scope.slots, after: begins?.slots ?? [] },
  }
}

/** See `TablePlan`. */
function findCursorScope(view: View, grant: Grant, sort: SortColumn[]): string | undefined {
  const isOpen = sort.every(({ field }) => isServed(view, grant, field))
  return isOpen && view.keys.length > 0 ? cursorScope(view.name, sort) : undefined
}

/** The rows of a view that a request asks for, but for its search, cursor and page. */
export interface Conditions {
  bindings: Bindings
  source: Source
  scope: FilterScope
  /** Besides the row filter of the source. */
  where: string[]
}

/**
 * Plans the conditions of a grid's request; `bindings` are those of a statement that they are a
 * part of. @throws invalid if it does not fit the view.
 */
export function planConditions(
  view: View,
  request: Pick<TableRequest, 'Filters' | 'Preset' | 'Parameters'>,
  grant: Grant,
  context: Context,
  rows: 'read' | 'export' | Source,
  bindings = new Bindings(),
): Conditions {
  const source = typeof rows === 'string' ? findSource(view, grant, rows) : rows
  const parameters = takeParameters(view, grant, readParameters(request.Parameters))
  bindNames(source.names, bindings, context, { view, parameters })
  const scope = filterScope(view, grant, bindings, context)
  const where = [
    planParents(scope, parameters),
    planFilters(request.Filters, scope),
    planPreset(view, grant, request.Preset),
  ]
  return { bindings, source, scope, where: where.filter((part) => part !== '') }
}

/** Returns the scope that filters of this caller are planned with. */
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
    isOfParent: false,
    slots: [],
    get today() {
      return (today ??= dayIn(context.now, zone))
    },
  }
}

/** Parameters that name output columns narrow, in generated and authored queries alike. */
export function planParents(scope: FilterScope, parameters: ReadonlyMap<string, unknown>): string {
  const parts: string[] = []
  for (const [name, value] of parameters) {
    const field = findNarrowing(scope.view, scope.grant, name)
    if (!field) continue
    const bound = parseParameter(field.name, scope.view, value)
    const sql = composeOperand(field, scope)
    scope.isOfParent = true
    if (bound === null) {
      parts.push(`${sql} IS NULL`)
      continue
    }
    const place = scope.bindings.add(bound)
    parts.push(`${sql} = ${place}`)
    noteHole(scope, [place], (other) => {
      const next = parseParameter(field.name, scope.view, other)
      return next === null ? undefined : [next]
    })
  }
  return parts.join(' AND ')
}

function planPreset(view: View, grant: Grant, name: string | null | undefined): string {
  if (!name) return ''
  const preset = findPreset(view, grant, name)
  if (!preset) throw invalid(say`Unknown preset '${name.slice(0, 80)}'`)
  return composeCondition(preset.where)
}

/** A caller does not have a preset that names a field hidden from them, on any row. */
export function findPreset(view: View, { access }: Grant, name: string): Preset | undefined {
  const key = name.toLowerCase()
  const preset = view.presets.find((candidate) => candidate.name.toLowerCase() === key)
  const hidden = [...access.hidden, ...access.masked.keys()]
  return preset && hidden.some((field) => namesWord(preset.where.text, field)) ? undefined : preset
}

/** The requested fields; key and stamp travel with them. */
function planFields(view: View, grant: Grant, requested: readonly string[]): Field[] {
  const wanted = new Set(requested.map((name) => requireShown(view, grant, name)))
  return visibleFields(view, grant, 'Grid').filter(
    (field) => wanted.has(field) || isCarried(view, field),
  )
}

function requirePage(request: TableRequest): { number: number; size: number } {
  const number = request.Page ?? 1
  const size = request.PageSize ?? PAGE_SIZE_DEFAULT
  if (number < 1) throw invalid(say`Page must be 1 or more`)
  if (size < 1 || size > PAGE_SIZE_MAX)
    throw invalid(say`PageSize must be between 1 and ${PAGE_SIZE_MAX}`)
  if (number * size > Number.MAX_SAFE_INTEGER) throw invalid(say`Page is too large`)
  return { number, size }
}

function requireCountMode(mode: string | undefined): CountMode {
  const key = (mode ?? 'exact').toLowerCase()
  if (key === 'exact' || key === 'bounded' || key === 'none') return key
  throw invalid(say`CountMode must be one of: exact, bounded, none`)
}
