/**
 * SQLite's one bound for the memory of a process. A statement is watched, and ended for what it
 * takes, every few milliseconds (`deadline.ts`); in between one call of `replace` asks for a
 * gigabyte. SQLite learns at once that it does not get it: `SQLITE_NOMEM`.
 */
import { MB } from '../../kernel/setting.ts'
import { openMemory } from './native.ts'
import { memoryLimit } from '../limits.ts'

/** Least addition to the bound, in bytes: pages and statements that connections keep. */
const KEPT_BYTES = 80 * MB

/** Share of `Svc:Sql:MaxMemory` added to it, for all statements together and the kept bytes. */
const BEYOND = 1 / 6

/** Bytes that SQLite may have at a time in this process. */
export const heapBytesMax = (bytes = memoryLimit()): number =>
  Math.floor(bytes + Math.max(KEPT_BYTES, bytes * BEYOND))

/**
 * Bounds what SQLite may have in this process, for as long as it lives: a bound can be lowered, and
 * is never raised.
 */
export function boundHeap(): void {
  const database = openMemory()
  database.exec(`PRAGMA hard_heap_limit=${heapBytesMax()}`)
  database.close()
}
