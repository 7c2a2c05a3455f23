/** Work of which only so much is done at a time; the rest waits. */
import type { Failure } from './failure.ts'
import { unavailable } from './failure.ts'
import { say } from './messages.ts'

const WAITING_MAX = 100
const RETRY_SECONDS = 10

const tooMuch = (): Failure =>
  unavailable(say`Too much of this is under way; try again later`, RETRY_SECONDS)

/** Who is charged for a work: by name, and with how much of it. */
export interface Charge {
  name: string
  /** 1: all of it. */
  cost: number
}

interface Waiting {
  charges: readonly Charge[]
  /** Virtual time of its start: the lowest is the next. */
  tag: number
  start: () => void
  refuse: (failure: Failure) => void
}

/** What a semaphore does with works beyond those that run. */
export interface SemaphoreOptions {
  /** So many wait; more are refused. */
  waitingMax?: number
  /** What a refused work fails with. */
  refuse?: () => Failure
}

/**
 * So many works at a time. Those that wait are served by start-time fair queueing over callers
 * (Goyal, Vin, Cheng 1996), the works of one caller in the order of asking: whoever has asked for
 * little goes before whoever has asked for much. When too many wait, the last work of the caller
 * who asked for the most is refused.
 */
export class Semaphore {
  readonly #max: number
  readonly #waitingMax: number
  readonly #refuse: () => Failure
  /** By their tags, and of one tag in the order of asking. */
  readonly #waiting: Waiting[] = []
  /** Virtual time: the tag of the work that was begun last. */
  #now = 0
  /** When callers have had what they asked for. */
  readonly #had = new Map<string, number>()
  #running = 0

  constructor(max: number, { waitingMax = WAITING_MAX, refuse = tooMuch }: SemaphoreOptions = {}) {
    this.#max = max
    this.#waitingMax = waitingMax
    this.#refuse = refuse
  }

  /**
   * Does the work of a caller as soon as it may run. Where several are charged for it, the one who
   * has asked for the most decides.
   * @throws unavailable (503) when too many wait
   */
  async run<T>(work: () => Promise<T>, by: string | readonly Charge[] = ''): Promise<T> {
    const waiting = this.#ask(typeof by === 'string' ? [{ name: by, cost: 1 }] : by)
    if (waiting) await waiting
    try {
      return await work()
    } finally {
      this.#pass()
    }
  }

  #ask(charges: readonly Charge[]): Promise<void> | undefined {
    const tag = Math.max(...charges.map(({ name }) => this.#hadBy(name)))
    const mustWait = this.#running >= this.#max
    if (mustWait && this.#waiting.length >= this.#waitingMax) this.#makeRoom(tag)
    for (const { name, cost } of charges) this.#had.set(name, this.#hadBy(name) + cost)
    if (mustWait)
      return new Promise((start, refuse) => this.#insert({ charges, tag, start, refuse }))
    this.#now = tag
    this.#running++
    return undefined
  }

  /** What was had before this moment counts no more. */
  #hadBy(name: string): number {
    return Math.max(this.#now, this.#had.get(name) ?? 0)
  }

  /** Whoever is refused is not charged. */
  #makeRoom(tag: number): void {
    const last = this.#waiting.at(-1)
    if (!last || last.tag <= tag) throw this.#refuse()
    this.#waiting.pop()
    for (const { name, cost } of last.charges) this.#had.set(name, this.#hadBy(name) - cost)
    last.refuse(this.#refuse())
  }

  /** Whoever is next begins in place of the work that ended, so nobody comes between. */
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
