/** A connection with its statements, and the settings of each kind of connection. */
import { Lru } from '../../kernel/lru.ts'
import { MB } from '../../kernel/setting.ts'
import { type NativeDatabase, openMemory, openNative } from './native.ts'
import { addClosed, estimatePrepared } from './prepared-bytes.ts'
import { Statement, TextStatement } from './statement.ts'
import { PlanShapes } from '../read/plan-shape.ts'

/** Most bytes of the cached statements of a connection: reads of rows, and of one text. */
interface StatementBytes {
  rows: number
  texts: number
}
const STATEMENT_BYTES: StatementBytes = { rows: 4 * MB, texts: 8 * MB }
const SERVING_STATEMENT_BYTES: StatementBytes = { rows: 8 * MB, texts: 16 * MB }

/** A read of rows is prepared in up to four forms, a read of one text in one or two. */
const ROWS_FORMS = 3
const TEXT_FORMS = 1

/** Bytes of a statement of some 20,000 characters: few are longer. */
const LONG_STATEMENT_BYTES = MB / 2

/** Most bytes that one statement counts for; longer ones are cached, too. */
const WEIGHT_MAX = STATEMENT_BYTES.rows / 4

const weigh = (sql: string, forms: number): number =>
  Math.min(forms * estimatePrepared(sql), WEIGHT_MAX)

const COMMON = [
  'trusted_schema=OFF',
  'cell_size_check=ON',
  'mmap_size=0',
  'recursive_triggers=ON',
  'foreign_keys=ON',
]

/** Bytes of a log that stay on the disk, to be written over. */
export const LOG_BYTES = 64 * MB

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
  `journal_size_limit=${LOG_BYTES}`,
  'cache_size=-8000',
]

/**
 * Pages in KiB that the writer keeps once work has had it alone. Rows of an import go all over an
 * index; a page that leaves the memory while it may change again is written and read once more each
 * time, the more often the larger the table is. They stay: several threads have made them, so freed
 * memory is scattered, and the process would grow with each import.
 */
const ALONE_KIB = 40_000

/** Makes the writer keep as many pages as work alone needs. */
export const keepMorePages = ({ database }: Connection): void =>
  database.exec(`PRAGMA cache_size=-${ALONE_KIB}`)

/** A read meets a lock only while a log is recovered. */
const READER = [
  ...COMMON,
  'busy_timeout=1000',
  'query_only=ON',
  'wal_autocheckpoint=0',
  'cache_size=-8000',
]

/**
 * One connection. Its statements are cached: preparing is most of the price of a point read. The
 * collector finalizes dropped ones, which waits for the connection, so a lane or a writer is
 * renewed before that.
 */
export class Connection {
  readonly database: NativeDatabase
  #statements: Lru<string, Statement>
  #texts: Lru<string, TextStatement>
  #shapes: PlanShapes | undefined
  #isOpen = true

  constructor(
    database: NativeDatabase,
    readonly statementBytes = STATEMENT_BYTES,
  ) {
    this.database = database
    this.#statements = new Lru(statementBytes.rows)
    this.#texts = new Lru(statementBytes.texts)
  }

  statement(sql: string): Statement {
    const known = this.#statements.find(sql)
    return (
      known ?? this.#statements.keep(sql, new Statement(this.database, sql), weigh(sql, ROWS_FORMS))
    )
  }

  /** Checks that a SELECT never exceeds one pass over one table; the result is cached. */
  isBounded(sql: string): boolean {
    return this.#findShapes().isBounded(sql)
  }

  /** Checks that a write changes at most one row; the result is cached. See `PlanShapes`. */
  isBoundedWrite(sql: string): boolean {
    return this.#findShapes().isBoundedWrite(sql)
  }

  #findShapes(): PlanShapes {
    return (this.#shapes ??= new PlanShapes(this.database))
  }

