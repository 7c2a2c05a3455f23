/**
 * The beginning of the audit log that `engine.db` still holds: entries before it lie in archive
 * files. Its count and hash are those of the last entry that was taken out, so the chain goes on.
 */
import { type AuditHead, EMPTY_LOG, FIND_HEAD, toHead, writeHead } from './record.ts'
import type { SqlRow } from '../sql.ts'
import type { Reader, Tx } from '../store.ts'

const BASE_NAME = 'AuditBase'

/** The end of what was taken out of the log; `EMPTY_LOG` where nothing was. */
export async function findAuditBase(reader: Reader): Promise<AuditHead> {
  const row = await reader.get({ sql: FIND_HEAD, args: { name: BASE_NAME }, runs: 'inline' })
  return toHead(row) ?? { ...EMPTY_LOG }
}

/** Entries that one transaction deletes: others write in between. */
const AT_ONCE = 500

const FIRST = 'SELECT Id, Hash FROM svc_audit ORDER BY Id LIMIT @most'
const DELETE = 'DELETE FROM svc_audit WHERE Id <= @id'
const SAVE = `INSERT INTO svc_facts (Name, Value) VALUES (@name, @value)
  ON CONFLICT (Name) DO UPDATE SET Value = excluded.Value`

/**
 * Takes the first entries out of the log, some hundreds at most and none beyond `upTo`, the end of
 * an archive; resolves to the new beginning. Both are of one transaction.
 */
export async function dropArchived(tx: Tx, from: AuditHead, upTo: AuditHead): Promise<AuditHead> {
  const most = Math.min(AT_ONCE, upTo.count - from.count)
  const rows: SqlRow[] = await tx.all(FIRST, { most })
  const last = rows.at(-1)
  if (!last || rows.length < most) throw new Error('The audit log ends before its archive does')
  const base = { count: from.count + rows.length, hash: String(last.Hash) }
  if (base.count === upTo.count && base.hash !== upTo.hash)
    throw new Error('The audit log is not the one that was archived')
  await tx.run(DELETE, { id: Number(last.Id) })
  await tx.run(SAVE, { name: BASE_NAME, value: writeHead(base) })
  return base
}
