/** The log of a bulk edit, by which it is undone as an import is. */
import { insertRow } from '../../../store/rows.ts'
import type { Tx } from '../../../store/store.ts'
import { imports, LINES_PER_IMPORT } from '../../../store/tables/imports.ts'
import { markLists } from '../import/import-list-log.ts'
import { MANY_MODE, planMarks } from '../import/import-log.ts'
import type { ManyWork } from './many-work.ts'

/** Lines that are marked by one statement. */
const CHUNK_LINES = 500

/** Opens the log; resolves to its first line. */
export async function openLog(tx: Tx, { mutation, parts, plan }: ManyWork): Promise<number> {
  const { caller, context } = mutation
  const id = await insertRow(tx, imports, {
    UserId: caller.userId,
    CompanyId: caller.companyId,
    ViewName: plan.view.name,
    Entity: plan.entity.name,
    FileName: '',
    Mode: MANY_MODE,
    Inserted: 0,
    Updated: 0,
    At: context.now.toISOString(),
    ExpiresAt: new Date(context.now.getTime() + parts.undoForMs).toISOString(),
  })
  return id * LINES_PER_IMPORT
}

/**
 * Notes, last of all, what the records have come to; resolves to the id for taking it back, null
 * where there is nothing to take back.
 */
export async function closeLog(
  tx: Tx,
  { plan, selection }: ManyWork,
  { log, updated }: { log: number; updated: number },
): Promise<string | null> {
  const id = log / LINES_PER_IMPORT
  if (updated === 0) {
    await tx.run('DELETE FROM main.svc_imports WHERE Id = @id', { id })
    return null
  }
  await tx.run('UPDATE main.svc_imports SET Updated = @updated WHERE Id = @id', { id, updated })
  for (let at = 0; at < selection.count; at += CHUNK_LINES) {
    const range = { first: log + at, last: log + at + CHUNK_LINES - 1 }
    await tx.authored(planMarks(plan.entity), range)
    await markLists(tx, plan.links, range)
  }
  return String(id)
}
