/** Filters of a query as SQL with literals; undefined for one that might say something else. */
import type { Field } from '../../../model/compiled/field.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { storageOf } from '../../../model/migrate/column-schema.ts'
import { type Operator, OPERATORS } from '../../../model/operators.ts'
import { quoteText } from '../../../model/sql/quote.ts'
import type { SentFilter } from '../builtin/decide.ts'
import type { PlacedField, Places } from './places.ts'
import { composeSpan } from './spans.ts'
import { parseValue } from '../../object/value.ts'

/** Composes all of the filters; '' for none. */
export function composeConditions(
  filters: readonly SentFilter[],
  places: Places,
  join: 'AND' | 'OR' = 'AND',
): string | undefined {
  const parts = filters.map((filter) => composeCondition(filter, places))
  if (parts.some((part) => part === undefined)) return undefined
  return parts.length > 1 && join === 'OR' ? `(${parts.join(' OR ')})` : parts.join(` ${join} `)
}

function composeCondition(filter: SentFilter, places: Places): string | undefined {
  if ('Logic' in filter) return composeConditions(filter.Filters, places, 'OR')
  const { Field: path, Operator: operator, Value: value, ValueField } = filter
  const placed = places.find(path)
  if (!placed) return undefined
  if (ValueField !== undefined)
    return composeCompared(placed, operator, places.find(ValueField), places)
  const { takes, match, isNegated } = OPERATORS[operator]
  if (takes === 'nothing') return composePresence(placed, isNegated)
  if (match) return undefined
  if (takes === 'pair') {
    const [from, to] = Array.isArray(value) ? (value as unknown[]) : []
    const both = [compare(placed, 'ge', from, places), compare(placed, 'le', to, places)]
    return both.includes(undefined) ? undefined : both.join(' AND ')
  }
  return takes === 'list'
    ? composeList(placed, isNegated, value)
    : compare(placed, operator, value, places)
}

/** Two columns of a row; of a day and an instant the day in the reader's zone. */
function composeCompared(
  placed: PlacedField,
  operator: Operator,
  other: PlacedField | undefined,
  places: Places,
): string | undefined {
  const { order, isEquality, isNegated } = OPERATORS[operator]
  if (!other || !order) return undefined
  const compose = (each: PlacedField, beside: PlacedField): string => {
    const { isText, moment } = FIELD_KINDS[each.field.type]
    const isDay = moment === 'instant' && FIELD_KINDS[beside.field.type].moment === 'day'
    if (isText) return `nullif(${each.sql}, '')`
    return isDay ? `date(${places.local(each)})` : each.sql
  }
  const sign = isEquality && !isNegated ? 'IS' : order.sql
  return `${compose(placed, other)} ${sign} ${compose(other, placed)}`
}

function composePresence({ field, sql }: PlacedField, isPresent: boolean): string | undefined {
  if (FIELD_KINDS[field.type].structure) return undefined
  if (storageOf(field.type) !== 'TEXT') return `${sql} IS ${isPresent ? 'NOT ' : ''}NULL`
  return isPresent ? `${sql} > ''` : `(${sql} IS NULL OR ${sql} = '')`
}

function composeList(
  { field, sql }: PlacedField,
  isNegated: boolean,
  value: unknown,
): string | undefined {
  if (!Array.isArray(value) || FIELD_KINDS[field.type].isDated) return undefined
  const literals = value.map((each) => composeLiteral(field, each))
  if (literals.length === 0 || literals.includes(undefined)) return undefined
  const list = `${sql} IN (${literals.join(', ')})`
  return isNegated ? `(${sql} IS NULL OR NOT ${list})` : list
}

function compare(
  placed: PlacedField,
  operator: Operator,
  value: unknown,
  places: Places,
): string | undefined {
  const { field, sql } = placed
  const { order } = OPERATORS[operator]
  if (FIELD_KINDS[field.type].isDated) return compareDays(placed, operator, value, places)
  const literal = composeLiteral(field, value)
  return literal === undefined || !order ? undefined : `${sql} ${order.sql} ${literal}`
}

/** A day of a Date, or of an instant in the reader's zone. */
function compareDays(
  placed: PlacedField,
  operator: Operator,
  value: unknown,
  places: Places,
): string | undefined {
  const span = typeof value === 'string' ? composeSpan(value) : undefined
  const { order, isNegated } = OPERATORS[operator]
  if (!span) return undefined
  const isInstant = FIELD_KINDS[placed.field.type].moment === 'instant'
  const own = isInstant ? `date(${places.local(placed)})` : placed.sql
  if (order?.edge) return `${own} ${order.edge.isBefore ? '<' : '>='} ${span[order.edge.of]}`
  const inside = `${own} >= ${span.first} AND ${own} < ${span.next}`
  return isNegated ? `(${placed.sql} IS NULL OR NOT (${inside}))` : inside
}

/** Control characters, and halves of a character, which XML does not hold as they are. */
const UNWRITABLE = /[\p{Cc}\p{Cs}\ufffe\uffff]/u

/** A value as it is stored; undefined for one that a row may hold in another form. */
function composeLiteral(field: Field, value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined
  const { value: parsed, fault } = {
    fault: undefined,
    value: undefined,
    ...parseValue(field, value),
  }
  if (fault !== undefined) return undefined
  if (typeof parsed === 'number' || typeof parsed === 'bigint') return String(parsed)
  if (typeof parsed !== 'string' || parsed !== value || UNWRITABLE.test(parsed)) return undefined
  return FIELD_KINDS[field.type].isText ? quoteText(parsed) : undefined
}
