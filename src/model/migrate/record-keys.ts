/**
 * What the engine keeps by entity, column and key of records follows them through a migration:
 * - files and uploads: by all three; those of columns that are gone are forgotten, and their bytes
 *   are swept at the next start;
 * - the outbox: by entity and key, so that what waits is delivered about its own record;
 * - the audit log is a chain that nothing changes: `svc_former_keys` says what a record was called;
 * - imports hold images of whole records: they are not taken back once those look otherwise;
 * - stamps are forgotten (`catalog.ts`);
 * - remembered answers stay as they were given: to drop one would run its request a second time.
 * Sequences, reserved numbers and exports hold no keys.
 */
import { and, eq, inArray, sql, txDatabase } from '../../store/drizzle.ts'
import type { Tx } from '../../store/store.ts'
import { files, uploads } from '../../store/tables/files.ts'
import { imports, importLists, LINES_PER_IMPORT } from '../../store/tables/imports.ts'
import { outbox } from '../../store/tables/outbox.ts'
import type { Entity, Model } from '../model.ts'
import type { EntityMove, Migration } from '../migration.ts'
import { listMoves } from '../migration.ts'
import { quote } from '../quote.ts'
import { storageOf } from './column-schema.ts'
import { newKey, oldKey } from './schema-match.ts'
import type { TableMatch } from './schema-match.ts'

/** Moves all of it, while the maps of keys stand. */
export async function moveRecordKeys(
  tx: Tx,
  migration: Pick<Migration, 'match' | 'reshaped' | 'steps'>,
  model: Pick<Model, 'entities'>,
  now: Date,
): Promise<void> {
  if (migration.steps.length === 0) return
  for (const move of listMoves(migration)) await moveNames(tx, move)
  for (const table of migration.match.rekeyed) await moveKeys(tx, table)
  await forgetGoneFiles(tx, model)
  await endImports(tx, migration.reshaped, now)
}

async function moveNames(tx: Tx, { entity: { name }, was, fields }: EntityMove): Promise<void> {
  const database = txDatabase(tx)
  for (const table of [files, uploads, outbox, imports, importLists])
    await database.update(table).set({ Entity: name }).where(eq(table.Entity, was))
  if (fields.length === 0) return
  const former = fields.map(([from]) => from)
  for (const table of [files, uploads]) {
    const cases = fields.map(([from, to]) => sql`WHEN ${from} THEN ${to}`)
    await database
      .update(table)
      .set({ Field: sql`CASE ${table.Field} ${sql.join(cases, sql` `)} END` })
      .where(and(eq(table.Entity, name), inArray(table.Field, former)))
  }
}

/** While they change, new keys are marked: two records may take each other's. */
const MARK = '~'

async function moveKeys(tx: Tx, table: TableMatch): Promise<void> {
  const { entity, keyChange, stored } = table
  if (keyChange === undefined || stored === undefined) return
  const map = quote(keyChange.table)
  const on = keyChange.stored
    .map((_, at) => `${oldKey(at)} = json_extract(r.RecordKey, '$[${at}]')`)
    .join(' AND ')
  const args = { entity: entity.name }
  for (const name of ['svc_files', 'svc_outbox']) {
    const found = `SELECT '${MARK}' || ${newKeyText(entity)} FROM ${map} WHERE ${on}`
    await tx.run(
      `UPDATE ${name} AS r SET RecordKey = coalesce((${found}), '${MARK}') WHERE r.Entity = @entity
       AND r.RecordKey IS NOT NULL`,
      args,
    )
  }
  const database = txDatabase(tx)
  await database.delete(files).where(and(eq(files.Entity, entity.name), eq(files.RecordKey, MARK)))
  // About a record that was gone before: its key may be another's by now.
  await database
    .update(outbox)
    .set({ RecordKey: null })
    .where(and(eq(outbox.Entity, entity.name), eq(outbox.RecordKey, MARK)))
  for (const each of [files, outbox])
    await database
      .update(each)
      .set({ RecordKey: sql`substr(${each.RecordKey}, 2)` })
      .where(and(eq(each.Entity, entity.name), sql`${each.RecordKey} LIKE ${`${MARK}%`}`))
  await keepFormerKeys(tx, { entity, map, was: stored.entity, width: keyChange.stored.length })
}

interface FormerKeys {
  entity: Entity
  map: string
  was: string
  /** How many columns the former key had. */
  width: number
}

/** Only where the log knows a record of the entity. */
async function keepFormerKeys(tx: Tx, { entity, map, was, width }: FormerKeys): Promise<void> {
  const former = Array.from({ length: width }, (_, at) => oldKey(at))
  await tx.run(
    `INSERT INTO svc_former_keys (Entity, RecordKey, FormerEntity, FormerKey, AuditId)
     SELECT @entity, ${newKeyText(entity)}, @was, json_array(${former.join(', ')}),
       (SELECT max(Id) FROM svc_audit)
     FROM ${map} WHERE EXISTS (SELECT 1 FROM svc_audit WHERE Entity = @was)`,
    { entity: entity.name, was },
  )
}

/** As `JSON.stringify` writes it: a whole number has no point. */
function newKeyText({ keys }: Entity): string {
  const cells = keys.map(({ type }, at) => {
    const cell = newKey(at)
    if (storageOf(type) !== 'REAL') return cell
    return `iif(${cell} = CAST(${cell} AS INTEGER), CAST(${cell} AS INTEGER), ${cell})`
  })
  return `json_array(${cells.join(', ')})`
}

async function forgetGoneFiles(tx: Tx, model: Pick<Model, 'entities'>): Promise<void> {
  const database = txDatabase(tx)
  const places = await database
    .selectDistinct({ Entity: files.Entity, Field: files.Field })
    .from(files)
  for (const { Entity, Field } of places) {
    if (model.entities.get(Entity)?.columnByName.get(Field.toLowerCase())?.type === 'File') continue
    await database.delete(files).where(and(eq(files.Entity, Entity), eq(files.Field, Field)))
  }
}

async function endImports(tx: Tx, entities: readonly string[], now: Date): Promise<void> {
  if (entities.length === 0) return
  const ExpiresAt = now.toISOString()
  const database = txDatabase(tx)
  const lists = database
    .select({ id: sql`${importLists.Row} / ${LINES_PER_IMPORT}` })
    .from(importLists)
    .where(inArray(importLists.Entity, [...entities]))
  for (const theirs of [inArray(imports.Entity, [...entities]), inArray(imports.Id, lists)])
    await database
      .update(imports)
      .set({ ExpiresAt })
      .where(and(theirs, sql`${imports.ExpiresAt} > ${ExpiresAt}`))
}
