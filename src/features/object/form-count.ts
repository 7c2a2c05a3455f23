/**
 * How many forms with files come in from one user: each holds a file that is open, and its disk.
 */
import { tooMany } from '../../kernel/failure.ts'
import type { Message } from '../../kernel/messages.ts'

const RETRY_SECONDS = 1

/** Counts the forms under way of each user, and refuses one too many with 429. */
export class FormCount {
  readonly #max: number
  readonly #refusal: Message
  /** Forms under way, by user. */
  readonly #forms = new Map<number, number>()

  constructor(max: number, refusal: Message) {
    this.#max = max
    this.#refusal = refusal
  }

  /** Counts a form until it is disposed of. @throws tooMany (429) for one too many */
  enter(userId: number): Disposable {
    const count = this.#forms.get(userId) ?? 0
    if (count >= this.#max) throw tooMany(this.#refusal, RETRY_SECONDS)
    this.#forms.set(userId, count + 1)
    return { [Symbol.dispose]: () => this.#leave(userId) }
  }

  #leave(userId: number): void {
    const left = (this.#forms.get(userId) ?? 1) - 1
    if (left > 0) this.#forms.set(userId, left)
    else this.#forms.delete(userId)
  }
}
