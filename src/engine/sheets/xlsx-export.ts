/** Workbooks (Office Open XML), written as XML into a compressed stream: memory stays flat. */
import { ByteWriter } from './byte-writer.ts'
import type { ExportFormat, RowSink, SheetPlan } from './format.ts'
import { HashedFile } from './hashed-file.ts'
import { CellCursor, type Cells, type RowPage } from './row-page.ts'
import { CellWriter, composeHead, SPECIAL } from './xlsx-cells.ts'
import {
  cellRange,
  composeContentTypes,
  composeSheetStart,
  composeWorkbook,
  composeWorkbookRelations,
  planWidths,
  ROOT_RELATIONS,
  type SheetFacts,
} from './xlsx-parts.ts'
import { planStyles, type Styles } from './xlsx-styles.ts'
import { planTemplate, type Template } from './xlsx-template.ts'
import { sheetName } from './xlsx-text.ts'
import { type ZipEntry, ZipWriter } from './zip-writer.ts'

export const xlsxExport: ExportFormat = {
  name: 'xlsx',
  contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  extension: '.xlsx',
  isForPeople: true,
  open: (sheet, path) => openBook([sheet], path),
}

/** A workbook of sheets of several kinds, one after another; there is at least one. */
export async function openBook(sheets: readonly SheetPlan[], path: string): Promise<XlsxSink> {
  const [first, ...further] = sheets
  if (!first) throw new Error('A workbook has a sheet')
  return new XlsxSink(await HashedFile.create(path), first, { further })
}

/** Most rows of a sheet below its head; further rows go into another sheet. */
const SHEET_ROWS_MAX = 1_048_575

/** Rows of one piece of compressed data, and of one turn on the serving thread. */
const ROWS_PER_PIECE = 500

/** Options of a workbook, besides its first sheet. */
interface BookOptions {
  sheetRowsMax?: number
  /** Plans of the sheets that follow. */
  further?: readonly SheetPlan[]
}

/** A workbook that is being written. */
export class XlsxSink implements RowSink {
  readonly #file: HashedFile
  readonly #zip: ZipWriter
  readonly #further: SheetPlan[]
  readonly #styles: Styles
  readonly #template: Template | undefined
  readonly #sheetRowsMax: number
  readonly #sheets: SheetFacts[] = []
  readonly #pieces: [ByteWriter, ByteWriter] = [new ByteWriter(), new ByteWriter()]
  #plan: SheetPlan
  #cells: CellWriter
  /** Columns of the sheets before the present one. */
  #columnsBefore = 0
  #widths: number[] | undefined
  #sheet: ZipEntry | undefined
  /** The number of the last row in the present sheet, its head being 1. */
  #row = 1

  constructor(
    file: HashedFile,
    plan: SheetPlan,
    { sheetRowsMax = SHEET_ROWS_MAX, further = [] }: BookOptions = {},
  ) {
    this.#file = file
    this.#zip = new ZipWriter(file, plan.madeAt)
    this.#plan = plan
    this.#further = [...further]
    this.#styles = planStyles([plan, ...further].flatMap(({ columns }) => columns))
    this.#cells = new CellWriter(plan, this.#styles.columns)
    this.#template = plan.isTemplate ? planTemplate(plan) : undefined
    this.#sheetRowsMax = sheetRowsMax
  }

  async write(page: RowPage): Promise<void> {
    this.#widths ??= planWidths(this.#plan, measureTexts(this.#plan.columns.length, page.rows))
    const cursor = new CellCursor(page, SPECIAL)
    for (let hasRow = cursor.nextRow(); hasRow;) {
      if (this.#row > this.#sheetRowsMax) await this.#endSheet()
      const sheet = await this.#openSheet()
      const last = Math.min(this.#row + ROWS_PER_PIECE, this.#sheetRowsMax + 1)
      // One piece is made while the other is compressed.
      this.#pieces.reverse()
      const piece = this.#pieces[0].clear()
      for (; hasRow && this.#row < last; hasRow = cursor.nextRow()) {
        this.#cells.writeRow(piece, cursor, ++this.#row)
      }
      await sheet.write(piece.bytes)
    }
  }

  /** Ends the present sheet: all that is written from now on goes into the next one. */
  async nextSheet(): Promise<void> {
    const plan = this.#further.shift()
    if (!plan) throw new Error('The workbook has no further sheet')
    await this.#openSheet()
    await this.#endSheet()
    this.#columnsBefore += this.#plan.columns.length
    this.#plan = plan
    const styles = this.#styles.columns.slice(this.#columnsBefore)
    this.#cells = new CellWriter(plan, styles, this.#cells.shared)
    this.#widths = undefined
  }

  async close(): Promise<{ size: number; sha256: string }> {
    await this.#openSheet()
    await this.#endSheet()
    const zip = this.#zip
    const template = this.#template
    for (const part of template?.parts ?? []) await zip.add(part.name, part.text)
    const sheets = template?.lists ? [...this.#sheets, template.lists] : this.#sheets
    await zip.add('xl/styles.xml', this.#styles.xml)
    await zip.add('xl/sharedStrings.xml', this.#cells.shared.xml)
    await zip.add('xl/workbook.xml', composeWorkbook(sheets))
    await zip.add('xl/_rels/workbook.xml.rels', composeWorkbookRelations(sheets.length))
    const hasComments = template?.hasComments ?? false
    await zip.add('[Content_Types].xml', composeContentTypes(sheets.length, hasComments))
    await zip.close()
    return this.#file.close()
  }

  async abort(): Promise<void> {
    await this.#sheet?.settle()
    await this.#file.abort()
  }

  async #openSheet(): Promise<ZipEntry> {
    if (this.#sheet) return this.#sheet
    const { title, columns } = this.#plan
    const number = this.#sheets.length + 1
    if (number === 1) await this.#zip.add('_rels/.rels', ROOT_RELATIONS)
    const sheet = await this.#zip.entry(`xl/worksheets/sheet${number}.xml`)
    this.#sheet = sheet
    this.#sheets.push({ name: this.#nameSheet(title, number) })
    this.#row = 1
    this.#widths ??= planWidths(this.#plan, [])
    const start = composeSheetStart(this.#widths, this.#template ? this.#styles.columns : [])
    await sheet.write(Buffer.from(start + composeHead(columns)))
    return sheet
  }

  /** A name that no earlier sheet has. */
  #nameSheet(title: string, number: number): string {
    const taken = new Set(this.#sheets.map(({ name }) => name.toLowerCase()))
    let name = sheetName(title, 1)
    for (let next = number; taken.has(name.toLowerCase()); next++) name = sheetName(title, next)
    return name
  }

  async #endSheet(): Promise<void> {
    const facts = this.#sheets.at(-1)
    if (!this.#sheet || !facts) return
    const { length } = this.#plan.columns
    facts.filtered = cellRange(length, this.#row, '$')
    const filter = `<autoFilter ref="${cellRange(length, this.#row)}"/>`
    const end = this.#template?.sheetEnd ?? ''
    await this.#sheet.write(Buffer.from(`</sheetData>${filter}${end}</worksheet>`))
    await this.#sheet.close()
    this.#sheet = undefined
  }
}

/** The longest texts of some rows, one for each column. */
function measureTexts(columns: number, rows: readonly Cells[]): number[] {
  const longest = Array.from({ length: columns }, () => 0)
  for (const row of rows) {
    for (let at = 0; at < columns; at++) {
      const cell = row[at]
      if (typeof cell === 'string') longest[at] = Math.max(longest[at] ?? 0, cell.length)
    }
  }
  return longest
}
