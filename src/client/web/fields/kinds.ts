/** The kinds of fields by their types: the compiler asks for each that the engine has. */
import type { Schemas } from '../api/wire.ts'
import { BOOLEAN } from './boolean-field.ts'
import { DATE, DATE_TIME, TIME } from './date-field.ts'
import type { FieldKind, MetadataField } from './field-kind.ts'
import { FILE } from './file-field.ts'
import { JSON_VALUE } from './json-field.ts'
import { DECIMAL, INTEGER } from './number-field.ts'
import { TEXT } from './text-field.ts'

const KINDS: Readonly<Record<Schemas['FieldType'], FieldKind>> = {
  Text: TEXT,
  Integer: INTEGER,
  Decimal: DECIMAL,
  Boolean: BOOLEAN,
  Date: DATE,
  DateTime: DATE_TIME,
  Time: TIME,
  Guid: TEXT,
  Json: JSON_VALUE,
  File: FILE,
}

/** The side of a cell: labels stand as text does, whatever is behind them. */
export const alignOf = (field: MetadataField): FieldKind['align'] =>
  field.LabelField !== null || field.Options.length > 0 ? 'start' : KINDS[field.Type].align

/** True where the editor of a field fits into a cell. */
export const fitsCell = (field: MetadataField): boolean => KINDS[field.Type].fitsCell

/** True where the server fills the field by itself: a number of a sequence, the present time. */
const isFilled = ({ Default }: MetadataField): boolean =>
  Default?.Computed === true && (Default.DependsOn ?? []).length === 0

/** True where a copy of a record takes the value of the field. */
export const isCopied = (field: MetadataField): boolean =>
  KINDS[field.Type].isCopied && !field.Key && !field.Stamp && !field.ReadOnly && !isFilled(field)

/** The text of a field in a row: the label of a reference or an option where there is one. */
export function formatField(field: MetadataField, row: Schemas['FieldValues']): string {
  const label = field.LabelField === null ? undefined : row[field.LabelField]
  if (typeof label === 'string') return label
  const value = row[field.Name]
  if (value === null || value === undefined) return ''
  const option = field.Options.find(({ Value }) => String(Value) === String(value))
  return option?.Label ?? KINDS[field.Type].format(value, field)
}

/** The value of a text that an address bears for a field. */
export const fromText = (field: MetadataField, text: string): string | number | boolean =>
  KINDS[field.Type].fromText(text)
