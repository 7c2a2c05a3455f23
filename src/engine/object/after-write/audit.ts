/** Audit records: who changed what from what to what, in the transaction of the change. */
import { planAuditRecord, type AuditRecord } from '../../../store/audit-record.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import { addLabels } from './audit-labels.ts'
import type { ChangeSource } from '../mutation.ts'
import type { WrittenRow } from '../record/written-row.ts'

/** Writes one record's audit entry; an update that moved nothing leaves none. */
export async function writeAudit(tx: Tx, row: WrittenRow, origin: ChangeSource): Promise<void> {
  const entry = await planAudit(tx, row, origin)
  if (entry) await tx.audit(entry)
}

/** The same, for whoever writes many together. */
export async function planAudit(
  tx: Tx,
  row: WrittenRow,
  origin: ChangeSource,
): Promise<AuditRecord | undefined> {
  const { entity, touched, after } = row
  const { caller, now } = origin.context
  const names = entity.columns.filter((c) => c.kind === 'declared').map((c) => c.name)
  const changes = planChanges(names, touched.before, after)
  if (touched.what === 'update' && Object.keys(changes).length === 0) return undefined
  await addLabels(tx, origin.context.model, { entity, before: touched.before, after }, changes)
  const company = entity.company ? (after ?? touched.before)?.[entity.company] : caller?.companyId
  const by = {
    userId: caller?.userId,
    impersonatorId: caller?.impersonatorId,
    companyId: typeof company === 'number' ? company : null,
    source: origin.source,
    traceId: origin.traceId,
  }
  const { key, what: action } = touched
  return planAuditRecord(now, by, { entity: entity.name, key, action, changes })
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
