/** Changes that a folder has and its backup does not: they go when it is put back. */
import { join } from 'node:path'
import { findAuditHead } from '../../store/audit/check.ts'
import { countTableRows } from '../../store/file/copy-database.ts'
import { openReadOnly } from '../../store/file/open.ts'
import type { StoreLimits } from '../../store/limits.ts'
import type { BackupManifest } from '../backups/manifest.ts'

/** Changes since a backup. */
export interface Losses {
  /** Entries of the audit log. */
  Changes: number
  /** The instant of the last of them, as an ISO text; null without one. */
  LastAt: string | null
  /** Tables with another number of rows than they had: records, users, companies, files. */
  Rows: { Table: string; Now: number; Then: number }[]
}

/** Tables of the engine whose rows people know; others say how it works. */
const TOLD = new Set(['svc_users', 'svc_companies', 'svc_files', 'svc_scripts'])

const LAST = 'SELECT At FROM svc_audit ORDER BY Id DESC LIMIT 1'

/** Counts what was written since the backup; undefined for a folder that cannot be read. */
export async function countLosses(
  folder: string,
  { Audit, Databases }: BackupManifest,
  limits: StoreLimits,
): Promise<Losses | undefined> {
  const file = join(folder, 'engine.db')
  try {
    const reader = await openReadOnly(file, limits)
    try {
      const Changes = ((await findAuditHead(reader))?.count ?? 0) - (Audit?.count ?? 0)
      const last = await reader.get<{ At: string }>({ sql: LAST, args: {}, runs: 'inline' })
      const LastAt = Changes > 0 ? (last?.At ?? null) : null
      return {
        Changes,
        LastAt,
        Rows: compare(countTableRows(file, 'engine'), Databases.engine.Rows),
      }
    } finally {
      await reader.close()
    }
  } catch {
    // A database that does not open is a reason to go back: the caller says that it was not read.
    return undefined
  }
}

function compare(
  now: Readonly<Record<string, number>>,
  then: Readonly<Record<string, number>>,
): Losses['Rows'] {
  const tables = [...new Set([...Object.keys(then), ...Object.keys(now)])].toSorted()
  return tables.flatMap((Table) => {
    const [Now, Then] = [now[Table] ?? 0, then[Table] ?? 0]
    const isTold = TOLD.has(Table) || !Table.startsWith('svc_')
    return isTold && Now !== Then ? [{ Table, Now, Then }] : []
  })
}
