/**
 * Records of the engine by entity, column and key follow their records through a migration:
 * - files and uploads: by all three; those of removed columns are forgotten, and their bytes are
 *   swept at the next start;
 * - the outbox, notifications, instances of workflows, comments and followers: by entity and key,
 *   so that they stay about their own record; comments and followers of removed ones are deleted;
 * - the audit log is a chain that nothing changes: `svc_former_keys` says what a record was called;
 * - imports hold images of whole records: its undo ends once they look different;
 * - stamps are forgotten (`catalog.ts`);
 * - remembered answers stay as they were given: to drop one would run its request a second time.
 * Sequences, reserved numbers and exports hold no keys.
 */
import type { Tx } from '../../store/store.ts'
import type { files } from '../../store/tables/files.ts'
import { LINES_PER_IMPORT } from '../../store/tables/imports.ts'
import type { Column, Entity } from '../compiled/entity.ts'
import { auditMigration } from '../deploy/rows-audit.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { storageOf } from './column-schema.ts'
import { type EntityMove, listMoves, type Migration } from './migration.ts'
import { newKey, oldKey, type TableMatch } from './schema-match.ts'
import type { Model } from '../model.ts'
import { quote } from '../sql/quote.ts'

/** Moves all records, while the maps of keys exist. */
export async function moveRecordKeys(
  tx: Tx,
  migration: Pick<Migration, 'match' | 'reshaped' | 'steps'>,
  model: Pick<Model, 'entities'>,
  now: Date,
): Promise<void> {
  const moves = listMoves(migration)
  if (migration.steps.length === 0 && moves.length === 0) return
  for (const move of moves) await moveNames(tx, move)
  for (const table of migration.match.tables) {
    if (table.keyChange !== undefined) await moveKeys(tx, table, now)
    else if (table.stored && table.stored.entity !== table.entity.name)
      await keepNames(tx, table, now)
  }
  await forgetGoneFiles(tx, model)
  await forgetGoneEntities(tx, model)
  await endImports(tx, migration.reshaped, now)
}

/** Tables of what people say about records: it goes with them. */
const SAID = ['svc_comments', 'svc_followers'] as const

/** Tables with keys of records. */
const KEYED = [
  'svc_files',
  'svc_outbox',
  'svc_notifications',
  'svc_workflow_instances',
  ...SAID,
] as const

/** Tables with names of entities. */
const NAMED = [...KEYED, 'svc_uploads', 'svc_imports', 'svc_import_lists'] as const

async function moveNames(tx: Tx, { entity: { name }, was, fields }: EntityMove): Promise<void> {
  for (const table of NAMED)
    await tx.run(`UPDATE ${table} SET Entity = @name WHERE Entity = @was`, { name, was })
  if (fields.length === 0) return
  const args = { name, moves: JSON.stringify(fields) }
  for (const table of ['svc_files', 'svc_uploads'])
    await tx.run(
      `UPDATE ${table} AS t SET Field = m.value ->> 1 FROM json_each(@moves) AS m
       WHERE t.Entity = @name AND t.Field = m.value ->> 0`,
      args,
    )
}

/** While they change, new keys are marked: two records may take each other's. */
const MARK = '~'

async function moveKeys(tx: Tx, table: TableMatch, at: Date): Promise<void> {
  const { entity, keyChange, stored } = table
  if (keyChange === undefined || stored === undefined) return
  const map = quote(keyChange.table)
  const on = keyChange.stored
    .map((_, at) => `${oldKey(at)} = json_extract(r.RecordKey, '$[${at}]')`)
    .join(' AND ')
  const args = { entity: entity.name }
  for (const name of SAID)
    await tx.run(
      `DELETE FROM ${name} AS r
       WHERE r.Entity = @entity AND NOT EXISTS (SELECT 1 FROM ${map} WHERE ${on})`,
      args,
    )
  for (const name of KEYED) {
    const found = `SELECT '${MARK}' || ${newKeyText(entity)} FROM ${map} WHERE ${on}`
    await tx.run(
      `UPDATE ${name} AS r SET RecordKey = coalesce((${found}), '${MARK}') WHERE r.Entity = @entity
       AND r.RecordKey IS NOT NULL`,
      args,
    )
  }
  const removed = `Entity = @entity AND RecordKey = '${MARK}'`
  await tx.run(`DELETE FROM svc_files WHERE ${removed}`, args)
  // About a record that was removed before: its key may be another's by now.
  await tx.run(`UPDATE svc_outbox SET RecordKey = NULL WHERE ${removed}`, args)
  await tx.run(`UPDATE svc_notifications SET RecordKey = NULL WHERE ${removed}`, args)
  await tx.run(`UPDATE svc_workflow_instances SET RecordKey = '${MARK}[]' WHERE ${removed}`, args)
  for (const name of KEYED)
    await tx.run(
      `UPDATE ${name} SET RecordKey = substr(RecordKey, 2)
       WHERE Entity = @entity AND RecordKey LIKE '${MARK}%'`,
      args,
    )
  const former = keyChange.stored.map((_, at) => oldKey(at))
  await keepFormerKeys(tx, table, {
    from: map,
    now: newKeyText(entity),
    former: `json_array(${former.join(', ')})`,
    at,
  })
}

