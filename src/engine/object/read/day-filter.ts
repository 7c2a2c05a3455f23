/** Days and date words against Date and DateTime fields, in the caller's zone. */
import { type DayRange, findDayRange } from '../../../kernel/date-words.ts'
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import { startOfDay } from '../../../kernel/zones.ts'
import type { FieldFeatures } from '../../../model/compiled/field-features.ts'
import { isDate } from '../../../model/fields/date.ts'
import type { Moment } from '../../../model/fields/field-kind.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { OPERATORS } from '../../../model/operators.ts'
import { type FilterScope, noteHole, type ScopedCondition } from './filter-scope.ts'

const WORD = /^[A-Za-z][A-Za-z0-9]*$/
/** Most characters of a word or a day. */
const WORD_CHARACTERS_MAX = 40

/** The first value of a day or a range of days, and the first value after it. */
export interface DayBounds {
  first: string
  next: string
}

/**
 * SQL of a comparison with a day or a date word; undefined when the value is neither. A day
 * compared with an instant means that whole day in the caller's zone, so its two midnights bound
 * it.
 */
export function planDayFilter(
  condition: ScopedCondition,
  name: string,
  scope: FilterScope,
): string | undefined {
  const bounds = findDayBounds(condition, condition.value, scope)
  if (!bounds) return undefined
  const { order, isNegated } = OPERATORS[condition.operator]
  const ends: readonly DayEnd[] = order?.edge ? [order.edge.of] : ['first', 'next']
  const bound = ends.map((end) => scope.bindings.add(bounds[end]))
  noteDays(condition, ends, { scope, bound })
  const [one, other] = bound
  if (order?.edge) return `${name} ${order.edge.isBefore ? '<' : '>='} ${one}`
  const inside = `(${name} >= ${one} AND ${name} < ${other})`
  return isNegated ? `(${name} IS NULL OR NOT ${inside})` : inside
}

type DayEnd = keyof DayBounds

/** Another day gives the same statement; a word does not, which is of the day of the request. */
function noteDays(
  { field, value }: ScopedCondition,
  ends: readonly DayEnd[],
  { scope, bound }: { scope: FilterScope; bound: readonly string[] },
): void {
  const isDay = (given: unknown): given is string => typeof given === 'string' && isDate(given)
  if (!isDay(value)) return
  const { moment } = FIELD_KINDS[field.type]
  noteHole(scope, bound, (other) => {
    if (!isDay(other)) return undefined
    const bounds = planBounds({ from: other, to: other }, moment, scope.zone)
    return ends.map((end) => bounds[end])
  })
}

/** Plans the test that a value lies in one of many days, as SQL with one parameter for all. */
export function planDayList(
  days: readonly DayBounds[],
  name: string,
  { bindings }: FilterScope,
): string {
  const list = bindings.add(JSON.stringify(days.map(({ first, next }) => [first, next])))
  return (
    `EXISTS (SELECT 1 FROM (SELECT value ->> 0 AS svc_first, value ->> 1 AS svc_next ` +
    `FROM json_each(${list})) WHERE ${name} >= svc_first AND ${name} < svc_next)`
  )
}

/** Tells whether a field's value may mean days: not an instant, or not a value at all. */
export const mayBeDays = ({ type }: Pick<FieldFeatures, 'type'>, value: unknown): boolean =>
  FIELD_KINDS[type].isDated &&
  typeof value === 'string' &&
  value.length <= WORD_CHARACTERS_MAX &&
  (isDate(value) || WORD.test(value))

/** Bounds of a day or date word; undefined for another value. @throws invalid naming the word. */
export function findDayBounds(
  { field }: { field: Pick<FieldFeatures, 'name' | 'type'> },
  value: unknown,
  scope: Pick<FilterScope, 'today' | 'zone'>,
): DayBounds | undefined {
  const { moment } = FIELD_KINDS[field.type]
  if (typeof value !== 'string' || !mayBeDays(field, value)) return undefined
  if (isDate(value)) return planBounds({ from: value, to: value }, moment, scope.zone)
  const range = findDayRange(value, scope.today)
  if (range) return planBounds(range, moment, scope.zone)
  throw invalid(say`Filter on '${field.name}': unknown date word '${value}'`, {
    code: 'UNKNOWN_DATE_WORD',
  })
}

function planBounds(range: DayRange, moment: Moment | undefined, zone: string): DayBounds {
  const after = Temporal.PlainDate.from(range.to).add({ days: 1 }).toString()
  if (moment === 'day') return { first: inYears(range.from), next: inYears(after) }
  return {
    first: inYears(startOfDay(range.from, zone).toISOString()),
    next: inYears(startOfDay(after, zone).toISOString()),
  }
}

/** Caps days after the year 9999: their sign, as in `+10000-…`, would sort them before it. */
const inYears = (text: string): string => (text.startsWith('+') ? '9999-12-32' : text)
