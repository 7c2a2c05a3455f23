/** The file of an import as its request has it read: one sheet of it, with mended cells. */
import type { ImportRequest, MendedCells } from './import-request.ts'
import { toHeadKey } from '../read/heads.ts'
import type { ImportFormat, SheetRow } from '../../sheets/format.ts'

/** The format, reading the sheet and the cells that the request names; each reading is alike. */
export function planReading(
  format: ImportFormat,
  { sheet, cells }: Pick<ImportRequest, 'sheet' | 'cells'>,
): ImportFormat {
  const read: ImportFormat['read'] = (path, options) => format.read(path, { ...options, sheet })
  return {
    ...format,
    read: (path, options) =>
      cells.size === 0 ? read(path, options) : mendRows(read(path, options), cells),
  }
}

async function* mendRows(
  batches: AsyncIterable<SheetRow[]>,
  mended: MendedCells,
): AsyncGenerator<SheetRow[]> {
  let heads: readonly string[] | undefined
  for await (const rows of batches) {
    if (!heads) {
      heads = rows[0]?.cells.map((head) => toHeadKey(head ?? '')) ?? []
      yield rows
      continue
    }
    const places = heads
    yield rows.map((row) => {
      const texts = mended.get(row.line)
      return texts ? mendRow(row, places, texts) : row
    })
  }
}

/** A typed text in place of a number of a workbook is read as people write numbers. */
function mendRow(
  row: SheetRow,
  heads: readonly string[],
  texts: ReadonlyMap<string, string | null>,
): SheetRow {
  const places = heads.flatMap((head, at) => (texts.has(head) ? [at] : []))
  if (places.length === 0) return row
  const cells = heads.map((head, at) => (texts.has(head) ? texts.get(head) : row.cells[at]) ?? null)
  const broken = row.broken?.filter(({ at }) => !places.includes(at))
  return {
    ...row,
    cells: [...cells, ...row.cells.slice(heads.length)],
    broken: broken && broken.length > 0 ? broken : undefined,
    written: row.written && [...new Set([...row.written, ...places])],
  }
}
