/** A connection with its statements, and the settings of each kind of connection. */
import { openMemory, openNative } from './native.ts'
import type { NativeDatabase } from './native.ts'
import { PlanShapes } from './plan-shape.ts'
import { Statement, TextStatement } from './statement.ts'

/** Statements kept a connection and form. */
const STATEMENTS_MAX = 500

const COMMON = [
  'trusted_schema=OFF',
  'cell_size_check=ON',
  'mmap_size=0',
  'recursive_triggers=ON',
  'foreign_keys=ON',
]

/**
 * The writer never waits inside SQLite for a lock, which would hold up the event loop: a busy BEGIN
 * is tried again by the queue. Each commit is synced to disk; it alone checkpoints.
 */
const WRITER = [
  ...COMMON,
  'busy_timeout=0',
  'journal_mode=WAL',
  'synchronous=FULL',
  'wal_autocheckpoint=1000',
  'journal_size_limit=67108864',
  'cache_size=-16000',
]

/** A read meets a lock only while a log is recovered. */
const READER = [
  ...COMMON,
  'busy_timeout=1000',
  'query_only=ON',
  'wal_autocheckpoint=0',
  'cache_size=-16000',
]

/** One connection. Its statements are kept: preparing is most of the price of a point read. */
export class Connection {
  readonly database: NativeDatabase
  #statements = new Generations<Statement>()
  #texts = new Generations<TextStatement>()
  #shapes: PlanShapes | undefined
  #isOpen = true

  constructor(database: NativeDatabase) {
    this.database = database
  }

  statement(sql: string): Statement {
    return (
      this.#statements.find(sql) ?? this.#statements.keep(sql, new Statement(this.database, sql))
    )
  }

  /** Whether a SELECT can never grow beyond one pass over one table; found out once. */
  isBounded(sql: string): boolean {
    return (this.#shapes ??= new PlanShapes(this.database)).isBounded(sql)
  }

  text(sql: string): TextStatement {
    return this.#texts.find(sql) ?? this.#texts.keep(sql, new TextStatement(this.database, sql))
  }

  /**
   * The next statements would displace others: where work runs off the event loop, renew it then.
   */
  get isFull(): boolean {
    return this.#statements.isFull || this.#texts.isFull
  }

  /** False too for a closed connection, of which the package must not be asked. */
  get inTransaction(): boolean {
    return this.#isOpen && this.database.inTransaction
  }

  interrupt(): void {
    if (this.#isOpen) this.database.interrupt()
  }

  /** The file is let go of when the collector has taken the last statement. */
  close(): void {
    if (this.#isOpen) this.database.close()
    this.#isOpen = false
    this.#statements = new Generations()
    this.#texts = new Generations()
    this.#shapes = undefined
  }
}

/**
 * A bounded cache of two generations: no bookkeeping on a hit. What falls out is finalized by the
 * collector, which waits for the connection, so a lane or writer is renewed instead of rotating.
 */
export class Generations<T> {
  #young = new Map<string, T>()
  #old = new Map<string, T>()

  find(key: string): T | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    return old === undefined ? undefined : this.keep(key, old)
  }

  keep(key: string, value: T): T {
    if (this.isFull) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
    return value
  }

  get isFull(): boolean {
    return this.#young.size >= STATEMENTS_MAX
  }
}

/** The connection that writes a file; there is exactly one. A file that is gone is not made. */
export const openWriter = (file: string): Connection => open(openNative(file, 'rw'), WRITER)

/** A database in memory, to be written out as a file. */
export const openScratch = (): Connection => open(openMemory(), WRITER)

/**
 * A connection that cannot write; the package heeds `mode=ro` and ignores its own option for it.
 * The reader of the serving thread keeps more pages than a lane: it answers what is asked often.
 */
export const openReader = (file: string, use: 'serving' | 'lane' = 'lane'): Connection =>
  open(openNative(file, 'ro'), use === 'serving' ? [...READER, 'cache_size=-65536'] : READER)

function open(database: NativeDatabase, pragmas: readonly string[]): Connection {
  try {
    database.exec(pragmas.map((pragma) => `PRAGMA ${pragma};`).join(' '))
  } catch (error) {
    database.close()
    throw error
  }
  return new Connection(database)
}

/**
 * A reader with temporary tables, which spill to files in the machine's temporary folder: it has a
 * place to put rows aside, and its sorts do not grow in memory.
 */
export const openSpooler = (file: string): Connection =>
  open(openNative(file, 'ro'), [...READER, 'query_only=OFF', 'temp_store=FILE'])
