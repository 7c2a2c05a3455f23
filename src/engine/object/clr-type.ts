/** Types of result columns, as clients of .NET name them (src/server/README.md, Objects). */
import { Type } from '@sinclair/typebox'
import { named, oneOf } from '../../kernel/schema.ts'
import type { FieldType } from '../../model/compiled/field-features.ts'
import { FIELD_KINDS, FIELD_TYPES } from '../../model/fields/kinds.ts'

export const ClrType = named(
  'ClrType',
  oneOf([...new Set(FIELD_TYPES.map((type) => FIELD_KINDS[type].clrType))]),
)

/** A column of a dataset or result set. */
export const DataColumn = named('DataColumn', Type.Object({ Name: Type.String(), ClrType }))

/** The type of a column by the type of the field that it comes from. */
export const clrTypeOf = (type: FieldType): string => FIELD_KINDS[type].clrType

/** The type of a column without an origin, by what SQLite says of its first value. */
export function clrTypeOfValue(sqlType: string | undefined): string {
  if (sqlType === 'integer') return 'System.Int64'
  return sqlType === 'real' ? 'System.Decimal' : 'System.String'
}
