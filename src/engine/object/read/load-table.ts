/** A page of a grid as its statements give it, all of it of one state of the tables. */
import type { Grant } from '../../../access/grant.ts'
import type { View } from '../../../model/model.ts'
import type { Hits } from '../../search/kept-text.ts'
import type { SqlRead } from '../../../store/sql.ts'
import { Bounded } from './bounded.ts'
import type { Context } from '../context.ts'
import { writeCursor } from './cursor.ts'
import type { KeptReader, Noted } from './kept.ts'
import { BOUNDED_COUNT_MAX, type Pagination, type TableRequest } from '../schema.ts'
import { readSought } from './search.ts'
import { findSearchedText } from './searched-text.ts'
import { findSource, type Source } from './source.ts'
import { planTable, type TablePlan } from './table.ts'

const SEPARATOR = '\u001e'

/** A TableResult as JSON text. */
export async function loadTable(
  reader: KeptReader,
  view: View,
  request: TableRequest,
  grant: Grant,
  context: Context,
): Promise<string> {
  const asked = { reader, view, request, grant, context }
  const page = (await loadFound(asked)) ?? (await loadRows(asked))
  return `{${page},"Permissions":${grant.permissionsJson}}`
}

interface Asked {
  reader: KeptReader
  view: View
  request: TableRequest
  grant: Grant
  context: Context
}

function loadRows(asked: Asked, hits?: Hits): Promise<string> {
  const { reader, view, grant } = asked
  const source = findSource(view, grant, 'read')
  const noted = reader.note(source.tables)
  const plan = reader.keeps ? findPlan(asked, hits) : { ...planRows(asked, hits), key: undefined }
  return reader.answer(plan.key, noted, () => loadPage(reader, plan, source, noted))
}

const planRows = ({ view, request, grant, context }: Asked, hits?: Hits): TablePlan =>
  planTable(view, request, grant, context, hits)

/** Commits may come between finding keys and reading their rows; then it is tried once more. */
const FINDINGS = 2

/** The page of a search by the keys that a kept text gives; undefined where SQL has to search. */
async function loadFound(asked: Asked): Promise<string | undefined> {
  const { reader, view, request, grant } = asked
  const sought = readSought(request.SearchText)
  const text = sought === '' ? undefined : findSearchedText(view, grant)
  if (!text) return undefined
  for (let at = 0; at < FINDINGS; at++) {
    const hits = await reader.texts.find(text, sought)
    if (!hits) return undefined
    const page = await loadRows(asked, hits)
    if (hits.holds()) return page
  }
  return undefined
}

/** A plan with what its answer is kept under. */
interface KeptPlan extends TablePlan {
  key: string | undefined
  /** The minute of the clock that it was made for; undefined where it did not ask for the time. */
  minute?: number | undefined
}

const MINUTE_MS = 60_000

/**
 * Plans are made of the grant and the request, and of the day and the offset of the caller's zone,
 * which change with a minute. What names the instant itself has no key and is planned each time.
 */
const plans = new Bounded<KeptPlan>(2 * 1024 * 1024)
const REQUEST_CHARACTERS_MAX = 1000

const numbers = new WeakMap<Grant, number>()
let next = 0

function findPlan(given: Asked, hits: Hits | undefined): KeptPlan {
  const { reader, view, request, grant, context } = given
  const asked = request.SearchText ? '' : JSON.stringify(request)
  const mayKeep = asked !== '' && asked.length <= REQUEST_CHARACTERS_MAX
  const name = `${numberOf(grant)} ${view.name} ${asked}`
  const minute = Math.floor(context.now.getTime() / MINUTE_MS)
  const known = mayKeep ? plans.find(name) : undefined
  if (known && (known.minute ?? minute) === minute) return known
  const clock = watchClock(context)
  const planned = planTable(view, request, grant, clock.context, hits)
  const key = planKey(reader, planned)
  const plan = { ...planned, key, minute: clock.wasAsked ? minute : undefined }
  if (mayKeep && key !== undefined) plans.keep(name, plan, name.length + plan.page.sql.length)
  return plan
}

