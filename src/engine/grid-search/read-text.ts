/** Reads the texts of an index from their tables, page by page in the background. */
import type { Reader, Store } from '../../store/store.ts'
import type { RowKey, SearchedText, TextRow } from './searched-text.ts'
import type { TextIndex } from './text-index.ts'

/** Most milliseconds of a page on the average: a text that reads all rows each time is not kept. */
const PAGE_MS_MAX = 1000

/**
 * The end of a reading: with all rows, without memory for the others, with a change that makes all
 * of it old, or with texts that never can be kept.
 */
export type ReadEnd = 'whole' | 'full' | 'changed' | 'unfit'

/** True when the tables of an index may be read now: rows of a commit under way would be missed. */
export const mayRead = (store: Store, source: SearchedText): boolean =>
  store.stamp(toldTables(source)) !== undefined

/**
 * Reads the rows that are not read yet; the index gets every change from before the first row is
 * read on. `hasRoom` is true where so many bytes more may be kept.
 */
export async function readText(
  store: Store,
  index: TextIndex,
  hasRoom: (bytes: number) => boolean,
): Promise<ReadEnd> {
  const { source, stamp } = index
  const start = performance.now()
  for (let pages = 1; ; pages++) {
    // One row more than the page has: it shows that others follow, and is of another key.
    const size = index.pageRows
    const rows = await readPage(store, source, index.readTo, size + 1)
    if (!isFit(rows)) return 'unfit'
    const isKept = index.add(rows.slice(0, size), hasRoom)
    if (store.stamp(source.tables) !== stamp || index.isAbandoned) return 'changed'
    if (performance.now() - start > pages * PAGE_MS_MAX) return 'unfit'
    if (!isKept) return 'full'
    if (rows.length <= size) return 'whole'
  }
}

/** Reads changed rows again; not while a commit is under way, which may be changing them. */
export async function readChanged(store: Store, index: TextIndex): Promise<void> {
  const { source } = index
  if (!mayRead(store, source)) return
  const { keys, finish } = index.startReading()
  const args = { _keys: JSON.stringify(keys), _rows: keys.length + 1 }
  const rows = await readRows(store, source.some, source, args)
  if (isFit(rows)) finish(rows)
  else index.abandon()
}

/** Most referring rows to look up after a change; with more, all rows are read again. */
const REFERRING_MAX = 2000

/**
 * Looks up the rows that refer to changed ones. Resolves to true when the index is of use now: not
 * while a commit is under way, and never again where very many rows refer to a record.
 */
export async function askReferring(store: Store, index: TextIndex): Promise<boolean> {
  const { source } = index
  for (const { table, keys, finish } of index.startAsking()) {
    const sql = source.referred.get(table)
    if (sql === undefined || store.stamp([table]) === undefined) return false
    const args = { ...source.args, _changed: JSON.stringify(keys), _rows: REFERRING_MAX + 1 }
    const rows = JSON.parse(await store.text({ sql, args, runs: 'background' })) as RowKey[]
    if (rows.length > REFERRING_MAX) {
      index.abandon()
      return false
    }
    finish(rows)
  }
  return !index.isAsking
}

/** Tables whose changed rows are followed. */
const toldTables = ({ own, referred }: SearchedText): string[] => [
  ...(own === undefined ? [] : [own]),
  ...referred.keys(),
]

function readPage(
  reader: Reader,
  source: SearchedText,
  after: RowKey | undefined,
  _rows: number,
): Promise<TextRow[]> {
  if (after === undefined) return readRows(reader, source.first, source, { _rows })
  return readRows(reader, source.next, source, { _after: after, _rows })
}

async function readRows(
  reader: Reader,
  sql: string,
  { args }: SearchedText,
  more: Record<string, RowKey>,
): Promise<TextRow[]> {
  const text = await reader.text({ sql, args: { ...args, ...more }, runs: 'background' })
  return JSON.parse(text) as TextRow[]
}

/** Requires that keys survive JSON, each in one row: rows of one key could be on two pages. */
function isFit(rows: readonly TextRow[]): boolean {
  return rows.every(([key], at) => {
    const isKey = typeof key === 'string' || Number.isSafeInteger(key)
    return isKey && key !== rows[at - 1]?.[0]
  })
}
