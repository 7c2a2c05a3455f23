/** The scope that a filter is planned with, and one condition of a filter. */
import { invalid } from '../../../kernel/failure.ts'
import { type Message, say } from '../../../kernel/messages.ts'
import type { SqlArg } from '../../../store/sql.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { Operator } from '../../../model/operators.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import type { Bindings } from '../bindings.ts'

/** The scope that a filter is planned with. */
export interface FilterScope {
  view: View
  grant: Grant
  bindings: Bindings
  /** The caller's zone and its present day, for date words and days of instants. */
  zone: string
  today: string
  /**
   * Set where texts are matched: that reads whole texts of all rows, so its time depends on the
   * search text, and it may not keep the serving thread.
   */
  matchesText: boolean
  /** Parameters narrow the rows to the rows of a parent. */
  isOfParent: boolean
  /** Values in the order of the filters, if other values give the same statement. */
  slots: FilterSlot[]
}

/** The place where a statement takes the value of a filter. */
export interface FilterSlot {
  /** Names of its parameters. */
  names: readonly string[]
  /**
   * Parameters for another value; undefined if the value needs another statement or does not
   * fit.
   */
  bind: (value: unknown) => readonly SqlArg[] | undefined
}

/** A filter whose names are known and whose value fits. */
export interface ScopedCondition {
  field: Field
  operator: Operator
  value: unknown
  /** SQL of a part of the field that is compared in its place: the day of the week of a date. */
  part?: string | undefined
}

/** Notes parameters, as SQL names them, that are bound again for another value. */
export const noteHole = (
  { slots }: Pick<FilterScope, 'slots'>,
  bound: readonly string[],
  bind: FilterSlot['bind'],
): void => void slots.push({ names: bound.map((each) => each.slice(1)), bind })

/** 400 that names the field and the operator, never the value. */
export const misfit = (field: Field, operator: string, problem: Message) =>
  invalid(say`Filter on '${field.name}': ${operator}: ${problem}`, { code: 'BAD_FILTER' })
