/** The rows of a workbook's sheet. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Moment } from '../../model/fields/field-kind.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import { type ByteWriter, markCodes } from './byte-writer.ts'
import type { SheetColumn, SheetPlan } from './format.ts'
import type { CellCursor } from './row-page.ts'
import { dateToSerial, instantsToSerials, timeToSerial } from './serial.ts'
import { MAIN, XML_HEAD } from './xlsx-parts.ts'
import { HEAD_STYLE } from './xlsx-styles.ts'
import { CELL_TEXT_MAX, columnLetters, composeText } from './xlsx-text.ts'

type ToSerial = (cell: CellCursor) => string | undefined

interface CellColumn {
  label: string
  /** `<c r="B` and the number of the present row; then one of the next. */
  lead: Uint8Array
  number: Uint8Array
  boolean: Uint8Array
  shared: Uint8Array
  text: Uint8Array
  /** Converts texts of the column to serials, where they are days or times. */
  toSerial: ToSerial | undefined
  /** Cells by their text, behind the number of the row. */
  repeated: RepeatedTexts
}

/** Composes rows: days as days, numbers as numbers, texts as texts and never as formulas. */
export class CellWriter {
  readonly shared: SharedTexts
  readonly #columns: readonly CellColumn[]
  /** The number of the row that the leads belong to. */
  #number = ''

  /** `shared` are the texts of the workbook, where another sheet has begun them. */
  constructor({ columns, zone }: SheetPlan, styles: readonly number[], shared = new SharedTexts()) {
    this.shared = shared
    const serials: Readonly<Record<Moment, ToSerial>> = {
      day: ({ text }) => dateToSerial(text),
      instant: instantsToSerials(zone),
      time: ({ text }) => timeToSerial(text),
    }
    this.#columns = columns.map(({ label, type }, at) => {
      const { moment } = FIELD_KINDS[type]
      const style = styles[at] ? `" s="${styles[at]}"` : '"'
      return {
        label,
        lead: new Uint8Array(),
        number: Buffer.from(`${style}><v>`),
        boolean: Buffer.from(`${style} t="b"><v>`),
        shared: Buffer.from(`${style} t="s"><v>`),
        text: Buffer.from(`${style} t="inlineStr"><is>`),
        toSerial: moment && serials[moment],
        repeated: new RepeatedTexts(),
      }
    })
  }

  /** Writes the cells of the row that the cursor is in. @throws invalid for a text too long. */
  writeRow(bytes: ByteWriter, cursor: CellCursor, number: number): void {
    const columns = this.#columns
    this.#number = this.#nameRow(String(number))
    bytes.add(ROW).ascii(this.#number).add(ROW_BEGUN)
    for (let at = 0; ; at++) {
      const kind = cursor.next()
      if (kind === undefined) break
      const column = columns[at]
      if (!column || kind === 'null') continue
      bytes.add(column.lead)
      if (kind === 'text') this.#writeText(bytes, column, cursor)
      else writeValue(bytes, column, kind, cursor)
    }
    bytes.add(ROW_END)
  }

  /** Puts the number into the leads: mostly only its last digit differs. */
  #nameRow(number: string): string {
    const { length } = number
    const isLonger = length !== this.#number.length
    let from = 0
    while (!isLonger && from < length && number[from] === this.#number[from]) from++
    for (const [at, column] of this.#columns.entries()) {
      if (isLonger) column.lead = Buffer.from(`<c r="${columnLetters(at)}${number}`)
      const start = column.lead.length - length
      for (let digit = from; digit < length; digit++) {
        column.lead[start + digit] = number.charCodeAt(digit)
      }
    }
    return number
  }

  #writeText(bytes: ByteWriter, column: CellColumn, cursor: CellCursor): void {
    const { repeated } = column
    const known = repeated.find(cursor)
    if (known) {
      bytes.add(known)
      return
    }
    const start = bytes.length
    const serial = column.toSerial?.(cursor)
    if (serial !== undefined) writeNumber(bytes, column.number, serial)
    else if (repeated.takes(cursor)) {
      writeNumber(bytes, column.shared, String(this.shared.add(cursor.text)))
    } else {
      writeInline(bytes, column, cursor)
      return
    }
    if (repeated.takes(cursor)) repeated.keep(cursor, bytes.since(start))
  }
}

const VALUE_END = Buffer.from('</v></c>')
const ROW = Buffer.from('<row r="')
const ROW_BEGUN = Buffer.from('">')
const ROW_END = Buffer.from('</row>')
const TEXT = Buffer.from('<t>')
const TEXT_END = Buffer.from('</t>')
const INLINE_END = Buffer.from('</is></c>')
const TRUE = Buffer.from('1')
const FALSE = Buffer.from('0')

function writeNumber(bytes: ByteWriter, lead: Uint8Array, numeral: string): void {
  bytes.add(lead)
  bytes.ascii(numeral)
  bytes.add(VALUE_END)
}

function writeValue(
  bytes: ByteWriter,
  column: CellColumn,
  kind: 'true' | 'false' | 'number',
  cursor: CellCursor,
): void {
  if (kind === 'number') {
    bytes.add(column.number)
    bytes.copy(cursor.bytes, cursor.from, cursor.to)
  } else {
    bytes.add(column.boolean)
    bytes.add(kind === 'true' ? TRUE : FALSE)
  }
  bytes.add(VALUE_END)
}

/** Characters that `composeText` has to look at. */
export const SPECIAL = markCodes('&<>"_', true)
const BLANK = 32

function writeInline(bytes: ByteWriter, column: CellColumn, cursor: CellCursor): void {
  bytes.add(column.text)
  const { from, to, isPlain } = cursor
  const first = cursor.bytes[from] ?? BLANK
  const last = cursor.bytes[to - 1] ?? BLANK
  if (isPlain && from < to && first > BLANK && last > BLANK) {
    if (to - from > CELL_TEXT_MAX) throw tooLong(column)
    bytes.add(TEXT)
    bytes.copy(cursor.bytes, from, to)
    bytes.add(TEXT_END)
  } else {
    const { text } = cursor
    if (text.length > CELL_TEXT_MAX) throw tooLong(column)
    bytes.text(composeText(text))
  }
  bytes.add(INLINE_END)
}

const tooLong = ({ label }: CellColumn) =>
  invalid(
    say`${label} has a text of over ${CELL_TEXT_MAX} characters, too long for a cell. Use csv.`,
    { code: 'TEXT_TOO_LONG_FOR_FORMAT' },
  )

/** The first row. */
export function composeHead(columns: readonly SheetColumn[]): string {
  const cells = columns.map(
    ({ label }, at) =>
      `<c r="${columnLetters(at)}1" s="${HEAD_STYLE}" t="inlineStr"><is>` +
      `${composeText(label)}</is></c>`,
  )
  return `<row r="1">${cells.join('')}</row>`
}

const TEXT_BYTES_MAX = 200
/** Different texts that a column may share. */
const COLUMN_TEXTS_MAX = 1000
/** Places for them, a power of two. */
const PLACES = 4096

/** The part `sharedStrings.xml`: texts that come again and again, referred to by number. */
class SharedTexts {
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
class RepeatedTexts {
  /** Texts by hash, each in the next free place; undefined once hardly any text comes twice. */
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

  /** Tells whether another text may be kept. */
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
