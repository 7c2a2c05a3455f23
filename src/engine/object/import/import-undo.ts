/** POST /import-data/{importId}/undo: takes an import back while nothing has changed its rows. */
import { Grant } from '../../../access/grant.ts'
import { conflict, denied, notFound } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { Entity, Link, View } from '../../../model/model.ts'
import { quote } from '../../../model/quote.ts'
import { and, eq, isNull, readDatabase, txDatabase } from '../../../store/drizzle.ts'
import type { Tx } from '../../../store/store.ts'
import { imports, LINES_PER_IMPORT } from '../../../store/tables/imports.ts'
import { STAMP } from '../write/conflict.ts'
import { mapConstraint } from '../write/constraint.ts'
import { requireView } from '../find-view.ts'
import { composeMoved, findLinks, removeAdded, restoreRemoved } from './import-list-log.ts'
import { composeMark, composeRowKey, listImage } from './import-statements.ts'
import { setOrigin, type Mutation } from '../write/mutation.ts'
import { takeDispatch } from '../settle/raised.ts'
import { requireEntity } from '../write/record.ts'
import type { ObjectActionResult } from '../schema.ts'

/** Lines of one statement. */
const CHUNK_LINES = 500

type ImportEntry = typeof imports.$inferSelect

/**
 * Removes what the import has made and puts back what it has changed, in one transaction with all
 * its traces. Import on its object, and only for who made it, or System.
 * @throws notFound, denied; conflict that tells how many records have changed since.
 */
export async function undoImport(
  mutation: Mutation,
  importId: string,
): Promise<ObjectActionResult> {
  const entry = await requireImport(mutation, importId)
  const { engine, caller, model, context, traceId } = mutation
  const view = requireView(model, entry.ViewName)
  const entity = requireEntity(view)
  return engine.store.writeAlone(
    async (tx) => {
      setOrigin(tx, { context, source: view.name, traceId })
      await claim(tx, entry, engine.clock.now())
      const scope = await planUndo(tx, view, entity, entry.Id * LINES_PER_IMPORT)
      await requireUnchanged(scope)
      await takeBack(scope)
      const result: ObjectActionResult = {
        Action: 'undo-import',
        Keys: null,
        Dispatch: [{ Type: 'refreshTable', Target: view.name }, ...takeDispatch(tx)],
      }
      await mutation.seal?.(tx, result)
      return result
    },
    { company: caller.companyId },
  )
}

/** The import, when the caller may take it back. @throws denied, notFound */
export async function requireImport(
  { engine, caller, model }: Mutation,
  importId: string,
): Promise<ImportEntry> {
  const id = /^\d{1,15}$/.test(importId) ? Number(importId) : -1
  const [entry] = await readDatabase(engine.store)
    .select()
    .from(imports)
    .where(and(eq(imports.Id, id), eq(imports.CompanyId, caller.companyId)))
  const view = entry && model.viewByKey.get(entry.ViewName.toLowerCase())
  if (!entry || !view || view.entity?.name !== entry.Entity) throw unknownImport()
  Grant.require(caller, model, view.resource, ['Import'])
  if (entry.UserId !== caller.userId && !caller.isSystem) throw denied()
  return entry
}

const unknownImport = () =>
  notFound(say`There is no such import, or it can no longer be taken back`, {
    code: 'IMPORT_NOT_FOUND',
  })

/**
 * Only one may take it back, and by the time of this very transaction: what was over by then may
 * have lost some of its rows.
 */
async function claim(tx: Tx, { Id, ExpiresAt }: ImportEntry, now: Date): Promise<void> {
  if (ExpiresAt <= now.toISOString()) throw unknownImport()
  const claimed = await txDatabase(tx)
    .update(imports)
    .set({ UndoneAt: now.toISOString() })
    .where(and(eq(imports.Id, Id), isNull(imports.UndoneAt)))
    .returning({ Id: imports.Id })
  if (claimed.length === 0) {
    throw conflict(say`This import was taken back already`, { code: 'IMPORT_UNDONE' })
  }
}

interface UndoScope {
  tx: Tx
  view: View
  entity: Entity
  /** `Row` of the import's line 0. */
  from: number
  /** The lists of keys that it set. */
  links: readonly Link[]
}

async function planUndo(tx: Tx, view: View, entity: Entity, from: number): Promise<UndoScope> {
  const links = await findLinks(tx, view, { first: from, last: from + LINES_PER_IMPORT - 1 })
  if (links) return { tx, view, entity, from, links }
  throw conflict(say`The object has changed since the import: it cannot be taken back`, {
    code: 'IMPORT_CHANGED',
  })
}

/** Parts of the import's lines, in order. */
async function* chunks({ tx, from }: UndoScope): AsyncGenerator<{ first: number; last: number }> {
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

async function requireUnchanged(scope: UndoScope): Promise<void> {
  const { tx, entity, links } = scope
  let changed = 0
  for await (const range of chunks(scope)) {
    const { rows } = await tx.authored(
      `SELECT count(*) AS Changed FROM main.svc_import_rows r
       LEFT JOIN main.${quote(entity.table)} t ON ${composeRowKey(entity)}
       WHERE r.Row BETWEEN @first AND @last AND
         (t.${quote(entity.keys[0]?.name ?? '')} IS NULL OR
          r.After IS NOT ${composeMark(entity)} OR ${composeMoved(links)})`,
      range,
    )
    changed += Number(rows[0]?.Changed ?? 0)
  }
  if (changed === 0) return
  throw conflict(
    changed === 1
      ? say`1 record has changed since the import: it cannot be taken back`
      : say`${changed} records have changed since the import: it cannot be taken back`,
    { code: 'IMPORT_CHANGED' },
  )
}

/** Each part is settled like every other change. */
async function takeBack(scope: UndoScope): Promise<void> {
  const { tx, view, entity, links } = scope
  const table = `main.${quote(entity.table)}`
  const sets = listImage(entity).map(
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
  for await (const range of chunks(scope)) {
    await mapConstraint({ view }, async () => {
      for (const link of links) await removeAdded(scope, link, range)
      if (sets.length > 0) await tx.authored(restore, range, view.name)
      for (const link of links) await restoreRemoved(scope, link, range)
      await tx.authored(remove, range, view.name)
    })
    await tx.settle()
  }
}
