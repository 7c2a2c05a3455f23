/** Values of records as people read them: in a language, with the caller's zone. */
import { renderMessage, say } from '../../kernel/messages.ts'
import type { FieldType } from '../../model/compiled/field-features.ts'
import type { Field } from '../../model/compiled/field.ts'
import { DECIMAL_SCALE_DEFAULT } from '../../model/fields/decimal.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'

/** A column that values are shown by: a field, or a column of a report page. */
export type ShownColumn = Pick<Field, 'type' | 'options' | 'scale' | 'format' | 'unit'> &
  Partial<Pick<Field, 'labelOf' | 'references' | 'lookup'>>

/** Style in which values are written. */
export interface ValueStyle {
  /** A language's tag; undefined: as the model was written, with numbers and dates in English. */
  language: string | undefined
  /** IANA zone, in which instants are shown. */
  zone: string
}

/** Formatters, kept by their options: making one costs a hundred times as much as a text. */
const numbers = new Map<string, Intl.NumberFormat>()
const dates = new Map<string, Intl.DateTimeFormat>()
const MAKERS_MAX = 500

/** Formats a wire value with its unit; '' for none. Values not of the type stay as they are. */
export function textOfValue(field: ShownColumn, value: unknown, style: ValueStyle): string {
  const text = plainText(field, value, style)
  const unit = field.unit === undefined ? '' : renderMessage(field.unit, style.language)
  if (text === '' || unit === '') return text
  return unit === PERCENT ? withPercent(text, style) : `${text}\u00a0${unit}`
}

/** Formats a wire value without its unit, which the head of the column shows. */
export function plainText(field: ShownColumn, value: unknown, style: ValueStyle): string {
  if (value === null || value === undefined || value === '') return ''
  const option = field.options.find((each) => each.value === String(value))
  if (option) return renderMessage(option.label, style.language)
  if (Array.isArray(value)) return value.map(nameOf).filter(Boolean).join(', ')
  if (typeof value === 'object') return JSON.stringify(value)
  if (FIELD_KINDS[field.type].isFlag)
    return renderMessage(value ? say`Yes` : say`No`, style.language)
  if (isNumber(field) && Number.isFinite(Number(value))) return numberText(field, value, style)
  if (FIELD_KINDS[field.type].isDated) return dateText(field.type, value, style)
  return String(value)
}

/** Lists of files show file names; other lists show their members. */
const nameOf = (member: unknown): string => {
  if (member === null || typeof member !== 'object') return String(member ?? '')
  return 'FileName' in member ? String(member.FileName) : JSON.stringify(member)
}

/** Numbers are aligned to the end of their column; a key that refers to a record is not one. */
export const isNumber = ({ type, labelOf, references, lookup }: ShownColumn): boolean =>
  FIELD_KINDS[type].number !== undefined &&
  labelOf === undefined &&
  references === undefined &&
  lookup === undefined

/** Tells whether values are not broken over lines: numbers, days and instants. */
export const isWhole = (column: ShownColumn): boolean =>
  isNumber(column) || (FIELD_KINDS[column.type].isDated && column.options.length === 0)

const PERCENT = '%'

/** A number with the sign of percentages where the language has it: `6.1%`, `6,1 %`. */
function withPercent(text: string, { language = 'en' }: ValueStyle): string {
  const maker = keep(numbers, `${language} %`, () => {
    return new Intl.NumberFormat(safeTag(language), { style: 'unit', unit: 'percent' })
  })
  const parts = maker.formatToParts(0)
  return parts.map(({ type, value }) => (type === 'integer' ? text : value)).join('')
}

/** A change in percent, with its sign: `-6.1` is `-6,1 %` in German. */
export function percentText(percent: string, { language = 'en' }: ValueStyle): string {
  const maker = keep(numbers, `${language} ±%`, () => {
    const shown = { signDisplay: 'always', maximumFractionDigits: 1 } as const
    return new Intl.NumberFormat(safeTag(language), { style: 'unit', unit: 'percent', ...shown })
  })
  return maker.format(percent as `${number}`)
}

/** Whole numbers are grouped where their Format says so: mostly they are not amounts. */
function numberText(
  { type, scale, format }: ShownColumn,
  value: unknown,
  style: ValueStyle,
): string {
  const places = placesOf({ type, scale, format })
  const isGrouped = FIELD_KINDS[type].number === 'scaled' || format?.includes(',') === true
  const language = style.language ?? 'en'
  const maker = keep(numbers, `${language} ${places} ${isGrouped}`, () => {
    const fraction = { minimumFractionDigits: places, maximumFractionDigits: places }
    return new Intl.NumberFormat(safeTag(language), { ...fraction, useGrouping: isGrouped })
  })
  // A text of digits keeps them all.
  return maker.format(typeof value === 'string' ? (value as `${number}`) : Number(value))
}

/** Decimal places that a column of numbers is shown with. */
export function placesOf({
  type,
  scale,
  format,
}: Pick<ShownColumn, 'type' | 'scale' | 'format'>): number {
  const own = FIELD_KINDS[type].number === 'scaled' ? (scale ?? DECIMAL_SCALE_DEFAULT) : 0
  return findPlaces(format) ?? own
}

const PLACES_MAX = 12

/** Decimal places that a Format of numbers shows (`#,##0.00`); undefined for any other. */
function findPlaces(format: string | undefined): number | undefined {
  const [, whole, fraction] = /^([#0,]+)(?:\.(0+))?$/.exec(format ?? '') ?? []
  return whole === undefined ? undefined : Math.min(fraction?.length ?? 0, PLACES_MAX)
}

/** A day, `YYYY-MM-DD`. */
export const dayText = (day: string, style: ValueStyle): string => dateText('Date', day, style)

function dateText(type: FieldType, value: unknown, { language = 'en', zone }: ValueStyle): string {
  const isDay = FIELD_KINDS[type].moment === 'day'
  const instant = new Date(isDay ? `${String(value)}T00:00:00Z` : String(value))
  if (Number.isNaN(instant.getTime())) return String(value)
  const maker = keep(dates, `${language} ${isDay ? '' : zone}`, () => {
    const timeZone = isDay ? 'UTC' : zone
    const time = isDay ? {} : ({ timeStyle: 'short' } as const)
    return new Intl.DateTimeFormat(safeTag(language), { dateStyle: 'medium', ...time, timeZone })
  })
  return maker.format(instant)
}

function keep<T>(makers: Map<string, T>, key: string, make: () => T): T {
  if (makers.size >= MAKERS_MAX) makers.clear()
  return makers.getOrInsertComputed(key, make)
}

/** Returns the tag of a language; English for a text that is not one. */
function safeTag(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en'
  } catch {
    return 'en'
  }
}
