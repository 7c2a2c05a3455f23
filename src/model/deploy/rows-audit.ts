/** The audit record of a reference row: a migration has no after-write pass that would write it. */
import { type AuditAuthor, type AuditChange, planAuditRecord } from '../../store/audit/record.ts'
import type { SqlRow } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import type { Entity } from '../compiled/entity.ts'

/** The audit author of a deploy, which belongs to no user. */
export const DEPLOY: AuditAuthor = { source: 'deploy' }

/** A changed row, as it was and as it is. */
interface RowChange {
  before: SqlRow | undefined
  after: SqlRow | undefined
  now: Date
  by: AuditAuthor
}

/** Writes what was changed from what to what, in the transaction of the change. */
export async function auditRow(
  tx: Tx,
  entity: Entity,
  { before, after, now, by }: RowChange,
): Promise<void> {
  const changes: Record<string, unknown> = {}
  for (const { name, kind } of entity.columns) {
    const [from, to] = [before?.[name] ?? null, after?.[name] ?? null]
    if (kind === 'declared' && from !== to) changes[name] = [from, to]
  }
  const company = after?.[entity.company ?? '']
  const companyId = typeof company === 'number' ? company : null
  const key = entity.keys.map(({ name }) => after?.[name] ?? null)
  const action = before === undefined ? 'insert' : 'update'
  await tx.audit(
    planAuditRecord(now, { ...by, companyId }, { entity: entity.name, key, action, changes }),
  )
}

/** Writes what a migration did to an entity as a whole. */
export const auditMigration = (
  tx: Tx,
  { name }: Entity,
  now: Date,
  changes: AuditChange['changes'],
): Promise<void> =>
  tx.audit(planAuditRecord(now, DEPLOY, { entity: name, key: [], action: 'migrate', changes }))
