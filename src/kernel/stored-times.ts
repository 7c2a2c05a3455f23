/**
 * Stored times and the clock. A clock that was ahead for a while leaves times behind that lie
 * further ahead than they ever could: a window that has not begun, a wait of a year. Each part
 * declares the times that it stores; times that lie too far ahead are planned again
 * (src/store/README.md, Times that lie ahead).
 */
import type { Settings } from './settings.ts'

/** A column of the engine's that holds an instant, and how far ahead of the clock it may lie. */
export interface StoredTime {
  readonly in: 'engine.db' | 'state.db'
  readonly table: string
  readonly column: string
  /** Milliseconds: its own period. What has happened lies nowhere ahead: 0. */
  readonly aheadMs: number | ((settings: Settings) => number)
  /**
   * SQL of the instant at which the row was written, which lies ahead, too, where its clock was
   * wrong. Then times are moved back by how far that lies ahead.
   */
  readonly since?: string
  /** Further columns of the row that are moved back by as much. */
  readonly with?: readonly string[]
  /** SQL of the rows that it is about, without it all. */
  readonly where?: string
  /** The row goes: it counts what happened in a window that has not begun. */
  readonly isForgotten?: true
}

/** A clock that is set is off by more; one that is kept right by the system by less. */
export const CLOCK_STEP_MS = 1000

/**
 * Checks that a period that began at `since` has ended, all in milliseconds. One that begins ahead
 * of the clock has: a clock that was set back has begun it.
 */
export const isOver = (since: number, periodMs: number, now: number): boolean =>
  now - since >= periodMs || since > now + CLOCK_STEP_MS
