/** Days and date words against Date and DateTime fields, in the caller's zone. */
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import { startOfDay } from '../../../kernel/zones.ts'
import { isDate } from '../../../model/fields/date.ts'
import type { FieldFeatures } from '../../../model/compiled/field-features.ts'
import { findDayRange, type DayRange } from '../../../kernel/date-words.ts'
import type { FieldCondition, FilterScope } from './filter-scope.ts'

const WORD = /^[A-Za-z][A-Za-z0-9]*$/
/** What is longer is neither a word nor a day. */
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
  condition: FieldCondition,
  name: string,
  scope: FilterScope,
): string | undefined {
  const bounds = findDayBounds(condition, condition.value, scope)
  if (!bounds) return undefined
  const { operator } = condition
  const { first, next } = bounds
  if (operator === 'lt') return `${name} < ${scope.bindings.add(first)}`
  if (operator === 'ge') return `${name} >= ${scope.bindings.add(first)}`
  if (operator === 'le') return `${name} < ${scope.bindings.add(next)}`
  if (operator === 'gt') return `${name} >= ${scope.bindings.add(next)}`
  const from = scope.bindings.add(first)
  const inside = `(${name} >= ${from} AND ${name} < ${scope.bindings.add(next)})`
  return operator === 'ne' ? `(${name} IS NULL OR NOT ${inside})` : inside
}

/** Whether a value lies in one of many days, as SQL with one parameter for all of them. */
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

/** Bounds of a day or date word; undefined for another value. @throws invalid naming the word. */
export function findDayBounds(
  { field }: { field: Pick<FieldFeatures, 'name' | 'type'> },
  value: unknown,
  scope: Pick<FilterScope, 'today' | 'zone'>,
): DayBounds | undefined {
  if (field.type !== 'Date' && field.type !== 'DateTime') return undefined
  if (typeof value !== 'string' || value.length > WORD_CHARACTERS_MAX) return undefined
  if (isDate(value)) return planBounds({ from: value, to: value }, field.type, scope.zone)
  if (!WORD.test(value)) return undefined
  const range = findDayRange(value, scope.today)
  if (range) return planBounds(range, field.type, scope.zone)
  throw invalid(say`Filter on '${field.name}': unknown date word '${value}'`, {
    code: 'UNKNOWN_DATE_WORD',
  })
}

function planBounds(range: DayRange, type: 'Date' | 'DateTime', zone: string): DayBounds {
  const after = Temporal.PlainDate.from(range.to).add({ days: 1 }).toString()
  if (type === 'Date') return { first: inYears(range.from), next: inYears(after) }
  return {
    first: inYears(startOfDay(range.from, zone).toISOString()),
    next: inYears(startOfDay(after, zone).toISOString()),
  }
}

/** What comes after the year 9999 is written with a sign, which as text would come before it. */
const inYears = (text: string): string => (text.startsWith('+') ? '9999-12-32' : text)
