/** Searches all views that a caller may see records of. */
import type { Clock } from '../../kernel/clock.ts'
import { Yielder } from '../../kernel/yielder.ts'
import type { Reader } from '../../store/store.ts'
import type { View } from '../../model/compiled/view.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import { Elastic, ElasticFailure } from './elastic.ts'
import {
  findByKeys,
  findRecords,
  findSearchUse,
  type FoundRecords,
  type SearchTerms,
  type SearchUse,
  TOTAL_MAX,
} from './find-hits.ts'
import { type Hit, scoreRecord } from './score.ts'
import { findScope, type Scope } from './text-index/entries.ts'
import { readSearch, type Term } from './text-index/match.ts'
import { loadSpellings, mayBeMistyped } from './text-index/spelling.ts'
import { scopeName } from '../object/after-write/keep-search.ts'
import { newContext } from '../object/context.ts'
import { listIndexedViews } from '../object/read/indexed-view.ts'
import { noteKeys } from '../object/read/shown-records.ts'

/** A search: its text, its caller and the objects to search. */
interface SearchRequest {
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

/** The hits of a search, by view. */
interface SearchResult {
  groups: readonly SearchGroup[]
  ignored: readonly string[]
  /** True when some records are not in the index yet. */
  isRebuilding: boolean
  provider: 'sql' | 'elastic'
  /** The text that was found in place of the typed one, which gave no hits. */
  corrected: string | undefined
}

/** The store to search, and another engine if there is one. */
interface SearchEngine {
  readonly store: Reader
  /** Another engine that finds candidates, if there is one; where it fails SQL does. */
  readonly elastic: Elastic | undefined
  readonly clock: Clock
}

/**
 * The best hits of each view, the view of the best hit first. Where no view has any, the hits of
 * words that come near the typed ones.
 */
export async function searchRecords(
  engine: SearchEngine,
  request: SearchRequest,
): Promise<SearchResult> {
  const { terms, ignored } = readSearch(request.text)
  const uses = terms.length > 0 ? [...listUses(engine, request)] : []
  const finder = new Finder(engine)
  const typed = await searchViews(finder, uses, () => terms, request.limit)
  const provider = finder.provider
  if (typed.groups.length > 0 || !terms.some(mayBeMistyped))
    return { ...typed, ignored, provider, corrected: undefined }
  const near = new Finder({ ...engine, elastic: undefined })
  const spell = (scope: Scope) => loadSpellings(engine.store, scope, terms)
  const found = await searchViews(near, uses, spell, request.limit)
  const corrected = found.groups[0]?.hits[0]?.phrases.map((words) => words.join(' ')).join(' ')
  const by = corrected === undefined ? provider : near.provider
  return { ...found, ignored, provider: by, corrected }
}

/** Spells the search text as terms of a scope. */
type SpellTerms = (scope: Scope) => Promise<readonly Term[]> | readonly Term[]

async function searchViews(
  finder: Finder,
  uses: readonly SearchUse[],
  spell: SpellTerms,
  limit: number,
): Promise<Pick<SearchResult, 'groups' | 'isRebuilding'>> {
  const all: FoundInView[] = []
  // After another engine fails on one view, it is not asked for the next ones.
  const together = finder.provider === 'elastic' ? 1 : uses.length
  for (let at = 0; at < uses.length; at += together) {
    const some = uses.slice(at, at + together)
    all.push(...(await Promise.all(some.map((use) => searchView(finder, use, spell, limit)))))
  }
  const groups = all.flatMap(({ group }) => group ?? [])
  groups.sort((a, b) => (b.hits[0]?.score ?? 0) - (a.hits[0]?.score ?? 0))
  return { groups, isRebuilding: all.some(({ isReady }) => !isReady) }
}

/** The views that the caller may see records of, limited to the requested ones. */
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

/** The source of candidates for one search. */
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

  async find(use: SearchUse, wanted: SearchTerms): Promise<FoundRecords> {
    const places = use.fields.map(({ place }) => place)
    const scope = wanted.scope.id
    try {
      const keys = await this.#elastic?.find({ ...wanted, scope, places }, TOTAL_MAX + 1)
      if (keys) return await findByKeys(this.reader, use, keys)
    } catch (error) {
      if (!(error instanceof ElasticFailure)) throw error
      this.#elastic = undefined
    }
    return findRecords(this.reader, use, wanted)
  }
}

interface FoundInView {
  group: SearchGroup | undefined
  isReady: boolean
}

async function searchView(
  finder: Finder,
  use: SearchUse,
  spell: SpellTerms,
  limit: number,
): Promise<FoundInView> {
  const { indexed, grant, view } = use
  const company = indexed.entity.company === undefined ? 0 : grant.caller.companyId
  const scope = await findScope(finder.reader, scopeName(indexed, company))
  if (!scope) return { group: undefined, isReady: false }
  const terms = await spell(scope)
  const found = await finder.find(use, { terms, scope })
  const yielder = new Yielder()
  const hits: Hit[] = []
  for (const record of found.records) {
    const hit = scoreRecord(record, use.fields, terms)
    if (hit) hits.push(hit)
    await yielder.yieldWhenDue()
  }
  hits.sort((a, b) => b.score - a.score || (a.title < b.title ? -1 : a.title > b.title ? 1 : 0))
  // Records that were all read are counted as hits.
  const isWhole = found.isExact && found.total === found.records.length
  const best = hits.slice(0, limit)
  noteKeys(
    view,
    best.map(({ key }) => key),
  )
  const group = {
    view,
    keys: indexed.keys,
    total: isWhole ? hits.length : found.total,
    isExact: found.isExact,
    hits: best,
  }
  return { group: hits.length > 0 ? group : undefined, isReady: scope.isReady }
}
