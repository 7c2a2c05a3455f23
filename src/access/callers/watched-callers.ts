/** Callers who stay: a connection is open for hours, and their rights end at once all the same. */
import { findValidity } from './caller-validity.ts'
import type { Caller } from './caller.ts'

/** A caller who stays, until let go. */
export class WatchedCaller implements Disposable {
  readonly #all: Set<WatchedCaller>
  readonly #now: () => number
  #caller: Caller
  #isDoubted = false
  #renewing: Promise<Caller> | undefined

  constructor(caller: Caller, all: Set<WatchedCaller>, now: () => number) {
    this.#caller = caller
    this.#all = all
    this.#now = now
    // What ended between its admission and now was told to nobody here.
    this.#isDoubted = findValidity(caller)?.isDoubted ?? true
    all.add(this)
  }

  /** The caller as they were when last asked for. */
  get latest(): Caller {
    return this.#caller
  }

  /** Something ended or changed since. */
  get isDoubted(): boolean {
    return (
      this.#isDoubted ||
      this.#renewing !== undefined ||
      this.#now() >= (findValidity(this.#caller)?.until ?? 0)
    )
  }

  doubt(): void {
    this.#isDoubted = true
  }

  /**
   * The caller as they are now; a promise, and SQL, only where something has cast doubt. Rejects
   * with the 401 of what has ended.
   */
  current(): Caller | Promise<Caller> {
    if (!this.isDoubted) return this.#caller
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined))
    return this.#renewing
  }

  [Symbol.dispose](): void {
    this.#all.delete(this)
  }

  async #renew(): Promise<Caller> {
    // What ends from here on casts doubt again.
    this.#isDoubted = false
    try {
      const validity = findValidity(this.#caller)
      if (!validity) throw new Error('Nothing tells what this caller was admitted by')
      this.#caller = await validity.renew()
      return this.#caller
    } catch (error) {
      this.#isDoubted = true
      throw error
    }
  }
}

/** All who stay. Whoever ends or changes something tells them. */
export class WatchedCallers {
  readonly #all = new Set<WatchedCaller>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  watch(caller: Caller): WatchedCaller {
    return new WatchedCaller(caller, this.#all, this.#now)
  }

  /** Casts doubt on those that `matches` picks. */
  doubt(matches: (caller: Caller) => boolean): void {
    for (const watched of this.#all) if (matches(watched.latest)) watched.doubt()
  }
}
