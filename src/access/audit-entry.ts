/** Audit rows of changes to users, companies and access, in the transaction of the change. */
import { type AuditAuthor, planAuditRecord } from '../store/audit/record.ts'
import type { Tx } from '../store/store.ts'
import type { Caller } from './callers/caller.ts'

/** Author of a change, with its time and channel. */
export interface Actor extends AuditAuthor {
  now: Date
  /** Language of mails to the owner of a changed account; default: English. */
  language?: string | undefined
}

/** Returns the caller as author of a change, under both names while they act as another user. */
export function actorOf(
  caller: Pick<Caller, 'userId' | 'impersonatorId' | 'companyId'>,
  context: Pick<Actor, 'now' | 'source' | 'traceId' | 'language'>,
): Actor {
  const { userId, impersonatorId, companyId } = caller
  return { ...context, userId, impersonatorId, companyId }
}

/** Table whose changed rows are audited as its records. */
type AuditedTable =
  | 'svc_users'
  | 'svc_companies'
  | 'svc_scripts'
  | 'svc_recurring'
  | 'svc_jobs'
  | 'svc_backups'
  | 'svc_webhooks'
  | 'svc_hosted_services'
  | 'svc_search'
  | 'svc_api_keys'
  | 'svc_wizard_runs'
  | 'svc_assistant'
  | 'svc_saved_views'
  | 'svc_comments'

export interface AuditEntry {
  entity: AuditedTable
  /** The record's id; of a script or recurring job its name. */
  id: number | string
  action: string
  /** Column to `[from, to]`; never a password or its hash. */
  changes: Readonly<Record<string, readonly [unknown, unknown]>>
}

/** Writes one audit row. */
export async function writeAudit(tx: Tx, actor: Actor, entry: AuditEntry): Promise<void> {
  await tx.audit(planAuditRecord(actor.now, actor, { ...entry, key: [entry.id] }))
}
