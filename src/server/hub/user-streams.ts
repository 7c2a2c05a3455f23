/** Running streams by user: a further connection allows no more of them. */
import { tooMany } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'

/** Counts the running streams of each user. */
export class UserStreams {
  readonly #max: number
  readonly #running = new Map<number, number>()

  /** `max` is of one user. */
  constructor(max: number) {
    this.#max = max
  }

  /** A place for one stream, given back when it is disposed of. @throws tooMany (429) */
  take(userId: number): Disposable {
    const running = this.#running.get(userId) ?? 0
    if (running >= this.#max) throw tooMany(say`You have too many streams open`, 1)
    this.#running.set(userId, running + 1)
    return { [Symbol.dispose]: () => this.#giveBack(userId) }
  }

  #giveBack(userId: number): void {
    const left = (this.#running.get(userId) ?? 0) - 1
    if (left > 0) this.#running.set(userId, left)
    else this.#running.delete(userId)
  }
}
