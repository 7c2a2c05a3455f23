/** On whose account work is done, wherever in it somebody asks. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Charge } from './fair-queue.ts'

/** One work's account: who is charged for what it uses, and how long it has waited so far. */
export interface Account {
  /** A caller's name; '' for the engine itself. */
  readonly name: string
  /** Milliseconds in queues, all together: what a work may wait is counted over all of them. */
  waitedMs: number
}

const current = new AsyncLocalStorage<Account | undefined>()

/** How long after a caller's last work another one counts as being there beside them. */
const BESIDE_MS = 1000

let latest = ''
let sharedUntil = 0

/** Does work on somebody's account, and all that follows from it; undefined: on the engine's. */
export const onAccount = <T>(account: Account | undefined, work: () => T): T =>
  current.run(account, work)

/** Notes that a caller is there. */
export function noteCaller({ name }: Account): void {
  if (name === latest) return
  latest = name
  sharedUntil = performance.now() + BESIDE_MS
}

/** Whether several callers are there, so that work of one is to let others on in between. */
export const isShared = (): boolean => performance.now() < sharedUntil

/** On whose account the work that asks is done; undefined for the engine's own. */
export const findAccount = (): Account | undefined => current.getStore()

/** What a work counts for in a queue: as much as any other of its caller. */
export const chargesOf = (account: Account | undefined, cost = 1): readonly Charge[] => [
  { name: account?.name ?? '', cost },
]
