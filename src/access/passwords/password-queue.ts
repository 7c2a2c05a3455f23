/** The line in which work with passwords waits: few at a time, and fair. */
import { unavailable } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { lowerPoolThreads } from '../../kernel/pool-threads.ts'
import { Semaphore } from '../../kernel/semaphore.ts'

/** The user and address that ask for work and wait for their own share of it. */
export interface PasswordSource {
  user: string
  address: string
}

/** Pieces of work of one address that weigh like one of a single user: it has many users. */
const USERS_PER_ADDRESS = 32

const RETRY_SECONDS = 5

const refuse = () =>
  unavailable(say`Too many people are signing in right now. Try again in a moment.`, RETRY_SECONDS)

/**
 * Runs `concurrency` password checks at a time and lets `waitingMax` wait, fair to users and to
 * addresses; refuses more with 503 and `Retry-After`. Work that waited checks the throttle when it
 * begins, not before.
 */
export class PasswordQueue {
  readonly #semaphore: Semaphore

  constructor({ concurrency, waitingMax }: { concurrency: number; waitingMax: number }) {
    this.#semaphore = new Semaphore(concurrency, { waitingMax, refuse })
  }

  /** Runs `work` as soon as it may. */
  run<T>({ user, address }: PasswordSource, work: () => Promise<T>): Promise<T> {
    const start = (): Promise<T> => {
      lowerPoolThreads()
      return work()
    }
    return this.#semaphore.run(start, [
      { name: `user ${user}`, cost: 1 },
      { name: `address ${address}`, cost: 1 / USERS_PER_ADDRESS },
    ])
  }
}
