/** POST /import-data/{importId}/undo: takes an import back while nothing has changed its rows. */
import { conflict, denied, type Failure, notFound } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import { getRow, updateRows } from '../../../store/rows.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import { imports, LINES_PER_IMPORT } from '../../../store/tables/imports.ts'
import type { Link } from '../../../model/compiled/field.ts'
import { quote } from '../../../model/sql/quote.ts'
import { Grant } from '../../../access/rights/grant.ts'
import { TRACKING } from '../after-write/corrections.ts'
import { takeDispatch } from '../after-write/pending-events.ts'
import { composeMoved, findLinks, removeAdded, restoreRemoved } from './import-list-log.ts'
import { composeMark, composeRowKey, listImage, MANY_MODE, SELECTION_MODE } from './import-log.ts'
import { requireTakeover } from './takeover.ts'
import { type Mutation, mutationScope } from '../mutation.ts'
import { requireView } from '../read/find-view.ts'
import { composeHolds, findPermit, queryReached, reachesAll } from '../record/reached-rows.ts'
import { requireEntity } from '../record/record.ts'
import { STAMP } from '../rules/conflict.ts'
import { mapConstraint, referredTo } from '../rules/constraint.ts'
import type { ObjectActionResult } from '../schema.ts'
import type { EntityUse } from '../view-access.ts'

/** Lines of one statement. */
const CHUNK_LINES = 500

type ImportEntry = typeof imports.$inferSelect

/**
 * Removes what the import has made and puts back what it has changed, in one transaction with all
 * its traces. Import on its object, and only for who made it, or System; with the verbs that it
 * takes, on rows that the caller still reaches by them.
 * @throws notFound, denied; conflict that says how many records have changed since.
 */
export async function undoImport(
  mutation: Mutation,
  importId: string,
): Promise<ObjectActionResult> {
  const { entry, grant } = await requireImport(mutation, importId)
  const { engine, model, context, traceId } = mutation
  const view = requireView(model, entry.ViewName)
  const entity = requireEntity(view)
  return engine.store.writeAlone(async (tx) => {
    // What came without effects goes without them.
    const history = entry.IsTakeover ? { entity, keeps: TRACKING } : undefined
    tx.facts.origin = { context, source: view.name, traceId, history }
    await claim(tx, entry, engine.clock.now())
    const from = entry.Id * LINES_PER_IMPORT
    const requested = { tx, view, entity, grant, context, from, isTakeover: entry.IsTakeover }
    const scope = await planUndo(requested)
    await requireUnchanged(scope)
    await takeBack(scope)
    const result: ObjectActionResult = {
      Action: 'undo-import',
      Keys: null,
      Ignored: [],
      Dispatch: [{ Type: 'refreshTable', Target: view.name }, ...takeDispatch(tx)],
    }
    await mutation.recordResponse?.(tx, result)
    return result
  }, mutationScope(mutation))
}

/** The import, when the caller may take it back. @throws denied, notFound */
export async function requireImport(
  { engine, caller, model }: Mutation,
  importId: string,
): Promise<{ entry: ImportEntry; grant: Grant }> {
  const id = /^\d{1,15}$/.test(importId) ? Number(importId) : -1
  const { companyId } = caller
  const ofId = 'WHERE Id = @id AND CompanyId = @companyId'
  const entry = await getRow(engine.store, imports, ofId, { id, companyId })
  const view = entry && model.viewByKey.get(entry.ViewName.toLowerCase())
  if (!entry || !view || view.entity?.name !== entry.Entity) throw unknownImport()
  if (entry.Mode === SELECTION_MODE) throw unknownImport()
  const grant = Grant.require(caller, model, view.resource, [undoRight(entry)])
  if (entry.UserId !== caller.userId && !caller.isSystem) throw denied()
  requireTakeover({ takeover: entry.IsTakeover }, grant)
  if (entry.Inserted > 0) grant.requireVerb('Delete')
  if (entry.Updated > 0) grant.requireVerb('Update')
  return { entry, grant }
}

