/** Types of result columns, as clients of .NET name them (src/server/README.md, Objects). */
import { Type } from '@sinclair/typebox'
import { named, oneOf } from '../../kernel/schema.ts'
import type { FieldType } from '../../model/compiled/field-features.ts'

const BY_TYPE: Readonly<Record<FieldType, string>> = {
  Text: 'System.String',
  Integer: 'System.Int64',
  Decimal: 'System.Decimal',
  Boolean: 'System.Boolean',
  Date: 'System.DateOnly',
  DateTime: 'System.DateTime',
  Time: 'System.String',
  Guid: 'System.Guid',
  Json: 'System.String',
  File: 'System.String',
}

export const ClrType = named('ClrType', oneOf([...new Set(Object.values(BY_TYPE))]))

/** A column of a dataset or result set. */
export const DataColumn = named('DataColumn', Type.Object({ Name: Type.String(), ClrType }))

/** The type of a column by the type of the field that it comes from. */
export const clrTypeOf = (type: FieldType): string => BY_TYPE[type]

/** The type of a column without an origin, by what SQLite says of its first value. */
export function clrTypeOfValue(sqlType: string | undefined): string {
  if (sqlType === 'integer') return 'System.Int64'
  return sqlType === 'real' ? 'System.Decimal' : 'System.String'
}
