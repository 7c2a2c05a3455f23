/**
 * Conditions of the model on the values of a form, as the server judges them: `Status ne 'new'`
 * shows, demands or shuts a field while one types.
 */
import type { Schemas } from '../api/wire.ts'

type Condition = Schemas['FieldComparison'] | Schemas['FieldConditionGroup']
type Operator = Schemas['FilterOperator']

/** A value and the text that it is compared with; both are there. */
type Comparison = (value: string, wanted: string) => boolean

/** Numbers are compared as numbers, all else as texts without regard to case. */
function compare(value: string, wanted: string): number {
  const [one, other] = [Number(value), Number(wanted)]
  if (value !== '' && wanted !== '' && !Number.isNaN(one) && !Number.isNaN(other))
    return one - other
  const [left, right] = [value.toLowerCase(), wanted.toLowerCase()]
  return left < right ? -1 : left > right ? 1 : 0
}

const listOf = (wanted: string): string[] => wanted.split(/[\s,]+/)

const contains: Comparison = (value, wanted) => value.toLowerCase().includes(wanted.toLowerCase())
const starts: Comparison = (value, wanted) => value.toLowerCase().startsWith(wanted.toLowerCase())
const ends: Comparison = (value, wanted) => value.toLowerCase().endsWith(wanted.toLowerCase())
const isIn: Comparison = (value, wanted) =>
  listOf(wanted).some((each) => compare(value, each) === 0)
const isBetween: Comparison = (value, wanted) => {
  const [from = '', to = ''] = listOf(wanted)
  return compare(value, from) >= 0 && compare(value, to) <= 0
}

const COMPARISONS: Readonly<Record<Exclude<Operator, 'isNull' | 'isNotNull'>, Comparison>> = {
  eq: (value, wanted) => compare(value, wanted) === 0,
  ne: (value, wanted) => compare(value, wanted) !== 0,
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
  return COMPARISONS[Operator](String(value), Value ?? '')
}
