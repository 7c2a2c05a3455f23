/**
 * Rows as JSON objects by field name, made of the bytes of a page: most cells are copied into the
 * file unchanged. A cell that a reader of JSON would write in another way is read as a value.
 */
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import { ByteWriter, markBytes } from './byte-writer.ts'
import type { SheetColumn } from './format.ts'
import {
  asBuffer,
  BACKSLASH,
  CLOSE,
  COMMA,
  findTextEnd,
  isWholeReal,
  OPEN,
  OPEN_OBJECT,
  QUOTE,
  readAscii,
  SMALL_F,
  SMALL_N,
  SMALL_T,
} from './json-bytes.ts'
import type { RowPage } from './row-page.ts'

interface Member {
  /** The name with the bytes before and after it. */
  lead: Uint8Array
  /** Texts are JSON already: documents, lists, and digits that no double holds. */
  isJson: boolean
}

/** Composes the objects of one file. */
export class JsonRows {
  readonly #bytes = new ByteWriter()
  readonly #members: readonly Member[]

  constructor(columns: readonly Pick<SheetColumn, 'name' | 'type'>[]) {
    this.#members = columns.map(({ name, type }, at) => ({
      lead: Buffer.from(`${at === 0 ? '{' : ','}${JSON.stringify(name)}:`),
      isJson: FIELD_KINDS[type].structure === 'document' || FIELD_KINDS[type].number === 'whole',
    }))
  }

  /**
   * Composes each row between these bytes; missing cells are null. Valid until the next call.
   * @throws Error for a nested value, which is not a cell
   */
  compose({ bytes: page }: RowPage, before: Uint8Array, after: Uint8Array): Uint8Array {
    const out = this.#bytes.clear()
    // Behind the `[` of the page, each row is `[…]`, with a comma before the next one.
    for (let at = 1; page[at] === OPEN; at++) {
      out.add(before)
      at = this.#composeRow(page, at + 1)
      out.add(after)
      if (page[at] !== COMMA) break
    }
    return out.bytes
  }

  /** Composes the row that begins at `from`; returns the place after its `]`. */
  #composeRow(page: Uint8Array, from: number): number {
    const bytes = this.#bytes
    const members = this.#members
    let at = from
    for (let place = 0; place < members.length; place++) {
      const member = members[place]
      if (!member) break
      bytes.add(member.lead)
      if (page[at] === CLOSE) {
        bytes.add(NULL)
        continue
      }
      at = this.#composeCell(page, at, member)
      if (page[at] === COMMA) at++
    }
    bytes.add(members.length === 0 ? EMPTY : END)
    if (page[at] !== CLOSE) throw new Error('A row has more cells than columns')
    return at + 1
  }

  /** Composes the cell that begins at `at`; returns the place after it. */
  #composeCell(page: Uint8Array, at: number, { isJson }: Member): number {
    const first = page[at] ?? 0
    if (first === QUOTE) return isJson ? this.#addJson(page, at) : this.#addText(page, at)
    if (first === SMALL_N) return this.#addWord(at, NULL)
    if (first === SMALL_T) return this.#addWord(at, TRUE)
    if (first === SMALL_F) return this.#addWord(at, FALSE)
    // A list or an object would be read as several cells, and its end as that of the row.
    if (first === OPEN || first === OPEN_OBJECT) throw new Error('A row has what is no cell')
    return this.#addNumber(page, at)
  }

  #addWord(at: number, word: Uint8Array): number {
    this.#bytes.add(word)
    return at + word.length
  }

  /** Copies numbers of few digits without an exponent: every writer of JSON writes them so. */
  #addNumber(page: Uint8Array, from: number): number {
    const bytes = this.#bytes
    const start = bytes.length
    let end = bytes.copyUntil(page, from, NUMBER_ENDS)
    const isDone = page[end] === COMMA || page[end] === CLOSE
    if (isDone && end - from <= DIGITS_MAX && !isWholeReal(page, end)) return end
    bytes.rewind(start)
    while (end < page.length && page[end] !== COMMA && page[end] !== CLOSE) end++
    bytes.ascii(JSON.stringify(Number(readAscii(page, from, end))))
    return end
  }

  #addText(page: Uint8Array, quote: number): number {
    const bytes = this.#bytes
    const start = bytes.length
    bytes.add(QUOTATION)
    const end = bytes.copyUntil(page, quote + 1, TEXT_ENDS)
    if (page[end] === QUOTE) {
      bytes.add(QUOTATION)
      return end + 1
    }
    bytes.rewind(start)
    const behind = findTextEnd(page, end)
    bytes.text(JSON.stringify(readText(page, quote, behind)))
    return behind
  }

  #addJson(page: Uint8Array, quote: number): number {
    const bytes = this.#bytes
    const start = bytes.length
    const end = bytes.copyUntil(page, quote + 1, TEXT_ENDS)
    if (page[end] === QUOTE) return end + 1
    bytes.rewind(start)
    const behind = findTextEnd(page, end)
    bytes.text(readText(page, quote, behind))
    return behind
  }
}

const readText = (page: Uint8Array, quote: number, behind: number): string =>
  JSON.parse(asBuffer(page).toString('utf8', quote, behind)) as string

const NULL = Buffer.from('null')
const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')
const END = Buffer.from('}')
const EMPTY = Buffer.from('{}')
const QUOTATION = Uint8Array.of(QUOTE)

/** Numbers of at most so many digits are unchanged by a double. */
const DIGITS_MAX = 15

const TEXT_ENDS = markBytes(String.fromCharCode(QUOTE, BACKSLASH))
/** Bytes that end a number, or begin an exponent. */
const NUMBER_ENDS = markBytes(',]eE')