function numberOf(grant: Grant): number {
  const known = numbers.get(grant)
  if (known !== undefined) return known
  numbers.set(grant, ++next)
  return next
}

/** The same context, which tells whether its instant was asked for. */
function watchClock(context: Context): { context: Context; readonly wasAsked: boolean } {
  let wasAsked = false
  const watched: Context = {
    ...context,
    get now() {
      wasAsked = true
      return context.now
    },
  }
  return {
    context: watched,
    get wasAsked() {
      return wasAsked
    },
  }
}

/** The page's statement says its rows; the rest is what else goes into the answer. */
function planKey(reader: KeptReader, plan: TablePlan): string | undefined {
  const page = reader.keyOf(plan.page)
  return page && `${plan.countMode} ${plan.number} ${plan.cursorScope ?? ''} ${page}`
}

/** Rows and pagination as members of a JSON object. */
async function loadPage(
  reader: KeptReader,
  plan: TablePlan,
  source: Source,
  noted: Noted,
): Promise<string> {
  if (noted.stamp === undefined) return loadAtOnce(reader, plan, source)
  // One after the other: a query that runs away holds one lane, not two.
  const page = await reader.text(plan.page)
  const count = plan.count && (await reader.text(plan.count, noted))
  const isFull = Number(page.slice(page.lastIndexOf(SEPARATOR) + 1)) >= plan.size
  const more = isFull && !isTold(plan) ? await reader.text(plan.more) : '0'
  if (reader.holds(noted)) return composePage(plan, page, count, more)
  return loadAtOnce(reader, plan, source)
}

/**
 * Rows, count and what follows in one statement, for tables that are changing: one after the other
 * they could be of different states.
 */
async function loadAtOnce(reader: KeptReader, plan: TablePlan, source: Source): Promise<string> {
  const reads = [plan.page, plan.count, isTold(plan) ? undefined : plan.more]
  const join = (head: string, textOf: (read: SqlRead) => string): string => {
    const bodies = reads.map((read) => (read ? `(${textOf(read).slice(head.length)})` : "''"))
    return `${head}SELECT ${bodies.join(' || char(30) || ')}`
  }
  const sql = join(source.with, (read) => read.sql)
  const own = (): string => join(source.apart(), (read) => read.own?.() ?? read.sql)
  const read = { ...plan.page, sql, ...(plan.page.own && { own }) }
  const cells = (await reader.text(read)).split(SEPARATOR)
  const [rows, last, shown, count = '', more = ''] = cells
  return composePage(plan, `${rows}${SEPARATOR}${last}${SEPARATOR}${shown}`, count, more)
}

/** Whether the count tells what follows the page. */
const isTold = ({ countMode, isAfterCursor }: TablePlan): boolean =>
  countMode === 'exact' && !isAfterCursor

function composePage(
  plan: TablePlan,
  page: string,
  count: string | undefined,
  more: string,
): string {
  const rowsEnd = page.indexOf(SEPARATOR)
  const lastEnd = page.indexOf(SEPARATOR, rowsEnd + 1)
  const shown = Number(page.slice(lastEnd + 1))
  const total = count === undefined || count === '' ? undefined : Number(count)
  const isMore = isTold(plan) ? plan.number * plan.size < (total ?? 0) : more === '1'
  const hasNext = shown >= plan.size && isMore
  const pagination = toPagination(plan, total, hasNext, page.slice(rowsEnd + 1, lastEnd))
  return `"Rows":${page.slice(0, rowsEnd)},"Pagination":${JSON.stringify(pagination)}`
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
    NextCursor:
      hasNext && plan.cursorScope !== undefined
        ? writeCursor(plan.cursorScope, JSON.parse(last) as unknown[])
        : null,
  }
}
