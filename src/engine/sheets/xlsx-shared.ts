/**
 * Texts that come again and again, written once and referred to by number. Only so many are kept in
 * memory: all others are written where they stand.
 */
import type { CellCursor } from './row-page.ts'
import { MAIN, XML_HEAD } from './xlsx-parts.ts'
import { composeText } from './xlsx-text.ts'

const TEXT_BYTES_MAX = 200
/** Different texts that a column may share. */
const COLUMN_TEXTS_MAX = 1000
/** Places for them, a power of two. */
const PLACES = 4096

/** The part `sharedStrings.xml`. */
export class SharedTexts {
  readonly #numbers = new Map<string, number>()

  add(text: string): number {
    let number = this.#numbers.get(text)
    if (number === undefined) this.#numbers.set(text, (number = this.#numbers.size))
    return number
  }

  get xml(): string {
    const each = Array.from(this.#numbers.keys(), (text) => `<si>${composeText(text)}</si>`)
    return `${XML_HEAD}<sst xmlns="${MAIN}" uniqueCount="${each.length}">${each.join('')}</sst>`
  }
}

interface KnownText {
  hash: number
  text: Uint8Array
  cell: Uint8Array
}

/** The cells of one column that come again and again, by the bytes of their texts. */
export class RepeatedTexts {
  /** By hash, each in the next free place; undefined once hardly a text comes twice. */
  #places: (KnownText | undefined)[] | undefined = Array.from({ length: PLACES })
  #size = 0
  #hits = 0

  /** The cell of the present text. */
  find({ bytes, from, to, hash }: CellCursor): Uint8Array | undefined {
    const places = this.#places
    if (places === undefined) return undefined
    for (let at = hash & (PLACES - 1); ; at = (at + 1) & (PLACES - 1)) {
      const known = places[at]
      if (known === undefined) return undefined
      if (known.hash === hash && isSame(known.text, bytes, from, to)) {
        this.#hits++
        return known.cell
      }
    }
  }

  /** Whether another text may be kept. */
  takes({ from, to }: CellCursor): boolean {
    if (this.#places === undefined || to - from > TEXT_BYTES_MAX) return false
    if (this.#size < COLUMN_TEXTS_MAX) return true
    if (this.#hits < this.#size) this.#places = undefined
    return false
  }

  /** Keeps the cell of the present text, which `takes` it. */
  keep({ bytes, from, to, hash }: CellCursor, cell: Uint8Array): void {
    const places = this.#places
    if (!places) return
    let at = hash & (PLACES - 1)
    while (places[at] !== undefined) at = (at + 1) & (PLACES - 1)
    places[at] = { hash, text: bytes.slice(from, to), cell }
    this.#size++
  }
}

function isSame(known: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (known.length !== to - from) return false
  for (let at = 0; at < known.length; at++) if (known[at] !== bytes[from + at]) return false
  return true
}
