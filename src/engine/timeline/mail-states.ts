/** States of mails, as long as the outbox knows them. */
import type { SqlRow } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import { findHold } from '../jobs/hold.ts'
import type { TimelineMail } from './schema.ts'

/** A mail to several recipients is as many rows, once it is delivered: parts of the first one. */
const STATES = `SELECT coalesce(PartOf, Id) AS Mail, max(State = 'parked') AS HasFailed,
    max(State = 'pending') AS IsPending
  FROM svc_outbox
  WHERE Id IN (SELECT value FROM json_each(@ids)) OR PartOf IN (SELECT value FROM json_each(@ids))
  GROUP BY 1`

interface StateRow extends SqlRow {
  Mail: number
  HasFailed: number
  IsPending: number
}

/** Loads the states of mails, by their Id; null for one that the outbox no longer knows. */
export async function loadMailStates(
  reader: Reader,
  ids: readonly number[],
): Promise<(id: number) => TimelineMail['State']> {
  const args = { ids: JSON.stringify(ids) }
  const rows = await reader.all<StateRow>({ sql: STATES, args, runs: 'lane' })
  const isHeld = rows.some(({ IsPending }) => IsPending) && (await findHold(reader)) !== undefined
  const states = new Map(rows.map((row) => [row.Mail, toState(row, isHeld)]))
  return (id) => states.get(id) ?? null
}

function toState({ HasFailed, IsPending }: StateRow, isHeld: boolean): TimelineMail['State'] {
  if (HasFailed) return 'failed'
  if (!IsPending) return 'sent'
  return isHeld ? 'held' : 'waiting'
}
