/** Conditions in the wire's filter operators, judged on a record as it would be stored. */
import { dayIn } from '../../kernel/zones.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import type {
  Field,
  FieldFeatures,
  FieldType,
  Validate,
  View,
  WireCondition,
} from '../../model/model.ts'
import type { SqlValue } from '../../store/sql.ts'
import { parseValue } from './value.ts'

/** A record as it would be stored, by lower-case column or field name. */
export type Draft = ReadonlyMap<string, SqlValue>

/** Whether a RequiredWhen, VisibleWhen or ReadOnlyWhen holds. */
export function holdsWhen(condition: WireCondition, draft: Draft, view: View): boolean {
  const field = view.fieldByName.get(condition.field.toLowerCase())
  const value = draft.get(condition.field.toLowerCase()) ?? null
  if (condition.operator === 'isNull') return value === null
  if (condition.operator === 'isNotNull') return value !== null
  if (!field || condition.value === undefined) return false
  if (condition.operator === 'in' || condition.operator === 'notIn') {
    const isIn = condition.value.split(/[\s,]+/).some((item) => compares(field, 'eq', value, item))
    return condition.operator === 'in' ? isIn : !isIn
  }
  return compares(field, condition.operator, value, condition.value)
}

function compares(field: Field, operator: string, value: SqlValue, text: string): boolean {
  const parsed = parseValue(field, text)
  return parsed.fault === undefined && holds(field.type, operator, value, parsed.value)
}

/**
 * A comparison of two stored values; NULL equals NULL, and is neither before nor after anything.
 */
export function holds(type: FieldType, operator: string, a: SqlValue, b: SqlValue): boolean {
  if (operator === 'ne') return !holds(type, 'eq', a, b)
  if (a === null || b === null) return operator === 'eq' && a === b
  const order = FIELD_KINDS[type].compare(a, b)
  if (operator === 'eq') return order === 0
  if (operator === 'lt') return order < 0
  if (operator === 'le') return order <= 0
  if (operator === 'gt') return order > 0
  return operator === 'ge' && order >= 0
}

/** What a rule's names are looked up in: fields of a view or columns of an entity. */
export type FindFeatures = (name: string) => FieldFeatures | undefined

/**
 * Whether a rule that compares holds; with nothing to compare it does. A day against an instant is
 * compared with the instant's day in the zone.
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
  if (left.type !== type && (left.type === 'Date' || type === 'Date')) {
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
    const parsed = parseValue(left, rule.value)
    return { other: parsed.fault === undefined ? parsed.value : null, type: left.type }
  }
  const right = find(rule.compare)
  return { other: draft.get(rule.compare.toLowerCase()) ?? null, type: right?.type ?? left.type }
}

function toDay(type: FieldType, value: SqlValue, zone: string): SqlValue {
  return type === 'DateTime' ? dayIn(new Date(String(value)), zone) : value
}
