/**
 * Texts that come again and again, written once and referred to by number. Only so many are kept in
 * memory: all others are written where they stand.
 */
import { MAIN, XML_HEAD } from './xlsx-parts.ts'
import { composeText } from './xlsx-text.ts'

const TEXT_CHARACTERS_MAX = 200
/** Different texts that a column may share. */
const COLUMN_TEXTS_MAX = 1000

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

/** The cells of one column that come again and again, by their text. */
export class RepeatedTexts {
  /** Undefined once it is plain that hardly a text comes twice. */
  #known: Map<string, string> | undefined = new Map()
  #hits = 0

  find(text: string): string | undefined {
    const found = this.#known?.get(text)
    if (found !== undefined) this.#hits++
    return found
  }

  /** Whether another text may be kept. */
  takes(text: string): boolean {
    const known = this.#known
    if (known === undefined || text.length > TEXT_CHARACTERS_MAX) return false
    if (known.size < COLUMN_TEXTS_MAX) return true
    if (this.#hits < known.size) this.#known = undefined
    return false
  }

  /** Keeps the cell of a text, as far as there is room; gives the cell. */
  keep(text: string, cell: string): string {
    if (this.takes(text)) this.#known?.set(text, cell)
    return cell
  }
}
