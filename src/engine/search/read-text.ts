/** Reads a text from its tables, page by page in a lane. */
import type { Reader, Store } from '../../store/store.ts'
import { KeptText } from './kept-text.ts'
import { PAGE_ROWS, type RowKey, type SearchedText, type TextRow } from './searched-text.ts'

/** How long a page may take on the average: a query that does not go by its key is not kept. */
const PAGE_MS_MAX = 250

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
  if (store.stamp(own(source)) === undefined) return 'changed'
  const stamp = store.stamp(source.tables)
  if (stamp === undefined) return 'changed'
  const text = new KeptText(source, stamp)
  follow(text)
  const start = performance.now()
  let after: RowKey | undefined
  for (let pages = 1; ; pages++) {
    const rows = await readPage(store, source, after)
    if (rows.length === 0 && after === undefined) return text
    const page = rows.slice(0, PAGE_ROWS)
    if (!isFit(rows)) return 'unfit'
    text.add(page)
    if (store.stamp(source.tables) !== stamp || text.isWorn || text.isSpoilt) return 'changed'
    if (text.bytes > bytesMax || performance.now() - start > pages * PAGE_MS_MAX) return 'unfit'
    if (rows.length <= PAGE_ROWS) return text
    after = page.at(-1)?.[0]
  }
}

/** Reads the changed rows again. False when it has to wait for a commit that is under way. */
export async function readChanged(reader: Store, text: KeptText): Promise<boolean> {
  const { source } = text
  if (reader.stamp(own(source)) === undefined) return false
  const { keys, finish } = text.startReading()
  const rows = await readRows(reader, source.some, source, { _keys: JSON.stringify(keys) })
  if (isFit(rows)) finish(rows)
  return true
}

const own = ({ own }: SearchedText): string[] => (own === undefined ? [] : [own])

function readPage(reader: Reader, source: SearchedText, after: RowKey | undefined) {
  if (after === undefined) return readRows(reader, source.first, source, {})
  return readRows(reader, source.next, source, { _after: after })
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
