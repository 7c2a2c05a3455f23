/** Rows of one query, loaded page by page as they come into sight. */
import type { Schemas } from '../api/wire.ts'

type Row = Schemas['FieldValues']

/** Asks the server for a page of rows. */
type AskRows = (
  page: Pick<Schemas['TableRequest'], 'Page' | 'PageSize' | 'Cursor'>,
  signal: AbortSignal,
) => Promise<Schemas['TableResult']>

/** Listens to what loads. */
interface PageEvents {
  /** Rows came, or the number of rows is another. */
  onChange(): void
  onFault(thrown: unknown): void
}

/** Rows of a page. */
const PAGE_ROWS = 100

/** Pages that are kept: more than a user scrolls through by hand, less than a browser minds. */
const PAGES_MAX = 100

/** Pages beside those in sight that go on loading. */
const PAGES_NEAR = 1

/** The rows of a query; `size` where their number is known beforehand. */
export class RowPages {
  readonly #pages = new Map<number, readonly Row[]>()
  readonly #cursors = new Map<number, string>()
  readonly #loading = new Map<number, AbortController>()
  readonly #stale = new Set<number>()
  readonly #ask: AskRows
  readonly #events: PageEvents
  #size: number | undefined
  /** Rows that are there for sure, while their number is not known. */
  #seen: number

  constructor(ask: AskRows, events: PageEvents, size?: number, expected = 0) {
    this.#ask = ask
    this.#events = events
    this.#size = size
    this.#seen = expected
  }

  /** The number of rows; while it is not known, one more than are there for sure. */
  get length(): number {
    return this.#size ?? this.#seen + 1
  }

  /** True once the last row is known. */
  get isWhole(): boolean {
    return this.#size !== undefined
  }

  /** Takes the number of rows, as it was counted. */
  setSize(size: number): void {
    if (size === this.#size) return
    this.#size = size
    this.#events.onChange()
  }

  /** The row with this number, from 0; undefined while it is not loaded. */
  at(index: number): Row | undefined {
    return this.#pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS]
  }

  /** The rows that are loaded, with their numbers, in their order. */
  *loaded(): Generator<[number, Row]> {
    for (const page of [...this.#pages.keys()].sort((a, b) => a - b))
      for (const [at, row] of (this.#pages.get(page) ?? []).entries())
        yield [page * PAGE_ROWS + at, row]
  }

  /** Loads what is not there of these rows, and gives up what has left the sight meanwhile. */
  load(first: number, last: number): void {
    const [from, to] = [Math.floor(first / PAGE_ROWS), Math.floor(last / PAGE_ROWS)]
    for (const [page, loading] of this.#loading)
      if (page < from - PAGES_NEAR || page > to + PAGES_NEAR) {
        loading.abort()
        this.#loading.delete(page)
      }
    for (let page = from; page <= to; page++) {
      const isThere = this.#pages.has(page) && !this.#stale.has(page)
      if (!isThere && !this.#loading.has(page) && page * PAGE_ROWS < this.length)
        void this.#load(page)
    }
    this.#forget((from + to) / 2)
  }

  /** Has each page asked for again when it is in sight next; until then it stays as it is. */
  renew(): void {
    for (const page of this.#pages.keys()) this.#stale.add(page)
    for (const loading of this.#loading.values()) loading.abort()
    this.#loading.clear()
    this.#cursors.clear()
  }

  /** Puts a row in the place of one that was changed. */
  replace(index: number, row: Row): void {
    const page = Math.floor(index / PAGE_ROWS)
    const rows = this.#pages.get(page)
    if (!rows) return
    this.#pages.set(page, rows.with(index % PAGE_ROWS, row))
    this.#events.onChange()
  }

  /** Stops what loads. */
  close(): void {
    for (const loading of this.#loading.values()) loading.abort()
    this.#loading.clear()
  }

  async #load(page: number): Promise<void> {
    const loading = new AbortController()
    this.#loading.set(page, loading)
    const cursor = this.#cursors.get(page)
    const place = cursor === undefined ? { Page: page + 1 } : { Cursor: cursor }
    try {
      const found = await this.#ask({ ...place, PageSize: PAGE_ROWS }, loading.signal)
      if (!loading.signal.aborted) this.#take(page, found)
    } catch (thrown) {
      if (!loading.signal.aborted) this.#events.onFault(thrown)
    } finally {
      if (this.#loading.get(page) === loading) this.#loading.delete(page)
    }
  }

  #take(page: number, { Rows, Pagination }: Schemas['TableResult']): void {
    this.#pages.set(page, Rows)
    this.#stale.delete(page)
    const seen = page * PAGE_ROWS + Rows.length
    const { NextCursor, HasNext } = Pagination
    if (HasNext && NextCursor !== null) this.#cursors.set(page + 1, NextCursor)
    if (!HasNext && (Rows.length > 0 || page === 0)) this.#size = seen
    else if (this.#size !== undefined && HasNext && seen >= this.#size) this.#size = undefined
    this.#seen = Math.max(this.#seen, seen)
    // Behind the end: rows went meanwhile, and the page before tells how many are left.
    if (Rows.length === 0 && page > 0) {
      this.#seen = page * PAGE_ROWS - 1
      this.#size = undefined
      this.#stale.add(page - 1)
    }
    this.#events.onChange()
  }

  /** Forgets the pages that are farthest from the sight. */
  #forget(middle: number): void {
    if (this.#pages.size <= PAGES_MAX) return
    const far = [...this.#pages.keys()].sort((a, b) => Math.abs(b - middle) - Math.abs(a - middle))
    for (const page of far.slice(0, this.#pages.size - PAGES_MAX)) {
      this.#pages.delete(page)
      this.#stale.delete(page)
    }
  }
}
