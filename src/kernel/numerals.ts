/** Numerals of JSON that a double does not hold: kept as they are written, never rounded. */

declare global {
  interface JSON {
    /** The value that `JSON.stringify` writes as the text says (ECMA-262, JSON.rawJSON). */
    rawJSON(text: string): unknown
  }
}

/** A numeral of JSON whose value no double has, as it was written: `12345678901234567890`. */
export class LongNumeral {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Writes the number into JSON as it came. */
  toJSON(): unknown {
    return JSON.rawJSON(this.text)
  }
}

/** Digits that are always exact in a double that is neither very large nor very small. */
const DIGITS_EXACT = 15
const EXPONENT_EXACT = 290

const EXPONENT = /e/i

/** Finds texts that may hold a numeral that is not exact; most texts do not. */
const MAYBE_LONG = /[\d.]{16}|\d[eE][+-]?\d\d/

const NUMERAL = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/**
 * `JSON.parse`, where a numeral that a double would change is a `LongNumeral`: of many digits
 * (`0.12345678901234567891`), too large (`1e400`) or too small. @throws SyntaxError
 */
export function parseJsonExactly(text: string): unknown {
  return MAYBE_LONG.test(text) ? (JSON.parse(text, keepNumeral) as unknown) : JSON.parse(text)
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39

/** A numeral at a place of a JSON text. */
const WRITTEN = /-?\d[\d.eE+-]*/y

/** Checks that a JSON text has a numeral that a double would change; faster than to parse it so. */
export function writesLongNumeral(text: string): boolean {
  if (!MAYBE_LONG.test(text)) return false
  let isText = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) isText = !isText
    else if (isText) at += code === BACKSLASH ? 1 : 0
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      WRITTEN.lastIndex = at
      const numeral = WRITTEN.exec(text)?.[0] ?? ''
      if (!isExact(numeral)) return true
      at += numeral.length - 1
    }
  }
  return false
}

function keepNumeral(_: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return typeof value === 'number' && source !== undefined ? toExactNumber(source) : value
}

/** The number of a numeral of JSON; a `LongNumeral` where a double would change it. */
export const toExactNumber = (numeral: string): number | LongNumeral =>
  isExact(numeral) ? Number(numeral) : new LongNumeral(numeral)

/** Checks that the double of a numeral, written out as JSON writes it, has the same value. */
function isExact(numeral: string): boolean {
  if (numeral.length <= DIGITS_EXACT && !EXPONENT.test(numeral)) return true
  // Most come as a program wrote its double.
  if (String(Number(numeral)) === numeral) return true
  const written = toUnits(numeral)
  if (!written) return false
  const { digits, exponent } = written
  if (digits === '') return true
  if (digits.length <= DIGITS_EXACT && Math.abs(exponent) < EXPONENT_EXACT) return true
  const held = toUnits(String(Number(numeral)))
  return held !== undefined && held.digits === digits && held.exponent === exponent
}

/** A numeral's digits without zeros at either end, and the power of ten of the last one. */
function toUnits(numeral: string): { digits: string; exponent: number } | undefined {
  const match = NUMERAL.exec(numeral)
  if (!match) return undefined
  const [, whole = '', fraction = '', power = '0'] = match
  const all = (whole + fraction).replace(/^0+/, '')
  let end = all.length
  while (end > 0 && all[end - 1] === '0') end--
  return { digits: all.slice(0, end), exponent: Number(power) - fraction.length + all.length - end }
}
