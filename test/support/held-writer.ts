/** The writer of a store, held by a test: what is to be written meanwhile waits for its turn. */
import type { Store, Tx } from '../../src/store/store.ts'

export interface HeldWriter {
  /** How many writes were asked for since it is held. */
  readonly asked: number
  /** Resolves when so many are asked for, and so stand in the queue. */
  queued(count: number): Promise<void>
  /** Lets go: resolves when the transaction that held it is over. */
  release(): Promise<void>
}

/** Holds the writer with a transaction, once that has done its work; resolves then. */
export async function holdWriter(
  store: Store,
  work?: (tx: Tx) => Promise<unknown>,
): Promise<HeldWriter> {
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const holding = store.write(
    async (tx) => {
      await work?.(tx)
      begun.resolve()
      await end.promise
    },
    { company: 'all', because: 'a test' },
  )
  await begun.promise
  let asked = 0
  let wake = Promise.withResolvers<void>()
  const write = store.write.bind(store)
  store.write = (work, scope) => {
    asked++
    wake.resolve()
    wake = Promise.withResolvers()
    return write(work, scope)
  }
  return {
    get asked() {
      return asked
    },
    async queued(count) {
      while (asked < count) await wake.promise
    },
    async release() {
      store.write = write
      end.resolve()
      await holding
    },
  }
}
