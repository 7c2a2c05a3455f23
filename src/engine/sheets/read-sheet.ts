/** The inside of the helper that reads workbooks: rows in batches, the head first. */
import type { HelperPort } from '../process/helper-port.ts'
import { type SheetFault, type SheetRow, UnreadableSheet } from './format.ts'
import type { OtherBook } from './other-book.ts'
import { type Book, readBook } from './xlsx-book.ts'
import { SheetRows } from './xlsx-rows.ts'
import { ZipReader } from './zip-reader.ts'

/** The helper's order. */
export interface ReadSheetOrder {
  path: string
  kind: 'xlsx' | OtherBook
}

/**
 * The helper's reply: rows as `[line, …cells]`, a cell being false where a formula has no stored
 * value, and a list of its text where that may be a numeral; or why there are no more.
 */
export type ReadSheetReply = { rows: ReadSheetRow[] } | { fault: SheetFault }
export type ReadSheetRow = (number | string | [string] | false | null)[]

const BATCH_ROWS = 500

/** Reads the workbook that the first message names. */
export async function readSheet(port: HelperPort): Promise<void> {
  for await (const order of port.messages()) {
    try {
      await sendRows(port, order as ReadSheetOrder)
    } catch (error) {
      if (!(error instanceof UnreadableSheet)) throw error
      await port.send({ fault: error.fault } satisfies ReadSheetReply)
    }
    return
  }
}

async function sendRows(port: HelperPort, { path, kind }: ReadSheetOrder): Promise<void> {
  const out = new Outbox(port)
  let before = 0
  for await (const sheet of kind === 'xlsx' ? listSheets(path) : listOtherSheets(path, kind)) {
    const last = await sendSheet(sheet, out, before)
    if (last === undefined) break
    before = last
  }
  await out.flush()
}

/** Rows in batches. */
type SheetBatches = AsyncIterable<readonly SheetRow[]> | Iterable<readonly SheetRow[]>

async function* listSheets(path: string): AsyncGenerator<SheetBatches> {
  const zip = await ZipReader.open(path)
  try {
    const book = await readBook(zip)
    for (const part of book.sheets) yield listRows(zip, part, book)
  } finally {
    await zip.close()
  }
}

async function* listRows(zip: ZipReader, part: string, book: Book): AsyncGenerator<SheetRow[]> {
  const sheet = new SheetRows(book)
  for await (const piece of zip.pieces(part)) yield sheet.push(piece)
  yield sheet.end()
}

/** Loaded on demand: most files do not need it. */
async function* listOtherSheets(path: string, kind: OtherBook): AsyncGenerator<SheetBatches> {
  const { readOtherBook } = await import('./other-book.ts')
  for (const rows of await readOtherBook(path, kind)) yield [rows]
}

/**
 * Returns the last line; undefined for a sheet that does not continue the earlier ones, which had
 * `before` lines.
 */
async function sendSheet(
  sheet: SheetBatches,
  out: Outbox,
  before: number,
): Promise<number | undefined> {
  let isHead = true
  let last = before
  const take = async (rows: readonly SheetRow[]): Promise<boolean> => {
    for (const row of rows) {
      const isRepeated = isHead && before > 0
      isHead = false
      if (isRepeated) {
        if (!out.isHead(row)) return false
        continue
      }
      last = before === 0 ? row.line : before + row.line - 1
      await out.add({ ...row, line: last })
    }
    return true
  }
  for await (const rows of sheet) if (!(await take(rows))) return undefined
  return last
}

/** Collects rows into messages. A row is as wide as the head, plus one cell where it is wider. */
class Outbox {
  readonly #port: HelperPort
  #head: readonly (string | null)[] | undefined
  #rows: ReadSheetRow[] = []

  constructor(port: HelperPort) {
    this.#port = port
  }

  isHead({ cells }: SheetRow): boolean {
    const head = this.#head
    return head !== undefined && head.every((cell, at) => cell === (cells[at] ?? null))
  }

  async add({ line, cells, uncomputed = [], written = [] }: SheetRow): Promise<void> {
    const isHead = this.#head === undefined
    if (isHead && uncomputed.length > 0) throw new UnreadableSheet('head')
    const head = (this.#head ??= trimEnd(cells))
    const row: ReadSheetRow = [line]
    for (let at = 0; at < head.length; at++) row.push(cells[at] ?? null)
    const over = cells.slice(head.length).find((cell) => cell !== null && cell !== '')
    if (over !== undefined && !isHead) row.push(over)
    for (const at of written) {
      const text = row[at + 1]
      if (typeof text === 'string') row[at + 1] = [text]
    }
    for (const at of uncomputed) row[Math.min(at, head.length) + 1] = false
    const isFirst = this.#rows.push(row) === 1 && head === cells
    if (this.#rows.length >= BATCH_ROWS || isFirst) await this.flush()
  }

  async flush(): Promise<void> {
    if (this.#rows.length === 0) return
    await this.#port.send({ rows: this.#rows.splice(0) } satisfies ReadSheetReply)
  }
}

function trimEnd(cells: readonly (string | null)[]): readonly (string | null)[] {
  const width = cells.findLastIndex((cell) => cell !== null && cell.trim() !== '') + 1
  return width === cells.length ? cells : cells.slice(0, width)
}
