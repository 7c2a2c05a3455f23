/** Operators of filters by what a field holds, in the order in which they are offered. */
import type { Schemas } from '../api/wire.ts'

/** Operators of text. */
export const TEXT_OPERATORS = [
  'contains',
  'notContains',
  'eq',
  'ne',
  'startsWith',
  'endsWith',
  'isNull',
  'isNotNull',
] as const satisfies readonly Schemas['FilterOperator'][]

/** Operators of what has an order: numbers, dates, times. */
export const ORDER_OPERATORS = [
  'eq',
  'ne',
  'lt',
  'le',
  'gt',
  'ge',
  'isNull',
  'isNotNull',
] as const satisfies readonly Schemas['FilterOperator'][]

/** Operators of choices, and of yes and no. */
export const CHOICE_OPERATORS = [
  'eq',
  'ne',
  'isNull',
  'isNotNull',
] as const satisfies readonly Schemas['FilterOperator'][]

/** Operators of what is only there or not: JSON and files. */
export const PRESENCE_OPERATORS = [
  'isNotNull',
  'isNull',
] as const satisfies readonly Schemas['FilterOperator'][]

/** True for an operator that takes no value. */
export const takesNoValue = (operator: Schemas['FilterOperator']): boolean =>
  (PRESENCE_OPERATORS as readonly string[]).includes(operator)
