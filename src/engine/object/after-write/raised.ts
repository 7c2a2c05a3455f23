/**
 * What a transaction has raised and the after-write pass has not yet run: actions that ran,
 * envelopes of an answer.
 */
import type { View } from '../../../model/model.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { Dispatch } from '../schema.ts'

/** A row action that ran on a record: an event of its name. */
export interface RaisedAction {
  view: View
  /** In the order of the entity's keys. */
  key: readonly SqlValue[]
  action: string
  company: SqlValue
}

interface Raised {
  actions: RaisedAction[]
  dispatch: Dispatch[]
}

const RAISED = Symbol('raised')

function findNote(tx: Tx): Raised | undefined {
  return tx.notes.get(RAISED) as Raised | undefined
}

function noteOf(tx: Tx): Raised {
  const known = findNote(tx) ?? { actions: [], dispatch: [] }
  tx.notes.set(RAISED, known)
  return known
}

/** Notes down that an action ran; the after-write pass raises it. */
export function raiseAction(tx: Tx, raised: RaisedAction): void {
  noteOf(tx).actions.push(raised)
}

/** Whether an action waits to be raised. */
export const hasRaised = (tx: Tx): boolean => (findNote(tx)?.actions.length ?? 0) > 0

/** The actions that wait, which then do not any more. */
export const takeRaised = (tx: Tx): RaisedAction[] => findNote(tx)?.actions.splice(0) ?? []

/** Hands an envelope of an event's to whoever answers the request, if anyone does. */
export function addDispatch(tx: Tx, envelope: Dispatch): void {
  noteOf(tx).dispatch.push(envelope)
}

/** The envelopes of the events so far, each once; then there are none. */
export function takeDispatch(tx: Tx): Dispatch[] {
  return findNote(tx)?.dispatch.splice(0) ?? []
}
