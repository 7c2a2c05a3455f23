/** Proves that an unpacked folder is what its manifest says. */
import { join } from 'node:path'
import { checkAudit } from '../../store/audit/check.ts'
import type { DatabaseKind } from '../../store/engine-tables.ts'
import { checkDatabase } from '../../store/file/check-database.ts'
import { countTableRows } from '../../store/file/copy-database.ts'
import { openReadOnly } from '../../store/file/open.ts'
import type { BackupManifest } from './manifest.ts'
import { checkStoredFiles } from '../files/check-files.ts'

const READ_MS_MAX = 24 * 60 * 60 * 1000
const LIMITS = { readTimeoutMs: READ_MS_MAX, writeTimeoutMs: 0, writerMaxWaitMs: 0 }

/**
 * Lists the faults of a folder that was unpacked, as sentences: pages and references of both
 * databases, rows of each table, files that rows name, the chain of the audit log.
 */
export async function findRestoreFaults(
  folder: string,
  manifest: BackupManifest,
): Promise<string[]> {
  const faults = [
    ...(await findDatabaseFaults(folder, 'engine', manifest)),
    ...(await findDatabaseFaults(folder, 'state', manifest)),
  ]
  return faults.length > 0 ? faults : findContentFaults(folder, manifest)
}

async function findDatabaseFaults(
  folder: string,
  kind: DatabaseKind,
  { Databases }: BackupManifest,
): Promise<string[]> {
  const file = join(folder, `${kind}.db`)
  const faults = await checkDatabase(file, kind)
  if (faults.length > 0 || !(await Bun.file(file).exists())) return faults
  const rows = countTableRows(file, kind)
  const told = Databases[kind].Rows
  return [...new Set([...Object.keys(told), ...Object.keys(rows)])].flatMap((table) =>
    rows[table] === told[table]
      ? []
      : [`${file}: ${table} has ${rows[table] ?? 0} rows, and had ${told[table] ?? 0}`],
  )
}

async function findContentFaults(folder: string, manifest: BackupManifest): Promise<string[]> {
  const reader = await openReadOnly(join(folder, 'engine.db'), LIMITS)
  try {
    const missing = new Set(manifest.Missing.map((name) => join(folder, name)))
    const { faults } = await checkStoredFiles(folder, reader)
    // The backup has told those that were missing from the start.
    const lost = faults.filter((fault) => ![...missing].some((path) => fault.startsWith(path)))
    const { proven, fault } = await checkAudit(reader)
    const head = manifest.Audit
    if (fault) return [...lost, `The audit log is not whole: ${fault.what}`]
    const isSame = proven.count === (head?.count ?? 0) && (!head || proven.hash === head.hash)
    return isSame ? lost : [...lost, 'The audit log does not end as it did']
  } finally {
    await reader.close()
  }
}
