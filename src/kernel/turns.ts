/** Work of which only so much is done at a time; the rest waits its turn. */
import type { Failure } from './failure.ts'
import { unavailable } from './failure.ts'
import { say } from './messages.ts'

const WAITING_MAX = 100
const RETRY_SECONDS = 10

const tooMuch = (): Failure =>
  unavailable(say`Too much of this is under way; try again later`, RETRY_SECONDS)

interface Waiting {
  by: string
  /** Virtual time of its start: the lowest is the next. */
  tag: number
  start: () => void
  refuse: (failure: Failure) => void
}

/**
 * So many works at a time. Those that wait are served by start-time fair queueing over callers
 * (Goyal, Vin, Cheng 1996), the works of one caller in the order of asking; when too many wait, the
 * last work of the caller who asked for the most is refused.
 */
export class Turns {
  readonly #max: number
  readonly #waitingMax: number
  /** By their tags, and of one tag in the order of asking. */
  readonly #waiting: Waiting[] = []
  /** Virtual time: the tag of the work that was begun last. */
  #now = 0
  /** When callers have had what they asked for. */
  readonly #had = new Map<string, number>()
  #running = 0

  /** @param waitingMax more are refused */
  constructor(max: number, waitingMax = WAITING_MAX) {
    this.#max = max
    this.#waitingMax = waitingMax
  }

  /**
   * Does the work of a caller when its turn comes.
   * @throws unavailable (503) when too many wait
   */
  async take<T>(work: () => Promise<T>, by = ''): Promise<T> {
    const waiting = this.#ask(by)
    if (waiting) await waiting
    try {
      return await work()
    } finally {
      this.#pass()
    }
  }

  #ask(by: string): Promise<void> | undefined {
    const tag = Math.max(this.#now, this.#had.get(by) ?? 0)
    const mustWait = this.#running >= this.#max
    if (mustWait && this.#waiting.length >= this.#waitingMax) this.#makeRoom(tag)
    this.#had.set(by, tag + 1)
    if (mustWait) return new Promise((start, refuse) => this.#insert({ by, tag, start, refuse }))
    this.#now = tag
    this.#running++
    return undefined
  }

  #makeRoom(tag: number): void {
    const last = this.#waiting.at(-1)
    if (!last || last.tag <= tag) throw tooMuch()
    this.#waiting.pop()
    this.#had.set(last.by, last.tag)
    last.refuse(tooMuch())
  }

  /** Whoever is next takes this turn over, so nobody comes between. */
  #pass(): void {
    const next = this.#waiting.shift()
    if (next) {
      this.#now = next.tag
      next.start()
      return
    }
    this.#running--
    if (this.#running > 0) return
    this.#had.clear()
    this.#now = 0
  }

  #insert(waiting: Waiting): void {
    const at = this.#waiting.findLastIndex(({ tag }) => tag <= waiting.tag)
    this.#waiting.splice(at + 1, 0, waiting)
  }
}
