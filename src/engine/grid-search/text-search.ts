/**
 * Text search in memory: the texts of a view's rows, folded, in an index by company that is
 * searched in one pass; what it finds are keys. SQL judges those rows as it judges all others:
 * company, row filter, filters. What is not read yet is searched by SQL.
 *
 * Exact: an index counts only while no table under it has changed, but for rows of its own table
 * that are known to have changed, or to refer to a record that has: SQL looks at these again.
 */
import { Lru } from '../../kernel/lru.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import type { Follower, Store, TableChanges } from '../../store/store.ts'
import { askReferring, mayRead, readChanged, type ReadEnd, readText } from './read-text.ts'
import type { SearchedText } from './searched-text.ts'
import { type FindNow, type Matches, TextIndex } from './text-index.ts'

/** Changed rows after which they are read again. */
const UNREAD_MAX = 64
/** Reading again takes at most this share of the background's time. */
const READING_SHARE = 0.1
/** Texts that cannot be kept are tried again after so long. */
const UNFIT_MS = 5 * 60_000
const SOURCES_MAX = 2000
/** Searches at a time that read rows beside an index in the making, which needs a share. */
const PASSES_MAX = 2
const PASSES_WAITING_MAX = 2000
/** Share of the memory that reading leaves to notes of changes. */
const NOTES_SHARE = 0.1
/** An index without room for all rows continues once this share of the memory is free. */
const FREE_SHARE = 0.2

/** The text indexes of one store, the least recently searched given up first. */
export class TextSearch implements Follower {
  readonly #store: Store
  readonly #bytesMax: number
  /** Indexes in the order of their last search; some are still being read. */
  readonly #indexes = new Map<string, TextIndex>()
  /** Indexes that get changes: the ones in use, and the ones that will replace them. */
  readonly #following = new Set<TextIndex>()
  readonly #readings = new Map<string, Promise<void>>()
  readonly #asking = new WeakMap<TextIndex, Promise<boolean>>()
  readonly #notBefore = new Lru<string, number>(SOURCES_MAX)
  /** Holds searches that have to read rows until an index is read. */
  readonly passes = new Semaphore(PASSES_MAX, { waitingMax: PASSES_WAITING_MAX })

  /** @param bytesMax memory for all indexes; 0 keeps none */
  constructor(store: Store, bytesMax: number) {
    this.#store = store
    this.#bytesMax = bytesMax
    if (bytesMax > 0) store.follow(this)
  }

  /** True when any index may be kept. */
  get isOpen(): boolean {
    return this.#bytesMax > 0
  }

