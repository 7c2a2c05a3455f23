/** Rows to be written into a file, some at a time, as the store reads them. */
import { isUtf8 } from 'node:buffer'
import {
  BACKSLASH,
  CLOSE,
  COMMA,
  OPEN,
  OPEN_OBJECT,
  QUOTE,
  SMALL_F,
  SMALL_N,
  SMALL_T,
} from './json-bytes.ts'

/**
 * A value as a sheet gets it: texts (`YYYY-MM-DD`, ISO instants in UTC, `HH:mm:ss` for the types of
 * time), numbers, booleans; Json, File and lists as JSON text. An empty cell is null.
 */
export type SheetCell = string | number | boolean | null

/** The cells of a row, in the order of the sheet's columns. */
export type Cells = readonly SheetCell[]

/**
 * Some rows: as cells, or as their JSON text (`[[…],[…]]`, without blanks between values), for
 * formats that make their bytes of its bytes.
 */
export class RowPage {
  /** The JSON text in UTF-8. */
  readonly bytes: Uint8Array
  #rows: readonly Cells[] | undefined

  /** Bytes that are not UTF-8 become U+FFFD, as in every text that is read. */
  constructor(bytes: Uint8Array) {
    this.bytes = isUtf8(bytes) ? bytes : Buffer.from(toBuffer(bytes).toString('utf8'))
  }

  static of(rows: readonly Cells[]): RowPage {
    return new RowPage(Buffer.from(JSON.stringify(rows)))
  }

  get rows(): readonly Cells[] {
    return (this.#rows ??= JSON.parse(toBuffer(this.bytes).toString('utf8')) as readonly Cells[])
  }
}

const toBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const ASCII_END = 0x80

/** FNV-1a. */
const HASH_START = 0x811c9dc5
const HASH_FACTOR = 0x01000193

/** The kind of a cell, by its first byte. */
type CellKind = 'null' | 'true' | 'false' | 'number' | 'text'

/**
 * Goes over the cells of a page: after each `next` the fields describe the cell. It makes no text
 * or number of a cell, so that going over a million costs little.
 */
export class CellCursor {
  readonly bytes: Uint8Array
  /** Place of the cell; for a text, of the characters between its quotation marks. */
  from = 0
  to = 0
  /** FNV-1a hash of a text. */
  hash = 0
  /** True for a text in ASCII without a character that `special` marks and without an escape. */
  isPlain = false
  readonly #buffer: Buffer
  readonly #special: Uint8Array
  #at = 1

  /** `special` marks ASCII characters with a 1, by their codes. */
  constructor({ bytes }: RowPage, special: Uint8Array) {
    this.bytes = bytes
    this.#buffer = toBuffer(bytes)
    this.#special = special
  }

  /** Goes to the next row; false after the last one. */
  nextRow(): boolean {
    if (this.bytes[this.#at] === COMMA) this.#at++
    if (this.bytes[this.#at] !== OPEN) return false
    this.#at++
    return true
  }

  /** The next cell of the row; undefined after the last one. @throws Error for a nested value */
  next(): CellKind | undefined {
    const { bytes } = this
    if (bytes[this.#at] === COMMA) this.#at++
    const first = bytes[this.#at]
    if (first === QUOTE) return this.#readText()
    if (first === CLOSE) {
      this.#at++
      return undefined
    }
    // A list or an object would be read as several cells, and its end as that of the row.
    if (first === OPEN || first === OPEN_OBJECT) throw new Error('A row has what is no cell')
    this.from = this.#at
    let at = this.#at + 1
    while (at < bytes.length && bytes[at] !== COMMA && bytes[at] !== CLOSE) at++
    this.#at = this.to = at
    if (first === SMALL_N) return 'null'
    return first === SMALL_T ? 'true' : first === SMALL_F ? 'false' : 'number'
  }

  /** The present text. */
  get text(): string {
    if (this.isPlain) return this.#buffer.toString('latin1', this.from, this.to)
    return JSON.parse(this.#buffer.toString('utf8', this.from - 1, this.to + 1)) as string
  }

  #readText(): 'text' {
    const { bytes } = this
    const special = this.#special
    let at = this.#at + 1
    this.from = at
    let hash = HASH_START
    let isPlain = true
    for (; ; at++) {
      const byte = bytes[at] ?? QUOTE
      if (byte === QUOTE) break
      if (byte >= ASCII_END || special[byte] === 1) isPlain = false
      hash = Math.imul(hash ^ byte, HASH_FACTOR)
      if (byte === BACKSLASH) {
        isPlain = false
        hash = Math.imul(hash ^ (bytes[++at] ?? 0), HASH_FACTOR)
      }
    }
    this.to = at
    this.#at = at + 1
    this.hash = hash
    this.isPlain = isPlain
    return 'text'
  }
}
