/** Numerals of texts, and whether two of them are the same number. */
import { joinNumberWords, readNumberWords } from './number-words.ts'

/**
 * Digits with the signs that may be between them: separators, and markup that no reader sees.
 * Figures of other scripts, fractions and Roman ones are numerals of one sign. A sign that scales a
 * number belongs to it: `5k` is not 5.
 */
const NUMERAL = new RegExp(
  String.raw`\d(?:[.,'’*_~\x60]*\d|[ \u00a0\u202f]\d{3}(?!\d))*` +
    String.raw`(?:[kKmMbB](?![\p{L}\d])|[eE][+-]?\d+)?|\p{Nd}+|[\p{No}\p{Nl}]`,
  'gu',
)

/** Raised and lowered figures after a letter are part of a word: m², CO₂. */
const IS_LETTER_BEFORE = /\p{L}$/u
const RAISED = /^[²³₂]$/u

/** A numeral with its place in the text. */
interface Numeral {
  start: number
  text: string
}

/** All numerals of a text, from left to right, in digits or words: `1.2 million`. */
export function findNumerals(text: string): Numeral[] {
  const digits = [...text.matchAll(NUMERAL)]
    .filter(({ 0: found, index }) => {
      return !RAISED.test(found) || !IS_LETTER_BEFORE.test(text.slice(0, index))
    })
    .map(({ 0: found, index }) => ({ start: index, end: index + found.length }))
  return joinNumberWords(text, digits).map(({ start, end }) => ({
    start,
    text: text.slice(start, end),
  }))
}

/** Readings of a numeral, in the notations that people use; empty for a date and the like. */
const NOTATIONS: readonly { form: RegExp; group: RegExp; point: string }[] = [
  { form: /^\d+$/, group: /(?!)/, point: '.' },
  { form: /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$|^\d+\.\d+$/, group: /,/g, point: '.' },
  { form: /^\d{1,3}(?:\.\d{3})+(?:,\d+)?$|^\d+,\d+$/, group: /\./g, point: ',' },
  { form: /^\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?$/, group: /,/g, point: '.' },
  { form: /^\d{1,3}(?:['’ \u00a0\u202f]\d{3})+(?:\.\d+)?$/, group: /[^\d.]/g, point: '.' },
  { form: /^\d{1,3}(?:['’ \u00a0\u202f]\d{3})+(?:,\d+)?$/, group: /[^\d,]/g, point: ',' },
]

const MARKUP = /[*_~`]/g

const WORDS = /(?:[^\S\n]|-)*\p{L}{2}.*$/su
/** Decimals that a product of two numbers has. */
const DECIMALS = 6

/** The numbers that a numeral may be, each in one spelling: `1234.5` of `1,234.50`. */
function readNumbers(text: string): string[] {
  const bare = text.replace(MARKUP, '')
  const words = WORDS.exec(bare)
  if (!words) return readDigits(bare)
  const digits =
    words.index === 0 ? [undefined] : readDigits(bare.slice(0, words.index)).map(Number)
  return digits.flatMap((number) => {
    const value = readNumberWords(words[0], number)
    return value === undefined ? [] : [toPlain(value.toFixed(DECIMALS))]
  })
}

function readDigits(bare: string): string[] {
  return NOTATIONS.filter(({ form }) => form.test(bare)).map(({ group, point }) =>
    toPlain(bare.replace(group, '').replace(point, '.')),
  )
}

/** Digits without zeros that mean nothing: `007.50` is `7.5`. */
function toPlain(digits: string): string {
  const [whole = '', fraction = ''] = digits.split('.')
  const short = fraction.replace(/0+$/, '')
  return (whole.replace(/^0+(?=\d)/, '') || '0') + (short === '' ? '' : `.${short}`)
}

/** Numbers that a text may carry, since they occur in the data that it is about. */
export class KnownNumbers {
  readonly #known = new Set<string>()

  /** Adds the numbers of a text, or of every text, number and name within a JSON value. */
  add(value: unknown): void {
    if (typeof value === 'string') this.#addText(value)
    else if (typeof value === 'number' || typeof value === 'bigint') this.#addNumber(value)
    else if (Array.isArray(value)) for (const member of value) this.add(member)
    else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        this.#addText(name)
        this.add(member)
      }
    }
  }

  /** True when a numeral is a known number, or a date that is made of them. */
  has(numeral: string): boolean {
    const numbers = readNumbers(numeral)
    if (numbers.length > 0) return numbers.some((number) => this.#known.has(number))
    if (this.#known.has(numeral)) return true
    const parts = numeral.split(/[^\d]+/).filter((part) => part !== '')
    return (
      parts.length > 1 &&
      /^[\d.,'’ \u00a0\u202f]+$/.test(numeral) &&
      parts.every((part) => this.#known.has(toPlain(part)))
    )
  }

  #addText(text: string): void {
    for (const { text: numeral } of findNumerals(text)) {
      this.#known.add(numeral)
      const numbers = readNumbers(numeral)
      for (const number of numbers) this.#known.add(number)
      if (numbers.length > 0) continue
      for (const part of numeral.match(/\d+/g) ?? []) this.#known.add(toPlain(part))
    }
  }

  #addNumber(value: number | bigint): void {
    const text = String(value).replace('-', '')
    if (/^[\d.]+$/.test(text)) this.#known.add(toPlain(text))
  }
}
