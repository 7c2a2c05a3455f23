/** The records of CSV (RFC 4180, and as programs write it) from text in pieces. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { SheetRow } from './format.ts'

/** Most characters of a cell. */
export const CELL_CHARS_MAX = 8 * 1024 * 1024
/** Most columns, as many as a workbook has. */
export const COLUMNS_MAX = 16_384

const QUOTE = 34
const LF = 10
const CR = 13
const APOSTROPHE = 39

/** The place where a piece ended: at the start of a cell, inside one, inside quotes, after them. */
type Place = 'begin' | 'plain' | 'quoted' | 'closed'

/** Reads one file; lines are ended by LF, CR LF or CR, and counted inside quotes as well. */
export class CsvRecords {
  readonly #delimiter: number
  #rows: SheetRow[] = []
  #cells: (string | null)[] = []
  #place: Place = 'begin'
  /** The part of the present cell that came in earlier pieces. */
  #text = ''
  #line: number
  /** Line on which the present record begins, and on which its last quote opened. */
  #firstLine: number
  #quoteLine = 0
  #isAfterCr = false

  /** `line` is the number of the first line that is pushed. */
  constructor(delimiter: string, line: number) {
    this.#delimiter = delimiter.charCodeAt(0)
    this.#line = line
    this.#firstLine = line
  }

  /** Reads records that end in a further piece. @throws invalid for too large a cell or row. */
  push(piece: string): SheetRow[] {
    for (let at = 0; at < piece.length;) {
      at = this.#place === 'quoted' ? this.#readQuoted(piece, at) : this.#readPlain(piece, at)
    }
    return this.#take()
  }

  /** The last record. @throws invalid for a quotation mark that is never closed. */
  end(): SheetRow[] {
    if (this.#place === 'quoted') {
      throw invalid(say`The quotation mark on line ${this.#quoteLine} is not closed`, {
        code: 'UNREADABLE_FILE',
      })
    }
    if (this.#place !== 'begin' || this.#cells.length > 0) this.#endRow()
    return this.#take()
  }

  #take(): SheetRow[] {
    const rows = this.#rows
    if (rows.length > 0) this.#rows = []
    return rows
  }

  #readPlain(piece: string, from: number): number {
    const delimiter = this.#delimiter
    let start = from
    for (let at = from; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (code === delimiter) {
        this.#endCell(piece.slice(start, at))
        start = at + 1
      } else if (code === LF || code === CR) {
        if (code === LF && this.#isAfterCr && at === start && this.#isFresh()) {
          this.#isAfterCr = false
          start = at + 1
          continue
        }
        this.#append(piece.slice(start, at))
        this.#line++
        this.#endRow()
        this.#isAfterCr = code === CR
        start = at + 1
      } else if (code === QUOTE && at === start && this.#place === 'begin') {
        this.#place = 'quoted'
        this.#quoteLine = this.#line
        this.#isAfterCr = false
        return at + 1
      } else if (code === QUOTE && at === start && this.#place === 'closed') {
        // A doubled quotation mark, split by the end of a piece.
        this.#text += '"'
        this.#place = 'quoted'
        return at + 1
      } else this.#isAfterCr = false
    }
    this.#append(piece.slice(start))
    return piece.length
  }

  #readQuoted(piece: string, from: number): number {
    let start = from
    for (;;) {
      const at = piece.indexOf('"', start)
      if (at < 0 || piece.charCodeAt(at + 1) !== QUOTE) {
        const end = at < 0 ? piece.length : at
        this.#appendQuoted(piece.slice(start, end))
        if (at >= 0) this.#place = 'closed'
        return at < 0 ? end : at + 1
      }
      this.#appendQuoted(piece.slice(start, at + 1))
      start = at + 2
    }
  }

  /** Nothing of a record has come yet. */
  #isFresh(): boolean {
    return this.#place === 'begin' && this.#cells.length === 0
  }

  #append(text: string): void {
    if (text === '') return
    this.#place = 'plain'
    this.#grow(text)
  }

  #appendQuoted(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === LF ? !this.#isAfterCr : code === CR) this.#line++
      this.#isAfterCr = code === CR
    }
    this.#grow(text)
  }

  #grow(text: string): void {
    this.#text = this.#text === '' ? text : this.#text + text
    if (this.#text.length > CELL_CHARS_MAX) {
      throw invalid(say`A cell on line ${this.#firstLine} is too long`, { code: 'UNREADABLE_FILE' })
    }
  }

  #endCell(last: string): void {
    this.#append(last)
    const isNothing = this.#place === 'begin'
    const text = this.#text
    this.#cells.push(
      isNothing ? null : text.charCodeAt(0) === APOSTROPHE ? restoreText(text) : text,
    )
    if (this.#cells.length > COLUMNS_MAX) {
      throw invalid(say`Line ${this.#firstLine} has too many cells`, { code: 'UNREADABLE_FILE' })
    }
    this.#text = ''
    this.#place = 'begin'
    this.#isAfterCr = false
  }

  #endRow(): void {
    if (this.#place === 'begin' && this.#cells.length === 0) {
      this.#firstLine = this.#line
      return
    }
    this.#endCell('')
    this.#rows.push({ line: this.#firstLine, cells: this.#cells })
    this.#cells = []
    this.#firstLine = this.#line
  }
}

/**
 * Matches a tab or line break at the very beginning, or a sign of a formula, also in its wide form,
 * after nothing but blanks, line breaks and quotation marks. Apostrophes in front are matched, too:
 * so the original text can be restored.
 */
const FORMULA = /^'*(?:[\t\r\n]|["\s\uFEFF]*[=+\-@|\uFF1D\uFF0B\uFF0D\uFF20\uFF5C])/

/**
 * The text with an apostrophe in front, where a spreadsheet could take it for a formula: CSV has no
 * types. `restoreText(neutralizeText(text))` is `text` for every text.
 */
export const neutralizeText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** Restores a text that was neutralised; returns any other unchanged. */
export const restoreText = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text
