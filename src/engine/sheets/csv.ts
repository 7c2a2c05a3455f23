/**
 * CSV by RFC 4180. Written: UTF-8 with a byte order mark, labels as heads, CRLF, no cell a formula.
 * Read: as spreadsheets and databases write it; files of the engine come back unchanged.
 */
import { CsvRecords } from './csv-records.ts'
import { CsvRows, planText, quoteText } from './csv-rows.ts'
import type { ExportFormat, ImportFormat, RowSink, SheetPlan, SheetRow } from './format.ts'
import { HashedFile } from './hashed-file.ts'
import type { RowPage } from './row-page.ts'
import { readText } from './text-file.ts'

export const csvExport: ExportFormat = {
  name: 'csv',
  contentType: 'text/csv; charset=utf-8',
  extension: '.csv',
  isForPeople: true,
  open: async (sheet, path) => {
    const file = await HashedFile.create(path)
    await file.write(Buffer.from(`\uFEFF${composeHead(sheet)}`))
    return new CsvSink(file, sheet)
  },
}

const composeHead = (sheet: SheetPlan): string => {
  const toText = planText(sheet)
  return `${sheet.columns.map(({ label }) => quoteText(toText(label))).join(',')}\r\n`
}

class CsvSink implements RowSink {
  readonly #file: HashedFile
  readonly #rows: CsvRows

  constructor(file: HashedFile, sheet: SheetPlan) {
    this.#file = file
    this.#rows = new CsvRows(sheet)
  }

  async write(page: RowPage): Promise<void> {
    const bytes = this.#rows.compose(page)
    if (bytes.length > 0) await this.#file.write(bytes)
  }

  close(): Promise<{ size: number; sha256: string }> {
    return this.#file.close()
  }

  abort(): Promise<void> {
    return this.#file.abort()
  }
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
      // A comma that separates cells does not occur in numbers.
      isLocal = delimiter !== ','
      records = new CsvRecords(delimiter, skipped > 0 ? 2 : 1)
      yield* split(records.push(piece.slice(skipped)))
    }
  }
  if (records) yield* split(records.end())
}

/** The separator that a first line `sep=;` names, else the most common one of the head. */
function findDelimiter(text: string): { delimiter: string; skipped: number } {
  const named = /^sep=([^"\r\n])(?:\r\n|\r|\n)/i.exec(text)
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
