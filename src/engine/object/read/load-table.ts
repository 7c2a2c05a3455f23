/** A page of a grid, from the query cache, by a text index or by SQL. */
import { isBrief } from '../../../kernel/json-writing.ts'
import { Lru } from '../../../kernel/lru.ts'
import type { FindNow, Matches } from '../../grid-search/text-index.ts'
import { loadPage, loadPageOfNow } from './load-page.ts'
import { tellNamedOptions } from './named-options.ts'
import { isOfNow, numberOf, planPage, type TimedPlan } from './page-plans.ts'
import { findPermissions } from './permissions.ts'
import type { QueryCache } from './query-cache.ts'
import { requireSearchText } from './search-text.ts'
import { isFew, listSearchedValues } from './search.ts'
import { findSearchedText } from './searched-text.ts'
import { notePage, tellsRows } from './shown-records.ts'
import { findSource } from './source.ts'
import { planTable, type TablePlan } from './table.ts'
import { takesInstant } from './view-parameters.ts'
import type { TableRequest } from '../schema.ts'
import type { ViewAccess } from '../view-access.ts'

/** A request of a grid's page. */
interface TableAccess extends ViewAccess<QueryCache> {
  request: TableRequest
}

/** A TableResult as JSON text. */
export async function loadTable(access: TableAccess): Promise<string> {
  const { view, request, grant } = access
  const searchText = requireSearchText(request.SearchText)
  const { answer, key } =
    searchText === undefined ? loadRows(access) : loadSearch(access, searchText)
  const page = await answer
  notePage(view, grant.model, { page, key })
  return `{${page},"Permissions":${findPermissions(view, grant)}}`
}

/** The page that is being read, and the key of it in the query cache. */
interface Loading {
  answer: Promise<string>
  key?: string | undefined
}

function loadRows(access: TableAccess): Loading {
  const { reader, view, grant } = access
  if (!reader.isEnabled) return { answer: loadPlanned(access) }
  const source = findSource(view, grant, 'read')
  const versions = reader.versionsOf(source.tables)
  const { key, plan } = findPlan(access)
  const isTold = tellsRows(view, grant.model)
  const load = (): Promise<string> => loadPage(reader, plan, versions)
  return { answer: reader.answer(key, versions, load, { isTold }), key }
}

/**
 * The answer of a search is cached under the key of the same page without it, the text, and where
 * it is searched for: however many rows have it. It is cached at once: each search costs a pass.
 */
function loadSearch(access: TableAccess, searchText: string): Loading {
  const { reader, view, request, grant } = access
  if (!reader.isEnabled) return { answer: loadMatching(access, searchText) }
  const versions = reader.versionsOf(findSource(view, grant, 'read').tables)
  const { key, plan } = findPlan({ ...access, request: { ...request, SearchText: null } })
  const fields = reader.keyOf({ ...plan.page, sql: listSearchedValues(view, grant).join() })
  const options = tellNamedOptions(access, searchText)
  const name = key && fields && `${searchText.length}:${searchText} ${options} ${fields} ${key}`
  const answer = reader.answer(name, versions, () => loadMatching(access, searchText), {
    area: 'searches',
    isTold: tellsRows(view, grant.model),
  })
  return { answer, key: name }
}

/**
 * Loads rows by the keys of a text index, up to where it is read; else by SQL. A request that waits
 * for its turn to read rows may find them in the index then.
 */
async function loadMatching(access: TableAccess, searchText: string): Promise<string> {
  const { reader, view, grant } = access
  const text = findSearchedText(view, grant)
  const isByText = text !== undefined && tellNamedOptions(access, searchText) === ''
  if (!isByText || !reader.texts.isOpen) return loadPlanned(access)
  const scan = (): Promise<FindNow> => reader.texts.scan(text, searchText)
  const findNow = await scan()
  const matches = findNow?.()
  if (!matches || matches.readTo !== undefined) {
    const by = String(grant.caller.userId)
    return reader.texts.passes.run(async () => loadOfNow(access, await scan()), by)
  }
  if (isFew(matches)) {
    // On the serving thread there is hardly time for a commit in between.
    const page = await loadPlanned(access, matches)
    if (matches.holds()) return page
  }
  return loadOfNow(access, findNow)
}

function loadOfNow(access: TableAccess, findNow: FindNow): Promise<string> {
  const { reader, view, request, grant, context } = access
  const source = findSource(view, grant, 'read')
  const plan = (): TablePlan =>
    planTable(view, request, grant, context, {
      matches: findNow?.(),
      bytesMax: reader.answerBytesMax,
    })
  return loadPageOfNow(reader, source, plan)
}

function loadPlanned(access: TableAccess, matches?: Matches): Promise<string> {
  const { reader, view, request, grant, context } = access
  const source = findSource(view, grant, 'read')
  const versions = reader.versionsOf(source.tables)
  const bytesMax = reader.answerBytesMax
  const plan = matches
    ? planTable(view, request, grant, context, { matches, bytesMax })
    : planPage({ ...access, bytesMax }).plan
  return loadPage(reader, plan, versions)
}

/** A plan with the cache key of its answer. */
interface CachedPlan extends TimedPlan {
  key: string | undefined
}

const plans = new Lru<string, CachedPlan>(2 * 1024 * 1024)
const REQUEST_CHARACTERS_MAX = 1000

/** The plan of a page, with the cache key of its answer. @throws invalid as `planTable` does. */
function findPlan(access: TableAccess): CachedPlan {
  const { reader, view, request, grant, context } = access
  const isOfInstant = takesInstant(view)
  const mayKeep = !isOfInstant && isBrief(request, REQUEST_CHARACTERS_MAX)
  const name = mayKeep ? `${numberOf(grant)} ${view.name} ${JSON.stringify(request)}` : ''
  const known = mayKeep ? plans.find(name) : undefined
  if (known && isOfNow(known, context)) return known
  const planned = planPage({ ...access, bytesMax: reader.answerBytesMax })
  const key = isOfInstant ? undefined : planKey(reader, planned.plan)
  const cached = { ...planned, key }
  if (mayKeep && key !== undefined)
    plans.keep(name, cached, name.length + planned.plan.page.sql.length)
  return cached
}

/** The page's statement has its rows; the other parts complete the answer. */
function planKey(reader: QueryCache, plan: TablePlan): string | undefined {
  const page = reader.keyOf(plan.page)
  return page && `${plan.countMode} ${plan.number} ${plan.cursor?.scope ?? ''} ${page}`
}
