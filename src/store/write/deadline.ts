/** The one deadline of all authored statements of a transaction: others wait for them together. */
import type { Connection } from '../connection/connection.ts'
import { type Deadline, startDeadline } from '../connection/deadline.ts'
import { timedOut, tooMuchMemory } from '../faults.ts'
import { SQL } from '../floor.ts'

/** Counts what statements take, and ends the one that takes too long. */
export class WriteDeadline {
  readonly #limitMs: number | undefined
  readonly #isEach: boolean
  #spentMs = 0

  /**
   * @param limitMs in milliseconds; undefined: no deadline.
   * @param isEach true if each statement has the deadline for itself.
   */
  constructor(limitMs: number | undefined, isEach: boolean) {
    this.#limitMs = limitMs
    this.#isEach = isEach
  }

  /** True if a statement may run on the serving thread once it has shown that it needs no end. */
  get mayBeSpared(): boolean {
    return this.#limitMs !== undefined && !this.#isEach
  }

  /** Runs a statement off the event loop. @throws Failure where nothing is left of the time. */
  async run<T>(connection: Connection, statement: (deadline: Deadline) => Promise<T>): Promise<T> {
    const start = performance.now()
    const deadline = startDeadline(connection, this.#left())
    try {
      return await statement(deadline)
    } finally {
      deadline.stop()
      if (!this.#isEach) this.#spentMs += performance.now() - start
    }
  }

  /** Explains why a statement was interrupted. */
  explain({ isTooLarge, hadCompany }: Pick<Deadline, 'isTooLarge' | 'hadCompany'>): unknown {
    return isTooLarge
      ? tooMuchMemory(hadCompany)
      : timedOut(SQL.writeTimeout.name, this.#limitMs ?? 0)
  }

  #left(): number | undefined {
    const limit = this.#limitMs
    if (limit !== undefined && this.#spentMs >= limit) throw timedOut(SQL.writeTimeout.name, limit)
    return limit === undefined ? undefined : Math.ceil(limit - this.#spentMs)
  }
}
