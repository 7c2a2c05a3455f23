/** Search in a grid: as a condition in SQL, or by the keys that a text index gave. */
import type { View } from '../../../model/compiled/view.ts'
import { quote } from '../../../model/sql/quote.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import type { RowKey } from '../../grid-search/searched-text.ts'
import type { Matches } from '../../grid-search/text-index.ts'
import type { Bindings } from '../bindings.ts'
import type { FilterScope } from './filter-scope.ts'
import { composeValue, isSeen, listSearched } from './labels.ts'
import { planNamedOptions } from './named-options.ts'
import { planTextCondition } from './text-match.ts'

/** How a search narrows the rows of a source. */
export interface Narrowing {
  /** SQL before the source. */
  join: string
  /** A condition, or ''. */
  where: string
}

const NO_NARROWING: Narrowing = { join: '', where: '' }

/** Up to so many matches a statement may run on the serving thread once it is known to be short. */
const QUICK_MATCHES_MAX = 200
/** Up to so many matches are looked up one by one; beyond, rows are quicker tried as they come. */
const JOINED_MAX = 500
/** Most joined matches if keys cannot be marked by number, so that each tried row costs more. */
const JOINED_UNMARKED_MAX = 5000
/** More keys than these are not worth a list: SQL searches all rows. */
const LISTED_MAX = 20_000
/** Bytes of marks, one a key from the lowest to the highest one. */
const MARKS_MAX = 16 * 1024 * 1024
/** Keys further apart than this on the average are listed; so are few of them too far apart. */
const SPREAD_MAX = 1000
const SPREAD_COUNT_MIN = 4000

/** Every Searchable field that the caller sees; the compiled view says which ones are. */
export function planSearch(
  scope: FilterScope,
  searchText: string | undefined,
  matches?: Matches,
): Narrowing {
  if (searchText === undefined) return NO_NARROWING
  const { bindings } = scope
  const match = (): string => composeMatch(scope, searchText)
  const key = scope.view.keys[0]
  const narrowing =
    key && matches && narrowToMatches(matches, { name: quote(key.name), match, bindings })
  if (!narrowing || !isFew(matches)) scope.matchesText = true
  return narrowing ?? { join: '', where: match() }
}

/** Tells whether a statement over matches may run on the serving thread once known to be short. */
export const isFew = ({ keys, stale, readTo }: Matches): boolean =>
  readTo === undefined && keys.length + stale.length <= QUICK_MATCHES_MAX

/** The rows that matches are looked up in. */
interface MatchScope {
  /** The key, as SQL. */
  name: string
  bindings: Bindings
  /** The search as a condition. */
  match: () => string
  /** The rows come in an order of their own, which matches must not change. */
  isOrdered?: boolean
}

/**
 * Narrows rows to the matches of a text index; SQL decides on rows that changed lately or are not
 * read yet. Undefined if SQL decides on all rows faster.
 */
export function narrowToMatches(matches: Matches, scope: MatchScope): Narrowing | undefined {
  const { keys, stale, readTo } = matches
  if (keys.length + stale.length === 0 && readTo === undefined) return { join: '', where: '0' }
  const first = findFirstMark(matches)
  const count = keys.length + stale.length
  const joinedMax = first === undefined ? JOINED_UNMARKED_MAX : JOINED_MAX
  if (readTo === undefined && count <= joinedMax && !scope.isOrdered)
    return joinMatches(matches, scope)
  if (first !== undefined) return markMatches(matches, scope, first)
  return count <= LISTED_MAX ? listMatches(matches, scope) : undefined
}

/** Each key is looked up. */
function joinMatches({ keys, stale }: Matches, scope: MatchScope): Narrowing {
  const { name, bindings, match } = scope
  // Another name, another statement, so that the few have a record of times of their own.
  const few = keys.length + stale.length <= QUICK_MATCHES_MAX
  const list = few ? '_matches' : '_manyMatches'
  bindings.set(list, JSON.stringify([...keys, ...stale]))
  const still = stale.length > 0 ? ` AND (${planSure(scope, stale)} OR ${match()})` : ''
  return {
    join: `(SELECT value AS svc_key FROM json_each(@${list})) AS svc_matches CROSS JOIN `,
    where: `${name} = svc_matches.svc_key${still}`,
  }
}

