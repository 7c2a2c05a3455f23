/** A copy of a database as it is at one instant, taken beside the process that serves it. */
import { rmSync, statSync } from 'node:fs'
import { syncAlong } from '../../kernel/gentle-disk.ts'
import { openCopier, openReader } from '../connection/connection.ts'
import { toUri } from '../connection/native.ts'
import { type DatabaseKind, MIGRATIONS, requireKnownVersion } from '../engine-tables.ts'
import { countRows, type RowCounts } from './count-rows.ts'
import { explain } from './explain-fault.ts'
import { inspectFile } from './identity.ts'

/** The log beside the file may grow by this much while the copy holds one state of the data. */
const LOG_GROWTH_MAX = 1024 ** 3

const WATCH_MS = 100

/** A copy that was given up because the log grew too much: its message is for the operator. */
export class LogOutgrown extends Error {
  override readonly name = 'LogOutgrown'
}

/** A database that was copied. */
export interface DatabaseCopy {
  /** Bytes of the copy. */
  size: number
  /** Bytes by which the log of the original grew meanwhile. */
  logGrowth: number
  /** Migrations that it has. */
  schema: number
  /** Rows of each table by its name. */
  rows: RowCounts
}

/**
 * Writes the database into a new file, compact, as it is at one instant. Reads only, so a server
 * may go on writing; its log cannot go into its file meanwhile, and the copy is given up before
 * the log has grown by 1 GB.
 * @throws LogOutgrown
 */
export function copyDatabase(
  file: string,
  kind: DatabaseKind,
  target: string,
): Promise<DatabaseCopy> {
  return explain(file, async () => {
    if (inspectFile(file, kind) === 'new') throw new Error(`${file} does not exist`)
    for (const end of ['', '-journal']) rmSync(target + end, { force: true })
    const logGrowth = await copyInto(file, target)
    return { size: statSync(target).size, logGrowth, ...readFacts(target, kind) }
  })
}

/** Resolves to the bytes by which the log grew. */
async function copyInto(file: string, target: string): Promise<number> {
  const before = logBytes(file)
  const connection = openCopier(file)
  let isOutgrown = false
  const watch = setInterval(() => {
    if (logBytes(file) - before <= LOG_GROWTH_MAX) return
    isOutgrown = true
    connection.interrupt()
  }, WATCH_MS)
  try {
    const copying = connection.statement(`VACUUM INTO '${toUri(target, 'rwc')}'`).allOffLoop({})
    await syncAlong(target, copying)
    return Math.max(0, logBytes(file) - before)
  } catch (error) {
    if (!isOutgrown) throw error
    throw new LogOutgrown(
      `${file}-wal grew by more than ${LOG_GROWTH_MAX} bytes while the database was copied. ` +
        'Back up when less is written.',
      { cause: error },
    )
  } finally {
    clearInterval(watch)
    connection.close()
  }
}

const logBytes = (file: string): number =>
  statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0

/** Reads what proves a copy: its schema and the rows of its tables. */
function readFacts(file: string, kind: DatabaseKind): Pick<DatabaseCopy, 'schema' | 'rows'> {
  const connection = openReader(file)
  try {
    const schema = requireKnownVersion(connection, file, MIGRATIONS[kind].length)
    return { schema, rows: countRows(connection) }
  } finally {
    connection.close()
  }
}

/**
 * Counts the rows of each table of a file that no other process has open.
 * @throws Error for a file that a newer version of the engine has migrated
 */
export const countTableRows = (file: string, kind: DatabaseKind): RowCounts =>
  readFacts(file, kind).rows
