/** Conditions in the wire's filter operators, evaluated on a record as it would be stored. */
import { dayIn } from '../../../kernel/zones.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { FieldComparison, FieldCondition } from '../../../model/compiled/field-condition.ts'
import type { FieldFeatures, FieldType } from '../../../model/compiled/field-features.ts'
import type { Validate } from '../../../model/compiled/validate.ts'
import { toNumeral } from '../../../model/fields/exact-number.ts'
import type { ConditionField, FieldShape } from '../../../model/fields/field-shape.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { type Operator, OPERATORS } from '../../../model/operators.ts'
import { type DayBounds, findDayBounds } from '../read/day-filter.ts'
import { matchesText } from '../read/text-match.ts'
import { type Draft, parseValue } from '../value.ts'

/** Inputs of evaluating conditions: the caller's zone, and its present day for date words. */
export interface ConditionEvaluation {
  view: { readonly fieldByName: ReadonlyMap<string, FieldFeatures> }
  zone: string
  today: string
}

/** The same, of anything with a type. */
interface ShapeEvaluation extends Omit<ConditionEvaluation, 'view'> {
  view: { readonly fieldByName: ReadonlyMap<string, ConditionField> }
}

/** Evaluates a RequiredWhen, VisibleWhen or ReadOnlyWhen by the wire's filter operators. */
export function holdsWhen(
  condition: FieldCondition,
  draft: Draft,
  evaluation: ShapeEvaluation,
): boolean {
  if (!('logic' in condition)) return holdsComparison(condition, draft, evaluation)
  const holdsPart = (part: FieldCondition): boolean => holdsWhen(part, draft, evaluation)
  return condition.logic === 'and'
    ? condition.conditions.every(holdsPart)
    : condition.conditions.some(holdsPart)
}

function holdsComparison(
  condition: FieldComparison,
  draft: Draft,
  evaluation: ShapeEvaluation,
): boolean {
  const { operator } = condition
  const { takes, match, isNegated } = OPERATORS[operator]
  const field = evaluation.view.fieldByName.get(condition.field.toLowerCase())
  const value = draft.get(condition.field.toLowerCase()) ?? null
  if (takes === 'nothing') return (value === null) !== isNegated
  if (!field || condition.value === undefined) return false
  const one = { field, value, evaluation }
  const items = condition.value.split(/[\s,]+/)
  if (takes === 'list') return items.some((item) => compares(one, 'eq', item)) !== isNegated
  if (takes === 'pair') {
    return compares(one, 'ge', items[0] ?? '') && compares(one, 'le', items[1] ?? '')
  }
  if (match) {
    const isMatch = value !== null && matchesText(String(value), condition.value, match)
    return isMatch !== isNegated
  }
  return compares(one, operator, condition.value)
}

interface Compared {
  field: ConditionField
  value: SqlValue
  evaluation: ShapeEvaluation
}

function compares(
  { field, value, evaluation }: Compared,
  operator: Operator,
  text: string,
): boolean {
  const days = findDayBounds({ field }, text, evaluation)
  if (days) return holdsDays(operator, value, days)
  const given = parseLiteral(field, text)
  return given !== undefined && holds(field.type, operator, value, given)
}

/**
 * A value that a condition or a rule names, as it is compared; undefined for a value not of the
 * type. A number is neither rounded to the places of the field nor bounded by its size.
 */
function parseLiteral(field: FieldShape, text: string | undefined): SqlValue | undefined {
  if (FIELD_KINDS[field.type].number) return toNumeral(text ?? '')
  const parsed = parseValue(field, text)
  return parsed.fault === undefined ? parsed.value : undefined
}

/** As `planDayFilter` has it in SQL; texts of days and instants sort as they follow each other. */
function holdsDays(operator: Operator, value: SqlValue, bounds: DayBounds): boolean {
  const { isEquality, isNegated, order } = OPERATORS[operator]
  if (value === null) return isEquality && isNegated
  const text = String(value)
  if (order?.edge) return text < bounds[order.edge.of] === order.edge.isBefore
  return (text >= bounds.first && text < bounds.next) !== isNegated
}

/**
 * A comparison of two stored values; NULL equals NULL, and is neither before nor after anything.
 */
function holds(type: FieldType, operator: Operator, a: SqlValue, b: SqlValue): boolean {
  const { isEquality, isNegated, order } = OPERATORS[operator]
  if (a === null || b === null) return isEquality && (a === b) !== isNegated
  const compared = FIELD_KINDS[type].compare(a, b)
  return order?.holds(compared) === true
}

/** Looks up a rule's names among the fields of a view or the columns of an entity. */
type FindFeatures = (name: string) => FieldFeatures | undefined

/**
 * Tells whether a rule that compares holds; with nothing to compare it does. A day against an
 * instant is compared with the instant's day in the zone.
 */
export function holdsRule(
  rule: Extract<Validate, { kind: 'compare' }>,
  find: FindFeatures,
  draft: Draft,
  zone: string,
): boolean {
  const left = rule.field === undefined ? undefined : find(rule.field)
  if (!left) return true
  const value = draft.get(left.name.toLowerCase()) ?? null
  const { other, type } = findOther(rule, left, find, draft)
  if (value === null || other === null) return true
  if (
    left.type !== type &&
    (FIELD_KINDS[left.type].moment === 'day' || FIELD_KINDS[type].moment === 'day')
  ) {
    return holds('Date', rule.operator, toDay(left.type, value, zone), toDay(type, other, zone))
  }
  return holds(left.type, rule.operator, value, other)
}

function findOther(
  rule: Extract<Validate, { kind: 'compare' }>,
  left: FieldFeatures,
  find: FindFeatures,
  draft: Draft,
): { other: SqlValue; type: FieldType } {
  if (rule.compare === undefined) {
    return { other: parseLiteral(left, rule.value) ?? null, type: left.type }
  }
  const right = find(rule.compare)
  return { other: draft.get(rule.compare.toLowerCase()) ?? null, type: right?.type ?? left.type }
}

/** The day of an instant in the zone; NULL for text of authored SQL that is not an instant. */
function toDay(type: FieldType, value: SqlValue, zone: string): SqlValue {
  if (FIELD_KINDS[type].moment !== 'instant') return value
  const instant = new Date(String(value))
  return Number.isNaN(instant.getTime()) ? null : dayIn(instant, zone)
}
