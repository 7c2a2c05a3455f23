/** Writes the content of a report into a file of the requested format. */
import { invalid } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { ReportContent, ReportFileFormat, ReportSheet } from './printed-report.ts'
import { writeJson } from './write-json.ts'
import { csvExport } from '../sheets/csv.ts'
import type { RowSink } from '../sheets/format.ts'
import { HashedFile } from '../sheets/hashed-file.ts'
import { RowPage } from '../sheets/row-page.ts'
import { openBook, xlsxExport } from '../sheets/xlsx-export.ts'

/** A file on the disk: bytes and hash in hexadecimal. */
export interface WrittenFile {
  size: number
  sha256: string
}

/** A document that is to be drawn. */
export type ReportDocument = Extract<ReportContent, { kind: 'document' }>

/** Draws a document into a new file for a caller; stops once no one waits for it. */
export type DrawDocument = (
  path: string,
  document: ReportDocument,
  by: {
    caller: Caller
    signal: AbortSignal
    /** Called now and then with the pages that are drawn. */
    onPages?: ((pages: number) => void) | undefined
  },
) => Promise<WrittenFile>

/** Inputs of the writing besides the content. */
interface ReportWriting {
  path: string
  format: ReportFileFormat
  language: string | undefined
  draw: (path: string, document: ReportDocument) => Promise<WrittenFile>
  /** Called now and then with the rows since; throws where the file may not grow further. */
  onPage: (rows: number) => Promise<void>
}

/** Type and ending of the file that a content becomes. */
export function planFile(
  content: ReportContent,
  format: ReportFileFormat,
): { contentType: string; extension: string } {
  if (content.kind === 'file') return content
  if (content.kind === 'document') return { contentType: 'application/pdf', extension: '.pdf' }
  if (format === 'xlsx') return xlsxExport
  if (format === 'csv') return csvExport
  return { contentType: 'application/json', extension: '.json' }
}

/** Writes and syncs the file; a failed one is removed. */
export async function writeReport(
  content: ReportContent,
  writing: ReportWriting,
): Promise<WrittenFile> {
  const { path, format, language, draw, onPage } = writing
  if (content.kind === 'document') return draw(path, content)
  if (content.kind === 'file') return writeBytes(path, content.body)
  const { title, sheets } = content
  if (format === 'json') return writeJson({ path, title, language }, sheets, onPage)
  if (format === 'csv') return writeCsv(path, sheets, writing)
  return writeBook(path, sheets, writing)
}

async function writeBytes(path: string, body: Uint8Array): Promise<WrittenFile> {
  const file = await HashedFile.create(path)
  try {
    await file.write(body)
    return await file.close()
  } catch (error) {
    await file.abort()
    throw error
  }
}

async function writeCsv(
  path: string,
  sheets: readonly ReportSheet[],
  writing: ReportWriting,
): Promise<WrittenFile> {
  const [sheet, ...others] = sheets
  if (!sheet || others.length > 0) throw invalid(say`A csv file can hold only one table`)
  const sink = await csvExport.open(sheet.plan, path)
  try {
    await copyRows(sheet, sink, writing)
    return await sink.close()
  } catch (error) {
    await sink.abort()
    throw error
  }
}

/** A sheet that lacks rows says so in its last one. */
async function copyRows(
  { rows, notice }: ReportSheet,
  sink: RowSink,
  { language, onPage }: ReportWriting,
): Promise<void> {
  for await (const page of rows) {
    await sink.write(page)
    await onPage(page.rows.length)
  }
  if (notice) await sink.write(RowPage.of([[renderMessage(notice, language)]]))
}

async function writeBook(
  path: string,
  sheets: readonly ReportSheet[],
  writing: ReportWriting,
): Promise<WrittenFile> {
  const sink = await openBook(
    sheets.map(({ plan }) => plan),
    path,
  )
  try {
    for (const [at, sheet] of sheets.entries()) {
      if (at > 0) await sink.nextSheet()
      await copyRows(sheet, sink, writing)
    }
    return await sink.close()
  } catch (error) {
    await sink.abort()
    throw error
  }
}
