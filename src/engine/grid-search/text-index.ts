/** The text index of one company's rows, kept current from the changes of each commit. */
import { yieldNow } from '../../kernel/yielder.ts'
import { foldText } from './fold.ts'
import type { RowKey, SearchedText, TextRow } from './searched-text.ts'
import { TextPage } from './text-page.ts'

/** Most milliseconds that a search keeps the thread at once. */
const TURN_MS = 2

/** A page's rows and bytes: reading one is a matter of a millisecond or two. */
const PAGE_ROWS = 2000
const PAGE_BYTES = 128 * 1024
/** Rows of the first page, while nothing is known of the texts. */
const FIRST_ROWS = 20

/** Most changed rows that SQL reads in each search. */
const STALE_MAX = 5000
/** Most changed rows that are remembered. */
const UNREAD_MAX = 20_000
const BYTES_A_CHANGED_ROW = 150

/** The keys that an index finds for a search text. */
export interface Matches {
  /** Rows that have the text in them; each once. */
  keys: readonly RowKey[]
  /** Rows that changed since they were read: SQL reads these again. */
  stale: readonly RowKey[]
  /** The key beyond which rows are unread, so that SQL searches them; undefined: none are. */
  readTo: RowKey | undefined
  /** True when every key of the index is a whole number. */
  isNumbered: boolean
  /** True while no commit that touches the texts has begun since. */
  holds(): boolean
}

/**
 * A function that returns the rows that have a text when it is called; undefined where SQL has to
 * search all rows.
 */
export type FindNow = (() => Matches | undefined) | undefined

/**
 * Pages of folded texts as of one state of their tables. A commit on the own table names its rows
 * before any reader can see its changes: they are unsure from then on until they are read again, so
 * that matches are right on either side of that commit.
 */
export class TextIndex {
  readonly source: SearchedText
  /** The state of the tables of which any change makes all of it old. */
  readonly stamp: number
  /** Pages as they were read first, in the order of their keys. */
  readonly #pages: TextPage[] = []
  /** Rows that were read again, with how many of a page's rows are still of use. */
  readonly #newer = new Map<TextPage, number>()
  /** The newer page that has a row; undefined for one that was removed. */
  readonly #moved = new Map<RowKey, TextPage | undefined>()
  /** Rows changed since they were read, and in which change last. */
  readonly #unread = new Map<RowKey, number>()
  /** Records of other tables that changed, by table, and in which change last. */
  readonly #referred = new Map<string, Map<RowKey, number>>()
  #changes = 0
  #rows = 0
  #bytes = 0
  #isNumbered = true
  #isAbandoned = false
  /** True when all rows are read, so that there is none beyond the last page. */
  isWhole = false

  constructor(source: SearchedText, stamp: number) {
    this.source = source
    this.stamp = stamp
  }

  get bytes(): number {
    return this.#bytes + BYTES_A_CHANGED_ROW * (this.#moved.size + this.#unread.size)
  }

