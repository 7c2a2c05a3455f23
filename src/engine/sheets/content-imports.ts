/** The formats that are read: files go by their content, for names often say something else. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { csvImport } from './csv.ts'
import { findContent, type ReadableContent } from './file-content.ts'
import type { ImportFormat, ReadOptions, SheetRow } from './format.ts'
import { jsonlImport } from './jsonl.ts'
import { BOOK_READERS } from './xlsx-import.ts'

type Read = ImportFormat['read']

/** The reader of each kind of content, by the format of the name. */
const READERS: Readonly<Record<ReadableContent, (named: Read) => Read>> = {
  archive: () => BOOK_READERS.archive,
  compound: () => BOOK_READERS.compound,
  xml: () => BOOK_READERS.xml,
  json: (named) => (BOOKS.has(named) ? jsonlImport.read : named),
  text: (named) => (BOOKS.has(named) ? csvImport.read : named),
}

const BOOKS: ReadonlySet<Read> = new Set(Object.values(BOOK_READERS))

async function* readByContent(
  path: string,
  options: ReadOptions,
  named: Read,
): AsyncGenerator<SheetRow[]> {
  const content = await requireReadable(path)
  yield* READERS[content](named)(path, options)
}

/**
 * The kind of a file by its beginning.
 * @throws invalid (`UNREADABLE_FILE`) for one without rows, with what it is and what to do
 */
export async function requireReadable(path: string): Promise<ReadableContent> {
  const content = await findContent(path)
  const code = 'UNREADABLE_FILE'
  if (content === 'empty') throw invalid(say`The file is empty`, { code })
  if (typeof content === 'object') throw invalid(content.advice, { code })
  return content
}

/** A format whose files are read by their content; `named` reads those that are as named. */
const planFormat = (name: string, extensions: readonly string[], named: Read): ImportFormat => ({
  name,
  extensions,
  read: (path, options) => readByContent(path, options, named),
})

/** Formats that come with the engine. */
export const CONTENT_IMPORTS: readonly ImportFormat[] = [
  planFormat('csv', csvImport.extensions, csvImport.read),
  planFormat('xlsx', ['.xlsx', '.xlsm', '.xltx', '.xltm'], BOOK_READERS.archive),
  planFormat('jsonl', jsonlImport.extensions, jsonlImport.read),
  planFormat('xls', ['.xls', '.xlt', '.xml'], BOOK_READERS.compound),
  planFormat('xlsb', ['.xlsb'], BOOK_READERS.archive),
  planFormat('ods', ['.ods', '.fods'], BOOK_READERS.archive),
]

/** Files whose names say nothing: workbooks are read, texts refused by `refuse`. */
export const planUnnamed = (refuse: () => never): ImportFormat =>
  planFormat('xlsx', [], async function* () {
    yield refuse()
  })
