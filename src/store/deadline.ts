/** The end of a statement that takes too long, or too much memory. */
import type { Connection } from './connection.ts'
import { memoryLimit } from './limits.ts'

/**
 * An interrupt that meets no running statement is lost, so it is sent until the deadline is
 * stopped.
 */
const AGAIN_MS = 20
/** How often the memory of the process is looked at while a statement runs off the event loop. */
const WATCH_MS = 25

export interface Deadline {
  /** True once an interrupt was sent. */
  readonly isOver: boolean
  /** It was sent because the process has grown too much meanwhile. */
  readonly isTooLarge: boolean
  /** Who asked for the statement has ended it. */
  readonly isCancelled: boolean
  stop(): void
}

const NO_DEADLINE: Deadline = {
  isOver: false,
  isTooLarge: false,
  isCancelled: false,
  stop: () => undefined,
}

/**
 * Interrupts the connection after `milliseconds` or at once when `signal` aborts, until it is
 * stopped; never when `milliseconds` is undefined.
 */
export function startDeadline(
  connection: Connection,
  milliseconds: number | undefined,
  signal?: AbortSignal,
): Deadline {
  if (milliseconds === undefined) return NO_DEADLINE
  const deadline = { isOver: false, isTooLarge: false, isCancelled: false, stop }
  const end = performance.now() + milliseconds
  let first: number | undefined
  let timer = setTimeout(look, Math.min(WATCH_MS, milliseconds))
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted) cancel()
  function stop(): void {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
  function cancel(): void {
    if (deadline.isOver) return
    deadline.isCancelled = true
    deadline.isOver = true
    clearTimeout(timer)
    interrupt()
  }
  function interrupt(): void {
    connection.interrupt()
    timer = setTimeout(interrupt, AGAIN_MS)
  }
  function look(): void {
    // Statements that run inline never come here, and their memory is never asked for.
    const now = process.memoryUsage.rss()
    first ??= now
    deadline.isTooLarge = now - first > memoryLimit()
    const left = end - performance.now()
    deadline.isOver = deadline.isTooLarge || left <= 0
    if (deadline.isOver) interrupt()
    else timer = setTimeout(look, Math.min(WATCH_MS, Math.max(1, left)))
  }
  return deadline
}