  /** The rows that the next page should have, by the size of the former ones. */
  get pageRows(): number {
    if (this.#rows === 0) return FIRST_ROWS
    const fitting = Math.floor((PAGE_BYTES * this.#rows) / this.#bytes)
    return Math.min(PAGE_ROWS, Math.max(1, fitting))
  }

  /** The last key that was read; undefined before the first page. */
  get readTo(): RowKey | undefined {
    return this.#pages.at(-1)?.last
  }

  /** Adds the next rows in the order of their keys, if there is room for their bytes. */
  add(rows: readonly TextRow[], hasRoom: (bytes: number) => boolean): boolean {
    const page = new TextPage(rows)
    if (!hasRoom(page.bytes)) return false
    this.#count(page)
    this.#pages.push(page)
    return true
  }

  #count(page: TextPage): void {
    this.#rows += page.rows
    this.#bytes += page.bytes
    this.#isNumbered &&= page.isNumbered
  }

  /** A commit is about to change these rows of the own table. */
  change(keys: readonly RowKey[]): void {
    this.#changes++
    for (const key of keys) this.#unread.set(key, this.#changes)
    if (this.#unread.size > UNREAD_MAX) this.abandon()
  }

  /** A commit is about to change records that rows refer to: which rows is to be asked after it. */
  changeReferred(table: string, keys: readonly RowKey[]): void {
    this.#changes++
    const known = this.#referred.get(table) ?? new Map<RowKey, number>()
    this.#referred.set(table, known)
    for (const key of keys) known.set(key, this.#changes)
  }

  /** True while the rows that refer to changed ones have to be looked up before any search. */
  get isAsking(): boolean {
    return this.#referred.size > 0
  }

  /**
   * Records that changed, by table, and a callback for the rows that refer to them: only ended
   * commits may count.
   */
  startAsking(): { table: string; keys: RowKey[]; finish: (rows: readonly RowKey[]) => void }[] {
    return [...this.#referred].map(([table, known]) => {
      const started = new Map(known)
      const finish = (rows: readonly RowKey[]): void => {
        if (rows.length > 0) this.change(rows)
        for (const [key, change] of started) if (known.get(key) === change) known.delete(key)
        if (known.size === 0 && this.#referred.get(table) === known) this.#referred.delete(table)
      }
      return { table, keys: [...started.keys()], finish }
    })
  }

  /** Gives the index up: more changed than can be listed row by row. */
  abandon(): void {
    this.#changes++
    this.#isAbandoned = true
  }

  get isAbandoned(): boolean {
    return this.#isAbandoned
  }

  /** Rows that changed since they were read. */
  get unread(): number {
    return this.#unread.size
  }

  /** True when so many rows were read again that the pages hold much that is of no use. */
  get isWorn(): boolean {
    return this.#moved.size > Math.max(1000, this.#rows / 5)
  }

  /** The rows to be read again, and a callback for them: only ended commits may count. */
  startReading(): { keys: RowKey[]; finish: (rows: readonly TextRow[]) => void } {
    const started = [...this.#unread].slice(0, this.pageRows)
    const finish = (rows: readonly TextRow[]): void => {
      const here = new Set(rows.map(([key]) => key))
      const page = new TextPage(rows)
      this.#count(page)
      this.#newer.set(page, 0)
      for (const [key, change] of started) {
        if (this.#unread.get(key) !== change) continue
        this.#unread.delete(key)
        this.#move(key, here.has(key) ? page : undefined)
      }
      this.#dropUnused(page)
    }
    return { keys: started.map(([key]) => key), finish }
  }

  #move(key: RowKey, to: TextPage | undefined): void {
    const from = this.#moved.get(key)
    this.#moved.set(key, to)
    if (to) this.#newer.set(to, (this.#newer.get(to) ?? 0) + 1)
    if (!from) return
    this.#newer.set(from, (this.#newer.get(from) ?? 0) - 1)
    this.#dropUnused(from)
  }

  #dropUnused(page: TextPage): void {
    if (this.#newer.get(page) !== 0) return
    this.#newer.delete(page)
    this.#rows -= page.rows
    this.#bytes -= page.bytes
  }

  /**
   * Looks through the pages that are read so far. Lets others in between. Returns a function that
   * gives, at any later moment, the rows that have the text then; undefined where nothing is read
   * yet, or too much has changed.
   */
  async scan(searchText: string, isCurrent: () => boolean): Promise<FindNow> {
    const folded = Buffer.from(foldText(searchText.normalize('NFC')))
    const found: RowKey[] = []
    let changes = this.#changes
    let pages = 0
    let turn = performance.now()
    while (pages < this.#pages.length) {
      const from = found.length
      this.#pages[pages++]?.find(folded, found)
      if (this.#moved.size + this.#unread.size > 0) keepOf(found, from, this.#isAsRead)
      if (performance.now() - turn <= TURN_MS) continue
      await yieldNow()
      turn = performance.now()
    }
    return () => {
      if (this.#isAbandoned || this.isAsking || this.#unread.size > STALE_MAX) return undefined
      // Pages that came since it looked are beyond the last one that it looked through.
      const isWhole = this.isWhole && pages === this.#pages.length
      const readTo = isWhole ? undefined : this.#pages[pages - 1]?.last
      if ((!isWhole && readTo === undefined) || !isCurrent()) return undefined
      if (this.#changes !== changes) keepOf(found, 0, this.#isAsRead)
      changes = this.#changes
      const newer = this.#findNewer(folded)
      const keys = newer.length > 0 ? [...found, ...newer] : found
      return this.#toMatches(keys, readTo, isCurrent)
    }
  }

  /** True when a row is as its first page has it. */
  readonly #isAsRead = (key: RowKey): boolean => !this.#moved.has(key) && !this.#unread.has(key)

  #findNewer(folded: Buffer): RowKey[] {
    const found: RowKey[] = []
    for (const page of this.#newer.keys()) {
      const from = found.length
      page.find(folded, found)
      keepOf(found, from, (key) => this.#moved.get(key) === page && !this.#unread.has(key))
    }
    return found
  }

  #toMatches(
    keys: readonly RowKey[],
    readTo: RowKey | undefined,
    isCurrent: () => boolean,
  ): Matches {
    const changes = this.#changes
    const stale = [...this.#unread.keys()]
    return {
      keys,
      stale,
      readTo,
      isNumbered: this.#isNumbered && stale.every((key) => typeof key === 'number'),
      holds: () => this.#changes === changes && !this.#isAbandoned && isCurrent(),
    }
  }
}

/** Drops from the keys beyond `from` those that `isKept` rejects. */
function keepOf(keys: RowKey[], from: number, isKept: (key: RowKey) => boolean): void {
  let to = from
  for (let at = from; at < keys.length; at++) {
    const key = keys[at]
    if (key !== undefined && isKept(key)) keys[to++] = key
  }
  keys.length = to
}
