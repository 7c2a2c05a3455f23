/** Rows and pagination of a grid's page, all of it of one state of the tables. */
import type { SqlRead } from '../../../store/sql.ts'
import { readSortValues, writeCursor } from './cursor.ts'
import {
  type PageRows,
  PAGINATION,
  parsePage,
  readLastLine,
  requireRowsCell,
  ROWS,
  RowsOverShare,
} from './page-cells.ts'
import type { QueryCache, TableVersions } from './query-cache.ts'
import type { Source } from './source.ts'
import type { TablePlan } from './table.ts'
import { BOUNDED_COUNT_MAX, type Pagination } from '../schema.ts'

/**
 * Rows and pagination as members of a JSON object.
 * @throws invalid for rows of more bytes than one answer may hold
 */
export async function loadPage(
  reader: QueryCache,
  plan: TablePlan,
  versions: TableVersions,
): Promise<string> {
  try {
    return composeMembers(plan, await readPage(reader, plan, versions))
  } catch (error) {
    const admitted = admitAll(plan, error)
    return composeMembers(admitted, await readPage(reader, admitted, versions))
  }
}

/**
 * The same in one statement, of the state of the very moment when its plan is made: of `source`,
 * whatever the moment.
 */
export async function loadPageOfNow(
  reader: QueryCache,
  source: Source,
  makePlan: () => TablePlan,
): Promise<string> {
  try {
    return await readOfNow(reader, source, makePlan)
  } catch (error) {
    return readOfNow(reader, source, () => admitAll(makePlan(), error))
  }
}

/** Plans the page with the whole bound as each row's share. @throws any error but RowsOverShare */
function admitAll(plan: TablePlan, error: unknown): TablePlan {
  const { guardBytes, page, whole } = plan
  if (!(error instanceof RowsOverShare) || guardBytes === undefined) throw error
  const admit = (read: SqlRead): SqlRead => ({
    ...read,
    args: { ...read.args, _share: guardBytes },
  })
  return { ...plan, page: admit(page), whole: whole && admit(whole) }
}

async function readPage(
  reader: QueryCache,
  plan: TablePlan,
  versions: TableVersions,
): Promise<PageRows> {
  const whole = findWhole(plan)
  if (whole !== undefined) {
    const page = parsePage(await reader.text(whole))
    if (isOfKeys(plan, page)) return page
  }
  if (versions.stamp === undefined) return parsePage(await reader.text(planAtOnce(plan)))
  // One after the other: a query that runs away holds one lane, not two.
  const page = parsePage(await reader.text(plan.page))
  const count = plan.count && (findTotal(plan, page) ?? (await loadCount(reader, plan.count)))
  const asksMore = page.shown >= plan.size && !showsMore(plan)
  const hasMore = asksMore && (await reader.text(plan.more)) === '1'
  if (reader.holds(versions)) return { ...page, count, hasMore }
  return parsePage(await reader.text(planAtOnce(plan)))

  /** Caches the count by itself, since many pages share it; but not the count of one search. */
  async function loadCount(from: QueryCache, read: SqlRead): Promise<number> {
    return Number(await from.text(read, plan.isOfMatches ? undefined : versions))
  }
}

async function readOfNow(
  reader: QueryCache,
  source: Source,
  makePlan: () => TablePlan,
): Promise<string> {
  let plan: TablePlan | undefined
  const planNow = (): SqlRead => {
    plan = makePlan()
    return findWhole(plan) ?? planAtOnce(plan)
  }
  const about = { name: `now ${source.from}`, of: source.of }
  const page = parsePage(await reader.textOfNow(planNow, about))
  if (plan !== undefined && isOfKeys(plan, page)) return composeMembers(plan, page)
  return readOfNow(reader, source, makePlan)
}

/** Sources in which two rows have one key, so that a page is more than the rows of its keys. */
const withDuplicates = new WeakSet<Source>()

/** The statement of one pass, where the source has shown no key in two rows. */
const findWhole = ({ whole, source }: TablePlan): SqlRead | undefined =>
  withDuplicates.has(source) ? undefined : whole

/** Checks that a page has the rows of its keys: not if two rows have one key, or one has none. */
function isOfKeys({ size, skipped, source }: TablePlan, page: PageRows): boolean {
  const { shown, count = 0, keys } = page
  if (keys === undefined) return true
  const expected = Math.min(size, Math.max(0, count - skipped))
  if (shown === expected && keys === expected) return true
  withDuplicates.add(source)
  return false
}

/** The count, where the end of the page shows it. */
function findTotal(plan: TablePlan, { shown }: PageRows): number | undefined {
  const isEnd = shown < plan.size && (shown > 0 || plan.skipped === 0)
  return isEnd && !plan.isAfterCursor ? plan.skipped + shown : undefined
}

/** Plans the one statement with the page's values, whose shares of the bound may have grown. */
const planAtOnce = ({ atOnce, page }: TablePlan): SqlRead => ({ ...atOnce(), args: page.args })

/** Tells whether the count shows if rows follow the page. */
const showsMore = ({ countMode, isAfterCursor }: TablePlan): boolean =>
  countMode === 'exact' && !isAfterCursor

function composeMembers(plan: TablePlan, page: PageRows): string {
  const rows = requireRowsCell(page.rows, plan.guardBytes)
  const { shown, count, hasMore } = page
  const isMore = showsMore(plan) ? plan.number * plan.size < (count ?? 0) : hasMore
  const hasNext = shown >= plan.size && isMore
  const pagination = toPagination(plan, count, hasNext, hasNext ? composeCursor(plan, page) : null)
  return `${ROWS}${rows}${PAGINATION}${JSON.stringify(pagination)}`
}

/** A cursor that continues after the last row. */
function composeCursor({ cursor }: TablePlan, { rows, beside }: PageRows): string | null {
  if (!cursor) return null
  return writeCursor(cursor.scope, readSortValues(cursor.columns, readLastLine(rows), beside))
}

function toPagination(
  plan: TablePlan,
  total: number | undefined,
  hasNext: boolean,
  cursor: string | null,
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
    NextCursor: cursor,
  }
}
