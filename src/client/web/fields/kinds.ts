/** The kinds of fields by their types: the compiler asks for each that the engine has. */
import { say } from '../texts/texts.ts'
import type { Schemas } from '../api/wire.ts'
import type { FilterOperator, FilterScalar } from '../state/filter-tree.ts'
import { BOOLEAN } from './boolean-field.ts'
import { isChosen } from './chosen.ts'
import { DATE, DATE_TIME, TIME } from './date-field.ts'
import type { FieldKind, MetadataField, ValueKind } from './field-kind.ts'
import { FILE } from './file-field.ts'
import { JSON_VALUE } from './json-field.ts'
import { DECIMAL, INTEGER } from './number-field.ts'
import { CHOICE_OPERATORS, PART_OPERATORS } from './operators.ts'
import { GUID, TEXT } from './text-field.ts'

const KINDS: Readonly<Record<Schemas['FieldType'], FieldKind>> = {
  Text: TEXT,
  Integer: INTEGER,
  Decimal: DECIMAL,
  Boolean: BOOLEAN,
  Date: DATE,
  DateTime: DATE_TIME,
  Time: TIME,
  Guid: GUID,
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

/** The operators that a filter over a field offers; those of a label search in its text. */
export function operatorsOf(field: MetadataField): readonly FilterOperator[] {
  if (!isChosen(field)) return KINDS[field.Type].operators
  return field.Options.length > 0 ? [...CHOICE_OPERATORS, ...PART_OPERATORS] : CHOICE_OPERATORS
}

/** An operator in words, as the field's kind has them: `is before`. */
export const sayOperator = (field: MetadataField, operator: FilterOperator): string =>
  say(
    (isChosen(field) ? undefined : KINDS[field.Type].operatorTexts?.[operator]) ??
      `operator_${operator}`,
  )

/** Ways to give a value of a filter over a field. */
export const valueKindsOf = (field: MetadataField): readonly ValueKind[] =>
  isChosen(field) ? ['value'] : KINDS[field.Type].valueKinds

/** True for a value that a filter over the field may compare with. */
export const isValueOf = (field: MetadataField, value: FilterScalar): boolean =>
  isChosen(field) || KINDS[field.Type].isValue(value)

/** The field with the few values that a filter offers as its options, where its kind has such. */
export function withChoices(field: MetadataField): MetadataField {
  const choices = isChosen(field) ? undefined : KINDS[field.Type].listChoices?.()
  return choices ? { ...field, Options: choices } : field
}

/** The entity whose record a value names. */
const entityOf = ({ Key, References, Lookup }: MetadataField): string | null =>
  References ?? Lookup?.View ?? (Key ? '' : null)

/** True where a filter may compare two fields: values of like kinds, keys of the same records. */
export function isComparable(one: MetadataField, other: MetadataField): boolean {
  if (one.Name === other.Name || one.Multiple || other.Multiple) return false
  const { alike } = KINDS[one.Type]
  return (
    alike !== undefined && alike === KINDS[other.Type].alike && entityOf(one) === entityOf(other)
  )
}

/** The value of a text that an address bears for a field. */
export const fromText = (field: MetadataField, text: string): string | number | boolean =>
  KINDS[field.Type].fromText(text)
