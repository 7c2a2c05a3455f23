import { trimBlanks } from '../../kernel/blanks.ts'
import { say } from '../../kernel/messages.ts'
import { LongNumeral } from '../../kernel/numerals.ts'
import { compareNumbers, FieldFault, type FieldKind, isBlank } from './field-kind.ts'

/** Decimal places of a Decimal without Scale. */
export const DECIMAL_SCALE_DEFAULT = 2

/** Most significant digits: what a double holds exactly and SQLite prints whole. */
export const DECIMAL_DIGITS_MAX = 15

/** A numeral of so few digits that a double holds it, as most are written. */
const SHORT = /^-?(\d{1,9})(?:\.(\d{1,6}))?$/
const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i
const LENGTH_MAX = 400

/**
 * A number with a fixed count of decimal places, rounded half away from zero as written in decimal.
 */
export const decimal: FieldKind = {
  sqlType: 'REAL',
  clrType: 'System.Decimal',
  number: 'scaled',
  moment: undefined,
  isDated: false,
  isText: false,
  isFlag: false,
  structure: undefined,
  key: 'given',
  takesBounds: true,
  isOrdered: true,
  matchesParts: false,
  isServedAsStored: false,
  characters: 10,
  parse(value, field) {
    if (isBlank(value)) return null
    const text = toNumeral(value)
    if (text === undefined) return new FieldFault(say`Must be a number`)
    const scale = field.scale ?? DECIMAL_SCALE_DEFAULT
    if (isShort(text, scale)) return Number(text) || 0
    const rounded = roundDecimal(text, scale)
    if (rounded === undefined) return new FieldFault(say`Must be a number`)
    const digits = rounded.replace(/\D/g, '').replace(/^0+/, '')
    if (digits.length > DECIMAL_DIGITS_MAX) return new FieldFault(say`The number is too large`)
    return Number(rounded) || 0
  },
  toJsonSql(expression, field) {
    const scale = field.scale ?? DECIMAL_SCALE_DEFAULT
    const rounded = `${composeUnitsSql(expression, scale)} / 1e${scale}`
    return `CASE WHEN ${expression} BETWEEN -1e300 AND 1e300 THEN ${rounded} END`
  },
  fromText: (text) => ({
    value: `CAST(${text} AS REAL)`,
    isLossless: `CASE WHEN json_valid(${text}) THEN json_type(${text}) IN ('integer', 'real') END`,
  }),
  compare: compareNumbers,
}

/** The numeral of a number or a text, as it was written. */
function toNumeral(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return trimBlanks(value)
  return value instanceof LongNumeral ? value.text : undefined
}

/**
 * True when a numeral is its own value: with no place beyond the scale, and not too many digits.
 */
function isShort(numeral: string, scale: number): boolean {
  const [, whole, fraction = ''] = SHORT.exec(numeral) ?? []
  if (whole === undefined) return false
  return fraction.length <= scale && whole.length + scale <= DECIMAL_DIGITS_MAX
}

/**
 * A number in whole units of its last place, half away from zero as written in decimal: what binary
 * took of a half is less than is added. To `round` to a place first would cost several times as
 * much, since SQLite writes a numeral out for it.
 */
export function composeUnitsSql(expression: string, scale: number): string {
  const units = `${expression} * 1e${scale}`
  return `CASE WHEN ${expression} < 0 THEN round(${units} - 5e-7) ELSE round(${units} + 5e-7) END`
}

/**
 * Returns SQL for a cell: a number with a point loses the places beyond the scale, others stay. The
 * expression is repeated, so it must be a column name.
 */
export const composeShownSql = (expression: string, scale: number | undefined): string =>
  scale === undefined
    ? expression
    : `CASE typeof(${expression}) WHEN 'real' THEN ${composeUnitsSql(expression, scale)} / ` +
      `1e${scale} ELSE ${expression} END`

/** The same of a cell that was read. */
export function toShown<T>(cell: T, scale: number | undefined): T | number {
  if (typeof cell !== 'number' || scale === undefined || Number.isInteger(cell)) return cell
  return Number(roundDecimal(String(cell), scale) ?? cell) || 0
}

/** A number as the scale has it, as SQL; NULL stays NULL. The expression is evaluated once. */
export const composeRoundedSql = (expression: string, scale: number): string =>
  `(SELECT ${composeUnitsSql('v', scale)} / 1e${scale} + 0.0 FROM (SELECT ${expression} AS v))`

/**
 * Rounds a decimal numeral half away from zero to `scale` places, in digits and never in binary
 * (2.675 is 2.68, 1.005 is 1.01, -2.675 is -2.68). Undefined for any other text.
 */
export function roundDecimal(numeral: string, scale: number): string | undefined {
  const match = numeral.length <= LENGTH_MAX ? NUMBER.exec(numeral) : null
  if (match === null) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  if (whole === '' && fraction === '') return undefined
  const digits = whole + fraction
  const places = fraction.length - Number(exponent)
  const scaled = divideRounding(BigInt(digits), places - scale).toString()
  const padded = scaled.padStart(scale + 1, '0')
  const cut = padded.length - scale
  const minus = sign === '-' && scaled !== '0' ? '-' : ''
  return minus + padded.slice(0, cut) + (scale > 0 ? `.${padded.slice(cut)}` : '')
}

/** Numbers of so many units of their last place are exact in a double. */
const UNITS_MAX = 1e15

/**
 * True when a number surely has at most `scale` places, by arithmetic alone: it is the double next
 * to a whole number of units, so its shortest numeral has no further digit.
 */
export function isAtScale(value: number, scale: number): boolean {
  const one = 10 ** scale
  const units = value * one
  return Math.abs(units) < UNITS_MAX && Math.round(units) / one === value
}

/** `value / 10^places`, half up; multiplied when `places` is negative. */
function divideRounding(value: bigint, places: number): bigint {
  if (places <= 0) return value * 10n ** BigInt(-places)
  const divisor = 10n ** BigInt(places)
  return (value + divisor / 2n) / divisor
}
