/**
 * Memory of prepared statements. The package frees one when the collector takes its handle, and the
 * collector sees a handle of some bytes where SQLite keeps 50 KB or more: a server that was asked
 * 4,000 pages of different shapes had grown by 300 MB.
 */
import { MB } from '../../kernel/setting.ts'

/**
 * Bytes that SQLite keeps for each character of a text, as measured: 8 KB of a statement of 400
 * characters, 54 KB of a page of 2,400.
 */
const BYTES_A_CHARACTER = 23
const BYTES_MIN = 1024

const PREPARED_BYTES_MAX = 32 * MB

let prepared = 0

/** Bytes that SQLite keeps of a prepared text, by estimate. */
export const estimatePrepared = (sql: string): number => BYTES_MIN + sql.length * BYTES_A_CHARACTER

/** Bytes that a closed connection keeps beside its statements, as measured. */
const CLOSED_BYTES = MB / 8

/** Adds a text that is prepared. */
export const addPrepared = (sql: string): void => add(estimatePrepared(sql))

/** Adds a connection that was closed, and is let go of with its last statement. */
export const addClosed = (): void => add(CLOSED_BYTES)

/**
 * Whenever a bound is reached the collector is asked for dropped ones, of which there are few where
 * the same statements are asked again and again.
 */
function add(bytes: number): void {
  prepared += bytes
  if (prepared < PREPARED_BYTES_MAX) return
  prepared = 0
  // Beside the serving thread, in a thread of the collector's own.
  Bun.gc(false)
}
