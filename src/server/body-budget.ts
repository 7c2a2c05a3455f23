/** Budget of the bytes of all bodies in flight, so that no caller fills the memory for all. */
import { type Failure, unavailable } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'

const RETRY_SECONDS = 5

/**
 * Share of the budget that one caller may hold, or one body where that is more: a whole body is
 * held as long as its work takes and cannot be revoked.
 */
const CALLER_SHARE = 0.5

const tooMuch = (): Failure =>
  unavailable(
    say`The server is receiving too much data right now. Try again in a moment.`,
    RETRY_SECONDS,
  )

/** One body while its request is served, from before its first byte to the answer. */
export class HeldBody implements Disposable {
  readonly caller: string
  bytes = 0
  /** Ends the reading of it; undefined once it is whole. */
  revoke: ((failure: Failure) => void) | undefined
  readonly #budget: BodyBudget

  constructor(budget: BodyBudget, caller: string, revoke: (failure: Failure) => void) {
    this.#budget = budget
    this.caller = caller
    this.revoke = revoke
  }

  /** More of it came than was known before. @throws unavailable (503) */
  grow(bytes: number): void {
    this.#budget.grow(this, bytes)
  }

  /** Marks the body as whole: it cannot be revoked any more. */
  isWhole(): void {
    this.revoke = undefined
  }

  [Symbol.dispose](): void {
    this.#budget.release(this)
  }
}

/**
 * Bounds the bytes of all bodies in flight, and of those of one caller. When they are too many, the
 * caller who holds the most gives way: the rest of their body is refused, and others get in.
 */
export class BodyBudget {
  readonly #bytesMax: number
  readonly #bodies = new Set<HeldBody>()
  readonly #bytesByCaller = new Map<string, number>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Bytes that are held now. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * Holds a body of a caller (a user, or an address). `revoke` may be called until `isWhole` is.
   * @throws unavailable (503) for the greediest caller
   */
  hold(caller: string, bytes: number, revoke: (failure: Failure) => void): HeldBody {
    const held = new HeldBody(this, caller, revoke)
    this.grow(held, bytes)
    this.#bodies.add(held)
    return held
  }

  /** See `HeldBody`. @throws unavailable (503) */
  grow(held: HeldBody, more: number): void {
    this.#requireShare(held, more)
    if (this.#bytes + more > this.#bytesMax) this.#makeRoom(held, more)
    held.bytes += more
    this.#add(held.caller, more)
  }

  /** Forgets a body, however often it is called. */
  release(held: HeldBody): void {
    held.revoke = undefined
    if (this.#bodies.delete(held)) this.#add(held.caller, -held.bytes)
    held.bytes = 0
  }

  #add(caller: string, bytes: number): void {
    const total = this.#heldBy(caller) + bytes
    if (total > 0) this.#bytesByCaller.set(caller, total)
    else this.#bytesByCaller.delete(caller)
    this.#bytes += bytes
  }

  #heldBy(caller: string): number {
    return this.#bytesByCaller.get(caller) ?? 0
  }

  #requireShare(held: HeldBody, more: number): void {
    const all = this.#heldBy(held.caller)
    const others = all - held.bytes
    if (others > 0 && all + more > this.#bytesMax * CALLER_SHARE) throw tooMuch()
  }

  #makeRoom(held: HeldBody, more: number): void {
    while (this.#bytes + more > this.#bytesMax) {
      const greediest = this.#findGreediest(held, more)
      if (!greediest?.revoke) throw tooMuch()
      greediest.revoke(tooMuch())
      this.release(greediest)
    }
  }

  /** Returns the largest arriving body of the caller who holds the most; never `held`'s own. */
  #findGreediest(held: HeldBody, more: number): HeldBody | undefined {
    const own = this.#heldBy(held.caller) + more
    let largest: HeldBody | undefined
    for (const body of this.#bodies) {
      const total = this.#heldBy(body.caller)
      if (body.caller === held.caller || !body.revoke || total <= own) continue
      const lead = largest ? total - this.#heldBy(largest.caller) : 1
      if (lead > 0 || (lead === 0 && body.bytes > (largest?.bytes ?? 0))) largest = body
    }
    return largest
  }
}
