/** The end of a statement that takes too long, or too much memory. */
import { returnFreed } from '../../vendor/libsql-memory.ts'
import type { Connection } from './connection.ts'
import { memoryLimit } from '../limits.ts'

/**
 * An interrupt that meets no running statement is lost, so it is sent until the deadline is
 * stopped.
 */
const AGAIN_MS = 20
/** Milliseconds between looks at the memory of the process while a statement runs off the loop. */
const WATCH_MS = 25

export interface Deadline {
  /** True once an interrupt was sent. */
  readonly isOver: boolean
  /** True if it was sent because the process has grown too much meanwhile. */
  readonly isTooLarge: boolean
  /** True if the caller ended the statement. */
  readonly isCancelled: boolean
  /** Others ran at some time beside it, and may have taken the memory. */
  readonly hadCompany: boolean
  stop(): void
}

const NO_DEADLINE: Deadline = {
  isOver: false,
  isTooLarge: false,
  isCancelled: false,
  hadCompany: false,
  stop: () => undefined,
}

/** Deadlines of statements that run now. */
const running = new Set<{ hadCompany: boolean }>()

/** Notes that a statement begins beside all that run. */
function enter(deadline: { hadCompany: boolean }): void {
  deadline.hadCompany = running.size > 0
  if (running.size === 1) for (const other of running) other.hadCompany = true
  running.add(deadline)
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
  const flags = { isOver: false, isTooLarge: false, isCancelled: false, hadCompany: false }
  const deadline = { ...flags, stop }
  enter(deadline)
  const end = performance.now() + milliseconds
  let first: number | undefined
  let timer = setTimeout(look, Math.min(WATCH_MS, milliseconds))
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted) cancel()
  function stop(): void {
    running.delete(deadline)
    // The next statement is watched from what the process has when it begins.
    if (deadline.isTooLarge) returnFreed()
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
