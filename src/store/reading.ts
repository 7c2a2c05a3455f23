/** Reads of the last commit: at once on the serving thread, or in a lane. */
import { openReader } from './connection.ts'
import type { Connection } from './connection.ts'
import type { DiskState } from './disk-state.ts'
import { isStorageFault, isValueFailure, toFailure } from './faults.ts'
import { Lanes } from './lanes.ts'
import { Speeds } from './speeds.ts'
import type { SqlRead, SqlRow } from './sql.ts'
import { SnapshotReader } from './snapshot.ts'
import type { Reader, StoreCounters, TxReader } from './store.ts'

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

export interface ReaderOptions {
  lanes: number
  timeoutMs: number
  /** Of a file that is served: another one in its place is not read. */
  disk?: DiskState
}

/** A file's readers: one connection of the serving thread, and the lanes. */
export class FileReader implements Reader {
  readonly counters: StoreCounters = { reads: 0, writes: 0 }
  readonly #file: string
  readonly #disk: DiskState | undefined
  readonly #lanes: Lanes
  readonly #speeds = new Speeds()
  #quick: Connection
  /** A page that it read while the disk failed may be false, and would stay so. */
  #isQuickBroken = false

  constructor(file: string, options: ReaderOptions) {
    this.#file = file
    this.#disk = options.disk
    this.#quick = openReader(file, 'serving')
    this.#lanes = new Lanes(file, options)
  }

  text(read: SqlRead): Promise<string> {
    return this.#read(read, TEXT)
  }

  get<R extends SqlRow = SqlRow>(read: SqlRead): Promise<R | undefined> {
    return this.#read<R | undefined>(read, FIRST as Form<R | undefined>)
  }

  all<R extends SqlRow = SqlRow>(read: SqlRead): Promise<R[]> {
    return this.#read<R[]>(read, ALL as Form<R[]>)
  }

  /** See `Store`. */
  snapshot<T>(name: string, work: (reader: TxReader) => Promise<T>): Promise<T> {
    return this.#lanes.run(
      () => this.#speeds.weigh(name),
      async (connection) => {
        const start = performance.now()
        connection.database.exec('BEGIN')
        try {
          return await work(new SnapshotReader(connection, this.counters))
        } finally {
          if (connection.inTransaction) connection.database.exec('ROLLBACK')
          this.#speeds.noteLane(name, performance.now() - start)
        }
      },
    )
  }

  /** Forgets every statement, after the tables have changed. */
  renew(): void {
    this.#renewQuick()
    this.#lanes.renew()
  }

  async close(): Promise<void> {
    await this.#lanes.close()
    this.#quick.close()
  }

  #read<T>(read: SqlRead, form: Form<T>): Promise<T> {
    const { own } = read
    if (own === undefined) return this.#readOnce(read, form)
    return this.#readOnce(read, form).catch((error: unknown) => {
      if (!isValueFailure(error)) throw error
      return this.#readOnce({ ...read, sql: own(), quick: 'never' }, form)
    })
  }

  #readOnce<T>(read: SqlRead, form: Form<T>): Promise<T> {
    this.counters.reads++
    if (read.quick === 'always') return this.#atOnce(read, form)
    if (read.quick === 'earned' && this.#isEarned(read.sql)) return this.#timed(read, form)
    return this.#inLane(read, form)
  }

  /** Where its plan cannot be asked for, a lane tells why. */
  #isEarned(sql: string): boolean {
    try {
      return this.#speeds.isEarned(sql, this.#quick)
    } catch (error) {
      if (isStorageFault(error)) this.#isQuickBroken = true
      return false
    }
  }

  /** The old one stays where no other can be opened. */
  #renewQuick(): void {
    this.#disk?.requireSameFiles()
    const fresh = openReader(this.#file, 'serving')
    this.#quick.close()
    this.#quick = fresh
    this.#isQuickBroken = false
  }

  #atOnce<T>(read: SqlRead, form: Form<T>): Promise<T> {
    try {
      if (this.#isQuickBroken) this.#renewQuick()
      return Promise.resolve(form.atOnce(this.#quick, read))
    } catch (error) {
      if (isStorageFault(error)) this.#isQuickBroken = true
      return Promise.reject(toFailure(error, read.of))
    }
  }

  #timed<T>(read: SqlRead, form: Form<T>): Promise<T> {
    const start = performance.now()
    const answer = this.#atOnce(read, form)
    this.#speeds.noteQuick(read.sql, performance.now() - start)
    return answer
  }

  #inLane<T>(read: SqlRead, form: Form<T>): Promise<T> {
    return this.#lanes.run(
      () => this.#speeds.weigh(read.sql),
      async (connection) => {
        const start = performance.now()
        try {
          return await form.offLoop(connection, read)
        } finally {
          this.#speeds.noteLane(read.sql, performance.now() - start)
        }
      },
      read.of,
    )
  }
}
