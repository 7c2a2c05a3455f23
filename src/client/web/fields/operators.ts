/** Operators of filters by what a field holds, in the order in which they are offered. */
import { type FilterOperator, OPERATORS } from '../state/filter-tree.ts'

/** Operators over parts of a text, which labels have, too. */
export const PART_OPERATORS = [
  'contains',
  'notContains',
  'startsWith',
  'notStartsWith',
  'endsWith',
  'notEndsWith',
] as const satisfies readonly FilterOperator[]

/** Operators of what is only there or not: JSON and files. */
export const PRESENCE_OPERATORS = [
  'isNotNull',
  'isNull',
] as const satisfies readonly FilterOperator[]

/** Operators of choices. */
export const CHOICE_OPERATORS = [
  'eq',
  'ne',
  'in',
  'notIn',
  'isNull',
  'isNotNull',
] as const satisfies readonly FilterOperator[]

/** Operators of yes and no. */
export const FLAG_OPERATORS = [
  'eq',
  'ne',
  'isNull',
  'isNotNull',
] as const satisfies readonly FilterOperator[]

/** Operators of text. */
export const TEXT_OPERATORS = [
  'contains',
  'notContains',
  'eq',
  'ne',
  'startsWith',
  'notStartsWith',
  'endsWith',
  'notEndsWith',
  'in',
  'notIn',
  'isNull',
  'isNotNull',
] as const satisfies readonly FilterOperator[]

/** Operators of numbers. */
export const NUMBER_OPERATORS = [
  'eq',
  'ne',
  'lt',
  'le',
  'gt',
  'ge',
  'between',
  'in',
  'notIn',
  'isNull',
  'isNotNull',
] as const satisfies readonly FilterOperator[]

/** Operators of dates and times. */
export const DATED_OPERATORS = [
  'eq',
  'ne',
  'lt',
  'le',
  'gt',
  'ge',
  'between',
  'isNull',
  'isNotNull',
] as const satisfies readonly FilterOperator[]

/** Operators of many values by the ones that say the same of one: `is New or Open`. */
const OF_ONE: Partial<Record<FilterOperator, FilterOperator>> = { in: 'eq', notIn: 'ne' }

/** The operator in whose words a condition is told. */
export const toToldOperator = (operator: FilterOperator): FilterOperator =>
  OF_ONE[operator] ?? operator

/** The operators by which rows with a value, or without one, are found. */
export const VALUE_OPERATORS = {
  same: 'eq',
  sameOfMany: 'in',
  missing: 'isNull',
  present: 'isNotNull',
} as const

/** Operators that find the rows which those of a value leave out. */
const OPPOSITES: Readonly<
  Record<(typeof VALUE_OPERATORS)[keyof typeof VALUE_OPERATORS], FilterOperator>
> = { eq: 'ne', in: 'notIn', isNull: 'isNotNull', isNotNull: 'isNull' }

/** The operator that excludes what one of `VALUE_OPERATORS` finds. */
export const oppositeOf = (operator: keyof typeof OPPOSITES): FilterOperator => OPPOSITES[operator]

/** True for an operator that takes no value. */
export const takesNoValue = (operator: FilterOperator): boolean =>
  OPERATORS[operator].takes === 'nothing'

/** True where a date word says when something is: `is in the last 7 days`, not before them. */
export const isWithin = (operator: FilterOperator): boolean => WITHIN.has(operator)

const WITHIN: ReadonlySet<FilterOperator> = new Set<FilterOperator>(['eq', 'ne', 'in', 'notIn'])
