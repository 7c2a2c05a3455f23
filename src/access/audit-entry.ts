/** Audit rows of changes to users, companies and access, in the transaction of the change. */
import type { Tx } from '../store/store.ts'
import type { Caller } from './caller.ts'

/** Who makes a change, when, and by which way it came. */
export interface Actor {
  now: Date
  /** The route or command: `user create`, `auth/password/change`. */
  source: string
  /** Undefined on the command line. */
  userId?: number | undefined
  /** Who acts as that user. */
  impersonatorId?: number | undefined
  companyId?: number | undefined
  traceId?: string | undefined
  /** In which the owner of a changed account is told; English unless told. */
  language?: string | undefined
}

/** A caller as the one who makes a change, under both names while they act as somebody else. */
export function actorOf(
  caller: Pick<Caller, 'userId' | 'impersonatorId' | 'companyId'>,
  way: Pick<Actor, 'now' | 'source' | 'traceId' | 'language'>,
): Actor {
  const { userId, impersonatorId, companyId } = caller
  return { ...way, userId, impersonatorId, companyId }
}

export interface AuditEntry {
  entity: 'svc_users' | 'svc_companies' | 'svc_scripts'
  /** The record's id; of a script its name. */
  id: number | string
  action: string
  /** Column to `[from, to]`; never a password or its hash. */
  changes: Readonly<Record<string, readonly [unknown, unknown]>>
}

/** Writes one audit row. */
export async function writeAudit(tx: Tx, actor: Actor, entry: AuditEntry): Promise<void> {
  await tx.audit({
    at: actor.now.toISOString(),
    userId: actor.userId ?? null,
    impersonatorId: actor.impersonatorId ?? null,
    companyId: actor.companyId ?? null,
    source: actor.source,
    traceId: actor.traceId ?? null,
    entity: entry.entity,
    recordKey: JSON.stringify([entry.id]),
    action: entry.action,
    changes: JSON.stringify(entry.changes),
  })
}
