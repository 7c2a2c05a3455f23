/** The rows of a workbook's sheet. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { type ByteWriter, markCodes } from './byte-writer.ts'
import type { Cell, Cells, SheetColumn, SheetPlan } from './format.ts'
import { dateToSerial, instantsToSerials, timeToSerial } from './serial.ts'
import { RepeatedTexts, SharedTexts } from './xlsx-shared.ts'
import { HEAD_STYLE } from './xlsx-styles.ts'
import { CELL_TEXT_MAX, columnLetters, composeText } from './xlsx-text.ts'

type ToSerial = (text: string) => number | undefined

interface CellColumn {
  label: string
  /** `<c r="B`, which the number of the row follows; then one of the next. */
  lead: string
  number: string
  boolean: string
  shared: string
  text: string
  /** What texts of the column stand for, where they are days or times. */
  toSerial: ToSerial | undefined
  /** Cells by their text, behind the number of the row. */
  repeated: RepeatedTexts
}

/** Composes rows: days as days, numbers as numbers, texts as texts and never as formulas. */
export class CellWriter {
  readonly shared = new SharedTexts()
  readonly #columns: readonly CellColumn[]

  constructor({ columns, zone }: SheetPlan, styles: readonly number[]) {
    const byType: Readonly<Record<string, ToSerial>> = {
      Date: dateToSerial,
      DateTime: instantsToSerials(zone),
      Time: timeToSerial,
    }
    this.#columns = columns.map(({ label, type }, at) => {
      const style = styles[at] ? `" s="${styles[at]}"` : '"'
      return {
        label,
        lead: `<c r="${columnLetters(at)}`,
        number: `${style}><v>`,
        boolean: `${style} t="b"><v>`,
        shared: `${style} t="s"><v>`,
        text: `${style} t="inlineStr"><is>`,
        toSerial: byType[type],
        repeated: new RepeatedTexts(),
      }
    })
  }

  /** @throws invalid for a text that no cell can hold. */
  writeRow(bytes: ByteWriter, row: Cells, number: number): void {
    const columns = this.#columns
    const name = String(number)
    bytes.ascii('<row r="')
    bytes.ascii(name)
    bytes.ascii('">')
    for (let at = 0; at < columns.length; at++) {
      const column = columns[at]
      const cell = row[at]
      if (!column || cell === null || cell === undefined) continue
      bytes.ascii(column.lead)
      bytes.ascii(name)
      this.#writeCell(bytes, column, cell)
    }
    bytes.ascii('</row>')
  }

  #writeCell(bytes: ByteWriter, column: CellColumn, cell: NonNullable<Cell>): void {
    if (typeof cell === 'string') {
      this.#writeText(bytes, column, cell)
      return
    }
    const isNumber = typeof cell === 'number'
    bytes.ascii(isNumber ? column.number : column.boolean)
    bytes.ascii(isNumber ? String(cell) : cell ? '1' : '0')
    bytes.ascii(VALUE_END)
  }

  #writeText(bytes: ByteWriter, column: CellColumn, cell: string): void {
    const { repeated } = column
    const known = repeated.find(cell) ?? this.#composeShort(column, cell)
    if (known !== undefined) {
      bytes.ascii(known)
      return
    }
    if (cell.length > CELL_TEXT_MAX) throw tooLong(column)
    bytes.ascii(column.text)
    writeText(bytes, cell)
    bytes.ascii('</is></c>')
  }

  /** A cell that is a number, or refers to a shared text. */
  #composeShort(column: CellColumn, cell: string): string | undefined {
    const { repeated } = column
    const serial = column.toSerial?.(cell)
    if (serial !== undefined) return repeated.keep(cell, column.number + serial + VALUE_END)
    if (!repeated.takes(cell)) return undefined
    return repeated.keep(cell, column.shared + this.shared.add(cell) + VALUE_END)
  }
}

const VALUE_END = '</v></c>'
/** What `composeText` has to look at. */
const SPECIAL = markCodes('&<>"_', true)
const BLANK = 32

function writeText(bytes: ByteWriter, text: string): void {
  const start = bytes.length
  bytes.ascii('<t>')
  const isTight = text.charCodeAt(0) > BLANK && text.charCodeAt(text.length - 1) > BLANK
  if (isTight && bytes.textUntil(text, SPECIAL) === text.length) bytes.ascii('</t>')
  else {
    bytes.rewind(start)
    bytes.text(composeText(text))
  }
}

const tooLong = ({ label }: CellColumn) =>
  invalid(
    say`${label} has a text of over ${CELL_TEXT_MAX} characters, which no cell holds: take csv`,
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
