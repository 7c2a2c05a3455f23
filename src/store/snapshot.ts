/** Reads of one state of the data: a transaction of a connection that cannot write. */
import type { Connection } from './connection.ts'
import { isInterrupt, isValueFailure, toFailure } from './faults.ts'
import type { SqlArgs, SqlRead, SqlRow } from './sql.ts'
import type { Reader, StoreCounters } from './store.ts'
import { toFirstText } from './values.ts'

/** Every statement runs off the event loop, one after another. */
export class SnapshotReader implements Reader {
  readonly #connection: Connection
  readonly #counters: StoreCounters

  constructor(connection: Connection, counters: StoreCounters) {
    this.#connection = connection
    this.#counters = counters
  }

  async text(read: SqlRead): Promise<string> {
    return toFirstText(await this.get(read))
  }

  async get<R extends SqlRow = SqlRow>(
    read: SqlRead | string,
    args?: SqlArgs,
  ): Promise<R | undefined> {
    return (await this.all<R>(read, args))[0]
  }

  async all<R extends SqlRow = SqlRow>(read: SqlRead | string, args: SqlArgs = {}): Promise<R[]> {
    if (typeof read === 'string') return this.#all<R>({ sql: read, args })
    try {
      return await this.#all<R>(read)
    } catch (error) {
      if (read.own === undefined || !isValueFailure(error)) throw error
      return await this.#all<R>({ ...read, sql: read.own() })
    }
  }

  /** An interrupt is told as it is: the lane knows whether its deadline was over. */
  async #all<R extends SqlRow>({ sql, args, of }: Omit<SqlRead, 'quick'>): Promise<R[]> {
    this.#counters.reads++
    try {
      return (await this.#connection.statement(sql).allOffLoop(args)) as R[]
    } catch (error) {
      throw isInterrupt(error) ? error : toFailure(error, of)
    }
  }
}
