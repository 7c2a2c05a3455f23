/** CSV by RFC 4180: UTF-8 with a byte order mark, labels as heads, CRLF, no cell a formula. */
import { ByteWriter, markCodes } from './byte-writer.ts'
import type { ExportFormat, RowSink, SheetPlan } from './format.ts'
import { neutralizeText } from './formula.ts'
import { HashedFile } from './hashed-file.ts'
import { toPlainNumber } from './plain-number.ts'
import type { Cell, RowPage } from './row-page.ts'

export const csvExport: ExportFormat = {
  name: 'csv',
  contentType: 'text/csv; charset=utf-8',
  extension: '.csv',
  open: async (sheet, path) => {
    const file = await HashedFile.create(path)
    await file.write(Buffer.from(`\uFEFF${composeHead(sheet)}`))
    return new CsvSink(file, sheet)
  },
}

const composeHead = ({ columns }: SheetPlan): string =>
  `${columns.map(({ label }) => quoteText(neutralizeText(label))).join(',')}\r\n`

class CsvSink implements RowSink {
  readonly #file: HashedFile
  readonly #bytes = new ByteWriter()
  /** Whether a column's texts may be the digits of a number. */
  readonly #mayBeDigits: readonly boolean[]

  constructor(file: HashedFile, { columns }: SheetPlan) {
    this.#file = file
    this.#mayBeDigits = columns.map(({ type }) => type === 'Integer')
  }

  async write({ rows }: RowPage): Promise<void> {
    const bytes = this.#bytes.clear()
    for (const row of rows) {
      for (let at = 0; at < row.length; at++) {
        if (at > 0) bytes.ascii(',')
        this.#writeCell(row[at] ?? null, at)
      }
      bytes.ascii('\r\n')
    }
    if (bytes.length > 0) await this.#file.write(bytes.bytes)
  }

  close(): Promise<{ size: number; sha256: string }> {
    return this.#file.close()
  }

  abort(): Promise<void> {
    return this.#file.abort()
  }

  #writeCell(cell: Cell, at: number): void {
    if (cell === null) return
    const bytes = this.#bytes
    if (typeof cell !== 'string') {
      bytes.ascii(typeof cell === 'number' ? toPlainNumber(cell) : String(cell))
      return
    }
    if (this.#mayBeDigits[at] && DIGITS.test(cell)) bytes.ascii(cell)
    else writeText(bytes, cell)
  }
}

const DIGITS = /^-?\d+$/
const QUOTED = /[",;\t\r\n]/
/** The same as codes. */
const QUOTED_CODES = markCodes('",;\t\r\n')

/** What begins with a letter or a digit is never taken for a formula. */
const PLAIN_START = /^[A-Za-z0-9]/

function writeText(bytes: ByteWriter, text: string): void {
  const start = bytes.length
  if (PLAIN_START.test(text) && bytes.textUntil(text, QUOTED_CODES) === text.length) return
  bytes.rewind(start)
  bytes.text(quoteText(neutralizeText(text)))
}

/** An empty text is `""`: nothing at all is no value. */
function quoteText(text: string): string {
  if (text === '') return '""'
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
