/** Folded texts of some hundred rows in one piece of memory, searched at the speed of memory. */
import { foldText } from './fold.ts'
import type { RowKey, TextRow } from './searched-text.ts'

/** No text holds it, so nothing sought runs over the end of a text. */
const END = '\0'

const BYTES_A_KEY = 16

/** Rows in the order of their keys; never changed. */
export class TextPage {
  readonly #keys: RowKey[] = []
  readonly #text: Buffer
  /** Where each row ends in the text. */
  readonly #ends: Uint32Array

  constructor(rows: readonly TextRow[]) {
    const parts: string[] = []
    this.#ends = new Uint32Array(rows.length)
    let end = 0
    rows.forEach(([key, ...texts], at) => {
      const part = foldText(texts.map(cutAtEnd).join(END)) + END
      this.#keys.push(key)
      parts.push(part)
      this.#ends[at] = end += Buffer.byteLength(part)
    })
    this.#text = Buffer.from(parts.join(''))
  }

  /** What the page takes, in bytes. */
  get bytes(): number {
    const texts = this.#keys.reduce<number>((sum, key) => sum + toBytes(key), 0)
    return texts + this.#text.length + this.#ends.byteLength
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

/** SQL matches a text up to there, too. */
const cutAtEnd = (text: string): string => text.split(END, 1)[0] ?? ''

const toBytes = (key: RowKey): number =>
  typeof key === 'string' ? BYTES_A_KEY + 2 * key.length : BYTES_A_KEY
