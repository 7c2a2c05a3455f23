/** The end of a statement that takes too long. */
import type { Connection } from './connection.ts'

/**
 * An interrupt that meets no running statement is lost, so it is sent until the deadline is
 * stopped.
 */
const AGAIN_MS = 20

export interface Deadline {
  /** True once an interrupt was sent. */
  readonly isOver: boolean
  stop(): void
}

/** Interrupts the connection after `milliseconds`, until it is stopped; never when undefined. */
export function startDeadline(connection: Connection, milliseconds: number | undefined): Deadline {
  if (milliseconds === undefined) return { isOver: false, stop: () => undefined }
  const deadline = { isOver: false, stop: () => clearTimeout(timer) }
  let timer = setTimeout(function end() {
    deadline.isOver = true
    connection.interrupt()
    timer = setTimeout(end, AGAIN_MS)
  }, milliseconds)
  return deadline
}
