/** What bodies in flight may hold together, so that no caller fills the memory for all. */
import { unavailable } from '../kernel/failure.ts'
import type { Failure } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'

const RETRY_SECONDS = 5

/**
 * The share of it that one caller may hold, or one body where that is more: what is whole is held
 * as long as its work takes, and nobody can take it back.
 */
const CALLER_SHARE = 0.5

const tooMuch = (): Failure =>
  unavailable(say`Too much is being sent at once; try again in a moment`, RETRY_SECONDS)

/** One body while its request is served. */
export interface HeldBody extends Disposable {
  /** More of it came than was known before. @throws unavailable (503) */
  grow(bytes: number): void
}

interface Held {
  caller: string
  bytes: number
  /** Ends the reading of it; undefined once it is whole. */
  revoke: ((failure: Failure) => void) | undefined
}

/**
 * Bounds the bytes of all bodies in flight, and of those of one caller. When they are too many, the
 * caller who holds the most gives way: what they still send is refused, and other callers get in.
 */
export class BodyBudget {
  readonly #bytesMax: number
  readonly #bodies = new Set<Held>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Bytes that are held now. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * Holds a body of a caller (a user, or an address) from before its first byte to the answer.
   * `revoke` may be called until `isWhole` is. @throws unavailable (503) for the greediest caller.
   */
  hold(
    caller: string,
    bytes: number,
    revoke: (failure: Failure) => void,
  ): HeldBody & { isWhole(): void } {
    const held: Held = { caller, bytes: 0, revoke }
    const grow = (more: number): void => {
      this.#requireShare(held, more)
      this.#makeRoom(held, more)
      held.bytes += more
      this.#bytes += more
    }
    grow(bytes)
    this.#bodies.add(held)
    return {
      grow,
      isWhole: () => void (held.revoke = undefined),
      [Symbol.dispose]: () => this.#release(held),
    }
  }

  #requireShare(held: Held, more: number): void {
    const own = [...this.#bodies].filter((body) => body !== held && body.caller === held.caller)
    const others = own.reduce((sum, { bytes }) => sum + bytes, 0)
    const isOver = others + held.bytes + more > this.#bytesMax * CALLER_SHARE
    if (isOver && others > 0) throw tooMuch()
  }

  #makeRoom(held: Held, more: number): void {
    while (this.#bytes + more > this.#bytesMax) {
      const greediest = this.#findGreediest(held, more)
      if (!greediest?.revoke) throw tooMuch()
      greediest.revoke(tooMuch())
      this.#release(greediest)
    }
  }

  /** The largest body that still comes of the caller who holds the most; none of `held`'s own. */
  #findGreediest(held: Held, more: number): Held | undefined {
    const byCaller = new Map<string, number>([[held.caller, more]])
    for (const { caller, bytes } of this.#bodies)
      byCaller.set(caller, (byCaller.get(caller) ?? 0) + bytes)
    const heldBy = (body: Held): number => byCaller.get(body.caller) ?? 0
    let largest: Held | undefined
    for (const body of this.#bodies) {
      if (body.caller === held.caller || !body.revoke) continue
      if (heldBy(body) <= heldBy(held)) continue
      const lead = largest ? heldBy(body) - heldBy(largest) : 1
      if (lead > 0 || (lead === 0 && body.bytes > (largest?.bytes ?? 0))) largest = body
    }
    return largest
  }

  #release(held: Held): void {
    held.revoke = undefined
    if (this.#bodies.delete(held)) this.#bytes -= held.bytes
    held.bytes = 0
  }
}
