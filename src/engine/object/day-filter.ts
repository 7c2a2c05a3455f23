/** Days and date words against Date and DateTime fields, in the caller's zone. */
import { invalid } from '../../kernel/failure.ts'
import { startOfDay } from '../../kernel/zones.ts'
import { findDayRange, type DayRange } from './date-words.ts'
import type { FieldCondition, FilterScope } from './filter-scope.ts'

const DAY = /^\d{4}-\d{2}-\d{2}$/
const WORD = /^[A-Za-z]+[0-9]*[A-Za-z]*$/

/**
 * SQL of a comparison with a day or a date word; undefined when the value is neither. A day
 * compared
 * with an instant means that whole day in the caller's zone, so its two midnights bound it.
 */
export function planDayFilter(
  condition: FieldCondition,
  name: string,
  scope: FilterScope,
): string | undefined {
  const { field, operator, value } = condition
  if (field.type !== 'Date' && field.type !== 'DateTime') return undefined
  if (typeof value !== 'string') return undefined
  const range = readDays(condition, value, scope)
  if (!range) return undefined
  const { first, next } = planBounds(range, field.type, scope)
  if (operator === 'lt') return `${name} < ${scope.bindings.add(first)}`
  if (operator === 'ge') return `${name} >= ${scope.bindings.add(first)}`
  if (operator === 'le') return `${name} < ${scope.bindings.add(next)}`
  if (operator === 'gt') return `${name} >= ${scope.bindings.add(next)}`
  const from = scope.bindings.add(first)
  const inside = `(${name} >= ${from} AND ${name} < ${scope.bindings.add(next)})`
  return operator === 'ne' ? `(${name} IS NULL OR NOT ${inside})` : inside
}

function readDays(condition: FieldCondition, value: string, scope: FilterScope) {
  const { field } = condition
  if (WORD.test(value)) {
    const range = findDayRange(value, scope.today)
    if (!range) {
      throw invalid(`Filter on '${field.name}': unknown date word '${value.slice(0, 40)}'`, {
        code: 'UNKNOWN_DATE_WORD',
      })
    }
    return range
  }
  return DAY.test(value) && isDay(value) ? { from: value, to: value } : undefined
}

function isDay(value: string): boolean {
  const at = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value)
}

/** The first value of the range and the first value after it. */
function planBounds(range: DayRange, type: 'Date' | 'DateTime', scope: FilterScope) {
  const after = Temporal.PlainDate.from(range.to).add({ days: 1 }).toString()
  if (type === 'Date') return { first: range.from, next: after }
  return {
    first: startOfDay(range.from, scope.zone).toISOString(),
    next: startOfDay(after, scope.zone).toISOString(),
  }
}
