/** Faults of a draft of filters, told before the server is asked. Pure. */
import { say } from '../../texts/texts.ts'
import { type FilterScalar, OPERATORS } from '../../state/filter-tree.ts'
import type { MetadataField } from '../../fields/field-kind.ts'
import { isValueOf } from '../../fields/filter-kinds.ts'
import type { DraftCondition } from './filter-draft.ts'

/** The fault of a condition; undefined where it is whole. */
export function findFault(field: MetadataField, condition: DraftCondition): string | undefined {
  const { operator, value, values, valueField } = condition
  const { takes } = OPERATORS[operator]
  if (takes === 'nothing') return undefined
  if (valueField !== undefined) return valueField === '' ? say('valueMissing') : undefined
  const given = takes === 'one' ? [value] : values
  const isMissing = (each: FilterScalar | null): boolean => each === null || each === ''
  // A blank value of a list means rows without one.
  if (given.length === 0 || (takes !== 'list' && given.some(isMissing))) return say('valueMissing')
  const isWrong = given.some((each) => !isMissing(each) && !isValueOf(field, each ?? ''))
  if (isWrong) return say('valueWrong')
  const [from, to] = given
  return takes === 'pair' && isAbove(from, to) ? say('valueOrder') : undefined
}

/** True where the order of two values is known, and the first one is the greater. */
function isAbove(one: FilterScalar | null | undefined, other: FilterScalar | null | undefined) {
  if (typeof one === 'number' && typeof other === 'number') return one > other
  const areDays = [one, other].every((each) => /^\d{4}-\d\d-\d\d/.test(String(each)))
  return areDays && String(one) > String(other)
}
