import type { Shadowed } from '../../../model/shadow.ts'

/** Statements that were composed once: equal requests of other values give the very same text. */
export class Texts {
  readonly #known = new Map<string, Shadowed>()

  /** The statement under a key, composed when it is asked for first. */
  find(key: string, compose: () => Shadowed): Shadowed {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    if (this.#known.size >= TEXTS_MAX) this.#known.clear()
    const text = compose()
    this.#known.set(key, text)
    return text
  }
}

/** Filters can be combined without end; what is asked often comes back at once. */
const TEXTS_MAX = 500
