/**
 * Answers that are cached until a commit touches a table under them (src/engine/README.md, Query
 * cache). Exact: a cached answer never differs from what a fresh read would give at that moment.
 *
 * 1. A read takes the stamp of its tables before it begins. The stamp is unknown while a commit
 *    that touches one of them is under way, for then a read may see either side of it.
 * 2. What it read is cached under that stamp only when the stamp is still the same at its end: no
 *    such commit has begun meanwhile, so all of it is of one state, in however many statements.
 * 3. A cached answer serves only while its tables' stamp is known and the same.
 *
 * A statement depends on its text, its values and its tables alone: the gate lets none in that asks
 * for the time or for chance, and the clock's values are bound by name.
 */
import { findReads } from '../../../kernel/charged.ts'
import { Lru } from '../../../kernel/lru.ts'
import { zoneOfSpans } from '../../../kernel/zone-spans.ts'
import { ZONE_PARAMETER } from '../../../store/read/zone-table.ts'
import {
  type SqlArg,
  type SqlArgs,
  type SqlRead,
  SqlReal,
  type SqlRow,
} from '../../../store/sql.ts'
import type { Reader, Store } from '../../../store/store.ts'
import { TextSearch } from '../../grid-search/text-search.ts'
import { INSTANTS } from '../context.ts'
import type { TableSet } from './table-set.ts'

/** The state of the tables when a read began; `stamp` is undefined while a commit is under way. */
export interface TableVersions {
  readonly tables: TableSet
  readonly stamp: number | undefined
}

interface Cached {
  tables: TableSet | undefined
  stamp: number
  text: string
}

interface Running {
  versions: TableVersions
  isExact: boolean
  answer: Promise<string>
}

/** Options for caching an answer, with its promise. */
interface AnswerOptions {
  /** `answers` by default. */
  area?: CacheArea
  /**
   * The result of `load` has these versions whatever is committed meanwhile: a snapshot that has
   * them reads it. An exact read does not wait for an answer that promises less.
   */
  isExact?: boolean
  /** See `SqlRead`. */
  isTold?: boolean | undefined
}

/** Longer answers would push out many others. */
const CHARACTERS_MAX = 256 * 1024
/** A character takes up to two bytes; a map's entry and its objects take the rest. */
const BYTES_A_CHARACTER = 2
const BYTES_AN_ENTRY = 200

const ANSWER_BYTES_MAX = 16 * 1024 * 1024

/**
 * The share of the memory that searches may have: they are cached when they are requested first.
 */
const SEARCHES_SHARE = 0.25

/** The share of the memory for badges, which everybody requests again and again. */
const BADGES_SHARE = 0.05

/**
 * `answers` are cached when they are requested twice, `searches` and `badges` at once, in memory of
 * their own.
 */
type CacheArea = 'answers' | 'searches' | 'badges'

/** The mark of an answer that was requested once: one-offs must not fill the memory. */
const REQUESTED_ONCE: Cached = { tables: undefined, stamp: -1, text: '' }

/**
 * A reader of the last commit: answers that are requested twice are cached, within a bound of
 * memory.
 */
