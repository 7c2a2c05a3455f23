/** Background work on the index: rows to read again, noted in the transaction that they follow. */
import { getRow } from '../../../store/rows.ts'
import type { Reader, Tx } from '../../../store/store.ts'
import { searchWork } from './engine-db.ts'

/** Rows of a view to be read again. */
export interface SearchWork {
  id: number
  viewId: number
  company: number
  /** `all` rows of the view, `anew`: with entries remade, `entries`: stored ones, or a table. */
  kind: string
  /** Keys of changed records of that table, as a JSON array. */
  keys: string | undefined
  /** The progress: the last key as a JSON array, or the last entry. */
  done: string | undefined
}

/** Notes work; the same that waits already is not noted twice. */
export async function noteWork(
  tx: Tx,
  work: Pick<SearchWork, 'viewId' | 'company' | 'kind'> & { keys?: string; done?: string },
): Promise<void> {
  const { viewId, company, kind, keys = null, done = null } = work
  await tx.run(
    `INSERT INTO svc_search_work (ViewId, CompanyId, Kind, Keys, Done)
     SELECT @viewId, @company, @kind, @keys, @done WHERE NOT EXISTS (
       SELECT 1 FROM svc_search_work WHERE ViewId = @viewId AND CompanyId = @company
       AND Kind = @kind AND Keys IS @keys AND Done IS @done)`,
    { viewId, company, kind, keys, done },
  )
}

/** True when any of the views has work left. */
export async function isWorkLeft(reader: Reader, viewIds: readonly number[]): Promise<boolean> {
  const sql = `SELECT 1 AS IsLeft FROM svc_search_work
    WHERE ViewId IN (SELECT value FROM json_each(@viewIds)) LIMIT 1`
  return (await reader.get(sql, { viewIds: JSON.stringify(viewIds) })) !== undefined
}

/** The next work in the order in which it was noted. */
export async function findWork(reader: Reader): Promise<SearchWork | undefined> {
  const row = await getRow(reader, searchWork, 'ORDER BY Id LIMIT 1')
  return (
    row && {
      id: row.Id,
      viewId: row.ViewId,
      company: row.CompanyId,
      kind: row.Kind,
      keys: row.Keys ?? undefined,
      done: row.Done ?? undefined,
    }
  )
}

/** Notes how far work is done. */
export const moveWork = (tx: Tx, id: number, done: string): Promise<number> =>
  tx.run('UPDATE svc_search_work SET Done = @done WHERE Id = @id', { id, done })

/** Work that is done. */
export const endWork = (tx: Tx, id: number): Promise<number> =>
  tx.run('DELETE FROM svc_search_work WHERE Id = @id', { id })
