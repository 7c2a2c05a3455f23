/** Reads of the last commit: at once on the serving thread, or in a lane. */
import { findReads } from '../../kernel/charged.ts'
import { type Connection, openReader } from '../connection/connection.ts'
import { isInterrupt, isOutOfMemory, isStorageFault, retryOwn, toFailure } from '../faults.ts'
import type { LaneFigures } from '../figures.ts'
import type { DiskState } from '../file/disk-state.ts'
import { type LaneOptions, Lanes, type Weight } from './lanes.ts'
import { askPlan, QueryStats } from './query-stats.ts'
import { SharedRead } from './shared-read.ts'
import type { SqlArgs, SqlRead, SqlRow } from '../sql.ts'
import { traceStatement } from '../statement-spans.ts'
import type { Reader, StoreCounters } from '../store.ts'

/** The three forms of a read, each in both ways of running it. */
interface Form<T> {
  atOnce: (connection: Connection, read: SqlRead) => T
  offLoop: (connection: Connection, read: SqlRead) => Promise<T>
}

const TEXT: Form<string> = {
  atOnce: (connection, read) => connection.text(read.sql).get(read.args),
  offLoop: (connection, read) => connection.text(read.sql).getOffLoop(read.args),
}
const FIRST: Form<SqlRow | undefined> = {
  atOnce: (connection, read) => connection.statement(read.sql).get(read.args),
  offLoop: (connection, read) => connection.statement(read.sql).getOffLoop(read.args),
}
const ALL: Form<SqlRow[]> = {
  atOnce: (connection, read) => connection.statement(read.sql).all(read.args),
  offLoop: (connection, read) => connection.statement(read.sql).allOffLoop(read.args),
}

interface ReaderOptions {
  lanes: number
  timeoutMs: number
  /** State of a file that is served: another file in its place is not read. */
  disk?: DiskState
}

const toRead = (read: SqlRead | string, args: SqlArgs = {}): SqlRead =>
  typeof read === 'string' ? { sql: read, args, runs: 'inline' } : read

const FIRST_READ = 'SELECT count(*) FROM (SELECT 1 FROM sqlite_schema LIMIT 1)'

/** Notes a statement whose rows the current work may show. */
function noteShown({ sql, isTold }: SqlRead): void {
  if (isTold !== true) findReads()?.noteStatement(sql)
}

/** A file's readers: one connection of the serving thread, the lanes, and one in the background. */
export class FileReader implements Reader {
  readonly counters: StoreCounters = { reads: 0, writes: 0 }
  readonly #file: string
  readonly #disk: DiskState | undefined
  readonly #timeoutMs: number
  readonly #lanes: Lanes
  /** Opened with the first work for it. */
  #background: Lanes | undefined
  readonly #stats = new QueryStats()
  #inline: Connection
  #shared: SharedRead
  #isSharing = false
  /** A page that it read while the disk failed may be false, and would stay so. */
  #isInlineBroken = false

  constructor(file: string, options: ReaderOptions) {
    this.#file = file
    this.#disk = options.disk
    this.#timeoutMs = options.timeoutMs
    this.#inline = openReader(file, 'serving')
    this.#shared = this.#shareReads(this.#inline)
    this.#lanes = new Lanes(file, options)
  }

  text(read: SqlRead): Promise<string> {
    return this.#read(read, TEXT)
  }

  get<R extends SqlRow = SqlRow>(read: SqlRead | string, args?: SqlArgs): Promise<R | undefined> {
    return this.#read<R | undefined>(toRead(read, args), FIRST as Form<R | undefined>)
  }

  all<R extends SqlRow = SqlRow>(read: SqlRead | string, args?: SqlArgs): Promise<R[]> {
    return this.#read<R[]>(toRead(read, args), ALL as Form<R[]>)
  }

  /** See `Store`. */
  snapshot<T>(
    name: string,
    work: (reader: Reader) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const read = (connection: Connection): Promise<T> =>
      work(new SnapshotReader(connection, this.counters))
    return this.#inTransaction(name, read, { signal })
  }

  /** Its lanes at this moment. */
  get laneFigures(): LaneFigures {
    return this.#lanes.figures
  }

  /** See `Store`. */
  get freeLanes(): number {
    return this.#lanes.free
  }

  /** See `Store`. */
  textOfNow(plan: () => SqlRead, about: Pick<SqlRead, 'of'> & { name: string }): Promise<string> {
    this.counters.reads++
    const { name, of } = about
    const work = (connection: Connection): Promise<string> => {
      const run = ({ sql, args }: SqlRead) => connection.text(sql).getOffLoop(args)
      const read = { ...plan(), of }
      noteShown(read)
      return traceStatement(read.sql, () => retryOwn(read, run))
    }
    return this.#inTransaction(name, work, { of })
  }

