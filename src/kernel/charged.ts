/** The account that work is charged to, for every part of that work. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { toFailure } from './envelope.ts'
import { OUTCOME_UNKNOWN, outcomeUnknown } from './failure.ts'
import type { Charge } from './fair-queue.ts'
import type { ReadNotes } from './read-notes.ts'

/** The account of one work: its caller, and how long it has waited so far. */
export interface Account {
  /** A caller's name; '' for the engine itself. */
  readonly name: string
  /** The trace of the request that the work is for; undefined for the engine's own work. */
  readonly traceId?: string | undefined
  /** Milliseconds in queues, all together: what a work may wait is counted over all of them. */
  waitedMs: number
  /** True once a transaction of the work has committed: a later failure does not undo it. */
  hasStored?: boolean
  /** The records that it shows; undefined where the reading of none is logged. */
  reads?: ReadNotes | undefined
  /** Its place in a trace, while spans are followed (`kernel/tracing.ts`). */
  span?: { readonly traceId: string; readonly spanId: string }
}

/** The account of a work that begins; without a user it is charged to the engine itself. */
export const newAccount = (user?: number, traceId?: string): Account => ({
  name: String(user ?? ''),
  traceId,
  waitedMs: 0,
})

const current = new AsyncLocalStorage<Account | undefined>()

/** Milliseconds after a caller's last work in which another caller counts as active beside it. */
const BESIDE_MS = 1000

let latest = ''
let sharedUntil = 0

/** Runs work, and all that follows from it, on an account; undefined: on the engine's own. */
export const onAccount = <T>(account: Account | undefined, work: () => T): T =>
  current.run(account, work)

/** Notes that a caller is there. */
export function noteCaller({ name }: Account): void {
  if (name === latest) return
  latest = name
  sharedUntil = performance.now() + BESIDE_MS
}

/** Checks that several callers are active, so that work of one must let others run in between. */
export const isShared = (): boolean => performance.now() < sharedUntil

/** Notes that something of a work is stored. */
export function noteStored(account: Account | undefined): void {
  if (account) account.hasStored = true
}

/**
 * Converts an error of work into one that may be told: after a commit of the work a fault leaves
 * open what was done, so only that refusal is given then. A refusal of the caller's stays.
 */
export function toKnownOutcome(account: Account | undefined, thrown: unknown): unknown {
  if (!account?.hasStored) return thrown
  const { kind, code } = toFailure(thrown)
  const isFault = kind === 'internal' || kind === 'unavailable'
  return isFault && code !== OUTCOME_UNKNOWN ? outcomeUnknown(thrown) : thrown
}

/** Returns the account of the current work; undefined for the engine's own. */
export const findAccount = (): Account | undefined => current.getStore()

/** Finds the notes of what the current work shows. */
export const findReads = (): ReadNotes | undefined => current.getStore()?.reads

/** Returns the charge of a work in a queue: as much as any other of its caller. */
export const chargesOf = (account: Account | undefined, cost = 1): readonly Charge[] => [
  { name: account?.name ?? '', cost },
]