function planSure({ name, bindings }: MatchScope, stale: readonly RowKey[]): string {
  bindings.set('_stale', JSON.stringify(stale))
  return `${name} NOT IN (SELECT value FROM json_each(@_stale))`
}

/** Each row's key is looked up in a list. */
function listMatches({ keys, stale, readTo }: Matches, scope: MatchScope): Narrowing {
  const { name, bindings, match } = scope
  bindings.set('_matches', JSON.stringify(keys))
  const open: string[] = []
  if (stale.length > 0) {
    bindings.set('_stale', JSON.stringify(stale))
    open.push(`+${name} IN (SELECT value FROM json_each(@_stale))`)
  }
  if (readTo !== undefined) open.push(planBeyond(scope, readTo))
  const isMatch = `+${name} IN (SELECT value FROM json_each(@_matches))`
  return { join: '', where: withOpen(isMatch, open, match) }
}

/** Rows that are not read yet; the sign keeps an index of the key out of it. */
function planBeyond({ name, bindings }: MatchScope, readTo: RowKey): string {
  bindings.set('_readTo', readTo)
  return `+${name} > @_readTo`
}

/** Adds the rows that are still open, on which SQL decides. */
const withOpen = (isMatch: string, open: readonly string[], match: () => string): string =>
  open.length === 0 ? isMatch : `(${isMatch} OR (${open.join(' OR ')}) AND (${match()}))`

const MATCHES = 1
const STALE = 2

/** The key of the first mark; undefined where keys cannot be marked by number. */
function findFirstMark({ keys, stale, readTo, isNumbered }: Matches): number | undefined {
  if (!isNumbered) return undefined
  const { first, last } = findRange([keys, stale])
  const count = keys.length + stale.length
  const span = last - first + 1
  if (count === 0) return typeof readTo === 'number' ? readTo : undefined
  const isDense = span <= SPREAD_MAX * Math.max(count, SPREAD_COUNT_MIN)
  return isDense && span <= MARKS_MAX ? first : undefined
}

function findRange(lists: readonly (readonly RowKey[])[]): { first: number; last: number } {
  let [first, last] = [Infinity, -Infinity]
  for (const list of lists) {
    for (const key of list) {
      if (typeof key !== 'number') continue
      if (key < first) first = key
      if (key > last) last = key
    }
  }
  return { first, last }
}

/** Each row's key is a place in a row of marks, which is the quickest for many. */
function markMatches(matches: Matches, scope: MatchScope, first: number): Narrowing {
  const { keys, stale, readTo } = matches
  const { name, bindings, match } = scope
  const { last } = findRange([keys, stale])
  const marks = new Uint8Array(Math.max(0, last - first + 1))
  for (const key of keys) marks[Number(key) - first] = MATCHES
  for (const key of stale) marks[Number(key) - first] = STALE
  bindings.set('_marks', marks)
  bindings.set('_firstMark', first)
  // A place before the first one would be counted from the end.
  const mark = `iif(+${name} >= @_firstMark, substr(@_marks, +${name} - @_firstMark + 1, 1), '')`
  const open = stale.length > 0 ? [`${mark} = x'02'`] : []
  if (readTo !== undefined) open.push(planBeyond(scope, readTo))
  return { join: '', where: withOpen(`${mark} = x'01'`, open, match) }
}

function composeMatch(scope: FilterScope, searchText: string): string {
  const { view, grant, bindings } = scope
  const match = matchAny(listSearchedValues(view, grant), searchText, bindings)
  return [match, ...planNamedOptions(scope, searchText)].join(' OR ')
}

/** Composes the SQL test that any of some values has the text in it. */
export function matchAny(
  values: readonly string[],
  searchText: string,
  bindings: Bindings,
): string {
  if (values.length === 0) return '0'
  return values.map(planTextCondition(searchText, 'anywhere', bindings).fits).join(' OR ')
}

/** Lists the searched values of a row, as SQL. */
export function listSearchedValues(view: View, grant: Grant): string[] {
  return listSearched(view)
    .filter((field) => isSeen(grant, field))
    .map((field) => composeValue(field, grant))
}
