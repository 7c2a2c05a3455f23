/** `appengine check` without a folder of model files. */
import { join, resolve } from 'node:path'
import { checkMadeFiles, checkStoredFiles } from '../engine/files/check-files.ts'
import type { FilesReport } from '../engine/files/check-files.ts'
import { checkDatabase } from '../store/check-database.ts'
import { openReadOnly } from '../store/open.ts'
import type { DatabaseKind } from '../store/engine-tables.ts'
import type { Reader } from '../store/store.ts'
import { UsageError } from './arguments.ts'
import type { Arguments } from './arguments.ts'
import { complain, EXIT, printResult } from './output.ts'

/** Nobody waits for these reads but who asked for them. */
const READ_MS_MAX = 24 * 60 * 60 * 1000
const LIMITS = { readTimeoutMs: READ_MS_MAX, writeTimeoutMs: 0, writerMaxWaitMs: 0 }

const NOTHING: FilesReport = { files: 0, bytes: 0, faults: [] }

/**
 * Says whether the data folder is whole: both databases with every page, reference and table, and
 * every file that they name with every byte. Takes no lock and writes nothing, so it may run beside
 * a server.
 */
export async function runCheckData(args: Arguments): Promise<number> {
  if (args.find('since') !== undefined) throw new UsageError('--since goes with --audit')
  const folder = resolve(args.dataFolder)
  const reports = [
    await checkPart(folder, 'engine', (reader) => checkStoredFiles(folder, reader)),
    await checkPart(folder, 'state', (reader) => checkMadeFiles(folder, reader)),
  ]
  const faults = reports.flatMap((report) => report.faults)
  const files = reports.reduce((sum, report) => sum + report.files, 0)
  const bytes = reports.reduce((sum, report) => sum + report.bytes, 0)
  for (const fault of faults) complain(fault)
  const what = `${folder}: both databases and ${files} files (${bytes} bytes) were read`
  printResult(
    args,
    faults.length === 0 ? `${what}; all is whole.` : `${what}, as far as they are.`,
    {
      Whole: faults.length === 0,
      Files: files,
      Bytes: bytes,
      Faults: faults,
    },
  )
  return faults.length === 0 ? EXIT.done : EXIT.failed
}

/** A database, and if it is sound what it says of files. */
async function checkPart(
  folder: string,
  kind: DatabaseKind,
  checkFiles: (reader: Reader) => Promise<FilesReport>,
): Promise<FilesReport> {
  const file = join(folder, `${kind}.db`)
  const faults = await checkDatabase(file, kind)
  if (faults.length > 0 || !(await Bun.file(file).exists())) return { ...NOTHING, faults }
  const reader = await openReadOnly(file, LIMITS, kind)
  try {
    return await checkFiles(reader)
  } finally {
    await reader.close()
  }
}
