/**
 * Numbers as texts have them, of whatever size: reckoned and compared in decimal digits, never in
 * binary. What compares numbers outside of SQL does it by `compareExact`.
 */
import type { SqlValue } from '../../store/sql.ts'

/** `units` of the last of `scale` decimal places. */
export interface ExactNumber {
  units: bigint
  scale: number
}

const NUMERAL = /^([+-]?)(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i
/** Longest numeral in characters; SQLite writes far shorter ones, except integers kept as texts. */
const NUMERAL_CHARACTERS_MAX = 400

/** The number of a value; undefined for anything else. A double is its shortest numeral. */
export const numberOf = (value: SqlValue): ExactNumber | undefined =>
  value === null || value instanceof Uint8Array ? undefined : readNumber(String(value).trim())

/** A numeral of so few digits that a double holds it, as most are written. */
const SHORT = /^-?\d{1,9}(?:\.\d{1,6})?$/

/**
 * Returns a numeral as it is compared with stored numbers: a double where that holds it, else its
 * text. Undefined for a text that is not a number.
 */
export function toNumeral(text: string): number | string | undefined {
  const numeral = text.trim()
  if (SHORT.test(numeral)) return Number(numeral)
  return readNumber(numeral) ? numeral : undefined
}

/** Reads the number of a cell; undefined for any other text. */
export function readNumber(cell: string): ExactNumber | undefined {
  if (cell.length > NUMERAL_CHARACTERS_MAX) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = NUMERAL.exec(cell) ?? []
  if (sign === undefined) return undefined
  const digits = BigInt(sign + whole + fraction)
  const scale = fraction.length - Number(exponent)
  return scale < 0 ? { units: digits * 10n ** BigInt(-scale), scale: 0 } : { units: digits, scale }
}

/** The shortest numeral: `12.5` for 12.50. */
export function writeNumber({ units, scale }: ExactNumber): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
  const cut = digits.length - scale
  const fraction = digits.slice(cut).replace(/0+$/, '')
  const sign = units < 0n ? '-' : ''
  return sign + digits.slice(0, cut) + (fraction === '' ? '' : `.${fraction}`)
}

/** Returns the units of a number at a scale no smaller than its own. */
const unitsAt = ({ units, scale }: ExactNumber, target: number): bigint =>
  scale === target ? units : units * 10n ** BigInt(target - scale)

/** a + b, to the last digit. */
export function addNumbers(a: ExactNumber, b: ExactNumber): ExactNumber {
  const scale = Math.max(a.scale, b.scale)
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale }
}

/** Below, at or above 0 as a is less than, equal to or greater than b. */
export function compareExact(a: ExactNumber, b: ExactNumber): number {
  const scale = Math.max(a.scale, b.scale)
  const [left, right] = [unitsAt(a, scale), unitsAt(b, scale)]
  return left === right ? 0 : left < right ? -1 : 1
}

/** a / b to `places`, rounded half away from zero; undefined for a division by 0. */
export function divideNumbers(
  a: ExactNumber,
  b: ExactNumber,
  places: number,
): ExactNumber | undefined {
  if (b.units === 0n) return undefined
  const scale = Math.max(a.scale, b.scale)
  const [dividend, divisor] = [unitsAt(a, scale) * 10n ** BigInt(places), unitsAt(b, scale)]
  const isNegative = dividend < 0n !== divisor < 0n
  const [top, bottom] = [absolute(dividend), absolute(divisor)]
  const units = (top * 2n + bottom) / (bottom * 2n)
  return { units: isNegative ? -units : units, scale: places }
}

const absolute = (value: bigint): bigint => (value < 0n ? -value : value)
