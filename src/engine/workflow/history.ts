/** History of an instance: each entry goes with one of the audit chain. */
import { planAuditRecord } from '../../store/audit/record.ts'
import type { Tx } from '../../store/store.ts'
import type { Context } from '../object/context.ts'
import type { BranchRow, InstanceRow } from './instance-rows.ts'

/** Entity name of instances in the audit. */
const INSTANCE_ENTITY = 'svc_workflow_instances'

/** An entry of the history: an action, and where it led. */
export interface InstanceHistoryEntry {
  action: string
  branch?: BranchRow | undefined
  from: string | null
  to: string | null
  /** Time at which it entered `from`, where it leaves that. */
  since?: string | undefined
  comment?: string | null | undefined
  /** The user for whom the caller acted. */
  forUserId?: number | null | undefined
}

const INSERT = `INSERT INTO svc_workflow_history (InstanceId, BranchId, At, UserId, ImpersonatorId,
  ForUserId, Action, FromState, ToState, Since, Comment, VersionHash)
  VALUES (@instance, @branch, @at, @user, @impersonator, @for, @action, @from, @to, @since,
  @comment, @hash)`

/** Writes the entry. */
export async function addHistory(
  { tx, context }: { tx: Tx; context: Context },
  instance: InstanceRow,
  { action, branch, from, to, since, comment = null, forUserId = null }: InstanceHistoryEntry,
): Promise<void> {
  const { caller, now } = context
  await tx.run(INSERT, {
    instance: instance.Id,
    branch: branch?.Id ?? null,
    at: now.toISOString(),
    user: caller?.userId ?? null,
    impersonator: caller?.impersonatorId ?? null,
    for: forUserId,
    action,
    from,
    to,
    since: since ?? null,
    comment,
    hash: instance.VersionHash,
  })
  const origin = tx.facts.origin
  const by = {
    userId: caller?.userId,
    impersonatorId: caller?.impersonatorId,
    companyId: instance.CompanyId,
    source: instance.Workflow,
    traceId: origin?.traceId,
  }
  const changes = {
    ...(from !== to && { State: [from, to] }),
    ...(branch && { Branch: [branch.Id, branch.Id] }),
    ...(forUserId !== null && { For: [null, forUserId] }),
    ...(comment !== null && { Comment: [null, comment] }),
  }
  const change = { entity: INSTANCE_ENTITY, key: [instance.Id], action, changes }
  await tx.audit(planAuditRecord(now, by, change))
}
