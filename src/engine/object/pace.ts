/** Work on many records on the serving thread: it lets others in between, and has an end. */
import { timedOut } from '../../store/faults.ts'

/** How long others wait for the thread at most. */
const TURN_MS = 5

/** Counts the time of one piece of work. */
export class Pace {
  readonly #limitMs: number | undefined
  readonly #start = performance.now()
  #turn = this.#start

  /** `limitMs` is `Svc:Sql:WriteTimeout`; undefined for work of the engine's own. */
  constructor(limitMs: number | undefined) {
    this.#limitMs = limitMs
  }

  /** Between two records. @throws invalid (400) that names the limit when the time is over. */
  step(): Promise<void> | undefined {
    const now = performance.now()
    if (now - this.#turn < TURN_MS) return undefined
    if (this.#limitMs !== undefined && now - this.#start > this.#limitMs) {
      throw timedOut('Svc:Sql:WriteTimeout', this.#limitMs)
    }
    return new Promise((resolve) =>
      setImmediate(() => {
        this.#turn = performance.now()
        resolve()
      }),
    )
  }
}
