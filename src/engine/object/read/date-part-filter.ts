/** Parts of dates that rows are narrowed by: `OrderedAt:weekday`, in the parts of groups. */
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { Field } from '../../../model/compiled/field.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { composePart, DATE_PARTS, PART_TYPES, TIME_PARTS } from '../date-parts.ts'
import type { FilterScope, ScopedCondition } from './filter-scope.ts'

/**
 * A part of a date as a field of its own, with the SQL of its value in the caller's zone.
 * @throws invalid for another word, for what is no date, and for the hour of a day
 */
export function planDatePart(
  field: Field,
  word: string,
  sql: string,
  { zone }: FilterScope,
): Pick<ScopedCondition, 'field' | 'part'> {
  const part = DATE_PARTS.find((each) => each === word.toLowerCase())
  if (!part)
    throw invalid(
      say`Filter on '${field.name}': the part of a date must be one of: ${DATE_PARTS.join(', ')}`,
    )
  const { isDated, moment } = FIELD_KINDS[field.type]
  if (!isDated || field.link)
    throw invalid(say`Filter on '${field.name}': only dates have a ${part}`)
  if (moment === 'day' && TIME_PARTS.has(part))
    throw invalid(say`Filter on '${field.name}': a date without time has no ${part}`)
  const own = { ...field, name: `${field.name}:${part}`, type: PART_TYPES[part] }
  return { field: own, part: composePart(sql, field.type, part, zone) }
}
