/**
 * The transaction that reads of the serving thread share. A read by itself opens one and closes it,
 * for which SQLite locks and unlocks the log: 8 µs, four times what a point read takes.
 */
import type { Connection } from '../connection/connection.ts'

/** Longest that a state is held, in ms, for writes of another process, and for checkpoints. */
const HOLD_MS = 5

/** The shared read of a connection; reads open it, and the observer of a commit closes it. */
export class SharedRead {
  readonly #connection: Connection
  readonly #onFault: (error: unknown) => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #isHeld = false

  /** `onFault` is called when the transaction cannot be ended: replace the connection. */
  constructor(connection: Connection, onFault: (error: unknown) => void) {
    this.#connection = connection
    this.#onFault = onFault
  }

  /** Begins the shared state before a read: this read and the following ones see one state. */
  open(): void {
    if (this.#isHeld) return
    this.#connection.statement('BEGIN').run({})
    this.#isHeld = true
    this.#timer = setTimeout(() => this.close(), HOLD_MS)
    this.#timer.unref()
  }

  /** The next read sees the last commit. */
  close(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    clearTimeout(this.#timer)
    try {
      // A read that fails for want of memory or at the disk takes the transaction with it.
      if (this.#connection.inTransaction) this.#connection.statement('COMMIT').run({})
    } catch (error) {
      this.#onFault(error)
    }
  }
}
