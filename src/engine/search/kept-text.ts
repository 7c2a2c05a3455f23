/** A text that is kept in memory, with what changed since it was read. */
import { nextTurn } from '../../kernel/pacing.ts'
import { foldText } from './fold.ts'
import type { RowKey, SearchedText, TextRow } from './searched-text.ts'
import { TextPage } from './text-page.ts'

/** How long a search keeps the thread at once, in milliseconds. */
const TURN_MS = 2

/** A page's rows and bytes: reading one is a matter of a millisecond or two. */
const PAGE_ROWS = 1000
const PAGE_BYTES = 128 * 1024
/** Before anything is known of the texts. */
const FIRST_ROWS = 20

/** Rows that may have the text sought; none that has it is missing. */
export interface Hits {
  /** Each once. */
  keys: RowKey[]
  /** Those of the keys that changed of late: SQL has to look whether they still have it. */
  doubtful: RowKey[]
  /** Whether no commit that touches the text has begun since. */
  holds(): boolean
}

/**
 * Pages of folded texts as of one state of their tables. A commit on the own table names its rows
 * before any reader can see what it did: they are doubtful from then on, so that what is found is
 * right on either side of that commit.
 */
export class KeptText {
  readonly source: SearchedText
  /** The state of the other tables. */
  readonly stamp: number
  readonly #pages: TextPage[] = []
  /** Rows changed since the pages were read, and in which change last. */
  readonly #unread = new Map<RowKey, number>()
  /** Every row that ever changed: older pages still have its former text. */
  readonly #changed = new Set<RowKey>()
  /** Records of other tables that changed, by table, and in which change last. */
  readonly #referred = new Map<string, Map<RowKey, number>>()
  #changes = 0
  #rows = 0
  #isSpoilt = false
  bytes = 0

  constructor(source: SearchedText, stamp: number) {
    this.source = source
    this.stamp = stamp
  }

  /** How many rows the next page should have, by what the former ones were. */
  get pageRows(): number {
    if (this.#rows === 0) return FIRST_ROWS
    const fitting = Math.floor((PAGE_BYTES * this.#rows) / this.bytes)
    return Math.min(PAGE_ROWS, Math.max(1, fitting))
  }

  /** Adds rows as they are read. */
  add(rows: readonly TextRow[]): void {
    if (rows.length === 0) return
    const page = new TextPage(rows)
    this.#pages.push(page)
    this.#rows += rows.length
    this.bytes += page.bytes
  }

  /** A commit is about to change these rows of the own table. */
  change(keys: readonly RowKey[]): void {
    this.#changes++
    for (const key of keys) {
      this.#unread.set(key, this.#changes)
      this.#changed.add(key)
    }
  }

  /** A commit is about to change records that rows refer to: which rows is to be asked after it. */
  changeReferred(table: string, keys: readonly RowKey[]): void {
    this.#changes++
    const known = this.#referred.get(table) ?? new Map<RowKey, number>()
    this.#referred.set(table, known)
    for (const key of keys) known.set(key, this.#changes)
  }

  /** Whether nothing may be found before it is asked which rows refer to what changed. */
  get isAsking(): boolean {
    return this.#referred.size > 0
  }

  /**
   * Records that changed, by table, and what to do with the rows that refer to them: only commits
   * that are over may count.
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

  /** More changed than can be told row by row: nothing may be found in it any more. */
  spoil(): void {
    this.#changes++
    this.#isSpoilt = true
  }

  get isSpoilt(): boolean {
    return this.#isSpoilt
  }

  /** Rows that changed since they were read. */
  get unread(): number {
    return this.#unread.size
  }

  /** So many rows changed that reading all of them anew is cheaper than doubting. */
  get isWorn(): boolean {
    return this.#changed.size > Math.max(1000, this.#rows / 10)
  }

  /** The rows to be read again, and what to do with them: only commits that are over may count. */
  startReading(): { keys: RowKey[]; finish: (rows: readonly TextRow[]) => void } {
    const started = new Map([...this.#unread].slice(0, this.pageRows))
    const finish = (rows: readonly TextRow[]): void => {
      this.add(rows)
      for (const [key, change] of started)
        if (this.#unread.get(key) === change) this.#unread.delete(key)
    }
    return { keys: [...started.keys()], finish }
  }

  /** Rows that have a text; undefined for more than `max`. Lets others in between. */
  async find(sought: string, max: number, isCurrent: () => boolean): Promise<Hits | undefined> {
    const folded = Buffer.from(foldText(sought.normalize('NFC')))
    const found: RowKey[] = []
    let turn = performance.now()
    for (const page of this.#pages) {
      page.find(folded, found)
      if (found.length > max) return undefined
      if (performance.now() - turn <= TURN_MS) continue
      await nextTurn()
      turn = performance.now()
    }
    // Which rows refer to what changed meanwhile is not known yet.
    if (this.isAsking) return undefined
    // At once after the last page: rows that are read again meanwhile are on a page of their own.
    return this.#judge(found, isCurrent)
  }

  #judge(found: readonly RowKey[], isCurrent: () => boolean): Hits {
    const changes = this.#changes
    const doubtful = new Set(this.#unread.keys())
    const sure = found.filter((key) => {
      if (this.#changed.has(key)) doubtful.add(key)
      return !doubtful.has(key)
    })
    return {
      keys: [...sure, ...doubtful],
      doubtful: [...doubtful],
      holds: () => this.#changes === changes && !this.#isSpoilt && isCurrent(),
    }
  }
}