/** The right that takes it back, beside those of its records: that of making it. */
export const undoRight = ({ Mode }: Pick<ImportEntry, 'Mode'>): 'Import' | 'Update' =>
  Mode === MANY_MODE ? 'Update' : 'Import'

const unknownImport = () =>
  notFound(say`There is no such import, or it can no longer be undone`, {
    code: 'IMPORT_NOT_FOUND',
  })

/**
 * Only one may take it back, and by the time of this very transaction: what was over by then may
 * have lost some of its rows.
 */
async function claim(tx: Tx, { Id, ExpiresAt }: ImportEntry, now: Date): Promise<void> {
  if (ExpiresAt <= now.toISOString()) throw unknownImport()
  const set = { UndoneAt: now.toISOString() }
  if ((await updateRows(tx, imports, 'WHERE Id = @Id AND UndoneAt IS NULL', { Id, set })) === 0) {
    throw conflict(say`This import has already been undone`, { code: 'IMPORT_UNDONE' })
  }
}

interface UndoScope extends EntityUse {
  tx: Tx
  /** `Row` of the import's line 0. */
  from: number
  /** Its rows hold who changed a record, too. */
  isTakeover: boolean
  /** The lists of keys that it set. */
  links: readonly Link[]
}

async function planUndo(requested: Omit<UndoScope, 'links'>): Promise<UndoScope> {
  const { tx, view, from } = requested
  const links = await findLinks(tx, view, { first: from, last: from + LINES_PER_IMPORT - 1 })
  if (links) return { ...requested, links }
  throw conflict(say`The import cannot be undone: the object has changed since`, {
    code: 'IMPORT_CHANGED',
  })
}

/** Parts of the import's lines, in order. */
async function* chunks({ tx, from }: UndoScope): AsyncGenerator<Lines> {
  const end = from + LINES_PER_IMPORT - 1
  for (let first = from; ;) {
    const row = await tx.get<{ Last: number | null }>(
      `SELECT max(Row) AS Last FROM (SELECT Row FROM main.svc_import_rows
       WHERE Row BETWEEN @first AND @end ORDER BY Row LIMIT ${CHUNK_LINES})`,
      { first, end },
    )
    if (row?.Last === null || row?.Last === undefined) return
    yield { first, last: row.Last }
    first = row.Last + 1
  }
}

/** A record that has left the caller's rows reads like a changed one. */
async function requireUnchanged(scope: UndoScope): Promise<void> {
  const { tx, entity, links } = scope
  let changed = 0
  for await (const range of chunks(scope)) {
    const { rows } = await tx.authored(
      `SELECT r.Row FROM main.svc_import_rows r
       LEFT JOIN main.${quote(entity.table)} t ON ${composeRowKey(entity)}
       WHERE r.Row BETWEEN @first AND @last AND
         (t.${quote(entity.keys[0]?.name ?? '')} IS NULL OR
          r.After IS NOT ${composeMark(entity)} OR ${composeMoved(links)})`,
      range,
    )
    const lost = [
      ...(await listUnreached(scope, range, 'delete')),
      ...(await listUnreached(scope, range, 'update')),
    ]
    changed += new Set([...rows.map(({ Row }) => Row), ...lost]).size
  }
  if (changed > 0) throw changedSince(changed)
}

const changedSince = (changed: number): Failure =>
  conflict(
    changed === 1
      ? say`The import cannot be undone: 1 record has changed since`
      : say`The import cannot be undone: ${changed} records have changed since`,
    { code: 'IMPORT_CHANGED' },
  )

type Lines = {
  first: number
  last: number
}