  #inTransaction<T>(
    name: string,
    work: (connection: Connection) => Promise<T>,
    options: LaneOptions,
  ): Promise<T> {
    return this.#lanes.run(
      () => this.#stats.weigh(name),
      async (connection) => {
        const begin = this.#stats.beginLaneRun()
        let isCutOff = false
        connection.database.exec('BEGIN')
        try {
          // The first read decides which state the transaction has.
          connection.text(FIRST_READ).get({})
          return await work(connection)
        } catch (error) {
          isCutOff = isAtLimit(error, options)
          throw error
        } finally {
          if (connection.inTransaction) connection.database.exec('ROLLBACK')
          this.#stats.endLaneRun(name, begin, isCutOff)
        }
      },
      options,
    )
  }

  /**
   * Makes reads of the serving thread share a transaction from here on, or no longer. For a caller
   * that knows of all commits: while one is under way no shared read is open, which would keep the
   * log from the file, and none that was open before goes on behind it.
   */
  protected share(isSharing: boolean): void {
    this.#isSharing = isSharing
    if (!isSharing) this.#shared.close()
  }

  /** A write that closes the shared transaction never fails for it. */
  #shareReads(connection: Connection): SharedRead {
    return new SharedRead(connection, (error) => {
      if (connection === this.#inline) this.#isInlineBroken = true
      this.#disk?.noteRead(toFailure(error))
    })
  }

  /** Forgets every statement, after the tables have changed. */
  renew(): void {
    try {
      this.#renewInline()
    } catch (error) {
      // A commit that is through stays so: the next read opens the file again, or says why not.
      this.#isInlineBroken = true
      this.#disk?.noteRead(toFailure(error))
    }
    this.#lanes.renew()
    this.#background?.renew()
  }

  async close(): Promise<void> {
    await Promise.all([this.#lanes.close(), this.#background?.close()])
    this.share(false)
    this.#inline.close()
  }

  #read<T>(read: SqlRead, form: Form<T>): Promise<T> {
    noteShown(read)
    return traceStatement(read.sql, () => retryOwn(read, (each) => this.#readOnce(each, form)))
  }

  #readOnce<T>(read: SqlRead, form: Form<T>): Promise<T> {
    this.counters.reads++
    if (read.runs === 'inline') return this.#atOnce(read, form)
    if (read.runs === 'measured' && this.#isInlineAllowed(read.sql)) return this.#timed(read, form)
    if (read.runs === 'background') return this.#inBackground(read, form)
    return this.#inLane(read, form)
  }

  /** Reads for work that no request waits for; its times say nothing about the statement. */
  #inBackground<T>(read: SqlRead, form: Form<T>): Promise<T> {
    this.#background ??= new Lanes(this.#file, {
      lanes: 1,
      timeoutMs: this.#timeoutMs,
      ...(this.#disk && { disk: this.#disk }),
    })
    const isLight = (): Weight => 'light'
    return this.#background.run(isLight, (connection) => form.offLoop(connection, read), read)
  }

  #isInlineAllowed(sql: string): boolean {
    const isAllowed = (): boolean => this.#stats.isInlineAllowed(sql, this.#inline)
    return askPlan(isAllowed, (error) => {
      if (isStorageFault(error)) this.#isInlineBroken = true
    })
  }

  /** The old one stays where no other can be opened. */
  #renewInline(): void {
    this.#disk?.requireSameFiles()
    const fresh = openReader(this.#file, 'serving')
    this.#shared.close()
    this.#inline.close()
    this.#inline = fresh
    this.#shared = this.#shareReads(fresh)
    this.#isInlineBroken = false
  }

  #atOnce<T>(read: SqlRead, form: Form<T>): Promise<T> {
    try {
      if (this.#isInlineBroken) this.#renewInline()
      if (this.#isSharing) this.#shared.open()
      return Promise.resolve(form.atOnce(this.#inline, read))
    } catch (error) {
      // An inline read needs little memory and finds none because of reads in lanes.
      if (isOutOfMemory(error)) return this.#inLane(read, form)
      if (isStorageFault(error)) {
        this.#isInlineBroken = true
        this.#disk?.noteRead(error)
      }
      return Promise.reject(toFailure(error, read.of))
    }
  }

  #timed<T>(read: SqlRead, form: Form<T>): Promise<T> {
    const begin = this.#stats.beginInlineRun(read.sql)
    const answer = this.#atOnce(read, form)
    this.#stats.endInlineRun(read.sql, begin)
    return answer
  }

  #inLane<T>(read: SqlRead, form: Form<T>): Promise<T> {
    return this.#lanes.run(
      () => this.#stats.weigh(read.sql),
      async (connection) => {
        const begin = this.#stats.beginLaneRun()
        let isCutOff = false
        try {
          return await form.offLoop(connection, read)
        } catch (error) {
          isCutOff = isAtLimit(error, read)
          throw error
        } finally {
          this.#stats.endLaneRun(read.sql, begin, isCutOff)
        }
      },
      read,
    )
  }
}

/** Tells whether a limit has cut a read off, and not its caller. */
const isAtLimit = (error: unknown, { signal }: Pick<LaneOptions, 'signal'>): boolean =>
  isInterrupt(error) && signal?.aborted !== true

/**
 * Reads of one state of the data, in a transaction of a lane: every statement runs off the event
 * loop, one after another.
 */
class SnapshotReader implements Reader {
  readonly #connection: Connection
  readonly #counters: StoreCounters

  constructor(connection: Connection, counters: StoreCounters) {
    this.#connection = connection
    this.#counters = counters
  }

  text(read: SqlRead): Promise<string> {
    return this.#read(read, TEXT)
  }

  get<R extends SqlRow = SqlRow>(read: SqlRead | string, args?: SqlArgs): Promise<R | undefined> {
    return this.#read<R | undefined>(toRead(read, args), FIRST as Form<R | undefined>)
  }

  all<R extends SqlRow = SqlRow>(read: SqlRead | string, args?: SqlArgs): Promise<R[]> {
    return this.#read<R[]>(toRead(read, args), ALL as Form<R[]>)
  }

  #read<T>(read: SqlRead, form: Form<T>): Promise<T> {
    noteShown(read)
    return traceStatement(read.sql, () => retryOwn(read, (each) => this.#readOnce(each, form)))
  }

  /** An interrupt stays what it is: the lane knows whether its deadline was over. */
  async #readOnce<T>(read: SqlRead, form: Form<T>): Promise<T> {
    this.#counters.reads++
    try {
      return await form.offLoop(this.#connection, read)
    } catch (error) {
      throw isInterrupt(error) ? error : toFailure(error, read.of)
    }
  }
}
