/** Reads a text from its tables, page by page in a lane. */
import type { Reader, Store } from '../../store/store.ts'
import { KeptText } from './kept-text.ts'
import type { RowKey, SearchedText, TextRow } from './searched-text.ts'

/** How long a page may take on the average: what goes through all rows each time is not kept. */
const PAGE_MS_MAX = 1000

/** Why a text is not kept: its tables changed meanwhile, or it never will be. */
export type Unkept = 'changed' | 'unfit'

export interface Reading {
  store: Store
  source: SearchedText
  /** Called with the text before anything is read, so that it hears of changes from then on. */
  follow: (text: KeptText) => void
  bytesMax: number
}

/** The text of the last commit; every later change of its own table is noted in it. */
export async function readText(reading: Reading): Promise<KeptText | Unkept> {
  const { store, source, follow, bytesMax } = reading
  // Rows of a commit that has begun before would be missing from the changes.
  if (store.stamp(toldTables(source)) === undefined) return 'changed'
  const stamp = store.stamp(source.tables)
  if (stamp === undefined) return 'changed'
  const text = new KeptText(source, stamp)
  follow(text)
  const start = performance.now()
  let after: RowKey | undefined
  for (let pages = 1; ; pages++) {
    // One more than the page has: it tells whether others follow, and is of another key.
    const size = text.pageRows
    const rows = await readPage(store, source, after, size + 1)
    if (!isFit(rows)) return 'unfit'
    const page = rows.slice(0, size)
    text.add(page)
    if (store.stamp(source.tables) !== stamp || text.isWorn || text.isSpoilt) return 'changed'
    if (text.bytes > bytesMax || performance.now() - start > pages * PAGE_MS_MAX) return 'unfit'
    if (rows.length <= size) return text
    after = page.at(-1)?.[0]
  }
}

/** Reads changed rows again; not while a commit is under way, which may be what changes them. */
export async function readChanged(store: Store, text: KeptText): Promise<void> {
  const { source } = text
  if (store.stamp(toldTables(source)) === undefined) return
  const { keys, finish } = text.startReading()
  const args = { _keys: JSON.stringify(keys), _rows: keys.length + 1 }
  const rows = await readRows(store, source.some, source, args)
  if (isFit(rows)) finish(rows)
}

/** More rows that refer to what changed are not asked for: all are read anew. */
const REFERRING_MAX = 1000

/**
 * Asks which rows refer to what changed. Whether the text is of use now; it is not while a commit
 * is under way, and never again where very many rows refer to a record.
 */
export async function askReferring(store: Store, text: KeptText): Promise<boolean> {
  const { source } = text
  for (const { table, keys, finish } of text.startAsking()) {
    const sql = source.referred.get(table)
    if (sql === undefined || store.stamp([table]) === undefined) return false
    const args = { ...source.args, _changed: JSON.stringify(keys), _rows: REFERRING_MAX + 1 }
    const rows = JSON.parse(await store.text({ sql, args, quick: 'never' })) as RowKey[]
    if (rows.length > REFERRING_MAX) {
      text.spoil()
      return false
    }
    finish(rows)
  }
  return !text.isAsking
}

/** Tables whose changed rows are told. */
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
  const text = await reader.text({ sql, args: { ...args, ...more }, quick: 'never' })
  return JSON.parse(text) as TextRow[]
}

/** Keys that survive JSON, each in one row: rows of one key could stand on two pages. */
function isFit(rows: readonly TextRow[]): boolean {
  return rows.every(([key], at) => {
    const isKey = typeof key === 'string' || Number.isSafeInteger(key)
    return isKey && key !== rows[at - 1]?.[0]
  })
}
