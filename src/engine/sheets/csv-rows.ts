/**
 * Rows of CSV made of the bytes of a page: most cells are copied into the file unchanged. A cell
 * that has to be quoted, neutralised or written in another way is read as a value.
 */
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import { ByteWriter, markBytes } from './byte-writer.ts'
import { neutralizeText } from './csv-records.ts'
import type { SheetPlan } from './format.ts'
import {
  asBuffer,
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

/** Plans how texts are written, before they are quoted. */
export const planText = ({ isRaw }: Pick<SheetPlan, 'isRaw'>): ((text: string) => string) =>
  isRaw ? (text) => text : neutralizeText

/** Composes the rows of one file. */
export class CsvRows {
  readonly #bytes = new ByteWriter()
  /** True for columns whose texts may be the digits of a number. */
  readonly #mayBeDigits: readonly boolean[]
  readonly #toText: (text: string) => string

  constructor(sheet: SheetPlan) {
    this.#toText = planText(sheet)
    this.#mayBeDigits = sheet.columns.map(({ type }) => FIELD_KINDS[type].number === 'whole')
  }

  /** Valid until the next call. @throws Error for a nested value, which is not a cell */
  compose({ bytes: page }: RowPage): Uint8Array {
    const out = this.#bytes.clear()
    // Behind the `[` of the page, each row is `[…]`, with a comma before the next one.
    for (let at = 1; page[at] === OPEN; at++) {
      at = this.#composeRow(page, at + 1)
      out.add(ROW_END)
      if (page[at] !== COMMA) break
    }
    return out.bytes
  }

  /** Composes the row that begins at `from`; returns the place after its `]`. */
  #composeRow(page: Uint8Array, from: number): number {
    if (page[from] === CLOSE) return from + 1
    for (let at = from, column = 0; ; at++, column++) {
      if (column > 0) this.#bytes.add(SEPARATOR)
      at = this.#composeCell(page, at, column)
      if (page[at] !== COMMA) return at + 1
    }
  }

  /** Composes the cell that begins at `at`; returns the place after it. */
  #composeCell(page: Uint8Array, at: number, column: number): number {
    const first = page[at] ?? 0
    if (first === QUOTE) return this.#composeText(page, at, column)
    if (first === SMALL_N) return at + NULL.length
    if (first === SMALL_T) return this.#addWord(at, TRUE)
    if (first === SMALL_F) return this.#addWord(at, FALSE)
    // A list or an object would be read as several cells, and its end as that of the row.
    if (first === OPEN || first === OPEN_OBJECT) throw new Error('A row has what is no cell')
    return this.#composeNumber(page, at)
  }

  #addWord(at: number, word: Uint8Array): number {
    this.#bytes.add(word)
    return at + word.length
  }

  #composeNumber(page: Uint8Array, from: number): number {
    const bytes = this.#bytes
    const start = bytes.length
    let end = bytes.copyUntil(page, from, NUMBER_ENDS)
    const isDone = page[end] === COMMA || page[end] === CLOSE
    if (isDone && !isWholeReal(page, end)) return end
    // An exponent, or a whole number that the database stores as a real one.
    bytes.rewind(start)
    while (end < page.length && page[end] !== COMMA && page[end] !== CLOSE) end++
    bytes.ascii(toPlainNumber(Number(readAscii(page, from, end))))
    return end
  }

  #composeText(page: Uint8Array, quote: number, column: number): number {
    const bytes = this.#bytes
    const from = quote + 1
    if (PLAIN_STARTS[page[from] ?? 0] === 1) {
      const start = bytes.length
      const end = bytes.copyUntil(page, from, TEXT_ENDS)
      if (page[end] === QUOTE) return end + 1
      bytes.rewind(start)
    }
    const end = findTextEnd(page, from)
    const text = JSON.parse(asBuffer(page).toString('utf8', quote, end)) as string
    if (this.#mayBeDigits[column] && DIGITS.test(text)) bytes.ascii(text)
    else bytes.text(quoteText(this.#toText(text)))
    return end
  }
}

const SEPARATOR = Buffer.from(',')
const ROW_END = Buffer.from('\r\n')
const NULL = Buffer.from('null')
const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')

const DIGITS = /^-?\d+$/
const QUOTED = /[",;\t\r\n]/

/** Bytes that end a text without quotation marks, or make it need them. */
const TEXT_ENDS = markBytes('",;\t\r\n\\')
/** Bytes that end a number, or begin an exponent, which not every reader takes. */
const NUMBER_ENDS = markBytes(',]eE')
/** Bytes at the start of a text that is never taken for a formula: letters and digits. */
const PLAIN_STARTS = markBytes('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789')

/** Quotes a text as a cell. An empty text is `""`: an empty cell has no value. */
export function quoteText(text: string): string {
  if (text === '') return '""'
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A finite number in digits, without an exponent, which not every reader takes. */
export function toPlainNumber(value: number): string {
  const text = String(value)
  const match = EXPONENT.exec(text)
  if (!match) return text
  const [, minus = '', whole = '', fraction = '', exponent = ''] = match
  const places = Number(exponent)
  const digits = whole + fraction
  if (places < 0) return `${minus}0.${'0'.repeat(-places - whole.length)}${digits}`
  return minus + digits.padEnd(whole.length + places, '0')
}

const EXPONENT = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/
