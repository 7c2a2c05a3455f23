/** Long work on the serving thread, which yields to others in between. */

/** Longest that others wait for the thread, in milliseconds. */
const TURN_MS = 3

const waiting: (() => void)[] = []

/**
 * Resolves in a later turn of the event loop. Of all that wait for one only the first goes on in
 * each, so that others do not wait the longer the more long work there is.
 */
export function yieldNow(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(startTurn)
  })
}

function startTurn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(startTurn)
}

/** Resolves in the next turn of the event loop, however many others wait for one. */
export const yieldToOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Yields for one piece of long work when its turn has ended. */
export class Yielder {
  #turn = performance.now()

  /** Await this between two steps that take a millisecond or two at most. */
  yieldWhenDue(): Promise<void> | undefined {
    return performance.now() - this.#turn < TURN_MS ? undefined : this.#wait()
  }

  async #wait(): Promise<void> {
    await yieldNow()
    this.#turn = performance.now()
  }
}
