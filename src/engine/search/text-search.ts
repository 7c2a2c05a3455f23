/**
 * Text search in memory: the texts of a view's rows, folded, kept by company, and searched in one
 * pass; what it finds are keys. SQL judges those rows as it judges all others: company, row filter,
 * filters. What is not kept (yet), or found too often, is searched by SQL.
 *
 * Exact: a text counts only while no table under it has changed, but for rows of its own table
 * that are known to have changed, or to refer to a record that has: SQL looks at these again.
 */
import type { Follower, Store, TableChanges } from '../../store/store.ts'
import type { Hits, KeptText } from './kept-text.ts'
import { askReferring, readChanged, readText, type Unkept } from './read-text.ts'
import type { SearchedText } from './searched-text.ts'

/** More hits are quicker found by SQL, page by page in their order. */
const HITS_MAX = 20_000
/** Changed rows after which they are read again. */
const UNREAD_MAX = 64
/** Reading takes at most this share of a lane's time. */
const READING_SHARE = 0.1
/** A text that cannot be kept is tried again after so long. */
const UNFIT_MS = 5 * 60_000
const SOURCES_MAX = 2000

/** The texts of one store, the least recently searched given up first. */
export class TextSearch implements Follower {
  readonly #store: Store
  readonly #bytesMax: number
  /** In the order of their last search. */
  readonly #texts = new Map<string, KeptText>()
  /** Texts that hear of changes: those kept, and those being read. */
  readonly #following = new Set<KeptText>()
  readonly #readings = new Map<string, Promise<void>>()
  readonly #asking = new WeakMap<KeptText, Promise<boolean>>()
  readonly #notBefore = new Map<string, number>()

  /** @param bytesMax memory for all texts; 0 keeps none */
  constructor(store: Store, bytesMax: number) {
    this.#store = store
    this.#bytesMax = bytesMax
    if (bytesMax > 0) store.follow(this)
  }

  /** Bytes that the kept texts take, as they are reckoned. */
  get bytes(): number {
    return [...this.#texts.values()].reduce((sum, text) => sum + text.bytes, 0)
  }

  /**
   * The rows that have the text in them, without regard to case; undefined where SQL has to search:
   * the text is read for the next time then.
   */
  async find(source: SearchedText, sought: string): Promise<Hits | undefined> {
    // U+FFFD stands for whatever was no text.
    if (this.#bytesMax === 0 || sought.includes('\ufffd')) return undefined
    const text = this.#texts.get(source.id)
    const stamp = this.#store.stamp(source.tables)
    if (stamp === undefined) return undefined
    if (text?.stamp !== stamp) {
      if (text !== undefined) this.#giveUp(text)
      this.#read(source)
      return undefined
    }
    if (text.isAsking && !(await this.#ask(text))) return undefined
    const isCurrent = (): boolean => this.#store.stamp(source.tables) === stamp
    if (text.isSpoilt || !isCurrent()) return undefined
    this.#texts.delete(source.id)
    this.#texts.set(source.id, text)
    if (text.isWorn) this.#read(source)
    else if (text.unread > UNREAD_MAX) this.#readAgain(text)
    return text.find(sought, HITS_MAX, isCurrent)
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
    for (const text of this.#following) {
      const { own } = text.source
      if (changes !== 'all' && (own === undefined || !changes.has(own))) continue
      const keys = changes === 'all' || own === undefined ? undefined : changes.get(own)
      if (keys === undefined) this.#giveUp(text)
      else text.change(keys)
    }
    if (changes !== 'all') this.#beginReferred(changes)
  }

  #beginReferred(changes: Exclude<TableChanges, 'all'>): void {
    for (const text of this.#following) {
      for (const table of text.source.referred.keys()) {
        if (!changes.has(table)) continue
        const keys = changes.get(table)
        if (keys === undefined) this.#giveUp(text)
        else text.changeReferred(table, keys)
      }
    }
  }

  /** One asks for all who wait for the same text. */
  async #ask(text: KeptText): Promise<boolean> {
    const asking = this.#asking.get(text) ?? askReferring(this.#store, text)
    this.#asking.set(text, asking)
    const isOf = await asking.catch(() => false)
    if (this.#asking.get(text) === asking) this.#asking.delete(text)
    if (text.isSpoilt) this.#giveUp(text)
    return isOf && !text.isAsking
  }

  #giveUp(text: KeptText): void {
    text.spoil()
    this.#following.delete(text)
    if (this.#texts.get(text.source.id) === text) this.#texts.delete(text.source.id)
  }

  #read(source: SearchedText): void {
    const now = performance.now()
    if (this.#readings.has(source.id) || now < (this.#notBefore.get(source.id) ?? 0)) return
    let following: KeptText | undefined
    const follow = (text: KeptText): void => void this.#following.add((following = text))
    const bytesMax = this.#bytesMax
    this.#run(source.id, async () => {
      const result = await readText({ store: this.#store, source, follow, bytesMax }).catch(unfit)
      const took = performance.now() - now
      const rest = result === 'unfit' ? UNFIT_MS : took / READING_SHARE
      if (this.#notBefore.size >= SOURCES_MAX) this.#notBefore.clear()
      this.#notBefore.set(source.id, performance.now() + rest)
      if (typeof result !== 'string' && !result.isSpoilt) this.#keep(result)
      else if (following !== undefined) this.#following.delete(following)
    })
  }

  #readAgain(text: KeptText): void {
    this.#run(text.source.id, () => readChanged(this.#store, text).catch(ignore))
  }

  #run(id: string, work: () => Promise<unknown>): void {
    if (this.#readings.has(id)) return
    const done = work().then(() => void this.#readings.delete(id))
    this.#readings.set(id, done)
  }

  #keep(text: KeptText): void {
    const former = this.#texts.get(text.source.id)
    if (former !== undefined) this.#giveUp(former)
    this.#texts.set(text.source.id, text)
    for (const oldest of this.#texts.values()) {
      if (this.bytes <= this.#bytesMax) return
      this.#giveUp(oldest)
    }
  }
}

const unfit = (): Unkept => 'unfit'
/** The rows stay doubtful, and are read at another search. */
const ignore = (): void => undefined
