/** Work of which only so much is done at a time; the rest waits. */
import { type Failure, unavailable } from './failure.ts'
import { type Charge, FairQueue } from './fair-queue.ts'
import { say } from './messages.ts'

const WAITING_MAX = 100
const RETRY_SECONDS = 10

const tooMuch = (): Failure =>
  unavailable(
    say`The server has too much of this work to do right now. Try again later.`,
    RETRY_SECONDS,
  )

interface Waiting {
  start: () => void
  refuse: (failure: Failure) => void
}

/** The bound on waiting works, and the refusal beyond it. */
interface SemaphoreOptions {
  /** Most works that wait; more are refused. */
  waitingMax?: number
  /** Makes the failure of a refused work. */
  refuse?: () => Failure
}

/**
 * A bound on works at a time; the ones that wait are served fairly (`fair-queue.ts`). When too many
 * wait, the last work of the caller who asked for the most is refused.
 */
export class Semaphore {
  readonly #max: number
  readonly #waitingMax: number
  readonly #refuse: () => Failure
  readonly #queue = new FairQueue<Waiting>()
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
    if (this.#running < this.#max) {
      this.#running++
      this.#queue.begin(charges)
      return undefined
    }
    if (this.#queue.length >= this.#waitingMax) this.#makeRoom(charges)
    return new Promise((start, refuse) => this.#queue.add({ start, refuse }, charges))
  }

  #makeRoom(charges: readonly Charge[]): void {
    const last = this.#queue.displace(charges)
    if (!last) throw this.#refuse()
    last.refuse(this.#refuse())
  }

  /** Begins the next work in place of the one that ended, so that no other work comes between. */
  #pass(): void {
    const next = this.#queue.take()
    if (next) return next.start()
    this.#running--
    if (this.#running === 0) this.#queue.forget()
  }
}
