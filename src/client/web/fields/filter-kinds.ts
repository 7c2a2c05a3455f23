/**
 * Filters by the types of fields: how values compare, how they are given, what they are in words.
 * They load with the first filter, not with a grid.
 */
import type { TextKey } from '../texts/en.ts'
import { say } from '../texts/texts.ts'
import type { Schemas } from '../api/wire.ts'
import type { FilterOperator, FilterScalar } from '../state/filter-tree.ts'
import { isChosen } from './chosen.ts'
import { isDateWord } from './date-words.ts'
import type { MetadataField } from './field-kind.ts'
import { formatField } from './kinds.ts'
import {
  CHOICE_OPERATORS,
  DATED_OPERATORS,
  FLAG_OPERATORS,
  NUMBER_OPERATORS,
  PART_OPERATORS,
  PRESENCE_OPERATORS,
  TEXT_OPERATORS,
} from './operators.ts'

/** How a value of a filter is given: typed, as a day or an instant, by a date word. */
export type ValueKind = 'value' | 'day' | 'time' | 'word' | 'counted'

/** How a filter compares values of a type. */
interface FilterKind {
  /** Operators, the most wanted first. */
  operators: readonly FilterOperator[]
  /** Words of operators that are other ones than those of most kinds. */
  operatorTexts?: Partial<Record<FilterOperator, TextKey>>
  /** Ways to give a value, the first one being that of an empty one. */
  valueKinds: readonly ValueKind[]
  /** True for a value that it may compare with. */
  isValue(value: FilterScalar): boolean
  /** The values that it offers, where they are few. */
  listChoices?(): Schemas['FieldOption'][]
  /** Kinds with the same word compare with each other; undefined where nothing does. */
  alike: string | undefined
}

const TEXT: FilterKind = {
  operators: TEXT_OPERATORS,
  valueKinds: ['value'],
  isValue: () => true,
  alike: 'text',
}

const isNumber = (value: FilterScalar): boolean =>
  String(value).trim() !== '' && Number.isFinite(Number(value))

const DECIMAL: FilterKind = {
  operators: NUMBER_OPERATORS,
  valueKinds: ['value'],
  isValue: isNumber,
  alike: 'number',
}

const BOOLEAN: FilterKind = {
  operators: FLAG_OPERATORS,
  valueKinds: ['value'],
  isValue: (value) => ['true', 'false'].includes(String(value)),
  listChoices: () => [
    { Value: 'true', Label: say('yes') },
    { Value: 'false', Label: say('no') },
  ],
  alike: 'flag',
}

const isReal = (instant: string): boolean => !Number.isNaN(Date.parse(instant))

/** `2026-10-03`, a day that there is. */
const isDay = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && isReal(value)

const isInstant = (value: FilterScalar): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && isReal(value)

const DATE: FilterKind = {
  operators: DATED_OPERATORS,
  operatorTexts: {
    eq: 'operatorOfDate_eq',
    ne: 'operatorOfDate_ne',
    lt: 'operatorOfDate_lt',
    le: 'operatorOfDate_le',
    gt: 'operatorOfDate_gt',
    ge: 'operatorOfDate_ge',
  },
  valueKinds: ['day', 'word', 'counted'],
  isValue: (value) => isDay(value) || isDateWord(value),
  alike: 'date',
}

/** Only there or not. */
const PRESENCE: FilterKind = { ...TEXT, operators: PRESENCE_OPERATORS, alike: undefined }

const KINDS: Readonly<Record<Schemas['FieldType'], FilterKind>> = {
  Text: TEXT,
  Integer: { ...DECIMAL, isValue: (value) => /^[+-]?\d+$/.test(String(value)) },
  Decimal: DECIMAL,
  Boolean: BOOLEAN,
  Date: DATE,
  DateTime: {
    ...DATE,
    valueKinds: ['day', 'time', 'word', 'counted'],
    isValue: (value) => isInstant(value) || DATE.isValue(value),
  },
  Time: {
    ...DATE,
    valueKinds: ['value'],
    isValue: (value) => /^\d\d:\d\d(?::\d\d)?$/.test(String(value)),
    alike: 'time',
  },
  Guid: { ...TEXT, alike: 'guid' },
  Json: PRESENCE,
  File: PRESENCE,
}

/** The operators that a filter over a field offers; those of options search in their labels. */
export function operatorsOf(field: MetadataField): readonly FilterOperator[] {
  if (!isChosen(field)) return KINDS[field.Type].operators
  return field.Options.length > 0 ? [...CHOICE_OPERATORS, ...PART_OPERATORS] : CHOICE_OPERATORS
}

/** An operator in words, as the field's kind has them: `is before`. */
export function sayOperator(field: MetadataField, operator: FilterOperator): string {
  const own = isChosen(field) ? undefined : KINDS[field.Type].operatorTexts?.[operator]
  return say(own ?? `operator_${operator}`)
}

/** Ways to give a value of a filter over a field. */
export const valueKindsOf = (field: MetadataField): readonly ValueKind[] =>
  isChosen(field) ? ['value'] : KINDS[field.Type].valueKinds

/** True for a value that a filter over the field may compare with. */
export const isValueOf = (field: MetadataField, value: FilterScalar): boolean =>
  isChosen(field) || KINDS[field.Type].isValue(value)

/** The text of a value that a filter over the field may compare with. */
export function formatValue(field: MetadataField, value: FilterScalar): string {
  // An instant is compared with a whole day, too.
  const Type = valueKindsOf(field).includes('time') && isDay(value) ? 'Date' : field.Type
  return formatField({ ...withChoices(field), Type, LabelField: null }, { [field.Name]: value })
}

/** The field with the few values that a filter offers as its options, where its kind has such. */
export function withChoices(field: MetadataField): MetadataField {
  const choices = isChosen(field) ? undefined : KINDS[field.Type].listChoices?.()
  return choices ? { ...field, Options: choices } : field
}

/** The entity whose record a value names. */
const entityOf = ({ Key, References, Lookup }: MetadataField): string | null =>
  References ?? Lookup?.View ?? (Key ? '' : null)

/** True where neither has options, or both have one in common: a region is no status. */
const sharesOptions = ({ Options }: MetadataField, other: MetadataField): boolean =>
  Options.length === 0
    ? other.Options.length === 0
    : other.Options.some(({ Value }) => Options.some((option) => option.Value === Value))

/** True where a filter may compare two fields: values of like kinds, keys of the same records. */
export function isComparable(one: MetadataField, other: MetadataField): boolean {
  if (one.Name === other.Name || one.Multiple || other.Multiple) return false
  const { alike } = KINDS[one.Type]
  const isAlike = alike !== undefined && alike === KINDS[other.Type].alike
  return isAlike && entityOf(one) === entityOf(other) && sharesOptions(one, other)
}
