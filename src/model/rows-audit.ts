/** The audit record of a reference row: a migration has no after-write pass that would write it. */
import type { SqlRow } from '../store/sql.ts'
import type { Tx } from '../store/store.ts'
import type { Entity } from './model.ts'

/** On whose behalf rows are written, and by which way. */
export interface RowsAuthor {
  source: string
  userId?: number | undefined
  /** Who acts as that user. */
  impersonatorId?: number | undefined
  traceId?: string | undefined
}

/** A deploy is nobody's. */
export const DEPLOY: RowsAuthor = { source: 'deploy' }

/** What became of a row. */
interface RowChange {
  before: SqlRow | undefined
  after: SqlRow | undefined
  now: Date
  by: RowsAuthor
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
  await tx.audit({
    at: now.toISOString(),
    userId: by.userId ?? null,
    impersonatorId: by.impersonatorId ?? null,
    companyId: typeof company === 'number' ? company : null,
    source: by.source,
    traceId: by.traceId ?? null,
    entity: entity.name,
    recordKey: JSON.stringify(entity.keys.map((key) => after?.[key.name] ?? null)),
    action: before === undefined ? 'insert' : 'update',
    changes: JSON.stringify(changes),
  })
}
