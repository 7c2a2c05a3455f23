/** Reads of one state of the data: a transaction of a connection that cannot write. */
import type { Connection } from './connection.ts'
import { isInterrupt, isValueFailure, toFailure } from './faults.ts'
import type { Own, SqlArgs, SqlRead, SqlRow } from './sql.ts'
import type { StoreCounters, TxReader, Written } from './store.ts'

/** Every statement runs off the event loop, one after another. */
export class SnapshotReader implements TxReader {
  readonly #connection: Connection
  readonly #counters: StoreCounters

  constructor(connection: Connection, counters: StoreCounters) {
    this.#connection = connection
    this.#counters = counters
  }

  async get<R extends SqlRow = SqlRow>(sql: string, args: SqlArgs = {}): Promise<R | undefined> {
    return (await this.all<R>(sql, args))[0]
  }

  async ask<R extends SqlRow = SqlRow>(read: SqlRead): Promise<R | undefined> {
    return (await this.authored(read.sql, read.args, read.of, read.own)).rows[0] as R | undefined
  }

  all<R extends SqlRow = SqlRow>(sql: string, args: SqlArgs = {}): Promise<R[]> {
    return this.#all(sql, args, undefined) as Promise<R[]>
  }

  async authored(sql: string, args: SqlArgs = {}, of?: string, own?: Own): Promise<Written> {
    try {
      return { rows: await this.#all(sql, args, of), changes: 0 }
    } catch (error) {
      if (own === undefined || !isValueFailure(error)) throw error
      return { rows: await this.#all(own(), args, of), changes: 0 }
    }
  }

  /** An interrupt is told as it is: the lane knows whether its deadline was over. */
  async #all(sql: string, args: SqlArgs, of: string | undefined): Promise<SqlRow[]> {
    this.#counters.reads++
    try {
      return await this.#connection.statement(sql).allOffLoop(args)
    } catch (error) {
      throw isInterrupt(error) ? error : toFailure(error, of)
    }
  }
}