  /** Bytes that the indexes take, as they are reckoned. */
  get bytes(): number {
    let sum = 0
    for (const index of this.#following) sum += index.bytes
    return sum
  }

  /** The rows that have the text in them at this moment; see `scan`. */
  async find(source: SearchedText, searchText: string): Promise<Matches | undefined> {
    return (await this.scan(source, searchText))?.()
  }

  /**
   * Looks for a text, without regard to case, in the texts read so far. Resolves to a function that
   * tells, at any later moment, the rows that have the text then. Undefined where SQL has to search
   * all rows. Texts not read yet are read for the next time.
   */
  async scan(source: SearchedText, searchText: string): Promise<FindNow> {
    // U+FFFD replaces anything that was not text.
    if (this.#bytesMax === 0 || searchText.includes('\ufffd')) return undefined
    const index = this.#findIndex(source)
    if (index === undefined) return undefined
    if (index.isAsking && !(await this.#ask(index))) return undefined
    this.#holdBound()
    const isCurrent = (): boolean => this.#store.stamp(source.tables) === index.stamp
    if (index.isAbandoned || !isCurrent()) return undefined
    this.#indexes.delete(source.id)
    this.#indexes.set(source.id, index)
    this.#keepCurrent(index)
    return index.scan(searchText, isCurrent)
  }

  #findIndex(source: SearchedText): TextIndex | undefined {
    const index = this.#indexes.get(source.id)
    const stamp = this.#store.stamp(source.tables)
    if (stamp === undefined) return undefined
    if (index?.stamp === stamp && !index.isAbandoned) return index
    if (index !== undefined) this.#giveUp(index)
    this.#read(source, stamp)
    return undefined
  }

  #keepCurrent(index: TextIndex): void {
    const isTight = this.bytes > this.#bytesMax * (1 - FREE_SHARE)
    if (index.isWorn) this.#read(index.source, index.stamp)
    else if (!index.isWhole && !isTight) this.#readOn(index)
    if (index.unread > UNREAD_MAX) this.#readAgain(index)
  }

  /** Resolves when nothing is being read. */
  async settled(): Promise<void> {
    while (this.#readings.size > 0) await Promise.all(this.#readings.values())
  }

  follows(table: string): boolean {
    for (const { source } of this.#following) {
      if (source.own === table || source.referred.has(table)) return true
    }
    return false
  }

  begin(changes: TableChanges): void {
    for (const index of this.#following) {
      const { own } = index.source
      if (changes !== 'all' && (own === undefined || !changes.has(own))) continue
      const keys = changes === 'all' || own === undefined ? undefined : changes.get(own)
      if (keys === undefined) this.#giveUp(index)
      else index.change(keys)
    }
    if (changes !== 'all') this.#beginReferred(changes)
    this.#holdBound()
  }

  #beginReferred(changes: Exclude<TableChanges, 'all'>): void {
    for (const index of this.#following) {
      for (const table of index.source.referred.keys()) {
        if (!changes.has(table)) continue
        const keys = changes.get(table)
        if (keys === undefined) this.#giveUp(index)
        else index.changeReferred(table, keys)
      }
    }
  }

  /** Looks up once for all callers that wait for the same index. */
  async #ask(index: TextIndex): Promise<boolean> {
    const asking = this.#asking.get(index) ?? askReferring(this.#store, index)
    this.#asking.set(index, asking)
    const isOf = await asking.catch(() => false)
    if (this.#asking.get(index) === asking) this.#asking.delete(index)
    if (index.isAbandoned) this.#giveUp(index)
    return isOf && !index.isAsking
  }

  #giveUp(index: TextIndex): void {
    index.abandon()
    this.#following.delete(index)
    if (this.#indexes.get(index.source.id) === index) this.#indexes.delete(index.source.id)
  }

  /** Reads an index from the first row on; one that is in use stays so until it is replaced. */
  #read(source: SearchedText, stamp: number): void {
    if (performance.now() < (this.#notBefore.find(source.id) ?? 0)) return
    if (this.#readings.has(source.id) || !mayRead(this.#store, source)) return
    const index = new TextIndex(source, stamp)
    this.#following.add(index)
    if (!this.#indexes.has(source.id)) this.#indexes.set(source.id, index)
    this.#readOn(index)
  }

  #readOn(index: TextIndex): void {
    const { id } = index.source
    const start = performance.now()
    this.#run(id, async () => {
      const bytesMax = this.#bytesMax * (1 - NOTES_SHARE)
      const hasRoom = (bytes: number): boolean => this.#makeRoom(index, bytesMax - bytes)
      const end = await readText(this.#store, index, hasRoom).catch((): ReadEnd => 'unfit')
      const rest = end === 'unfit' ? UNFIT_MS : (performance.now() - start) / READING_SHARE
      this.#notBefore.keep(id, performance.now() + rest)
      if (end === 'changed' || end === 'unfit' || index.isAbandoned) this.#giveUp(index)
      else this.#use(index, end)
    })
  }

  #use(index: TextIndex, end: ReadEnd): void {
    index.isWhole = end === 'whole'
    const former = this.#indexes.get(index.source.id)
    if (former !== index) {
      if (former !== undefined) this.#giveUp(former)
      this.#indexes.set(index.source.id, index)
    }
  }

  #readAgain(index: TextIndex): void {
    this.#run(`${index.source.id} again`, async () => {
      // Rows that fail to be read stay unsure, and are read at another search.
      await readChanged(this.#store, index).catch(() => undefined)
      this.#holdBound()
    })
  }

  #run(name: string, work: () => Promise<unknown>): void {
    if (this.#readings.has(name)) return
    const done = work().then(() => void this.#readings.delete(name))
    this.#readings.set(name, done)
  }

  /** Keeps the indexes within their bound: notes of changes take memory, too. */
  #holdBound(): void {
    for (const oldest of this.#indexes.values()) {
      if (this.bytes <= this.#bytesMax) return
      this.#giveUp(oldest)
    }
  }

  /** Gives up other indexes until all take at most this memory; false where that is not enough. */
  #makeRoom(index: TextIndex, bytesMax: number): boolean {
    for (const oldest of this.#indexes.values()) {
      if (this.bytes <= bytesMax) return true
      if (oldest !== index) this.#giveUp(oldest)
    }
    if (!this.#indexes.has(index.source.id)) this.#indexes.set(index.source.id, index)
    return this.bytes <= bytesMax
  }
}
