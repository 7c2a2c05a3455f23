/** Sheets written by the engine's own writers, as other programs read them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as XLSX from 'xlsx'
import type { ExportFormat, SheetColumn, SheetPlan } from '../../src/engine/sheets/format.ts'
import { type Cells, RowPage } from '../../src/engine/sheets/row-page.ts'
import { temporaryFolder } from './executable.ts'

/** A plan of columns, all texts unless they say more. */
export const planOf = (
  columns: readonly (Partial<SheetColumn> & { name: string })[],
  more: Partial<SheetPlan> = {},
): SheetPlan => ({
  title: 'Things',
  zone: 'UTC',
  madeAt: new Date('2026-11-21T09:00:00Z'),
  columns: columns.map((column) => ({ label: column.name, type: 'Text', ...column })),
  ...more,
})

/** The bytes of a file with these rows, and what its writer says of them. */
export async function writeSheet(
  format: Pick<ExportFormat, 'open'>,
  plan: SheetPlan,
  rows: readonly Cells[],
): Promise<{ bytes: Buffer; size: number; sha256: string }> {
  using folder = temporaryFolder()
  const path = join(folder.path, 'file')
  const sink = await format.open(plan, path)
  await sink.write(RowPage.of(rows))
  return { ...(await sink.close()), bytes: readFileSync(path) }
}

/** A workbook as SheetJS reads it, cells with their types and formats. */
export const readWorkbook = (bytes: Uint8Array): XLSX.WorkBook =>
  XLSX.read(bytes, { cellNF: true, cellStyles: true })

/** The cells of a sheet by address, without their texts as shown. */
export function cellsOf(book: XLSX.WorkBook, sheet = 0): Record<string, XLSX.CellObject> {
  const found = book.Sheets[book.SheetNames[sheet] ?? ''] ?? {}
  const cells = Object.entries(found).filter(([name]) => !name.startsWith('!'))
  return Object.fromEntries(cells) as Record<string, XLSX.CellObject>
}

/** The text of a part of a workbook, as SheetJS unpacks it. */
export function readPart(bytes: Uint8Array, name: string): string {
  const { files } = XLSX.read(bytes, { bookFiles: true }) as XLSX.WorkBook & {
    files: Record<string, { content: Uint8Array | string }>
  }
  const content = files[name]?.content
  if (content === undefined) throw new Error(`There is no part ${name}`)
  return typeof content === 'string' ? content : Buffer.from(content).toString('utf8')
}
