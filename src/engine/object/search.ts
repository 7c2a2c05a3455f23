/** Search in a grid: as a condition in SQL, or by the keys that a kept text gave. */
import type { Grant } from '../../access/grant.ts'
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { View } from '../../model/model.ts'
import { quote } from '../../model/quote.ts'
import type { Hits } from '../search/kept-text.ts'
import type { FilterScope } from './filter-scope.ts'
import { composeValue, isSeen, listSearched } from './labels.ts'
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
  const { keys, doubtful } = hits
  const key = scope.view.keys[0]
  if (keys.length === 0 || !key) return both('', '0')
  const isFew = keys.length <= QUICK_HITS_MAX
  if (!isFew) scope.matchesText = true
  // Another name, another statement, so that the few have a record of times of their own.
  const list = isFew ? '_hits' : '_manyHits'
  scope.bindings.set(list, JSON.stringify(keys))
  const name = quote(key.name)
  const still = doubtful.length > 0 ? planStill(scope, name, sought, doubtful) : ''
  const byKey: Narrowing = {
    join: `(SELECT value AS svc_key FROM json_each(@${list})) AS svc_hits CROSS JOIN `,
    where: `${name} = svc_hits.svc_key${still}`,
  }
  if (keys.length <= SORTED_HITS_MAX) return { page: byKey, count: byKey }
  const byOrder = { join: '', where: `${name} IN (SELECT value FROM json_each(@${list}))${still}` }
  return { page: byOrder, count: byKey }
}

const both = (join: string, where: string): SearchPlan => ({
  page: { join, where },
  count: { join, where },
})

/** Rows that changed of late are judged by what stands in them now. */
function planStill(
  scope: FilterScope,
  name: string,
  sought: string,
  doubtful: Hits['doubtful'],
): string {
  scope.bindings.set('_doubtful', JSON.stringify(doubtful))
  const isSure = `${name} NOT IN (SELECT value FROM json_each(@_doubtful))`
  return ` AND (${isSure} OR ${composeMatch(scope, sought)})`
}

function planMatch(scope: FilterScope, sought: string): string {
  scope.matchesText = true
  return composeMatch(scope, sought)
}

function composeMatch({ view, grant, bindings }: FilterScope, sought: string): string {
  const values = listSearchedValues(view, grant)
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
