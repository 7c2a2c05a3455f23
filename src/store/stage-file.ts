/** A stage's file under its name on a connection. */
import type { Connection } from './connection.ts'
import { toUri } from './native.ts'

/** The name by which statements find the tables of a stage; no authored text may name a schema. */
export const STAGE = 'staged'

/** Attaches the file of a stage. @throws Error when another one is attached */
export function attachStage(connection: Connection, path: string, mode: 'ro' | 'rwc'): void {
  connection.database.exec(`ATTACH DATABASE '${toUri(path, mode)}' AS ${STAGE}`)
}

/** Lets go of the file of a stage, outside of any transaction. */
export function detachStage(connection: Connection): void {
  connection.database.exec(`DETACH DATABASE ${STAGE}`)
}
