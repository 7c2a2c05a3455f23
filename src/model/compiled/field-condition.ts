/** Conditions of the model in the wire's filter operators, as they are compiled. */

/** One comparison: `Status eq approved`. */
export interface FieldComparison {
  field: string
  operator: string
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

/** Operators that look for a text: where in the value, and whether rows without it are meant. */
export const TEXT_OPERATORS: Readonly<
  Record<string, { match: 'contains' | 'startsWith' | 'endsWith'; isNegated: boolean } | undefined>
> = {
  contains: { match: 'contains', isNegated: false },
  startsWith: { match: 'startsWith', isNegated: false },
  endsWith: { match: 'endsWith', isNegated: false },
  notContains: { match: 'contains', isNegated: true },
  notStartsWith: { match: 'startsWith', isNegated: true },
  notEndsWith: { match: 'endsWith', isNegated: true },
}
