/** The version of the engine that wrote a data folder last, as `engine.db` tells it. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Connection, openReader } from '../connection/connection.ts'
import { isFull } from '../faults.ts'
import type { Reader } from '../store.ts'
import facts from '../../../package.json' with { type: 'json' }

/** The version of this executable. */
export const ENGINE_VERSION: string = facts.version

const FACT = 'EngineVersion'

/** Reads a fact of `engine.db`; undefined where it has none. A `state.db` has no facts. */
export function findFact(connection: Connection, name: string): string | undefined {
  const table = connection.statement("SELECT 1 FROM sqlite_schema WHERE name = 'svc_facts'")
  if (!table.get({})) return undefined
  const sql = 'SELECT Value FROM svc_facts WHERE Name = @name'
  const value = connection.statement(sql).get({ name })?.Value
  return typeof value === 'string' ? value : undefined
}

/** Writes a fact of `engine.db` in place of an earlier one. */
export function saveFact(connection: Connection, name: string, value: string): void {
  const sql = `INSERT INTO svc_facts (Name, Value) VALUES (@name, @value)
    ON CONFLICT (Name) DO UPDATE SET Value = excluded.Value`
  connection.statement(sql).run({ name, value })
}

/** The version that wrote an `engine.db` last; undefined before versions were noted. */
export const findWriter = (connection: Connection): string | undefined => findFact(connection, FACT)

/** The same of an open store. */
export async function findStoreWriter(reader: Reader): Promise<string | undefined> {
  const sql = 'SELECT Value FROM svc_facts WHERE Name = @name'
  const row = await reader.get<{ Value: string }>({ sql, args: { name: FACT }, runs: 'inline' })
  return row?.Value
}

/** The version that wrote the folder of a database last; of a `state.db` its neighbour tells it. */
export function findFolderWriter(connection: Connection, file: string): string | undefined {
  const own = findWriter(connection)
  const neighbour = join(dirname(file), 'engine.db')
  if (own !== undefined || neighbour === file || !existsSync(neighbour)) return own
  const reader = openReader(neighbour)
  try {
    return findWriter(reader)
  } finally {
    reader.close()
  }
}

/** Notes that this version writes the database; a full disk does not keep it from being read. */
export function noteWriter(connection: Connection): void {
  if (findWriter(connection) === ENGINE_VERSION) return
  try {
    saveFact(connection, FACT, ENGINE_VERSION)
  } catch (error) {
    if (!isFull(error)) throw error
  }
}
