/** Operators of filters and of conditions, as requests and models write them. */

/** A text at the start or the end of a value, or anywhere in it. */
export type PartMatch = 'contains' | 'startsWith' | 'endsWith'

/** A comparison by the order of two values. */
interface OrderTest {
  /** As SQL between them. */
  sql: string
  /** Tests the order of a value and the one that it is compared with: -1, 0 or 1. */
  holds: (order: number) => boolean
  /**
   * With a day the comparison is with its first instant or with that of the next day, and holds
   * before it or from it on; undefined: it is with all of the day.
   */
  edge: { of: 'first' | 'next'; isBefore: boolean } | undefined
}

/** All that filters and conditions ask of an operator; what plans and what evaluates is theirs. */
interface OperatorFacets {
  takes: 'nothing' | 'one' | 'pair' | 'list'
  order: OrderTest | undefined
  match: PartMatch | undefined
  /** Holds for values that are the same, or that are not: no value is one, too. */
  isEquality: boolean
  /** Holds where another operator does not. */
  isNegated: boolean
}

const ONE: OperatorFacets = {
  takes: 'one',
  order: undefined,
  match: undefined,
  isEquality: false,
  isNegated: false,
}

const byOrder = (sql: string, holds: OrderTest['holds'], edge?: OrderTest['edge']) => ({
  ...ONE,
  order: { sql, holds, edge },
})

const NEGATED = { isNegated: true }

const ROWS = {
  eq: { ...byOrder('=', (order) => order === 0), isEquality: true },
  ne: { ...byOrder('IS NOT', (order) => order !== 0), isEquality: true, isNegated: true },
  lt: byOrder('<', (order) => order < 0, { of: 'first', isBefore: true }),
  le: byOrder('<=', (order) => order <= 0, { of: 'next', isBefore: true }),
  gt: byOrder('>', (order) => order > 0, { of: 'next', isBefore: false }),
  ge: byOrder('>=', (order) => order >= 0, { of: 'first', isBefore: false }),
  contains: { ...ONE, match: 'contains' },
  notContains: { ...ONE, match: 'contains', ...NEGATED },
  startsWith: { ...ONE, match: 'startsWith' },
  notStartsWith: { ...ONE, match: 'startsWith', ...NEGATED },
  endsWith: { ...ONE, match: 'endsWith' },
  notEndsWith: { ...ONE, match: 'endsWith', ...NEGATED },
  in: { ...ONE, takes: 'list' },
  notIn: { ...ONE, takes: 'list', ...NEGATED },
  between: { ...ONE, takes: 'pair' },
  isNull: { ...ONE, takes: 'nothing' },
  isNotNull: { ...ONE, takes: 'nothing', ...NEGATED },
} satisfies Readonly<Record<string, OperatorFacets>>

export type Operator = keyof typeof ROWS

/** One row an operator; the only place that lists them. */
export const OPERATORS: Readonly<Record<Operator, OperatorFacets>> = ROWS

/** The names of all operators. */
export const OPERATOR_NAMES = Object.keys(ROWS) as Operator[]

/** Operators that compare by order, which rules and the marks of SQL have, too. */
export const ORDER_OPERATORS = OPERATOR_NAMES.filter((name) => OPERATORS[name].order)