/** Rows whose records the caller may not delete or change by now, or see when they are put back. */
async function listUnreached(
  scope: UndoScope,
  range: Lines,
  purpose: 'delete' | 'update' | 'updated',
): Promise<SqlValue[]> {
  const { tx, view, entity } = scope
  const capability = purpose === 'delete' ? 'Delete' : 'Update'
  const permit = purpose === 'updated' ? undefined : findPermit(view, capability)
  if (reachesAll(scope, purpose) && !permit) return []
  const rows =
    `FROM main.svc_import_rows r WHERE r.Row BETWEEN @first AND @last ` +
    `AND r.Before IS ${purpose === 'delete' ? '' : 'NOT '}NULL`
  const keys = entity.keys.map((_, at) => `json_extract(r.RowKey, '$[${at}]') AS _key${at}`)
  const requested = { purpose, conditions: permit ? [composeHolds(permit)] : [], args: range }
  const lost = await queryReached(tx, scope, requested, (join) => {
    const held = `SELECT _row FROM (SELECT r.Row AS _row, ${keys.join(', ')} ${rows}) ${join}`
    return `SELECT r.Row ${rows} AND r.Row NOT IN (${held})`
  })
  return lost.map(({ Row }) => Row ?? null)
}

/** Each part has its own after-write pass. */
async function takeBack(scope: UndoScope): Promise<void> {
  const { tx, view, entity, links, isTakeover } = scope
  const table = `main.${quote(entity.table)}`
  const sets = listImage(entity, { takeover: isTakeover }).map(
    ({ name }, at) => `${quote(name)} = json_extract(r.Before, '$[${at}]')`,
  )
  if (entity.concurrency) sets.push(`${STAMP} = t.${STAMP} + 1`)
  const rows = `main.svc_import_rows r WHERE r.Row BETWEEN @first AND @last`
  const restore =
    `UPDATE ${table} AS t SET ${sets.join(', ')} FROM (SELECT * FROM ${rows} ` +
    `AND r.Before IS NOT NULL LIMIT ${CHUNK_LINES}) AS r WHERE ${composeRowKey(entity)}`
  const keys = entity.keys.map(({ name }) => quote(name)).join(', ')
  const given = entity.keys.map((_, at) => `json_extract(r.RowKey, '$[${at}]')`).join(', ')
  const made = `SELECT ${given} FROM ${rows} AND r.Before IS NULL`
  const remove = `DELETE FROM ${table} WHERE (${keys}) IN (${made})`
  const isKnotted = entity.columns.some(({ references }) => references === entity.name)
  // Records that point to each other go in any order; what is left behind is looked for at the end.
  if (isKnotted) await tx.run('PRAGMA defer_foreign_keys = ON')
  for await (const range of chunks(scope)) {
    await mapConstraint(scope, async () => {
      for (const link of links) await removeAdded(scope, link, range)
      if (sets.length > 0) await tx.authored(restore, range, view.name)
      for (const link of links) await restoreRemoved(scope, link, range)
      await tx.authored(remove, range, view.name)
    })
    await tx.runAfterWrite()
    const lost = await listUnreached(scope, range, 'updated')
    if (lost.length > 0) throw changedSince(lost.length)
  }
  if (isKnotted) await requireUnreferenced(scope)
}

/** @throws invalid when a record still refers to a removed one. */
async function requireUnreferenced({ tx, entity, from, context }: UndoScope): Promise<void> {
  const range = { first: from, last: from + LINES_PER_IMPORT - 1 }
  for (const other of context.model.entities.values()) {
    for (const { name, references } of other.columns) {
      if (references !== entity.name) continue
      const { rows } = await tx.authored(
        `SELECT 1 AS found FROM main.svc_import_rows r CROSS JOIN main.${quote(other.table)} t ` +
          `WHERE r.Row BETWEEN @first AND @last AND r.Before IS NULL ` +
          `AND t.${quote(name)} = json_extract(r.RowKey, '$[0]') LIMIT 1`,
        range,
      )
      if (rows.length > 0) throw referredTo()
    }
  }
}
