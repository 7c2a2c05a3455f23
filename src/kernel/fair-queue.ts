/** A queue of waiting works that is fair to the callers who asked for them. */

/** A caller's charge for a work: the name, and how much of the work. */
export interface Charge {
  name: string
  /** 1: all of it. */
  cost: number
}

interface Waiting<T> {
  item: T
  charges: readonly Charge[]
  /** Virtual time of its start: the lowest is the next. */
  tag: number
}

/**
 * Start-time fair queueing over callers (Goyal, Vin, Cheng 1996), the items of one caller in the
 * order of asking: a caller who has asked for little goes before one who has asked for much. Where
 * several are charged for an item, the one who has asked for the most decides.
 */
export class FairQueue<T> {
  /** Items by their tags, and of one tag in the order of asking. */
  readonly #waiting: Waiting<T>[] = []
  /** Virtual time: the tag of the last item that was begun. */
  #now = 0
  /** When callers have had what they asked for. */
  readonly #had = new Map<string, number>()

  /** The number of waiting items. */
  get length(): number {
    return this.#waiting.length
  }

  /** The next in turn, which stays. */
  get first(): T | undefined {
    return this.#waiting[0]?.item
  }

  /** Charges for what begins without waiting. */
  begin(charges: readonly Charge[]): void {
    this.#now = this.#charge(charges)
  }

  /** Lets an item wait for its turn. */
  add(item: T, charges: readonly Charge[]): void {
    const tag = this.#charge(charges)
    const at = this.#waiting.findLastIndex((waiting) => waiting.tag <= tag)
    this.#waiting.splice(at + 1, 0, { item, charges, tag })
  }

  /** Takes the first in turn that may begin. */
  take(mayBegin?: (item: T) => boolean): T | undefined {
    const at = mayBegin ? this.#waiting.findIndex(({ item }) => mayBegin(item)) : 0
    const [taken] = at < 0 ? [] : this.#waiting.splice(at, 1)
    if (taken && taken.tag > this.#now) this.#now = taken.tag
    return taken?.item
  }

  /**
   * Takes out the last item of the caller who has asked for the most, who is not charged for it;
   * undefined where that caller is the one to be charged with `charges`.
   */
  displace(charges: readonly Charge[]): T | undefined {
    const last = this.#waiting.at(-1)
    if (!last || last.tag <= this.#tagOf(charges)) return undefined
    this.#waiting.pop()
    this.#release(last)
    return last.item
  }

  /** Takes out the items that must not wait any longer; no caller is charged for them. */
  remove(isOver: (item: T) => boolean): T[] {
    const over = this.#waiting.filter(({ item }) => isOver(item))
    if (over.length === 0) return []
    const rest = this.#waiting.filter((waiting) => !over.includes(waiting))
    this.#waiting.splice(0, Infinity, ...rest)
    for (const waiting of over) this.#release(waiting)
    return over.map(({ item }) => item)
  }

  /** Forgets who had what: nothing runs any more. */
  forget(): void {
    this.#had.clear()
    this.#now = 0
  }

  #charge(charges: readonly Charge[]): number {
    const tag = this.#tagOf(charges)
    for (const { name, cost } of charges) this.#had.set(name, this.#hadBy(name) + cost)
    return tag
  }

  #release({ charges }: Waiting<T>): void {
    for (const { name, cost } of charges) this.#had.set(name, this.#hadBy(name) - cost)
  }

  #tagOf(charges: readonly Charge[]): number {
    let tag = this.#now
    for (const { name } of charges) tag = Math.max(tag, this.#hadBy(name))
    return tag
  }

  /** Returns how much a caller has had; amounts from before now no longer count. */
  #hadBy(name: string): number {
    return Math.max(this.#now, this.#had.get(name) ?? 0)
  }
}
