/** Work on many records in the transaction of a request: others come in between, and it ends. */
import { Pacing } from '../../kernel/pacing.ts'
import { timedOut } from '../../store/faults.ts'

/** Counts the time of one piece of work. */
export class Pace {
  readonly #limitMs: number | undefined
  readonly #start = performance.now()
  readonly #pacing = new Pacing()

  /** `limitMs` is `Svc:Sql:WriteTimeout`; undefined for work of the engine's own. */
  constructor(limitMs: number | undefined) {
    this.#limitMs = limitMs
  }

  /** Between two records. @throws invalid (400) that names the limit when the time is over. */
  step(): Promise<void> | undefined {
    const limit = this.#limitMs
    const turn = this.#pacing.step()
    if (turn && limit !== undefined && performance.now() - this.#start > limit) {
      throw timedOut('Svc:Sql:WriteTimeout', limit)
    }
    return turn
  }
}
