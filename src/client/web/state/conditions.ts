/**
 * Conditions of the model on the values of a form, as the server judges them: `Status ne 'new'`
 * shows, demands or shuts a field while one types.
 */
import { timeFormat } from '../texts/formats.ts'
import { zone } from '../texts/texts.ts'
import type { Schemas } from '../api/wire.ts'

type Condition = Schemas['FieldComparison'] | Schemas['FieldConditionGroup']
type Operator = Schemas['FilterOperator']

/** A value and the text that it is compared with; both are there. */
type Comparison = (value: unknown, wanted: string) => boolean

const FLAGS: Readonly<Record<string, number>> = { true: 1, 1: 1, false: 0, 0: 0 }

/** A number with more digits than a browser's numbers have comes as a text. */
const LONG_NUMBER = /^-?\d{16,}(\.\d+)?$/

/** The order of both as the kind of the value has it; NaN where they cannot be compared. */
function compare(value: unknown, wanted: string): number {
  if (typeof value === 'boolean') return Number(value) - (FLAGS[wanted.toLowerCase()] ?? Number.NaN)
  const text = String(value)
  if (typeof value === 'number' || LONG_NUMBER.test(text))
    return wanted.trim() === '' ? Number.NaN : Number(value) - Number(wanted)
  const left = isDay(wanted) && isInstant(text) ? dayOf(text) : text
  return left < wanted ? -1 : left > wanted ? 1 : 0
}

const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text)
const isInstant = (text: string): boolean => /^\d{4}-\d\d-\d\dT.*Z$/.test(text)

/** The day of an instant in the zone of the user: a day is compared with that. */
const dayOf = (instant: string): string =>
  timeFormat('en-CA', { timeZone: zone.value, dateStyle: 'short' }).format(new Date(instant))

const listOf = (wanted: string): string[] => wanted.split(/[\s,]+/)
const lower = (value: unknown): string => String(value).toLowerCase()

const contains: Comparison = (value, wanted) => lower(value).includes(lower(wanted))
const starts: Comparison = (value, wanted) => lower(value).startsWith(lower(wanted))
const ends: Comparison = (value, wanted) => lower(value).endsWith(lower(wanted))
const isIn: Comparison = (value, wanted) =>
  listOf(wanted).some((each) => compare(value, each) === 0)
const isBetween: Comparison = (value, wanted) => {
  const [from = '', to = ''] = listOf(wanted)
  return compare(value, from) >= 0 && compare(value, to) <= 0
}

const COMPARISONS: Readonly<Record<Exclude<Operator, 'isNull' | 'isNotNull'>, Comparison>> = {
  eq: (value, wanted) => compare(value, wanted) === 0,
  ne: (value, wanted) => Math.abs(compare(value, wanted)) > 0,
  lt: (value, wanted) => compare(value, wanted) < 0,
  le: (value, wanted) => compare(value, wanted) <= 0,
  gt: (value, wanted) => compare(value, wanted) > 0,
  ge: (value, wanted) => compare(value, wanted) >= 0,
  contains,
  notContains: (value, wanted) => !contains(value, wanted),
  startsWith: starts,
  notStartsWith: (value, wanted) => !starts(value, wanted),
  endsWith: ends,
  notEndsWith: (value, wanted) => !ends(value, wanted),
  in: isIn,
  notIn: (value, wanted) => !isIn(value, wanted),
  between: isBetween,
}

/** Operators that a missing value satisfies: it is not what they name. */
const NEGATED = new Set<Operator>(['ne', 'notContains', 'notStartsWith', 'notEndsWith', 'notIn'])

/** True where a condition holds for these values; a missing one never does. */
export function holds(condition: Condition | null, values: Schemas['FieldValues']): boolean {
  if (condition === null) return false
  if ('Logic' in condition) {
    const judge = (each: Condition): boolean => holds(each, values)
    return condition.Logic === 'and'
      ? condition.Filters.every(judge)
      : condition.Filters.some(judge)
  }
  const { Field, Operator, Value } = condition
  const value = values[Field]
  const isMissing = value === null || value === undefined || value === ''
  if (Operator === 'isNull') return isMissing
  if (Operator === 'isNotNull') return !isMissing
  if (isMissing) return NEGATED.has(Operator)
  return COMPARISONS[Operator](value, Value ?? '')
}