/** Keeps the former keys of a renamed entity's records. */
async function keepNames(tx: Tx, table: TableMatch, at: Date): Promise<void> {
  const key = keyText(table.entity, ({ name }) => quote(name))
  await keepFormerKeys(tx, table, { from: quote(table.wanted.table), now: key, former: key, at })
}

/**
 * Only where the log knows a record of the entity. An entry of the deploy's own comes first: by it
 * two deploys are distinguished, between which nothing was recorded.
 */
async function keepFormerKeys(
  tx: Tx,
  { entity, stored, wanted }: TableMatch,
  { from, now, former, at }: { from: string; now: string; former: string; at: Date },
): Promise<void> {
  const was = stored?.entity ?? null
  const known = await tx.get('SELECT 1 AS n FROM svc_audit WHERE Entity = @was LIMIT 1', { was })
  if (known === undefined) return
  await auditMigration(tx, entity, at, {
    Entity: [was, entity.name],
    Key: [stored?.keys.join(' '), wanted.keys.join(' ')],
  })
  await tx.run(
    `INSERT INTO svc_former_keys (Entity, RecordKey, FormerEntity, FormerKey, AuditId)
     SELECT @entity, ${now}, @was, ${former}, (SELECT max(Id) FROM svc_audit) FROM ${from}`,
    { entity: entity.name, was },
  )
}

const newKeyText = (entity: Entity): string => keyText(entity, (_, at) => newKey(at))

/** Writes keys as `JSON.stringify` does: a whole number has no point. */
function keyText({ keys }: Entity, cellOf: (key: Column, at: number) => string): string {
  const cells = keys.map((key, at) => {
    const cell = cellOf(key, at)
    if (storageOf(key.type) !== 'REAL') return cell
    return `iif(${cell} = CAST(${cell} AS INTEGER), CAST(${cell} AS INTEGER), ${cell})`
  })
  return `json_array(${cells.join(', ')})`
}

async function forgetGoneFiles(tx: Tx, model: Pick<Model, 'entities'>): Promise<void> {
  const places = await tx.all<Pick<typeof files.$inferSelect, 'Entity' | 'Field'>>(
    'SELECT DISTINCT Entity, Field FROM svc_files',
  )
  for (const { Entity, Field } of places) {
    const column = model.entities.get(Entity)?.columnByName.get(Field.toLowerCase())
    if (column && FIELD_KINDS[column.type].structure === 'files') continue
    const args = { Entity, Field }
    await tx.run('DELETE FROM svc_files WHERE Entity = @Entity AND Field = @Field', args)
  }
}

async function forgetGoneEntities(tx: Tx, { entities }: Pick<Model, 'entities'>): Promise<void> {
  const names = JSON.stringify([...entities.keys()])
  for (const table of SAID)
    await tx.run(`DELETE FROM ${table} WHERE Entity NOT IN (SELECT value FROM json_each(@names))`, {
      names,
    })
}

async function endImports(tx: Tx, entities: readonly string[], now: Date): Promise<void> {
  if (entities.length === 0) return
  await tx.run(
    `UPDATE svc_imports SET ExpiresAt = @now WHERE ExpiresAt > @now AND (
       Entity IN (SELECT value FROM json_each(@entities)) OR
       Id IN (SELECT Row / ${LINES_PER_IMPORT} FROM svc_import_lists
         WHERE Entity IN (SELECT value FROM json_each(@entities))))`,
    { entities: JSON.stringify(entities), now: now.toISOString() },
  )
}
