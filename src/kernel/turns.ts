/** Work of which only so much is done at a time; the rest waits its turn. */
import { unavailable } from './failure.ts'
import { say } from './messages.ts'

const WAITING_MAX = 100
const RETRY_SECONDS = 10

/** So many works at a time; those that wait are served in the order of asking. */
export class Turns {
  readonly #max: number
  readonly #waitingMax: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** @param waitingMax more are refused */
  constructor(max: number, waitingMax = WAITING_MAX) {
    this.#max = max
    this.#waitingMax = waitingMax
  }

  /** Does the work when its turn comes. @throws unavailable (503) when too many wait. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#max) this.#running++
    else await this.#wait()
    try {
      return await work()
    } finally {
      // Whoever is next takes this turn over, so nobody comes between.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= this.#waitingMax)
      throw unavailable(say`Too much of this is under way; try again later`, RETRY_SECONDS)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
