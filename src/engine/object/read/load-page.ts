/** Rows and pagination of a grid's page, all of it of one state of the tables. */
import type { SqlRead } from '../../../store/sql.ts'
import { writeCursor } from './cursor.ts'
import type { QueryCache, TableVersions } from './query-cache.ts'
import { BOUNDED_COUNT_MAX, type Pagination } from '../schema.ts'
import { requireRowsCell, RowsOverShare } from './page-cells.ts'
import type { Source } from './source.ts'
import type { TablePlan } from './table.ts'

const SEPARATOR = '\u001e'

/**
 * Rows and pagination as members of a JSON object.
 * @throws invalid for rows of more bytes than one answer may hold
 */
export async function loadPage(
  reader: QueryCache,
  plan: TablePlan,
  source: Source,
  versions: TableVersions,
): Promise<string> {
  try {
    return await loadShared(reader, plan, source, versions)
  } catch (error) {
    return loadShared(reader, admitAll(plan, error), source, versions)
  }
}

/** The same page with the whole bound as each row's share. @throws any error but RowsOverShare */
function admitAll(plan: TablePlan, error: unknown): TablePlan {
  const { guardBytes, page, whole } = plan
  if (!(error instanceof RowsOverShare) || guardBytes === undefined) throw error
  const admit = (read: SqlRead): SqlRead => ({
    ...read,
    args: { ...read.args, _share: guardBytes },
  })
  return { ...plan, page: admit(page), whole: whole && admit(whole) }
}

async function loadShared(
  reader: QueryCache,
  plan: TablePlan,
  source: Source,
  versions: TableVersions,
): Promise<string> {
  const whole = await loadWhole(reader, plan)
  if (whole !== undefined) return whole
  if (versions.stamp === undefined) return loadAtOnce(reader, plan, source)
  // One after the other: a query that runs away holds one lane, not two.
  const page = await reader.text(plan.page)
  const count = plan.count && (findTotal(plan, page) ?? (await loadCount(reader, plan, versions)))
  const isFull = Number(page.slice(page.lastIndexOf(SEPARATOR) + 1)) >= plan.size
  const more = isFull && !isTold(plan) ? await reader.text(plan.more) : '0'
  if (reader.holds(versions)) return composePage(plan, page, count, more)
  return loadAtOnce(reader, plan, source)
}

/**
 * The same as `loadPage` in one statement, of the state of the very moment when its plan is made.
 */
export async function loadPageOfNow(
  reader: QueryCache,
  source: Source,
  makePlan: () => TablePlan,
): Promise<string> {
  try {
    return await loadSharedOfNow(reader, source, makePlan)
  } catch (error) {
    return loadSharedOfNow(reader, source, () => admitAll(makePlan(), error))
  }
}

async function loadSharedOfNow(
  reader: QueryCache,
  source: Source,
  makePlan: () => TablePlan,
): Promise<string> {
  const planned: { decode?: (text: string) => string | undefined } = {}
  const planNow = (): SqlRead => {
    const plan = makePlan()
    if (plan.whole === undefined || withDoubles.has(source)) {
      planned.decode = (text) => readAtOnce(plan, text)
      return planAtOnce(plan, source)
    }
    planned.decode = (text) => readWhole(plan, text)
    return plan.whole
  }
  const about = { name: `now ${source.from}`, of: source.of }
  const text = await reader.textOfNow(planNow, about)
  return planned.decode?.(text) ?? loadSharedOfNow(reader, source, makePlan)
}

/** Sources in which a key stands in two rows, so that a page is more than the rows of its keys. */
const withDoubles = new WeakSet<Source>()

/** From one pass; undefined where a key stands in two rows, or is none. */
async function loadWhole(reader: QueryCache, plan: TablePlan): Promise<string | undefined> {
  if (plan.whole === undefined || withDoubles.has(plan.source)) return undefined
  return readWhole(plan, await reader.text(plan.whole))
}

function readWhole(plan: TablePlan, text: string): string | undefined {
  const [rows = '', last = '', shown, total, keys] = text.split(SEPARATOR)
  const expected = Math.min(plan.size, Math.max(0, Number(total) - plan.skipped))
  if (Number(shown) === expected && Number(keys) === expected)
    return composePage(plan, [rows, last, shown].join(SEPARATOR), total, '0')
  withDoubles.add(plan.source)
  return undefined
}

/** The count, where the end of the page tells it. */
function findTotal(plan: TablePlan, page: string): string | undefined {
  const shown = Number(page.slice(page.lastIndexOf(SEPARATOR) + 1))
  const isEnd = shown < plan.size && (shown > 0 || plan.skipped === 0)
  return isEnd && !plan.isAfterCursor ? String(plan.skipped + shown) : undefined
}

/** Kept by itself, since many pages share it; but not what one search alone could ask for. */
async function loadCount(
  reader: QueryCache,
  { count, isOfMatches }: TablePlan,
  versions: TableVersions,
): Promise<string | undefined> {
  return count && reader.text(count, isOfMatches ? undefined : versions)
}

/**
 * Rows, count and what follows in one statement, for tables that are changing: one after the other
 * they could be of different states.
 */
async function loadAtOnce(reader: QueryCache, plan: TablePlan, source: Source): Promise<string> {
  return readAtOnce(plan, await reader.text(planAtOnce(plan, source)))
}

function planAtOnce(plan: TablePlan, source: Source): SqlRead {
  const reads = [plan.page, plan.count, isTold(plan) ? undefined : plan.more]
  const join = (head: string, textOf: (read: SqlRead) => string): string => {
    const bodies = reads.map((read) => (read ? `(${textOf(read).slice(head.length)})` : "''"))
    return `${head}SELECT ${bodies.join(' || char(30) || ')}`
  }
  const sql = join(source.with, (read) => read.sql)
  const own = (): string => join(source.apart(), (read) => read.own?.() ?? read.sql)
  return { ...plan.page, sql, ...(plan.page.own && { own }) }
}

function readAtOnce(plan: TablePlan, text: string): string {
  const [rows, last, shown, count = '', more = ''] = text.split(SEPARATOR)
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
  const rows = requireRowsCell(page.slice(0, rowsEnd), plan.guardBytes)
  const lastEnd = page.indexOf(SEPARATOR, rowsEnd + 1)
  const shown = Number(page.slice(lastEnd + 1))
  const total = count === undefined || count === '' ? undefined : Number(count)
  const isMore = isTold(plan) ? plan.number * plan.size < (total ?? 0) : more === '1'
  const hasNext = shown >= plan.size && isMore
  const pagination = toPagination(plan, total, hasNext, page.slice(rowsEnd + 1, lastEnd))
  return `"Rows":${rows},"Pagination":${JSON.stringify(pagination)}`
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
