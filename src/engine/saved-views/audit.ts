/** Audit rows of shared views: what others work with. A private view is its owner's affair. */
import type { Tx } from '../../store/store.ts'
import { type Actor, type AuditEntry, writeAudit } from '../../access/audit-entry.ts'
import type { ViewRow } from './view-records.ts'

/** Columns whose changes the log tells. */
const TOLD = ['Object', 'Name', 'Shared', 'Role', 'Body'] as const

/** Writes what a change made of a view, where it is or was shared; null: there was or is none. */
export async function auditView(
  tx: Tx,
  actor: Actor,
  before: ViewRow | null,
  after: ViewRow | null,
): Promise<void> {
  const view = after ?? before
  if (!view || ![before, after].some((row) => row !== null && row.Shared !== 'none')) return
  const changes: Record<string, readonly [unknown, unknown]> = {}
  for (const name of TOLD) {
    const [from, to] = [before?.[name] ?? null, after?.[name] ?? null]
    if (from !== to) changes[name] = [from, to]
  }
  const action = before === null ? 'create' : after === null ? 'delete' : 'change'
  const entry: AuditEntry = { entity: 'svc_saved_views', id: view.Id, action, changes }
  await writeAudit(tx, actor, entry)
}
