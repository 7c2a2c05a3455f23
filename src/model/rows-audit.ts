/** The audit record of a reference row: a migration has no settle pass that would write it. */
import { txDatabase } from '../store/drizzle.ts'
import type { SqlRow } from '../store/sql.ts'
import type { Tx } from '../store/store.ts'
import { audit } from '../store/tables/audit.ts'
import type { Entity } from './model.ts'

/** Writes what a deploy changed from what to what, in its transaction; by nobody. */
export async function auditRow(
  tx: Tx,
  entity: Entity,
  { before, after, now }: { before: SqlRow | undefined; after: SqlRow | undefined; now: Date },
): Promise<void> {
  const changes: Record<string, unknown> = {}
  for (const { name, kind } of entity.columns) {
    const [from, to] = [before?.[name] ?? null, after?.[name] ?? null]
    if (kind === 'declared' && from !== to) changes[name] = [from, to]
  }
  const company = after?.[entity.company ?? '']
  await txDatabase(tx)
    .insert(audit)
    .values({
      At: now.toISOString(),
      CompanyId: typeof company === 'number' ? company : null,
      Source: 'deploy',
      Entity: entity.name,
      RecordKey: JSON.stringify(entity.keys.map((key) => after?.[key.name] ?? null)),
      Action: before === undefined ? 'insert' : 'update',
      Changes: JSON.stringify(changes),
    })
}
