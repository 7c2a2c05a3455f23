/**
 * Answers that are kept until a commit touches a table under them (src/engine/README.md, Query
 * cache). Exact: what is kept never differs from what a fresh read would give at that moment.
 *
 * 1. A read notes the stamp of its tables before it begins. The stamp is unknown while a commit
 *    that touches one of them is under way, for then a read may see either side of it.
 * 2. What it read is kept under that stamp only when the stamp is still the same at its end: no
 *    such commit has begun meanwhile, so all of it is of one state, in however many statements.
 * 3. A kept answer serves only while its tables' stamp is known and the same.
 *
 * A statement depends on its text, its values and its tables alone: the gate lets none in that asks
 * for the time or for chance, and the clock's values are bound by name.
 */
import { Lru } from '../../../kernel/lru.ts'
import type { SqlRead, SqlRow, SqlArgs } from '../../../store/sql.ts'
import type { Reader, Store } from '../../../store/store.ts'
import { TextSearch } from '../../search/text-search.ts'
import { keyOf } from './kept-key.ts'
import type { TableSet } from './table-set.ts'

/** The state of the tables when a read began; `stamp` is undefined while a commit is under way. */
export interface Noted {
  readonly tables: TableSet
  readonly stamp: number | undefined
}

interface Kept {
  tables: TableSet | undefined
  stamp: number
  text: string
}

interface Running {
  noted: Noted
  answer: Promise<string>
}

/** Longer answers would push out many others. */
const CHARACTERS_MAX = 256 * 1024
/** A character takes up to two bytes; a map's entry and its objects take the rest. */
const BYTES_A_CHARACTER = 2
const BYTES_AN_ENTRY = 200

const ANSWER_BYTES_MAX = 16 * 1024 * 1024

/** The share of the memory that searches may have: they are kept when they are asked for first. */
const SEARCHES_SHARE = 0.25

/** `answers` are kept when they are asked for twice, `searches` at once, in their own memory. */
type Keeping = 'answers' | 'searches'

/** What stands for an answer that was asked for once: one-offs must not fill the memory. */
const ASKED_ONCE: Kept = { tables: undefined, stamp: -1, text: '' }

/** A reader of the last commit that keeps what is asked for twice, within a bound of memory. */
export class KeptReader implements Reader {
  readonly #store: Store
  readonly #kept: Readonly<Record<Keeping, Lru<string, Kept>>>
  readonly #running = new Map<string, Running>()
  /** False when `Svc:Cache:MaxBytes` is 0: every answer is read. */
  readonly keeps: boolean
  /** `Svc:Results:MaxBytes`: what one answer may hold. */
  readonly answerBytesMax: number
  /** What searches in memory, within a bound of its own. */
  readonly texts: TextSearch

  constructor(
    store: Store,
    bytesMax: number,
    texts = new TextSearch(store, 0),
    answerBytesMax = ANSWER_BYTES_MAX,
  ) {
    this.#store = store
    this.answerBytesMax = answerBytesMax
    this.texts = texts
    const searches = new Lru<string, Kept>(bytesMax * SEARCHES_SHARE)
    this.#kept = { answers: new Lru(() => bytesMax - searches.weight), searches }
    this.keeps = bytesMax > 0
  }

  /** Bytes that the kept answers take, as they are reckoned. */
  get bytes(): number {
    return this.#kept.answers.weight + this.#kept.searches.weight
  }

  /** The state of the tables now: to be asked for before anything of an answer is read. */
  note(tables: TableSet): Noted {
    return { tables, stamp: this.#store.stamp(tables) }
  }

  /** Whether what was read since `noted` is of one state, the one that is still there. */
  holds({ tables, stamp }: Noted): boolean {
    return stamp !== undefined && this.#store.stamp(tables) === stamp
  }

  /** A statement's text; kept by its own text and values when the tables that it reads are told. */
  text(read: SqlRead, noted?: Noted): Promise<string> {
    const load = (): Promise<string> => this.#store.text(read)
    if (noted === undefined || read.quick === 'always') return load()
    return this.answer(this.keyOf(read), noted, load)
  }

  /** See `Store`. */
  textOfNow(plan: () => SqlRead, about: Pick<SqlRead, 'of'> & { name: string }): Promise<string> {
    return this.#store.textOfNow(plan, about)
  }

  get<R extends SqlRow = SqlRow>(read: SqlRead | string, args?: SqlArgs): Promise<R | undefined> {
    return this.#store.get<R>(read, args)
  }

  all<R extends SqlRow = SqlRow>(read: SqlRead | string, args?: SqlArgs): Promise<R[]> {
    return this.#store.all<R>(read, args)
  }

  /** What a statement's answer is kept under; undefined where it is not worth keeping. */
  keyOf(read: SqlRead): string | undefined {
    return this.keeps ? keyOf(read) : undefined
  }

  /**
   * An answer by its key, which says all that it depends on but its tables. `load` may read in many
   * steps; what it gives must be of one state whenever `holds(noted)` is true at its end.
   */
  answer(
    key: string | undefined,
    noted: Noted,
    load: () => Promise<string>,
    keeping: Keeping = 'answers',
  ): Promise<string> {
    if (key === undefined || noted.stamp === undefined) return load()
    const kept = this.#kept[keeping].find(key)
    if (kept === undefined && keeping === 'answers') {
      this.#kept.answers.keep(key, ASKED_ONCE, weigh(key, ''))
      return load()
    }
    if (kept !== undefined && isOf(kept, noted)) return Promise.resolve(kept.text)
    const running = this.#running.get(key)
    if (running !== undefined && isOf(running.noted, noted)) return running.answer
    const keep = (text: string): void => this.#keep(keeping, key, noted, text)
    return this.#loadAndKeep(key, noted, load, keep)
  }

  /** Who asks while the read runs, and before its tables change, gets the same answer. */
  #loadAndKeep(
    key: string,
    noted: Noted,
    load: () => Promise<string>,
    keep: (text: string) => void,
  ): Promise<string> {
    const finish = (): void => {
      if (this.#running.get(key) === running) this.#running.delete(key)
    }
    const answer = load()
      .then((text) => {
        if (this.holds(noted)) keep(text)
        return text
      })
      .finally(finish)
    const running: Running = { noted, answer }
    this.#running.set(key, running)
    return answer
  }

  #keep(keeping: Keeping, key: string, { tables, stamp }: Noted, text: string): void {
    if (stamp === undefined || text.length > CHARACTERS_MAX) return
    this.#kept[keeping].keep(key, { tables, stamp, text }, weigh(key, text))
  }
}

const isOf = (kept: { tables: TableSet | undefined; stamp: number | undefined }, now: Noted) =>
  kept.stamp === now.stamp && kept.tables === now.tables

const weigh = (key: string, text: string): number =>
  BYTES_AN_ENTRY + BYTES_A_CHARACTER * (key.length + text.length)
