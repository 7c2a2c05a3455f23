/** The end of a statement that takes too long, or too much memory. */
import type { Connection } from './connection.ts'
import { memoryLimit } from './limits.ts'

/**
 * An interrupt that meets no running statement is lost, so it is sent until the deadline is
 * stopped.
 */
const AGAIN_MS = 20
/** How often the memory of the process is looked at while a statement runs that is not quick. */
const WATCH_MS = 25

export interface Deadline {
  /** True once an interrupt was sent. */
  readonly isOver: boolean
  /** It was sent because the process has grown too much meanwhile. */
  readonly isTooLarge: boolean
  stop(): void
}

/** Interrupts the connection after `milliseconds`, until it is stopped; never when undefined. */
export function startDeadline(connection: Connection, milliseconds: number | undefined): Deadline {
  if (milliseconds === undefined) return { isOver: false, isTooLarge: false, stop: () => undefined }
  const deadline = { isOver: false, isTooLarge: false, stop: () => clearTimeout(timer) }
  const end = performance.now() + milliseconds
  let first: number | undefined
  let timer = setTimeout(look, Math.min(WATCH_MS, milliseconds))
  function look(): void {
    // Quick statements never come here, and their memory is never asked for.
    const now = process.memoryUsage.rss()
    first ??= now
    if (!deadline.isOver) deadline.isTooLarge = now - first > memoryLimit()
    const left = end - performance.now()
    if (deadline.isTooLarge || left <= 0) {
      deadline.isOver = true
      connection.interrupt()
    }
    timer = setTimeout(look, deadline.isOver ? AGAIN_MS : Math.min(WATCH_MS, Math.max(1, left)))
  }
  return deadline
}
