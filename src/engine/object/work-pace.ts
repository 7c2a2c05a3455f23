/** Work on many records in the transaction of a request: others come in between, and it ends. */
import { Yielder } from '../../kernel/yielder.ts'
import { timedOut } from '../../store/faults.ts'
import { SQL } from '../../store/floor.ts'

/** Counts the time of one piece of work. */
export class WorkPace {
  readonly #limitMs: number | undefined
  readonly #start = performance.now()
  readonly #pacing = new Yielder()

  /** `limitMs` is `Svc:Sql:WriteTimeout`; undefined for work of the engine's own. */
  constructor(limitMs: number | undefined) {
    this.#limitMs = limitMs
  }

  /** Yields between two records. @throws invalid (400) that names the limit it has passed. */
  yieldWhenDue(): Promise<void> | undefined {
    const limit = this.#limitMs
    const turn = this.#pacing.yieldWhenDue()
    if (turn && limit !== undefined && performance.now() - this.#start > limit) {
      throw timedOut(SQL.writeTimeout.name, limit)
    }
    return turn
  }
}
