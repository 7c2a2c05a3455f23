/** Count of the arriving forms with files of one user: each holds an open file, and its disk. */
import { tooMany } from '../../kernel/failure.ts'
import type { Message } from '../../kernel/messages.ts'

const RETRY_SECONDS = 1

/** Counts the arriving forms of each user, and refuses one too many with 429. */
export class FormCount {
  readonly #max: number
  readonly #refusal: Message
  /** Arriving forms by user. */
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
