/** The inside of the helper that reads workbooks: rows in batches, the head first. */
import type { HelperPort } from '../process/helper-port.ts'
import {
  type BookSheet,
  type BrokenCell,
  type SheetBatches,
  type SheetFault,
  type SheetRow,
  UnreadableSheet,
} from './format.ts'
import type { OtherBook } from './other-book.ts'
import { ShownNumbers } from './shown-numbers.ts'
import { readBook } from './xlsx-book.ts'
import { SheetRows } from './xlsx-rows.ts'
import { ZipReader } from './zip-reader.ts'

/** The helper's order. */
export interface ReadSheetOrder {
  path: string
  /** The kind of the file: an archive, a compound file (xls), or XML in one text. */
  kind: 'archive' | 'compound' | 'xml'
  /** Name of the only sheet that is read. */
  sheet?: string | undefined
}

/** The second message: the columns whose numbers are wanted as they are shown. */
export interface ShownOrder {
  places: readonly number[]
}

/**
 * The helper's reply: the names of the visible sheets, then rows as `[line, …cells]`, a cell being
 * an object where it is broken, and a list of its text where that may be a numeral; or why there
 * are no more.
 */
export type ReadSheetReply =
  { sheets: readonly string[] } | { rows: ReadSheetRow[] } | { fault: SheetFault }
export type ReadSheetRow = (number | string | [string] | Omit<BrokenCell, 'at'> | null)[]

const BATCH_ROWS = 500

/** Reads the workbook that the first message names; the second answers the head. */
export async function readSheet(port: HelperPort): Promise<void> {
  const messages = port.messages()[Symbol.asyncIterator]()
  const next = async <T>(): Promise<T | undefined> => {
    const message = await messages.next()
    return message.done ? undefined : (message.value as T)
  }
  const order = await next<ReadSheetOrder>()
  if (!order) return
  try {
    await sendRows(port, order, async () => (await next<ShownOrder>())?.places ?? [])
  } catch (error) {
    if (!(error instanceof UnreadableSheet)) throw error
    await port.send({ fault: error.fault } satisfies ReadSheetReply)
  }
}

/** Resolves to the places of columns whose numbers are wanted as they are shown. */
type AskShown = () => Promise<readonly number[]>

async function sendRows(
  port: HelperPort,
  { path, kind, sheet: wanted }: ReadSheetOrder,
  askShown: AskShown,
): Promise<void> {
  const shown = new ShownNumbers()
  const format = kind === 'archive' ? await findArchived(path) : kind
  const book = format === 'xlsx' ? openXlsx(path, shown) : openOther(path, format, shown)
  const out = new Outbox(port, async () => shown.take(await askShown(), book.hasShapes()))
  let before = 0
  const sheets = await book.listSheets()
  await port.send({ sheets: sheets.map(({ name }) => name) } satisfies ReadSheetReply)
  const read = wanted === undefined ? sheets : sheets.filter(({ name }) => name === wanted)
  if (read.length === 0) throw new UnreadableSheet('sheet')
  for (const { rows } of read) {
    const last = await sendSheet(rows(), out, before)
    if (last === undefined) break
    before = last
  }
  await out.flush()
}

/** The kind of workbook that an archive is. @throws UnreadableSheet for one that is none */
async function findArchived(path: string): Promise<'xlsx' | OtherBook> {
  const zip = await ZipReader.open(path)
  try {
    if (zip.has('xl/workbook.bin')) return 'xlsb'
    if (zip.has('content.xml')) {
      const type = await zip.text('mimetype', MIME_CHARS_MAX)
      if (/opendocument\.(?!spreadsheet)/.test(type)) throw new UnreadableSheet('document')
      return 'ods'
    }
    const foreign = FOREIGN_PARTS.find(([part]) => zip.has(part))
    if (foreign) throw new UnreadableSheet(foreign[1])
    const isOffice = ['_rels/.rels', 'xl/workbook.xml'].some((part) => zip.has(part))
    if (!isOffice) throw new UnreadableSheet('archive')
    return 'xlsx'
  } finally {
    await zip.close()
  }
}

const MIME_CHARS_MAX = 1000

const FOREIGN_PARTS: readonly (readonly [part: string, fault: SheetFault])[] = [
  ['word/document.xml', 'document'],
  ['ppt/presentation.xml', 'slides'],
  ['Index/Document.iwa', 'numbers'],
  ['Index.zip', 'numbers'],
  ['index.apxl', 'numbers'],
]

interface OpenBook {
  listSheets(): Promise<readonly BookSheet[]>
  /** True when formats of the book shape numbers; known once its sheets are listed. */
  hasShapes(): boolean
}

function openXlsx(path: string, shown: ShownNumbers): OpenBook {
  let hasShapes = false
  const listSheets = async (): Promise<BookSheet[]> => {
    const zip = await ZipReader.open(path)
    try {
      const book = await readBook(zip)
      hasShapes = book.shapes.some((shape) => shape !== undefined)
      return book.sheets.map(({ name, part }) => ({
        name,
        rows: () => listRows(path, part, new SheetRows(book, { name, shown })),
      }))
    } finally {
      await zip.close()
    }
  }
  return { listSheets, hasShapes: () => hasShapes }
}

/** After the head, which comes alone, the rest of its piece is still to be read. */
async function* listRows(path: string, part: string, sheet: SheetRows): AsyncGenerator<SheetRow[]> {
  const zip = await ZipReader.open(path)
  try {
    for await (const piece of zip.pieces(part)) {
      yield sheet.push(piece)
      yield sheet.push('')
    }
    yield sheet.end()
    yield sheet.end()
  } finally {
    await zip.close()
  }
}

function openOther(path: string, kind: OtherBook, shown: ShownNumbers): OpenBook {
  const listSheets = async (): Promise<readonly BookSheet[]> => {
    // Loaded on demand: most files do not need it.
    const { readOtherBook } = await import('./other-book.ts')
    return readOtherBook(path, kind, shown)
  }
  return { listSheets, hasShapes: () => true }
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
  readonly #onHead: () => Promise<void>

  /** `onHead` is awaited after the head has been sent. */
  constructor(port: HelperPort, onHead: () => Promise<void>) {
    this.#port = port
    this.#onHead = onHead
  }

  isHead({ cells }: SheetRow): boolean {
    const head = this.#head
    return head !== undefined && head.every((cell, at) => cell === (cells[at] ?? null))
  }

  async add({ line, cells, broken = [], written = [] }: SheetRow): Promise<void> {
    const isHead = this.#head === undefined
    if (isHead && broken.length > 0) throw new UnreadableSheet('head')
    const head = (this.#head ??= trimEnd(cells))
    const row: ReadSheetRow = [line]
    for (let at = 0; at < head.length; at++) row.push(cells[at] ?? null)
    const over = cells.slice(head.length).find((cell) => cell !== null && cell !== '')
    if (over !== undefined && !isHead) row.push(over)
    for (const at of written) {
      const text = row[at + 1]
      if (typeof text === 'string') row[at + 1] = [text]
    }
    for (const { at, cell, error } of broken) row[Math.min(at, head.length) + 1] = { cell, error }
    this.#rows.push(row)
    if (this.#rows.length >= BATCH_ROWS || isHead) await this.flush()
    if (isHead) await this.#onHead()
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
