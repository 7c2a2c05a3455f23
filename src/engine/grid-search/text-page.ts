/** Folded texts of some hundred rows in one piece of memory, searched at the speed of memory. */
import { foldText } from './fold.ts'
import type { RowKey, TextRow } from './searched-text.ts'

/** The end of a text. No text holds it, so that no match runs over the end of a text. */
const END = '\0'
const END_BYTE = 0

const BYTES_A_TEXT_KEY = 16
const BYTES_A_PAGE = 400

/** Rows in the order of their keys; never changed. */
export class TextPage {
  /** Whole numbers are packed. */
  readonly #keys: Float64Array | readonly RowKey[]
  readonly #text: Buffer
  /** The end of each row in the text. */
  readonly #ends: Uint32Array
  /** Memory that the page takes, in bytes. */
  readonly bytes: number

  constructor(rows: readonly TextRow[]) {
    const keys = rows.map(([key]) => key)
    this.#keys = keys.every((key) => typeof key === 'number') ? Float64Array.from(keys) : keys
    this.#text = Buffer.from(foldText(rows.map(joinTexts).join('')))
    this.#ends = findEnds(this.#text, rows)
    const ofKeys = keys.reduce<number>((sum, key) => sum + toBytes(key), 0)
    this.bytes = BYTES_A_PAGE + ofKeys + this.#text.length + this.#ends.byteLength
  }

  get rows(): number {
    return this.#keys.length
  }

  /** The key of the last row. */
  get last(): RowKey | undefined {
    return this.#keys.at(-1)
  }

  /** True when all keys are whole numbers. */
  get isNumbered(): boolean {
    return this.#keys instanceof Float64Array
  }

  /** Adds the keys of the rows that have a text with this in it; `folded` is a fold, as UTF-8. */
  find(folded: Buffer, found: RowKey[]): void {
    let row = 0
    let at = this.#text.indexOf(folded)
    while (at >= 0) {
      while (this.#endOf(row) <= at) row++
      const key = this.#keys[row]
      if (key !== undefined) found.push(key)
      at = this.#text.indexOf(folded, this.#endOf(row++))
    }
  }

  #endOf(row: number): number {
    return this.#ends[row] ?? Infinity
  }
}

const joinTexts = ([, ...texts]: TextRow): string => texts.map(cutAtEnd).join(END) + END

/** SQL matches a text up to there, too. */
const cutAtEnd = (text: string): string =>
  text.includes(END) ? (text.split(END, 1)[0] ?? '') : text

/** The ends of rows: every text has one end; a row ends with its last text. */
function findEnds(text: Buffer, rows: readonly TextRow[]): Uint32Array {
  const ends = new Uint32Array(rows.length)
  let at = 0
  rows.forEach((row, index) => {
    // A row without texts has an end all the same.
    for (let left = Math.max(1, row.length - 1); left > 0; left--) {
      at = text.indexOf(END_BYTE, at) + 1
    }
    ends[index] = at
  })
  return ends
}

const toBytes = (key: RowKey): number =>
  typeof key === 'string' ? BYTES_A_TEXT_KEY + 2 * key.length : Float64Array.BYTES_PER_ELEMENT
