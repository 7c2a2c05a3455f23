/** Reads days of the week that come again: `orders on Mondays`, `montags oder freitags`. */
import { type Draft, isDated } from './draft.ts'
import { dateOf } from './period-date.ts'
import { isNegated } from './read-filters.ts'
import type { ReachedField } from './scope.ts'

/** Reads them as one condition: a row is of one of the days, or of none. */
export function readWeekdays(draft: Draft): void {
  const places = draft.segments.flatMap((_, at) => (listDays(draft, at) ? [at] : []))
  const [first] = places
  if (first === undefined || !isOneList(draft, places)) return
  const date = findDateBefore(draft, first) ?? dateOf(draft, draft.periods[0])
  if (!date) return
  const days = [...new Set(places.flatMap((at) => listDays(draft, at) ?? []))].sort()
  const [only] = days
  const isNot = isNegated(draft, first)
  for (const at of places) draft.use(at)
  draft.filters.push({
    at: date,
    part: 'weekday',
    ...(days.length === 1
      ? { operator: isNot ? 'ne' : 'eq', value: only }
      : { operator: isNot ? 'notIn' : 'in', value: days }),
  })
}

/** The days that a word says; a singular may be the last one or the next. */
function listDays(draft: Draft, at: number): readonly number[] | undefined {
  const { words = [], meanings = [] } = draft.segments[at] ?? {}
  const [word] = words
  if (!draft.isFree(at) || meanings.length > 0 || words.length !== 1 || !word) return undefined
  return draft.asking.language.weekdays.get(word.plain)
}

/** True where nothing but `and`, `or` and commas is between the days. */
function isOneList(draft: Draft, places: readonly number[]): boolean {
  const [first = 0, last = first] = [places[0], places.at(-1)]
  for (let at = first; at <= last; at++)
    if (!places.includes(at) && !draft.isBare(at) && !draft.has(at, 'or')) return false
  return true
}

/** `due on Mondays`: the date that is named right before. */
function findDateBefore(draft: Draft, at: number): ReachedField | undefined {
  let before = at - 1
  while (before > 0 && (draft.isBare(before) || draft.has(before, 'not'))) before--
  const field = draft.isFree(before) ? draft.field(before, isDated) : undefined
  if (field) draft.use(before)
  return field
}