  text(sql: string): TextStatement {
    const known = this.#texts.find(sql)
    return (
      known ?? this.#texts.keep(sql, new TextStatement(this.database, sql), weigh(sql, TEXT_FORMS))
    )
  }

  /**
   * The next statements would displace others: where work runs off the event loop, renew it then.
   */
  get isFull(): boolean {
    return [this.#statements, this.#texts].some((each) => !each.hasRoom(LONG_STATEMENT_BYTES))
  }

  /** False too for a closed connection, of which the package must not be asked. */
  get inTransaction(): boolean {
    return this.#isOpen && this.database.inTransaction
  }

  interrupt(): void {
    if (this.#isOpen) this.database.interrupt()
  }

  /**
   * The file is let go of when the collector has taken the last statement; nearly all of the
   * memory at once.
   */
  close(): void {
    if (this.#isOpen) {
      freeKept(this.database)
      this.database.close()
      addClosed()
    }
    this.#isOpen = false
    this.#statements = new Lru(this.statementBytes.rows)
    this.#texts = new Lru(this.statementBytes.texts)
    this.#shapes = undefined
  }
}

/**
 * Frees what a connection keeps of pages and of the tables: 1.2 MB of a small model and up to its
 * bound, of which its statements leave 0.1 MB for the collector. It takes 0.2 ms.
 */
function freeKept(database: NativeDatabase): void {
  try {
    database.exec('PRAGMA writable_schema=RESET; PRAGMA shrink_memory')
  } catch {
    // A connection that a fault has broken is closed as it is.
  }
}

/**
 * The connection that writes a file; there is exactly one. A missing file is not made. One for a
 * migration makes large sorts, as of a new index, in files: they may be more than the heap's bound.
 */
export const openWriter = (file: string, isMigrating = false): Connection =>
  open(openNative(file, 'rw'), isMigrating ? [...WRITER, 'temp_store=FILE'] : WRITER)

/** A database in memory, to be written out as a file. */
export const openScratch = (): Connection => open(openMemory(), WRITER)

/**
 * Opens a connection that cannot write; the package heeds `mode=ro` and ignores its own option for
 * it. The reader of the serving thread keeps more pages than a lane: it answers frequent reads.
 */
export const openReader = (file: string, use: 'serving' | 'lane' = 'lane'): Connection =>
  use === 'serving'
    ? open(openNative(file, 'ro'), SERVING_READER, SERVING_STATEMENT_BYTES)
    : open(openNative(file, 'ro'), READER)

/**
 * Opens another program's database to be read: rules of its schema are not judged. `immutable` is
 * for a file that nobody writes.
 */
export const openForeign = (file: string, mode: 'ro' | 'immutable'): Connection =>
  open(openNative(file, mode), [...READER, 'ignore_check_constraints=ON', 'temp_store=FILE'])

/** Opens a copy of another program's database, to change its schema. */
export const openForeignCopy = (file: string): Connection =>
  open(openNative(file, 'rw'), [...COMMON, 'foreign_keys=OFF', 'ignore_check_constraints=ON'])

const SERVING_READER = [...READER, 'cache_size=-24000']

function open(
  database: NativeDatabase,
  pragmas: readonly string[],
  statementBytes?: StatementBytes,
): Connection {
  try {
    database.exec(pragmas.map((pragma) => `PRAGMA ${pragma};`).join(' '))
  } catch (error) {
    database.close()
    throw error
  }
  return new Connection(database, statementBytes)
}

/** Pragmas for rows put aside, read once in order: large pages take a third less time. */
const SPOOLED = ['temp_store=FILE', 'temp.page_size=32768']

/**
 * A reader with temporary tables, which spill to files in the machine's temporary folder: it has a
 * place to put rows aside, and its sorts do not grow in memory.
 */
export const openSpooler = (file: string): Connection =>
  open(openNative(file, 'ro'), [...READER, 'query_only=OFF', ...SPOOLED])
