/** The check of a database, beside its server. */
import { type Connection, openReader } from '../connection/connection.ts'
import { type DatabaseKind, MIGRATIONS, planRepair, requireKnownVersion } from '../engine-tables.ts'
import { explain } from './explain-fault.ts'
import { inspectFile, isNamedBySidecar, readDataId, toDamage } from './identity.ts'

/** Findings of an integrity check that are reported. */
const FINDINGS_TOLD = 5

/**
 * Lists the faults of a database, as sentences that name it; empty for a whole one. Takes no lock
 * and writes nothing. Every page is read. A missing `state.db` is not a fault: a start makes it.
 */
export async function checkDatabase(file: string, kind: DatabaseKind): Promise<string[]> {
  try {
    return await explain(file, () => check(file, kind))
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

async function check(file: string, kind: DatabaseKind): Promise<string[]> {
  if (inspectFile(file, kind) === 'new') return kind === 'state' ? [] : [`${file} does not exist`]
  const connection = openReader(file)
  try {
    const version = requireKnownVersion(connection, file, MIGRATIONS[kind].length)
    await requireWhole(connection, file)
    // The next start adds missing parts that can be added.
    planRepair(connection, file, MIGRATIONS[kind].slice(0, version))
    if (kind === 'engine') isNamedBySidecar(readDataId(connection, file), file)
    return await findLostReferences(connection, file)
  } finally {
    connection.close()
  }
}

async function requireWhole(connection: Connection, file: string): Promise<void> {
  const sql = `PRAGMA integrity_check(${FINDINGS_TOLD})`
  const found = await connection.statement(sql).allOffLoop({})
  const report = found.map((row) => String(row.integrity_check)).join('; ')
  if (report !== 'ok') throw toDamage(file, report)
}

async function findLostReferences(connection: Connection, file: string): Promise<string[]> {
  const lost = await connection.statement(LOST).allOffLoop({})
  return lost.map(
    (row) => `${file}: ${row.Rows} rows of ${row.Child} refer to no row of ${row.Parent}`,
  )
}

const LOST =
  'SELECT "table" AS Child, parent AS Parent, count(*) AS Rows ' +
  'FROM pragma_foreign_key_check GROUP BY 1, 2 ORDER BY 1, 2'
