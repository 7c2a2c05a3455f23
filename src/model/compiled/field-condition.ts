/** Conditions of the model in the wire's filter operators, as they are compiled. */
import type { Operator } from '../operators.ts'

/** One comparison: `Status eq approved`. */
export interface FieldComparison {
  field: string
  operator: Operator
  value: string | undefined
}

/** Comparisons and groups of which all (`and`) or one (`or`) must hold. */
interface FieldConditionGroup {
  logic: 'and' | 'or'
  conditions: readonly FieldCondition[]
}

/** `Status eq approved and (Total gt 1000 or Region in Lakes Coast)`, shown and enforced. */
export type FieldCondition = FieldComparison | FieldConditionGroup

/** The names of the fields that a condition compares, as they were written. */
export const listConditionFields = (condition: FieldCondition): string[] =>
  'logic' in condition ? condition.conditions.flatMap(listConditionFields) : [condition.field]
