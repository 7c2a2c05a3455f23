/** The line in which work with passwords waits: few at a time, and fair. */
import { unavailable } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { lowerPoolThreads } from '../kernel/pool-threads.ts'

/** Who asks for the work: what they cost is theirs to wait for. */
export interface PasswordAsker {
  user: string
  address: string
}

interface Waiting {
  /** Virtual time of its start: the lowest is the next. */
  tag: number
  start: () => void
  refuse: (failure: Error) => void
}

/** An address stands for many users: so many of its works count like one of a single user. */
const USERS_PER_ADDRESS = 32

const RETRY_SECONDS = 5

const busy = () => unavailable(say`Too many sign-ins at once; try again in a moment`, RETRY_SECONDS)

/**
 * Lets `concurrency` password checks run at a time and `waitingMax` wait, by fair queueing over
 * users and addresses (start-time fair queueing; Goyal, Vin, Cheng 1996): whoever has asked for
 * little goes before whoever has asked for much, and when too many wait, the greediest is refused
 * with 503 and `Retry-After`. Work that waited still looks at the throttle when its turn comes, not
 * before.
 */
export class PasswordQueue {
  readonly #concurrency: number
  readonly #waitingMax: number
  /** By their tags, and of one tag in the order of asking. */
  #waiting: Waiting[] = []
  #running = 0
  /** Virtual time: the tag of the work that was begun last. */
  #now = 0
  /** When users and addresses have had what they asked for. */
  readonly #users = new Map<string, number>()
  readonly #addresses = new Map<string, number>()

  constructor(options: { concurrency: number; waitingMax: number }) {
    this.#concurrency = options.concurrency
    this.#waitingMax = options.waitingMax
  }

  /** Runs `work` when its turn comes. */
  async run<T>(by: PasswordAsker, work: () => Promise<T>): Promise<T> {
    await this.#takeTurn(by)
    lowerPoolThreads()
    try {
      return await work()
    } finally {
      this.#passTurn()
    }
  }

  async #takeTurn(by: PasswordAsker): Promise<void> {
    const tag = this.#charge(by)
    if (this.#running < this.#concurrency) {
      this.#now = tag
      this.#running += 1
      return
    }
    const last = this.#waiting.at(-1)
    if (this.#waiting.length >= this.#waitingMax) {
      if (!last || last.tag <= tag) throw busy()
      this.#waiting.pop()
      last.refuse(busy())
    }
    await new Promise<void>((start, refuse) => this.#insert({ tag, start, refuse }))
  }

  /** The turn goes to who has asked for the least, or is given back. */
  #passTurn(): void {
    const next = this.#waiting.shift()
    if (next) {
      this.#now = next.tag
      next.start()
      return
    }
    this.#running -= 1
    if (this.#running > 0) return
    this.#users.clear()
    this.#addresses.clear()
    this.#now = 0
  }

  /** The tag of one more work; what was had before this moment counts no more. */
  #charge({ user, address }: PasswordAsker): number {
    const ofUser = Math.max(this.#now, this.#users.get(user) ?? 0)
    const ofAddress = Math.max(this.#now, this.#addresses.get(address) ?? 0)
    this.#users.set(user, ofUser + 1)
    this.#addresses.set(address, ofAddress + 1 / USERS_PER_ADDRESS)
    return Math.max(ofUser, ofAddress)
  }

  #insert(waiting: Waiting): void {
    let at = this.#waiting.length
    while (at > 0 && (this.#waiting[at - 1]?.tag ?? 0) > waiting.tag) at--
    this.#waiting.splice(at, 0, waiting)
  }
}
