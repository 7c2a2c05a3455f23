/** One thing that a user wants done: each try of it bears the same Idempotency-Key. */
import { ServerError } from '../api/server-error.ts'

/** Draws keys: the same for the same body until its outcome is known, another for another body. */
export class Intent {
  #tried: { body: string; key: string } | undefined

  /** The key for a body. */
  keyOf(body: unknown): string {
    const text = JSON.stringify(body)
    if (this.#tried?.body !== text) this.#tried = { body: text, key: crypto.randomUUID() }
    return this.#tried.key
  }

  /** The server answered: what comes next is another intent. */
  end(thrown?: unknown): void {
    const isKnown = thrown === undefined || (thrown instanceof ServerError && thrown.status !== 0)
    if (isKnown) this.#tried = undefined
  }
}
