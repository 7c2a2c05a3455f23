/** The last upgrade of a data folder, as a fact of its `engine.db`, written with its commit. */
import type { Connection } from '../connection/connection.ts'
import type { DatabaseKind } from '../engine-tables.ts'
import { findFact, saveFact } from './engine-version.ts'
import type { Reader } from '../store.ts'

/** How many migrations each database of a folder has. */
export type FolderSchema = Record<DatabaseKind, number>

/** One end of an upgrade. */
interface UpgradeEnd {
  /** The version of the engine; null where the folder did not tell it yet. */
  Version: string | null
  Schema: FolderSchema
}

/** An upgrade that was made. */
export interface LastUpgrade {
  /** The instant of its begin, as an ISO text. */
  At: string
  From: UpgradeEnd
  To: UpgradeEnd
  /** The file of the backup that was made before, as an absolute path; null where none was made. */
  Backup: string | null
}

const FACT = 'LastUpgrade'

const parse = (text: string | undefined): LastUpgrade | undefined =>
  text === undefined ? undefined : (JSON.parse(text) as LastUpgrade)

/** Writes the fact, in the transaction of the upgrade. */
export const saveLastUpgrade = (connection: Connection, upgrade: LastUpgrade): void =>
  saveFact(connection, FACT, JSON.stringify(upgrade))

/** The last upgrade that an `engine.db` knows. */
export const readLastUpgrade = (connection: Connection): LastUpgrade | undefined =>
  parse(findFact(connection, FACT))

/** The same of an open store; undefined before the first upgrade. */
export async function findLastUpgrade(reader: Reader): Promise<LastUpgrade | undefined> {
  const sql = 'SELECT Value FROM svc_facts WHERE Name = @name'
  const row = await reader.get<{ Value: string }>({ sql, args: { name: FACT }, runs: 'inline' })
  return parse(row?.Value)
}
