/** The rows of one sheet, from its XML in pieces. */
import { type BrokenCell, type SheetRow, UnreadableSheet } from './format.ts'
import type { ShownNumbers } from './shown-numbers.ts'
import type { Book, Shown } from './xlsx-book.ts'
import { decodeText, ElementFinder, readAttributes, readRuns } from './xlsx-markup.ts'
import { columnLetters } from './xlsx-text.ts'

const ROWS_MAX = 1_048_576
const COLUMNS_MAX = 16_384
/** Most characters of a row; a longer one is not read. */
const ROW_CHARS_MAX = 32 * 1024 * 1024

const ROWS = new ElementFinder('row')
const CELLS = new ElementFinder('c')
const VALUES = new ElementFinder('v')
const FORMULAS = new ElementFinder('f')

/** A cell without a value to read: undefined for a formula whose value was never stored. */
export class NoValue {
  readonly error: string | undefined

  constructor(error?: string) {
    this.error = error
  }
}

const UNCOMPUTED = new NoValue()

/** Reads the sheet of a book. A merged cell's value is in the first of its cells. */
export class SheetRows {
  readonly #book: Book
  readonly #name: string
  readonly #shown: ShownNumbers
  #rest = ''
  #line = 0
  #isIn = false
  #isOver = false
  #worthwhile = 0
  /** Columns of the head, once it is there. */
  #width = COLUMNS_MAX

  constructor(book: Book, { name, shown }: { name: string; shown: ShownNumbers }) {
    this.#book = book
    this.#name = name
    this.#shown = shown
  }

  /**
   * The rows that end in a further piece; the head alone, until the next call: it tells how the
   * others are read. @throws UnreadableSheet
   */
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
      const isHead = this.#width === COLUMNS_MAX
      const row = this.#readRow(attributes, content)
      if (row.cells.length > 0) rows.push(row)
      done = end
      if (isHead && row.cells.length > 0) {
        this.#rest = this.#rest.slice(done)
        return rows
      }
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
    const broken: BrokenCell[] = []
    const written: number[] = []
    let next = 0
    for (const { attributes, content } of CELLS.list(xml)) {
      const at = findColumn(attributes, next)
      next = at + 1
      const value = this.#readCell(attributes, content, at)
      // Cells beyond the head are only noted as present, in the first place after it.
      const place = Math.min(at, this.#width)
      if (at > place && (value ?? '') === '') continue
      while (cells.length < place) cells.push(null)
      if (value instanceof NoValue) {
        const { error } = value
        cells[place] ??= error ?? null
        broken.push({ at: place, cell: `${this.#name}!${columnLetters(at)}${line}`, error })
      } else {
        cells[place] ||= value
        if (value !== null && isText(attributes) && isNumeral(value)) {
          written.push(place)
        }
      }
    }
    if (cells.length > 0 && this.#width === COLUMNS_MAX) this.#width = widthOf(cells)
    return { line, cells, broken, written }
  }

  #readCell(attributes: string, xml: string, at: number): string | null | NoValue {
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
    if (type === 'e') return new NoValue(decodeText(value))
    if (type !== 'n') {
      const text = readRuns(`<t>${value}</t>`)
      return isErrorText(text) && FORMULAS.first(xml) ? new NoValue(text) : text
    }
    const style = Number(/(?:^|\s)s="(\d+)"/.exec(attributes)?.[1] ?? NO_STYLE)
    const shown = this.#book.shown[style] ?? 'number'
    const text = readNumber(decodeText(value), shown, this.#book.is1904)
    return shown === 'number' ? this.#shown.find(at, this.#book.shapes[style], text) : text
  }
}

const NO_STYLE = -1

/** Tells whether a text is spelled as spreadsheets show an error: `#N/A`, `#REF!`, `Err:502`. */
export const isErrorText = (text: string): boolean =>
  text.length <= ERROR_CHARS_MAX && /^(?:#[\p{Lu}_0/]+[!?]?|Err:\d{3})$/u.test(text)

const ERROR_CHARS_MAX = 20

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

/** Most characters of a numeral of fifteen digits, with a sign and a point. */
const SHORT_CHARS = 16

/**
 * Writes a number without an exponent, with the fifteen digits that spreadsheets have: the others
 * are what arithmetic in binary leaves behind (3.0000000000000004). Whole numbers keep theirs.
 */
function toPlain(number: number): string {
  if (Number.isInteger(number)) {
    const text = String(number)
    return text.includes('e') ? BigInt(number).toString() : text
  }
  const text = String(number)
  return text.length <= SHORT_CHARS ? text : String(Number(number.toPrecision(DIGITS_MAX)))
}

const DIGITS_MAX = 15
