/** The value that a computed column stores of the result of its query. */
import type { SqlValue } from '../store/sql.ts'
import type { Column } from './compiled/entity.ts'
import type { FieldFault } from './fields/field-kind.ts'
import { FIELD_KINDS } from './fields/kinds.ts'

/** The value as the column's type has it, a Decimal at its Scale; a FieldFault for any other. */
export function toComputed(column: Column, value: SqlValue): SqlValue | FieldFault {
  if (value === null) return null
  const given = FIELD_KINDS[column.type].isText || typeof value === 'bigint' ? String(value) : value
  return FIELD_KINDS[column.type].parse(given, column)
}
