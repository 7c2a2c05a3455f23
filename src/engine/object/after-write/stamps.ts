/** What is kept of a record's stamps: what moved with each, for 409s and merges to judge by. */
import type { Entity } from '../../../model/model.ts'
import type { Tx } from '../../../store/store.ts'
import { STAMP } from '../rules/conflict.ts'
import type { ChangeSource } from '../mutation.ts'
import type { WrittenRow } from '../record/written-row.ts'

/** Stamps kept of a record: how far back a 409 can tell what moved. */
const STAMPS_KEPT = 50

/** Writes down the stamp of one record's change. */
export async function writeStamp(tx: Tx, row: WrittenRow, origin: ChangeSource): Promise<void> {
  const { entity, touched, after, changed } = row
  if (!entity.concurrency || touched.what === 'insert') return
  const entry = { entity: entity.name, key: JSON.stringify(touched.key) }
  const oldest = after ? Number(after[STAMP]) - STAMPS_KEPT : Number.MAX_SAFE_INTEGER
  await tx.run(
    'DELETE FROM svc_stamps WHERE Entity = @entity AND RecordKey = @key AND Stamp < @oldest',
    { ...entry, oldest },
  )
  if (!after && !mayReturn(entity)) return
  await tx.run(
    `INSERT OR IGNORE INTO svc_stamps (Entity, RecordKey, Stamp, Fields, UserId, At)
     VALUES (@entity, @key, @stamp, @fields, @user, @at)`,
    {
      ...entry,
      stamp: (after ?? touched.before)?.[STAMP] ?? null,
      fields: JSON.stringify(changed),
      user: origin.context.caller?.userId ?? null,
      at: origin.context.now.toISOString(),
    },
  )
}

/**
 * The stamp that a new record must have at least: beyond those of a deleted one of the same key,
 * whose last one is kept for that, and at least the time, whatever statement made the record.
 */
export async function findFirstStamp(
  tx: Tx,
  { entity, key, now }: { entity: Entity; key: readonly unknown[]; now: Date },
): Promise<number> {
  if (!mayReturn(entity)) return now.getTime()
  const last = await tx.get<{ Stamp: number | null }>(
    'SELECT max(Stamp) AS Stamp FROM svc_stamps WHERE Entity = @entity AND RecordKey = @key',
    { entity: entity.name, key: JSON.stringify(key) },
  )
  return Math.max(now.getTime(), (last?.Stamp ?? 0) + 1)
}

/** A key that the server gives never comes again. */
const mayReturn = (entity: Entity): boolean => !entity.keys.some((key) => key.identity)
