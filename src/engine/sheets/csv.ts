/**
 * CSV by RFC 4180. Written: UTF-8 with a byte order mark, labels as heads, CRLF, no cell a formula.
 * Read: as spreadsheets and databases write it; what was written comes back unchanged.
 */
import { ByteWriter, markCodes } from './byte-writer.ts'
import { CsvRecords, neutralizeText } from './csv-records.ts'
import type { ExportFormat, ImportFormat, RowSink, SheetPlan, SheetRow } from './format.ts'
import { HashedFile } from './hashed-file.ts'
import type { Cell, RowPage } from './row-page.ts'
import { readText } from './text-file.ts'

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

/** What a text is written as, before it is quoted. */
const planText = ({ isRaw }: SheetPlan): ((text: string) => string) =>
  isRaw ? (text) => text : neutralizeText

const composeHead = (sheet: SheetPlan): string => {
  const toText = planText(sheet)
  return `${sheet.columns.map(({ label }) => quoteText(toText(label))).join(',')}\r\n`
}

class CsvSink implements RowSink {
  readonly #file: HashedFile
  readonly #bytes = new ByteWriter()
  /** Whether a column's texts may be the digits of a number. */
  readonly #mayBeDigits: readonly boolean[]
  readonly #toText: (text: string) => string

  constructor(file: HashedFile, sheet: SheetPlan) {
    this.#file = file
    this.#toText = planText(sheet)
    this.#mayBeDigits = sheet.columns.map(({ type }) => type === 'Integer')
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
    else this.#writeText(cell)
  }

  #writeText(text: string): void {
    const bytes = this.#bytes
    const start = bytes.length
    if (PLAIN_START.test(text) && bytes.textUntil(text, QUOTED_CODES) === text.length) return
    bytes.rewind(start)
    bytes.text(quoteText(this.#toText(text)))
  }
}

const DIGITS = /^-?\d+$/
const QUOTED = /[",;\t\r\n]/
/** The same as codes. */
const QUOTED_CODES = markCodes('",;\t\r\n')

/** What begins with a letter or a digit is never taken for a formula. */
const PLAIN_START = /^[A-Za-z0-9]/

/** An empty text is `""`: nothing at all is no value. */
function quoteText(text: string): string {
  if (text === '') return '""'
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const DELIMITERS = [',', ';', '\t'] as const

export const csvImport: ImportFormat = {
  name: 'csv',
  extensions: ['.csv', '.tsv', '.txt'],
  read: readCsv,
}

async function* readCsv(
  path: string,
  { signal }: { signal?: AbortSignal | undefined },
): AsyncGenerator<SheetRow[]> {
  let records: CsvRecords | undefined
  let isHead = true
  let isLocal = false
  const split = function* (rows: SheetRow[]): Generator<SheetRow[]> {
    const [head, ...rest] = rows
    if (isHead && head) {
      isHead = false
      yield [{ ...head, isLocal }]
      if (rest.length > 0) yield rest
    } else if (rows.length > 0) yield rows
  }
  for await (const piece of readText(path, signal)) {
    if (records) yield* split(records.push(piece))
    else {
      const { delimiter, skipped } = findDelimiter(piece)
      // Where a comma stands between cells, none stands in a number.
      isLocal = delimiter !== ','
      records = new CsvRecords(delimiter, skipped > 0 ? 2 : 1)
      yield* split(records.push(piece.slice(skipped)))
    }
  }
  if (records) yield* split(records.end())
}

/** The separator that a first line `sep=;` names, else the commonest one of the head. */
function findDelimiter(text: string): { delimiter: string; skipped: number } {
  const named = /^sep=([,;\t])(?:\r\n|\r|\n)/i.exec(text)
  if (named?.[1] !== undefined) return { delimiter: named[1], skipped: named[0].length }
  const counts = new Map<string, number>()
  let isQuoted = false
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted
    if (isQuoted) continue
    if ((character === '\n' || character === '\r') && counts.size > 0) break
    if (DELIMITERS.some((each) => each === character)) {
      counts.set(character, (counts.get(character) ?? 0) + 1)
    }
  }
  const [best] = [...counts].sort(([, a], [, b]) => b - a)
  return { delimiter: best?.[0] ?? ',', skipped: 0 }
}

/** A finite number in digits, never with an exponent, which not every reader takes. */
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
