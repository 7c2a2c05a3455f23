/** Search in a grid: as a condition in SQL, or by the keys that a kept text gave. */
import type { Grant } from '../../../access/grant.ts'
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { View } from '../../../model/model.ts'
import { quote } from '../../../model/quote.ts'
import type { Hits } from '../../search/kept-text.ts'
import type { Bindings } from '../bindings.ts'
import type { FilterScope } from './filter-scope.ts'
import { composeValue, isSeen, listSearched } from '../lookup/labels.ts'
import { isMatchable, planTextPattern, TEXT_CHARACTERS_MAX } from './text-match.ts'

/** How a search narrows the rows of a source. */
export interface Narrowing {
  /** Stands before the source. */
  join: string
  /** A condition, or ''. */
  where: string
}

/** A page may go by its order while its count goes by keys. */
export interface SearchPlan {
  page: Narrowing
  count: Narrowing
}

/** Up to so many hits the statement may run on the serving thread once it is known to be quick. */
const QUICK_HITS_MAX = 200
/** Up to so many hits a page is sorted from them; beyond, the order meets enough of them soon. */
const SORTED_HITS_MAX = 1000

/**
 * The text that is sought; '' for none.
 * @throws invalid for one that no text could hold
 */
export function readSought(text: string | null | undefined): string {
  const sought = text?.trim() ?? ''
  if (sought.length > TEXT_CHARACTERS_MAX) {
    throw invalid(say`SearchText has at most ${TEXT_CHARACTERS_MAX} characters`)
  }
  if (!isMatchable(sought)) throw invalid(say`SearchText is no valid text`)
  return sought
}

/** Every Searchable field that the caller sees; the compiled view says which ones are. */
export function planSearch(scope: FilterScope, sought: string, hits?: Hits): SearchPlan {
  if (sought === '') return both('', '')
  if (!hits) return both('', planMatch(scope, sought))
  const key = scope.view.keys[0]
  if (!key) return both('', '0')
  if (!isFew(hits)) scope.matchesText = true
  const match = (): string => composeMatch(scope, sought)
  return narrowToHits(hits, { name: quote(key.name), bindings: scope.bindings, match })
}

/** Whether a statement over the hits may run on the serving thread once it is known to be quick. */
export const isFew = ({ keys }: Hits): boolean => keys.length <= QUICK_HITS_MAX

/** Over what rows hits are looked up. */
export interface HitScope {
  /** The key, as SQL. */
  name: string
  bindings: Bindings
  /** The search as a condition. */
  match: () => string
  /** The rows come in an order of their own, which hits must not change. */
  isOrdered?: boolean
}

/** Narrows rows to those that a kept text gave; of what changed of late SQL decides. */
export function narrowToHits(hits: Hits, scope: HitScope): SearchPlan {
  const { name, bindings, isOrdered } = scope
  const { keys, doubtful } = hits
  if (keys.length === 0) return both('', '0')
  // Another name, another statement, so that the few have a record of times of their own.
  const list = isFew(hits) ? '_hits' : '_manyHits'
  bindings.set(list, JSON.stringify(keys))
  const still = doubtful.length > 0 ? planStill(scope, doubtful) : ''
  const byOrder = { join: '', where: `${name} IN (SELECT value FROM json_each(@${list}))${still}` }
  if (isOrdered) return { page: byOrder, count: byOrder }
  const byKey: Narrowing = {
    join: `(SELECT value AS svc_key FROM json_each(@${list})) AS svc_hits CROSS JOIN `,
    where: `${name} = svc_hits.svc_key${still}`,
  }
  return { page: keys.length <= SORTED_HITS_MAX ? byKey : byOrder, count: byKey }
}

const both = (join: string, where: string): SearchPlan => ({
  page: { join, where },
  count: { join, where },
})

/** Rows that changed of late are judged by what stands in them now. */
function planStill({ name, bindings, match }: HitScope, doubtful: Hits['doubtful']): string {
  bindings.set('_doubtful', JSON.stringify(doubtful))
  const isSure = `${name} NOT IN (SELECT value FROM json_each(@_doubtful))`
  return ` AND (${isSure} OR ${match()})`
}

function planMatch(scope: FilterScope, sought: string): string {
  scope.matchesText = true
  return composeMatch(scope, sought)
}

function composeMatch({ view, grant, bindings }: FilterScope, sought: string): string {
  return matchAny(listSearchedValues(view, grant), sought, bindings)
}

/** Whether any of some values has the text in it, as SQL. */
export function matchAny(values: readonly string[], sought: string, bindings: Bindings): string {
  if (values.length === 0) return '0'
  const pattern = bindings.add(planTextPattern(sought, 'anywhere'))
  return values.map((value) => `${value} GLOB ${pattern}`).join(' OR ')
}

/** What is searched of a row, as SQL. */
export function listSearchedValues(view: View, grant: Grant): string[] {
  return listSearched(view)
    .filter((field) => isSeen(grant, field))
    .map((field) => composeValue(field, grant))
}
