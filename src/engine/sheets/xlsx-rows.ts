/** The rows of one sheet, from its XML in pieces. */
import { type SheetRow, UnreadableSheet } from './format.ts'
import type { Book, Shown } from './xlsx-book.ts'
import { decodeText, ElementFinder, readAttributes, readRuns } from './xlsx-markup.ts'

const ROWS_MAX = 1_048_576
const COLUMNS_MAX = 16_384
/** Most characters of a row; a longer one is not read. */
const ROW_CHARS_MAX = 32 * 1024 * 1024

const ROWS = new ElementFinder('row')
const CELLS = new ElementFinder('c')
const VALUES = new ElementFinder('v')
const FORMULAS = new ElementFinder('f')

/** A formula whose value was never stored. */
const UNCOMPUTED = Symbol('uncomputed')

/** Reads the sheet of a book. A merged cell's value is in the first of its cells. */
export class SheetRows {
  readonly #book: Book
  #rest = ''
  #line = 0
  #isIn = false
  #isOver = false
  #worthwhile = 0
  /** Columns of the head, once it is there. */
  #width = COLUMNS_MAX

  constructor(book: Book) {
    this.#book = book
  }

  /** The rows that end in a further piece. @throws UnreadableSheet */
  push(piece: string): SheetRow[] {
    if (this.#isOver) return []
    this.#rest += piece
    if (!this.#isIn && !this.#enter()) return []
    // A rest without a whole row is searched again only once it has doubled.
    if (this.#rest.length < this.#worthwhile) return []
    return this.#readRows()
  }

  /** Reads the rows that are left after the last piece. */
  end(): SheetRow[] {
    return this.#isIn && !this.#isOver ? this.#readRows() : []
  }

  #readRows(): SheetRow[] {
    const rows: SheetRow[] = []
    let done = 0
    for (const { attributes, content, end } of ROWS.list(this.#rest)) {
      const row = this.#readRow(attributes, content)
      if (row.cells.length > 0) rows.push(row)
      done = end
    }
    if (/<\/(?:[\w.-]+:)?sheetData\s*>/.test(this.#rest.slice(done))) this.#isOver = true
    this.#rest = this.#isOver ? '' : this.#rest.slice(done)
    this.#worthwhile = this.#rest.length * 2
    if (this.#rest.length > ROW_CHARS_MAX) throw new UnreadableSheet('bomb')
    return rows
  }

  /** Skips the part before the rows: it is not needed, and its `dimension` cannot be trusted. */
  #enter(): boolean {
    const start = /<(?:[\w.-]+:)?sheetData\s*(\/?)>/.exec(this.#rest)
    if (!start) {
      if (this.#rest.length > ROW_CHARS_MAX) throw new UnreadableSheet('unreadable')
      return false
    }
    this.#isIn = true
    this.#isOver = start[1] === '/'
    this.#rest = this.#rest.slice(start.index + start[0].length)
    return !this.#isOver
  }

  #readRow(tag: string, xml: string): SheetRow {
    const given = readAttributes(tag).get('r')
    const line = given === undefined ? this.#line + 1 : Number(given)
    if (!Number.isInteger(line) || line <= this.#line || line > ROWS_MAX) {
      throw new UnreadableSheet('unreadable')
    }
    this.#line = line
    const cells: (string | null)[] = []
    const uncomputed: number[] = []
    const written: number[] = []
    let next = 0
    for (const { attributes, content } of CELLS.list(xml)) {
      const at = findColumn(attributes, next)
      next = at + 1
      const value = this.#readCell(attributes, content)
      // Cells beyond the head are only noted as present, in the first place after it.
      const place = Math.min(at, this.#width)
      if (at > place && (value ?? '') === '') continue
      while (cells.length < place) cells.push(null)
      if (value === UNCOMPUTED) {
        cells[place] ??= null
        uncomputed.push(place)
      } else {
        cells[place] ||= value
        if (value !== null && isText(attributes) && isNumeral(value)) {
          written.push(place)
        }
      }
    }
    if (cells.length > 0 && this.#width === COLUMNS_MAX) this.#width = widthOf(cells)
    return { line, cells, uncomputed, written }
  }

  #readCell(attributes: string, xml: string): string | null | typeof UNCOMPUTED {
    const type = /(?:^|\s)t="([a-zA-Z]+)"/.exec(attributes)?.[1] ?? 'n'
    if (type === 'inlineStr') return readRuns(xml)
    const value = VALUES.first(xml)?.content
    if (isUncomputed(type, value, xml)) return UNCOMPUTED
    if (value === undefined) return null
    if (type === 's') {
      const text = this.#book.shared[Number(value)]
      if (text === undefined) throw new UnreadableSheet('unreadable')
      return text
    }
    if (type === 'b') return value === '1' ? 'true' : 'false'
    if (type === 'd') return readIsoDate(value)
    if (type !== 'n') return readRuns(`<t>${value}</t>`)
    const style = /(?:^|\s)s="(\d+)"/.exec(attributes)?.[1]
    const shown = style === undefined ? 'number' : (this.#book.shown[Number(style)] ?? 'number')
    return readNumber(decodeText(value), shown, this.#book.is1904)
  }
}

const isText = (attributes: string): boolean => /(?:^|\s)t="(?:s|str|inlineStr)"/.test(attributes)

/** Tells whether a text may be a numeral that another culture reads otherwise. */
export const isNumeral = (text: string): boolean =>
  text.length <= NUMERAL_CHARS_MAX && /^[\s+\-−]*\d[\d\s.,'’٬٫]*$/.test(text) && /\D/.test(text)

const NUMERAL_CHARS_MAX = 60

/** Libraries write formulas that no spreadsheet has computed yet; only a text may be empty. */
const isUncomputed = (type: string, value: string | undefined, xml: string): boolean =>
  (value === undefined || (value.trim() === '' && type !== 'str')) &&
  FORMULAS.first(xml) !== undefined

/** Columns up to the last one with a text. */
export const widthOf = (cells: readonly (string | null)[]): number =>
  cells.findLastIndex((cell) => cell !== null && cell.trim() !== '') + 1

const LETTER_A = 65

/** The column of a cell; one without a reference follows the cell before it. */
function findColumn(attributes: string, next: number): number {
  const letters = /(?:^|\s)r="([A-Z]{1,3})\d*"/.exec(attributes)?.[1]
  if (next >= COLUMNS_MAX) throw new UnreadableSheet('unreadable')
  if (letters === undefined) return next
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - LETTER_A + 1
  if (column > COLUMNS_MAX || column <= next) throw new UnreadableSheet('unreadable')
  return column - 1
}

/** A strict workbook writes dates as texts. */
const readIsoDate = (value: string): string =>
  decodeText(value)
    .replace(/T00:00:00(?:\.0+)?Z?$/, '')
    .replace(/Z$/, '')

const DAY_MS = 86_400_000
const ZERO_1900 = Date.UTC(1899, 11, 30)
const ZERO_1904 = Date.UTC(1904, 0, 1)
/** Before 1900-03-01 a spreadsheet counts a day less than there is: 1900-02-29 never existed. */
const FALSE_LEAP = 60
const LAST = 2_958_466

/** A number as it is shown: days and times in ISO form, without a zone. */
export function readNumber(value: string, shown: Shown, is1904: boolean): string {
  const number = Number(value)
  if (value.trim() === '' || !Number.isFinite(number)) return value
  if (shown === 'number' || number < 0 || number >= LAST) return toPlain(number)
  if (number < 1 && shown !== 'date') return toIso(number).slice(11)
  const shift = !is1904 && number < FALSE_LEAP ? 1 : 0
  const text = toIso(number + shift, is1904 ? ZERO_1904 : ZERO_1900)
  const isWhole = text.endsWith('T00:00:00')
  return isWhole && shown !== 'both' ? text.slice(0, 10) : text
}

/** A time to the millisecond, which is left out where it is 0. */
function toIso(serial: number, zero = ZERO_1900): string {
  const text = new Date(zero + Math.round(serial * DAY_MS)).toISOString().slice(0, -1)
  return text.endsWith('.000') ? text.slice(0, -4) : text
}

/** Writes a number without an exponent, within the digits of a double. */
function toPlain(number: number): string {
  const text = String(number)
  if (!text.includes('e')) return text
  return Number.isInteger(number) ? BigInt(number).toString() : text
}
