/** Audit records: who changed what from what to what, in the transaction of the change. */
import type { SqlRow, SqlValue } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import { addLabels } from './audit-labels.ts'
import type { Origin } from './mutation.ts'
import type { SettledRow } from './settled-row.ts'

const INSERT = `INSERT INTO svc_audit
  (At, UserId, ImpersonatorId, CompanyId, Source, TraceId, Entity, RecordKey, Action, Changes)
  VALUES (@at, @user, @impersonator, @company, @source, @trace, @entity, @key, @action, @changes)`

/** Writes one record's audit entry; an update that moved nothing leaves none. */
export async function writeAudit(tx: Tx, row: SettledRow, origin: Origin): Promise<void> {
  const { entity, touched, after } = row
  const { caller, now } = origin.context
  const names = entity.columns.filter((c) => c.kind === 'declared').map((c) => c.name)
  const changes = planChanges(names, touched.before, after)
  if (touched.what === 'update' && Object.keys(changes).length === 0) return
  await addLabels(tx, origin.context.model, { entity, before: touched.before, after }, changes)
  const company = entity.company ? (after ?? touched.before)?.[entity.company] : caller?.companyId
  await tx.run(INSERT, {
    at: now.toISOString(),
    user: caller?.userId ?? null,
    impersonator: caller?.impersonatorId ?? null,
    company: company ?? null,
    source: origin.source,
    trace: origin.traceId ?? null,
    entity: entity.name,
    key: JSON.stringify(touched.key),
    action: touched.what,
    changes: JSON.stringify(changes),
  })
}

/** Column to `[from, to]`, for what differs. */
export function planChanges(
  names: readonly string[],
  before: SqlRow | undefined,
  after: SqlRow | undefined,
): Record<string, [unknown, unknown]> {
  const changes: Record<string, [unknown, unknown]> = {}
  for (const name of names) {
    const from = before?.[name] ?? null
    const to = after?.[name] ?? null
    if (from !== to) changes[name] = [toJson(from), toJson(to)]
  }
  return changes
}

function toJson(value: SqlValue): string | number | null {
  if (typeof value === 'bigint') return value.toString()
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}
