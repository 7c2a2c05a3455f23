/** Numbers as the formats of a workbook show them, for texts: 123 by `00000` is 00123. */
import { readNumber, writeNumber } from '../../model/fields/exact-number.ts'

/** Formats that SheetJS has by number and that shape digits. */
export const BUILT_IN_SHAPES: ReadonlyMap<number, string> = new Map([
  [1, '0'],
  [2, '0.00'],
])

const CODE_CHARS_MAX = 200

/**
 * The places behind the point of a format that shapes the digits of a number: `00000`, `0.00`,
 * `000-00-0000`, `"INV-"0000`. Undefined for one that is for amounts (groups, percents, currencies,
 * exponents, fractions): what it shows says something else in every language.
 */
export function findShape(code: string): number | undefined {
  if (code.length > CODE_CHARS_MAX) return undefined
  const hasCurrency = /\[\$|[$€£¥]/.test(code)
  const digits = code.replace(/"[^"]*"|\\.|_.|\*./g, '').replace(/\[[^\]]*\]/g, '')
  if (hasCurrency || !/[0#]/.test(digits) || /[,%@?/]|e[+-]|general|[ymdhs]/i.test(digits)) {
    return undefined
  }
  const places = digits.split(';').map((section) => section.split('.')[1] ?? '')
  return Math.max(...places.map((each) => each.replace(/[^0#]/g, '').length))
}

type FormatNumber = (code: string, value: number) => string

/** Tells which columns are of texts, once their heads are known. */
export class ShownNumbers {
  #places: ReadonlySet<number> = new Set()
  #format: FormatNumber | undefined

  /** Names the places of the columns of texts; `hasShapes` tells that numbers may be shaped. */
  async take(places: readonly number[], hasShapes: boolean): Promise<void> {
    if (places.length === 0 || !hasShapes) return
    this.#places = new Set(places)
    // Loaded on demand: most files do not need it.
    const { SSF } = await import('xlsx')
    this.#format = (code, value) => SSF.format(code, value)
  }

  /** The number as it is shown; as it is, where the format would cut it or hide it. */
  find(at: number, code: string | undefined, plain: string): string {
    const format = this.#format
    if (format === undefined || code === undefined || !this.#places.has(at)) return plain
    const number = readNumber(plain)
    const fraction = number && writeNumber(number).split('.')[1]
    if (!number || (fraction ?? '').length > (findShape(code) ?? 0)) return plain
    const shown = format(code, Number(plain)).trim()
    return /\d/.test(shown) ? shown : plain
  }
}
