/** One search over all views that a caller may see records of. */
import type { Caller } from '../../access/caller.ts'
import { Grant } from '../../access/grant.ts'
import { Yielder } from '../../kernel/yielder.ts'
import type { View } from '../../model/compiled/view.ts'
import type { Model } from '../../model/model.ts'
import type { Reader } from '../../store/store.ts'
import { newContext } from '../object/context.ts'
import { scopeName } from '../object/after-write/keep-search.ts'
import { listIndexedViews } from '../object/read/indexed-view.ts'
import type { Clock } from '../../kernel/clock.ts'
import { findScope } from '../search-index/entries.ts'
import { readSearch, type Phrase } from '../search-index/match.ts'
import { Elastic, ElasticFailure } from './elastic.ts'
import {
  findByKeys,
  findRecords,
  findSearchUse,
  TOTAL_MAX,
  type FoundRecords,
  type SearchUse,
} from './find-hits.ts'
import { scoreRecord, type Hit } from './score.ts'

/** What is searched, by whom. */
export interface SearchRequest {
  caller: Caller
  model: Model
  text: string
  /** Names or slugs of views, in lower case; undefined for all. */
  objects: ReadonlySet<string> | undefined
  /** Hits of a view. */
  limit: number
}

/** The hits of a view. */
export interface SearchGroup {
  view: View
  /** The fields of a hit's key, in its order. */
  keys: readonly string[]
  total: number
  isExact: boolean
  hits: readonly Hit[]
}

/** What a search has found. */
export interface SearchResult {
  groups: readonly SearchGroup[]
  ignored: readonly string[]
  /** Whether some records are not in the index yet. */
  isRebuilding: boolean
  provider: 'sql' | 'elastic'
}

/** Where searches are made. */
export interface SearchEngine {
  readonly store: Reader
  /** Finds the candidates where it is there; where it fails SQL does. */
  readonly elastic: Elastic | undefined
  readonly clock: Clock
}

/** The best hits of each view, the view of the best hit first. */
export async function searchRecords(
  engine: SearchEngine,
  request: SearchRequest,
): Promise<SearchResult> {
  const { phrases, ignored } = readSearch(request.text)
  const result = {
    groups: [] as SearchGroup[],
    ignored,
    isRebuilding: false,
    provider: 'sql' as SearchResult['provider'],
  }
  if (phrases.length === 0) return result
  const finder = new Finder(engine)
  for (const use of listUses(engine, request)) {
    const { group, isReady } = await searchView(finder, use, phrases, request.limit)
    if (group) result.groups.push(group)
    result.isRebuilding ||= !isReady
  }
  result.provider = finder.provider
  result.groups.sort((a, b) => (b.hits[0]?.score ?? 0) - (a.hits[0]?.score ?? 0))
  return result
}

/** The views that the caller may see records of, as far as they are asked for. */
function* listUses(engine: SearchEngine, request: SearchRequest): Iterable<SearchUse> {
  const { caller, model, objects } = request
  for (const indexed of listIndexedViews(model)) {
    const { view } = indexed
    const names = [view.name.toLowerCase(), view.slug.toLowerCase()]
    if (objects && !names.some((name) => objects.has(name))) continue
    const grant =
      Grant.find(caller, model, view.resource, 'List') ??
      Grant.find(caller, model, view.resource, 'View')
    const use =
      grant && findSearchUse({ view, grant, context: newContext(engine, caller, model) }, indexed)
    if (use) yield use
  }
}

/** Where the candidates of one search come from. */
class Finder {
  readonly reader: Reader
  #elastic: Elastic | undefined

  constructor({ store, elastic }: SearchEngine) {
    this.reader = store
    this.#elastic = elastic?.isOpen === true ? elastic : undefined
  }

  get provider(): SearchResult['provider'] {
    return this.#elastic ? 'elastic' : 'sql'
  }

  async find(
    use: SearchUse,
    wanted: { phrases: readonly Phrase[]; scope: number },
  ): Promise<FoundRecords> {
    const places = use.fields.map(({ place }) => place)
    try {
      const keys = await this.#elastic?.find({ ...wanted, places }, TOTAL_MAX + 1)
      if (keys) return await findByKeys(this.reader, use, keys)
    } catch (error) {
      if (!(error instanceof ElasticFailure)) throw error
      this.#elastic = undefined
    }
    return findRecords(this.reader, use, wanted)
  }
}

async function searchView(
  finder: Finder,
  use: SearchUse,
  phrases: readonly Phrase[],
  limit: number,
): Promise<{ group: SearchGroup | undefined; isReady: boolean }> {
  const { indexed, grant, view } = use
  const company = indexed.entity.company === undefined ? 0 : grant.caller.companyId
  const scope = await findScope(finder.reader, scopeName(indexed, company))
  if (!scope) return { group: undefined, isReady: false }
  const { records, total } = await finder.find(use, { phrases, scope: scope.id })
  const yielder = new Yielder()
  const hits: Hit[] = []
  for (const record of records) {
    const hit = scoreRecord(record, use.fields, phrases)
    if (hit) hits.push(hit)
    await yielder.yieldWhenDue()
  }
  hits.sort((a, b) => b.score - a.score || (a.title < b.title ? -1 : a.title > b.title ? 1 : 0))
  // What was read whole is counted as it was judged.
  const isWhole = total === records.length
  const count = isWhole ? hits.length : Math.min(total, TOTAL_MAX)
  const group = {
    ...{ view, keys: indexed.keys, total: count },
    ...{ isExact: isWhole || total <= TOTAL_MAX, hits: hits.slice(0, limit) },
  }
  return { group: hits.length > 0 ? group : undefined, isReady: scope.isReady }
}
