/** One thing that a user wants done: each try of it bears the same Idempotency-Key. */
import { ServerError } from '../api/server-error.ts'

/** A key that no other has; also without https, where `crypto.randomUUID` is not there. */
export const drawKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(18))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

/** Draws keys: the same for the same body until its outcome is known, another for another body. */
export class Intent {
  #tried: { body: string; key: string } | undefined

  /** The key for a body. */
  keyOf(body: unknown): string {
    const text = JSON.stringify(body)
    if (this.#tried?.body !== text) this.#tried = { body: text, key: drawKey() }
    return this.#tried.key
  }

  /** The server answered: what comes next is another intent. */
  end(thrown?: unknown): void {
    const isKnown = thrown === undefined || (thrown instanceof ServerError && thrown.status !== 0)
    if (isKnown) this.#tried = undefined
  }
}
