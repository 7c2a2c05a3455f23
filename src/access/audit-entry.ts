/** Audit rows of changes to users and companies, in the transaction of the change. */
import { txDatabase } from '../store/drizzle.ts'
import type { Tx } from '../store/store.ts'
import { audit } from '../store/tables/audit.ts'

/** Who makes a change, when, and by which way it came. */
export interface Actor {
  now: Date
  /** The route or command: `user create`, `auth/password/change`. */
  source: string
  /** Undefined on the command line. */
  userId?: number | undefined
  companyId?: number | undefined
  traceId?: string | undefined
}

export interface AuditEntry {
  entity: 'svc_users' | 'svc_companies'
  id: number
  action: string
  /** Column to `[from, to]`; never a password or its hash. */
  changes: Readonly<Record<string, readonly [unknown, unknown]>>
}

/** Writes one audit row. */
export async function writeAudit(tx: Tx, actor: Actor, entry: AuditEntry): Promise<void> {
  await txDatabase(tx)
    .insert(audit)
    .values({
      At: actor.now.toISOString(),
      UserId: actor.userId,
      CompanyId: actor.companyId,
      Source: actor.source,
      TraceId: actor.traceId,
      Entity: entry.entity,
      RecordKey: JSON.stringify([entry.id]),
      Action: entry.action,
      Changes: JSON.stringify(entry.changes),
    })
}
