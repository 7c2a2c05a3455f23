/** A copy of a database as it is at one instant, taken beside the process that serves it. */
import { existsSync, rmSync, statSync } from 'node:fs'
import { openReader } from '../connection/connection.ts'
import { type DatabaseKind, MIGRATIONS, requireKnownVersion } from '../engine-tables.ts'
import { copyPages } from './copy-pages.ts'
import { countRows, type RowCounts } from './count-rows.ts'
import { explain } from './explain-fault.ts'
import { inspectFile, keepDescriptor } from './identity.ts'

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
 * Writes the database into a new file, as it is at one instant. Reads only, so a server may go on
 * writing, at the pace that `copyPages` leaves it. `tell` is called behind each piece.
 * @throws LogOutgrown
 */
export function copyDatabase(
  file: string,
  kind: DatabaseKind,
  target: string,
  tell?: () => void,
): Promise<DatabaseCopy> {
  return explain(file, async () => {
    if (existsSync(file)) keepDescriptor(file)
    if (inspectFile(file, kind) === 'new') throw new Error(`${file} does not exist`)
    rmSync(target, { force: true })
    const logGrowth = await copyPages({ file, target, tell })
    return { size: statSync(target).size, logGrowth, ...readFacts(target, kind) }
  })
}

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
