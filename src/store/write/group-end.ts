/** Work that members of a group leave for its end, behind all that they do themselves. */
import type { EndWork, Tx } from '../store.ts'

/** Items that one transaction leaves, by the work that takes them. */
export class LeftForEnd {
  readonly #items = new Map<EndWork<unknown>, unknown[]>()

  get isEmpty(): boolean {
    return this.#items.size === 0
  }

  add<T>(work: EndWork<T>, item: T): void {
    this.#itemsOf(work).push(item)
  }

  /** Adds what another transaction leaves. */
  addAll(other: LeftForEnd): void {
    for (const [work, items] of other.#items) this.#itemsOf(work).push(...items)
  }

  async run(tx: Tx): Promise<void> {
    for (const [work, items] of this.#items) await work.run(tx, items)
  }

  #itemsOf(work: EndWork<unknown>): unknown[] {
    return this.#items.getOrInsertComputed(work, () => [])
  }
}
