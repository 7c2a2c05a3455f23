/**
 * Workbooks of other kinds (xls, xlsb, ods, XML in one text), by SheetJS: it holds a whole book,
 * and has been exploited before, so it is used inside the helper alone, and for files of a bounded
 * size.
 */
import { readFile, stat } from 'node:fs/promises'
import * as XLSX from 'xlsx'
import { type BookSheet, type BrokenCell, type SheetRow, UnreadableSheet } from './format.ts'
import { findShape, type ShownNumbers } from './shown-numbers.ts'
import { findShown } from './xlsx-book.ts'
import { isErrorText, isNumeral, NoValue, readNumber, widthOf } from './xlsx-rows.ts'
import { columnLetters } from './xlsx-text.ts'
import { ZipReader } from './zip-reader.ts'

/** Kinds of files beside xlsx. */
export type OtherBook = 'compound' | 'xml' | 'xlsb' | 'ods'

const FILE_BYTES_MAX = 64 * 1024 * 1024
const UNPACKED_BYTES_MAX = 256 * 1024 * 1024

/** The visible sheets in their order. @throws UnreadableSheet */
export async function readOtherBook(
  path: string,
  kind: OtherBook,
  shown: ShownNumbers,
): Promise<BookSheet[]> {
  const book = parseBook(await readSmall(path, kind))
  const is1904 = book.Workbook?.WBProps?.date1904 ?? false
  const visible = book.SheetNames.filter((_, at) => !book.Workbook?.Sheets?.[at]?.Hidden)
  if (visible.length === 0) throw new UnreadableSheet('unreadable')
  return visible.map((name) => ({
    name,
    rows: () => listRows({ name, sheet: book.Sheets[name], is1904, shown }),
  }))
}

/** The bytes of a file of a bounded size, or its text. @throws UnreadableSheet */
async function readSmall(path: string, kind: OtherBook): Promise<Buffer | string> {
  if ((await stat(path)).size > FILE_BYTES_MAX) throw new UnreadableSheet('bomb')
  if (kind === 'xlsb' || kind === 'ods') {
    const zip = await ZipReader.open(path)
    try {
      await zip.requireSmall(UNPACKED_BYTES_MAX)
    } finally {
      await zip.close()
    }
  }
  const bytes = await readFile(path)
  if (kind === 'xml') return decodeXml(bytes)
  const other = kind === 'compound' ? STREAMS.find(([name]) => bytes.includes(name)) : undefined
  if (other) throw new UnreadableSheet(other[1])
  return bytes
}

/** Streams of compound files that are no workbooks. */
const STREAMS = (
  [
    ['EncryptedPackage', 'encrypted'],
    ['WordDocument', 'document'],
    ['PowerPoint Document', 'slides'],
  ] as const
).map(([name, fault]) => [Buffer.from(name, 'utf16le'), fault] as const)

function decodeXml(bytes: Buffer): string {
  const mark = bytes.toString('hex', 0, 2)
  const wide = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : undefined
  const named = /^[^>]*encoding=["']([\w-]+)["']/.exec(bytes.toString('latin1', 0, 200))?.[1]
  const isWestern = /^(?:windows-1252|iso-8859-1)$/i.test(named ?? '')
  return new TextDecoder(wide ?? (isWestern ? 'windows-1252' : 'utf-8')).decode(bytes)
}

function parseBook(bytes: Buffer | string): XLSX.WorkBook {
  try {
    return XLSX.read(bytes, {
      type: typeof bytes === 'string' ? 'string' : 'buffer',
      dense: true,
      cellNF: true,
      cellFormula: true,
      cellHTML: false,
      cellText: false,
      bookVBA: false,
      bookDeps: false,
    })
  } catch (error) {
    const isLocked = error instanceof Error && /password|encrypt/i.test(error.message)
    throw new UnreadableSheet(isLocked ? 'encrypted' : 'unreadable')
  }
}

interface OpenSheet {
  name: string
  sheet: XLSX.WorkSheet | undefined
  is1904: boolean
  shown: ShownNumbers
}

/** Rows are taken in batches; the head alone, since it tells how the others are read. */
const BATCH_ROWS = 500

/** Lists rows with content, cut after the first column beyond the head that has any. */
function* listRows(open: OpenSheet): Generator<SheetRow[]> {
  let rows: SheetRow[] = []
  let width = Infinity
  for (const [at, row] of (open.sheet?.['!data'] ?? []).entries()) {
    if (!row?.length) continue
    const cells: (string | null)[] = []
    const broken: BrokenCell[] = []
    const written: number[] = []
    for (const [column, cell] of row.entries()) {
      const place = Math.min(column, width)
      const value = readCell(cell, column, open)
      if (value instanceof NoValue) {
        const { error } = value
        cells[place] ||= error ?? null
        broken.push({ at: place, cell: `${open.name}!${columnLetters(column)}${at + 1}`, error })
        continue
      }
      cells[place] ||= value
      if (value !== null && cell?.t === 's' && isNumeral(value)) written.push(place)
    }
    const isHead = width === Infinity
    if (isHead) width = widthOf(cells) || Infinity
    rows.push({ line: at + 1, cells, broken, written })
    if (!isHead && rows.length < BATCH_ROWS) continue
    yield rows
    rows = []
  }
  yield rows
}

/** Errors by their numbers in xls, as SheetJS gives them of every kind. */
const ERRORS: ReadonlyMap<number, string> = new Map([
  [0x00, '#NULL!'],
  [0x07, '#DIV/0!'],
  [0x0f, '#VALUE!'],
  [0x17, '#REF!'],
  [0x1d, '#NAME?'],
  [0x24, '#NUM!'],
  [0x2a, '#N/A'],
  [0x2b, '#GETTING_DATA'],
])

function readCell(
  cell: XLSX.CellObject | null | undefined,
  at: number,
  { is1904, shown }: OpenSheet,
): string | null | NoValue {
  if (!cell) return null
  const { t: type, v: value, f: formula, z: format } = cell
  if (value === undefined || value === null || type === 'z') {
    return formula === undefined ? null : new NoValue()
  }
  if (type === 'b') return value ? 'true' : 'false'
  if (type === 'e') return new NoValue(ERRORS.get(Number(value)) ?? cell.w ?? '#VALUE!')
  if (type !== 'n') {
    const text = value instanceof Date ? value.toISOString().slice(0, -1) : String(value)
    return formula !== undefined && isErrorText(text) ? new NoValue(text) : text
  }
  const code = format === undefined ? undefined : String(format)
  const kind = code === undefined ? 'number' : findShown(code)
  const text = readNumber(String(value), kind, is1904)
  const shape = code === undefined || findShape(code) === undefined ? undefined : code
  return kind === 'number' ? shown.find(at, shape, text) : text
}
