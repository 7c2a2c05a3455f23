/** Callers of lasting connections: these are open for hours, but rights still end at once. */
import { findValidity } from './caller-validity.ts'
import type { Caller } from './caller.ts'

/** A caller who stays until disposed. */
export class WatchedCaller implements Disposable {
  readonly #all: Set<WatchedCaller>
  readonly #now: () => number
  #caller: Caller
  #isUnchecked = false
  #renewing: Promise<Caller> | undefined

  constructor(caller: Caller, all: Set<WatchedCaller>, now: () => number) {
    this.#caller = caller
    this.#all = all
    this.#now = now
    // An ending between the caller's admission and now was not reported to this object.
    this.#isUnchecked = findValidity(caller)?.isUnchecked ?? true
    all.add(this)
  }

  /** The caller as they were when last asked for. */
  get latest(): Caller {
    return this.#caller
  }

  /** Something ended or changed since. */
  get isUnchecked(): boolean {
    return (
      this.#isUnchecked ||
      this.#renewing !== undefined ||
      this.#now() >= (findValidity(this.#caller)?.until ?? 0)
    )
  }

  markUnchecked(): void {
    this.#isUnchecked = true
  }

  /**
   * Returns the caller as they are now; a promise, and SQL, only after a reported change. Rejects
   * with the 401 of an admission that has ended.
   */
  current(): Caller | Promise<Caller> {
    if (!this.isUnchecked) return this.#caller
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined))
    return this.#renewing
  }

  [Symbol.dispose](): void {
    this.#all.delete(this)
  }

  async #renew(): Promise<Caller> {
    // An ending from here on sets the flag again.
    this.#isUnchecked = false
    try {
      const validity = findValidity(this.#caller)
      if (!validity) throw new Error('Nothing tells what this caller was admitted by')
      this.#caller = await validity.renew()
      return this.#caller
    } catch (error) {
      this.#isUnchecked = true
      throw error
    }
  }
}

/** All callers whose connections stay open. Code that ends or changes something reports it here. */
export class WatchedCallers {
  readonly #all = new Set<WatchedCaller>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  watch(caller: Caller): WatchedCaller {
    return new WatchedCaller(caller, this.#all, this.#now)
  }

  /** Marks the callers that `matches` picks: they are checked before their next use. */
  markUnchecked(matches: (caller: Caller) => boolean): void {
    for (const watched of this.#all) if (matches(watched.latest)) watched.markUnchecked()
  }
}
