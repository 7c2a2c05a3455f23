/** Conditions that compare two fields of a row: `Stock lt ReorderLevel`. */
import { say } from '../../../kernel/messages.ts'
import type { Field } from '../../../model/compiled/field.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { type Operator, OPERATORS } from '../../../model/operators.ts'
import { composePart } from '../date-parts.ts'
import { type FilterScope, misfit } from './filter-scope.ts'

/** A field with the SQL of its value in a row. */
interface ComparedField {
  field: Field
  sql: string
}

/**
 * SQL of a comparison of two fields of like kinds. Of a day and an instant the day in the caller's
 * zone is compared. Two fields without a value are equal; a missing one is neither less nor more.
 * @throws invalid for fields that nothing compares, and for an operator that takes no field
 */
export function planComparison(
  operator: Operator,
  one: ComparedField,
  other: ComparedField,
  scope: FilterScope,
): string {
  const { field } = one
  const { order, isEquality, isNegated } = OPERATORS[operator]
  if (!order) throw misfit(field, operator, say`cannot be used with ValueField`)
  if (!isAlike(field, other.field, scope))
    throw misfit(field, operator, say`ValueField '${other.field.name}' has values of another kind`)
  const hasOrder = isOrdered(field, scope) && isOrdered(other.field, scope)
  if (!isEquality && !hasOrder)
    throw misfit(field, operator, say`the values can only be compared with eq and ne`)
  const [left, right] = [composeValue(one, other, scope), composeValue(other, one, scope)]
  if (isEquality) return `${left} IS ${isNegated ? 'NOT ' : ''}${right}`
  return `${left} ${order.sql} ${right}`
}

/** Numbers fit numbers, days and instants each other, keys those of the same records. */
function isAlike(one: Field, other: Field, scope: FilterScope): boolean {
  const [kind, others] = [FIELD_KINDS[one.type], FIELD_KINDS[other.type]]
  if ([one, other].some(({ link, multiple }) => link !== undefined || multiple)) return false
  if (kind.structure ?? others.structure) return false
  const [entity, otherEntity] = [findNamed(one, scope), findNamed(other, scope)]
  if (entity !== otherEntity) return false
  if (kind.number && others.number) return true
  return kind.isDated ? others.isDated : one.type === other.type
}

/** The entity whose record a value names. */
function findNamed(field: Field, { view, grant }: FilterScope): string | undefined {
  const { lookup, references, labelOf } = field
  if (labelOf !== undefined) return undefined
  if (lookup) return grant.model.views.get(lookup.view)?.entity?.name
  return references ?? (view.keys.includes(field) ? view.entity?.name : undefined)
}

const isOrdered = (field: Field, scope: FilterScope): boolean =>
  FIELD_KINDS[field.type].isOrdered && findNamed(field, scope) === undefined

/** The value as it is compared: an empty text is none. */
function composeValue(
  { field, sql }: ComparedField,
  { field: other }: ComparedField,
  { zone }: FilterScope,
): string {
  const { isText, moment } = FIELD_KINDS[field.type]
  if (isText) return `nullif(${sql}, '')`
  const isDay = moment === 'instant' && FIELD_KINDS[other.type].moment === 'day'
  return isDay ? composePart(sql, field.type, 'day', zone) : sql
}
