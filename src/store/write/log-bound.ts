/** How much of a database's log stays on the disk once its frames are in the database. */
import { statSync } from 'node:fs'
import { MB } from '../../kernel/setting.ts'
import { type Connection, LOG_BYTES } from '../connection/connection.ts'

/** Bytes of a log that are given back to the disk at a time. */
const FREED_BYTES = 32 * MB
/** A log is measured once in this time: it grows by some MB meanwhile. */
const MEASURED_EACH_MS = 250

/**
 * The bound of a log, which SQLite cuts it to whenever it starts over. A log that a long read or a
 * large transaction has let grow comes down to it by steps: some 500 MB in one cut keep the disk
 * from commits for half a second.
 */
export class LogBound {
  readonly #log: string
  readonly #connection: Connection
  #bytes = LOG_BYTES
  #measuredAt = 0

  constructor(file: string, connection: Connection) {
    this.#log = `${file}-wal`
    this.#connection = connection
  }

  /** Sets the bound for the next time that the log starts over. */
  lower(): void {
    const now = performance.now()
    if (now - this.#measuredAt < MEASURED_EACH_MS) return
    this.#measuredAt = now
    const size = statSync(this.#log, { throwIfNoEntry: false })?.size ?? 0
    const bytes = Math.max(LOG_BYTES, size - FREED_BYTES)
    if (bytes === this.#bytes) return
    this.#connection.database.exec(`PRAGMA journal_size_limit=${bytes}`)
    this.#bytes = bytes
  }
}
