/**
 * Pending events of a transaction, raised and not yet run by the after-write pass: actions that
 * ran, envelopes of an answer.
 */
import type { SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { Dispatch } from '../schema.ts'

/** A row action that ran on a record: an event of its name. */
export interface PendingAction {
  view: View
  /** In the order of the entity's keys. */
  key: readonly SqlValue[]
  action: string
  company: SqlValue
}

declare module '../../../store/store.ts' {
  interface TxFacts {
    /** Actions that the after-write pass is to raise. */
    raised?: PendingAction[]
    /** Envelopes of events, for the handler that answers the request. */
    dispatch?: Dispatch[]
  }
}

/** Has the after-write pass raise an action that ran. */
export function raiseAction({ facts }: Tx, raised: PendingAction): void {
  ;(facts.raised ??= []).push(raised)
}

/** Tells whether an action waits to be raised. */
export const hasPending = ({ facts }: Tx): boolean => (facts.raised?.length ?? 0) > 0

/** Takes the actions that wait; they no longer do. */
export const takePending = ({ facts }: Tx): PendingAction[] => facts.raised?.splice(0) ?? []

/** Hands an envelope of an action or event to the handler that answers the request, if any. */
export function addDispatch({ facts }: Tx, envelope: Dispatch): void {
  ;(facts.dispatch ??= []).push(envelope)
}

/** The envelopes of the events so far, each once; then there are none. */
export const takeDispatch = ({ facts }: Tx): Dispatch[] => facts.dispatch?.splice(0) ?? []
