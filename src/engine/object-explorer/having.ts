/** Conditions on groups: those whose count or sum is over a bound, as SQL's HAVING. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { type Operator, OPERATORS } from '../../model/operators.ts'
import type { QueryResultColumn } from './columns.ts'
import { HAVING_MAX, HAVING_OPERATORS, type HavingCondition } from './schema.ts'

/**
 * The condition over the rows of groups, with its values bound; '' for none.
 * @throws invalid for a column that is no aggregate, or a value that does not fit the operator
 */
export function planHaving(
  columns: readonly QueryResultColumn[],
  having: readonly HavingCondition[],
  bind: (name: string, value: number) => void,
): string {
  if (having.length > HAVING_MAX)
    throw invalid(say`A query can have at most ${HAVING_MAX} conditions in Having`)
  const conditions = having.map(({ Field, Operator, Value }, at) => {
    const key = Field.toLowerCase()
    const column = columns.find((each) => each.over && each.name.toLowerCase() === key)
    if (!column)
      throw invalid(say`Having of '${Field.slice(0, 80)}': it must name an aggregate of this query`)
    const operator = requireHavingOperator(Operator)
    const values = [Value].flat()
    const isPair = OPERATORS[operator].takes === 'pair'
    if (values.length !== (isPair ? 2 : 1))
      throw invalid(say`Having of '${column.name}': ${operator} takes ${isPair ? 2 : 1} number(s)`)
    const [first, second] = values.map((value, nth) => {
      bind(`_having${at}_${nth}`, value)
      return `@_having${at}_${nth}`
    })
    // A numeral, as it is written into the answer, is what is compared: sums are in other units.
    const number = `CAST(${column.json} AS NUMERIC)`
    return isPair
      ? `${number} BETWEEN ${first} AND ${second}`
      : `${number} ${OPERATORS[operator].order?.sql} ${first}`
  })
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
}

function requireHavingOperator(name: string): Operator {
  const found = HAVING_OPERATORS.find((each) => each === name)
  if (found) return found
  throw invalid(say`Having: the Operator must be one of: ${HAVING_OPERATORS.join(', ')}`)
}
