/** A memory with an upper bound: what was not asked for in a while goes first. */

/**
 * Values by key in two generations, each up to half of the bound: no bookkeeping on a hit, and what
 * the older generation still holds when it is dropped was not asked for since it was begun.
 */
export class Bounded<V> {
  readonly #max: () => number
  #young = new Map<string, Weighed<V>>()
  #old = new Map<string, Weighed<V>>()
  #youngWeight = 0
  #oldWeight = 0

  /**
   * @param max What all values together may weigh, in the caller's own unit. Where it has become
   * less the next value that is kept makes room.
   */
  constructor(max: number | (() => number)) {
    this.#max = typeof max === 'number' ? () => max : max
  }

  /** What all values together weigh. */
  get weight(): number {
    return this.#youngWeight + this.#oldWeight
  }

  find(key: string): V | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young.value
    const old = this.#old.get(key)
    if (old === undefined) return undefined
    this.keep(key, old.value, old.weight)
    return old.value
  }

  /** Keeps a value in the place of the key's former one; nothing when it alone is too heavy. */
  keep(key: string, value: V, weight: number): void {
    this.#drop(key)
    const max = this.#max()
    if (weight > max / 2) return
    if (this.#youngWeight + weight > max / 2 || this.weight + weight > max) {
      this.#old = this.#young
      this.#oldWeight = this.#youngWeight
      this.#young = new Map()
      this.#youngWeight = 0
    }
    this.#young.set(key, { value, weight })
    this.#youngWeight += weight
  }

  #drop(key: string): void {
    const young = this.#young.get(key)
    const old = this.#old.get(key)
    if (young !== undefined && this.#young.delete(key)) this.#youngWeight -= young.weight
    if (old !== undefined && this.#old.delete(key)) this.#oldWeight -= old.weight
  }
}

interface Weighed<V> {
  value: V
  weight: number
}
