/** A memory with an upper bound: entries not asked for in a while go first. */

/**
 * Values by key in two generations, each up to half of the bound: no bookkeeping on a hit, and what
 * the older generation still holds when it is dropped was not asked for since it was begun. A value
 * is never undefined.
 */
export class Lru<K, V> {
  readonly #max: () => number
  #young = new Map<K, Weighed<V>>()
  #old: Map<K, Weighed<V>> | undefined
  #youngWeight = 0
  #oldWeight = 0

  /**
   * @param max What all values together may weigh: their number, or the caller's own unit. Where it
   * has become less the next value that is added makes room.
   */
  constructor(max: number | (() => number)) {
    this.#max = typeof max === 'number' ? () => max : max
  }

  /** Weight of all values together. */
  get weight(): number {
    return this.#youngWeight + this.#oldWeight
  }

  /** Checks that a value of this weight can be added without displacing others. */
  hasRoom(weight = 1): boolean {
    return this.#youngWeight + weight <= this.#max() / 2
  }

  find(key: K): V | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young.value
    const old = this.#old?.get(key)
    return old && this.keep(key, old.value, old.weight)
  }

  /** Keeps a value in the place of the key's former one; not one that alone is too heavy. */
  keep(key: K, value: V, weight = 1): V {
    this.#drop(key)
    const max = this.#max()
    if (weight > max / 2) return value
    if (this.#youngWeight + weight > max / 2 || this.weight + weight > max) {
      this.#old = this.#young
      this.#oldWeight = this.#youngWeight
      this.#young = new Map()
      this.#youngWeight = 0
    }
    this.#young.set(key, { value, weight })
    this.#youngWeight += weight
    return value
  }

  #drop(key: K): void {
    const young = this.#young.get(key)
    const old = this.#old?.get(key)
    if (young !== undefined && this.#young.delete(key)) this.#youngWeight -= young.weight
    if (old !== undefined && this.#old?.delete(key)) this.#oldWeight -= old.weight
  }
}

interface Weighed<V> {
  value: V
  weight: number
}