export class QueryCache implements Reader {
  readonly #store: Store
  readonly #areas: Readonly<Record<CacheArea, Lru<string, Cached>>>
  readonly #running = new Map<string, Running>()
  /** False when `Svc:Cache:MaxBytes` is 0: every answer is read. */
  readonly isEnabled: boolean
  /** `Svc:Results:MaxBytes`: most bytes of one answer. */
  readonly answerBytesMax: number
  /** Answers of the cache, or shared with one being read; and those that were read */
  hits = 0
  misses = 0
  /** The search in memory, within a bound of its own. */
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
    const searches = new Lru<string, Cached>(bytesMax * SEARCHES_SHARE)
    const badges = new Lru<string, Cached>(bytesMax * BADGES_SHARE)
    const answers = new Lru<string, Cached>(() => bytesMax - searches.weight - badges.weight)
    this.#areas = { answers, searches, badges }
    this.isEnabled = bytesMax > 0
  }

  /** Bytes that the cached answers take, as they are reckoned. */
  get bytes(): number {
    const { answers, searches, badges } = this.#areas
    return answers.weight + searches.weight + badges.weight
  }

  /** The versions of the tables now: to be taken before anything of an answer is read. */
  versionsOf(tables: TableSet): TableVersions {
    return { tables, stamp: this.#store.stamp(tables) }
  }

  /**
   * Tells whether the tables still have these versions: all reads since then are of one state.
   */
  holds({ tables, stamp }: TableVersions): boolean {
    return stamp !== undefined && this.#store.stamp(tables) === stamp
  }

  /**
   * A statement's text; cached by its own text and values when the versions of its tables are
   * given.
   */
  text(read: SqlRead, versions?: TableVersions): Promise<string> {
    const load = (): Promise<string> => this.#store.text(read)
    if (versions === undefined || read.runs === 'inline') return load()
    return this.answer(this.keyOf(read), versions, load, { isTold: read.isTold })
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

  /** The cache key of a statement's answer; undefined where it is not worth caching. */
  keyOf(read: SqlRead): string | undefined {
    return this.isEnabled ? keyOf(read) : undefined
  }

  /** Tells whether the answer is cached or being read already, so that it costs no read. */
  isAtHand(read: SqlRead, versions: TableVersions): boolean {
    const key = this.keyOf(read)
    if (key === undefined || versions.stamp === undefined) return false
    const cached = this.#areas.answers.find(key)
    const running = this.#running.get(key)
    return (
      (cached !== undefined && isOf(cached, versions)) ||
      (running !== undefined && !running.isExact && isOf(running.versions, versions))
    )
  }

  /**
   * An answer by its key, which says all that it depends on but its tables. `load` may read in many
   * steps; its result must be of one state whenever `holds(versions)` is true at its end.
   */
  answer(
    key: string | undefined,
    versions: TableVersions,
    load: () => Promise<string>,
    { area = 'answers', isExact = false, isTold = false }: AnswerOptions = {},
  ): Promise<string> {
    if (key === undefined || versions.stamp === undefined) return load()
    if (!isTold) findReads()?.noteTables(versions.tables)
    const cached = this.#areas[area].find(key)
    if (cached === undefined && area === 'answers') {
      this.misses++
      this.#areas.answers.keep(key, REQUESTED_ONCE, weigh(key, ''))
      return load()
    }
    if (cached !== undefined && isOf(cached, versions)) {
      this.hits++
      return Promise.resolve(cached.text)
    }
    const running = this.#running.get(key)
    if (running?.isExact === isExact && isOf(running.versions, versions)) {
      this.hits++
      return running.answer
    }
    this.misses++
    const answer = load().then((text) => {
      if (this.holds(versions)) this.#keep(area, key, versions, text)
      return text
    })
    return this.#share(key, { versions, isExact, answer })
  }

  /** Shares a running read's answer until it ends or its tables change. */
  #share(key: string, { answer, ...run }: Running): Promise<string> {
    const finish = (): void => {
      if (this.#running.get(key) === running) this.#running.delete(key)
    }
    const running: Running = { ...run, answer: answer.finally(finish) }
    this.#running.set(key, running)
    return running.answer
  }

  #keep(area: CacheArea, key: string, { tables, stamp }: TableVersions, text: string): void {
    if (stamp === undefined || text.length > CHARACTERS_MAX) return
    this.#areas[area].keep(key, { tables, stamp, text }, weigh(key, text))
  }
}

const isOf = (
  cached: { tables: TableSet | undefined; stamp: number | undefined },
  now: TableVersions,
) => cached.stamp === now.stamp && cached.tables === now.tables

const weigh = (key: string, text: string): number =>
  BYTES_AN_ENTRY + BYTES_A_CHARACTER * (key.length + text.length)

const KEY_CHARACTERS_MAX = 4000

/** Tells whether a statement takes the instant of its request. */
export const namesInstant = (args: SqlArgs): boolean => {
  for (const name in args) if (INSTANTS.has(name)) return true
  return false
}

/** The cache key of a statement with its values; undefined if a repeat is not expected. */
export function keyOf({ sql, args }: SqlRead): string | undefined {
  const text = findText(sql)
  const values = planValues(text, args)
  if (values === undefined || values.length > KEY_CHARACTERS_MAX) return undefined
  return `${text.number}${values}`
}

/** Every name that the text may have, with its value: no two lists of values give one key. */
function planValues(text: KnownText, args: SqlArgs): string | undefined {
  let values = ''
  for (const name in args) {
    if (!mayName(text, name)) continue
    const value = INSTANTS.has(name) ? undefined : planValue(shortenArg(name, args[name]))
    if (value === undefined) return undefined
    values += `;${name}=${value}`
  }
  return values
}

/** The spans of a zone are long, and its name says them all. */
const shortenArg = (name: string, arg: SqlArg | undefined): SqlArg | undefined =>
  name === ZONE_PARAMETER && typeof arg === 'string' ? zoneOfSpans(arg) : arg

function planValue(value: SqlArg | undefined): string | undefined {
  switch (typeof value) {
    case 'string':
      return `s${value.length}:${value}`
    case 'number':
      return `n${plainNumber(value)}`
    case 'bigint':
      return `i${value}`
    default:
      if (value === null || value === undefined) return ''
      return value instanceof SqlReal ? `r${plainNumber(value.value)}` : undefined
  }
}

const plainNumber = (value: number): string => (Object.is(value, -0) ? '-0' : String(value))

interface KnownText {
  sql: string
  /** No two texts ever have the same one; a text that was forgotten gets a new one. */
  number: number
  /** Names looked up, true for those in the text: more is bound than a statement names. */
  names: Map<string, boolean>
}

const TEXTS_MAX = 1000
const texts = new Lru<string, KnownText>(TEXTS_MAX)
let next = 0

const findText = (sql: string): KnownText =>
  texts.find(sql) ?? texts.keep(sql, { sql, number: ++next, names: new Map() })

function mayName({ sql, names }: KnownText, name: string): boolean {
  const known = names.get(name)
  if (known !== undefined) return known
  const isNamed = sql.includes(`@${name}`)
  names.set(name, isNamed)
  return isNamed
}
