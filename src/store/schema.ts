/** The engine's own tables: their migrations, embedded in the executable, forward only. */
import { existsSync, rmSync } from 'node:fs'
import { placeFile } from '../kernel/durable.ts'
import type { Connection } from './connection.ts'
import { toUri } from './native.ts'
import engineInitial from './migrations/engine/0000_initial.sql' with { type: 'text' }
import engineImportLists from './migrations/engine/0001_import_lists.sql' with { type: 'text' }
import modelMigrations from './migrations/engine/0002_model_migrations.sql' with { type: 'text' }
import replayGates from './migrations/engine/0003_replay_gates.sql' with { type: 'text' }
import stateInitial from './migrations/state/0000_initial.sql' with { type: 'text' }
import { compareSchema, promiseSchema, readSchema, SchemaMismatch } from './schema-compare.ts'
import type { SchemaRepair } from './schema-compare.ts'
import { repairSchema } from './schema-repair.ts'

/** Which of the data folder's two databases a file is. */
export type DatabaseKind = 'engine' | 'state'

/** In their order; a file's `user_version` tells how many of them it has. */
export const MIGRATIONS: Record<DatabaseKind, readonly string[]> = {
  engine: [engineInitial, engineImportLists, modelMigrations, replayGates],
  state: [stateInitial],
}

/** SQLite's `application_id`: what tells the file from another program's. */
export const APPLICATION_ID: Record<DatabaseKind, number> = {
  engine: 0x41707045,
  state: 0x41707053,
}

/** Throws for a file that a newer version of the engine has migrated. */
export function requireKnownVersion(connection: Connection, file: string, known: number): number {
  const version = Number(connection.statement('PRAGMA user_version').get({})?.user_version)
  if (version <= known) return version
  throw new Error(
    `${file} was made by a newer version of the engine (schema ${version}, ` +
      `this version knows ${known}). Use that version, or restore a backup.`,
  )
}

/**
 * Brings the engine's tables up to date in one transaction, after a copy of the file as it was
 * (`<file>.before-<n>`, n being its schema). Before that it gives the file what its schema promises
 * and it lacks. Throws and changes nothing when a step fails, or when a table is not what the
 * schema promises.
 */
export function migrateSchema(
  connection: Connection,
  file: string,
  kind: DatabaseKind,
  migrations = MIGRATIONS[kind],
): void {
  const version = requireKnownVersion(connection, file, migrations.length)
  const repair =
    version > 0 ? planRepair(connection, file, migrations.slice(0, version)) : undefined
  const steps = migrations.slice(version)
  if (steps.length === 0 && repair === undefined) return
  const { database } = connection
  if (version > 0) saveCopy(connection, `${file}.before-${version}`)
  database.exec('PRAGMA foreign_keys=OFF')
  try {
    database.exec('BEGIN IMMEDIATE')
    if (repair !== undefined) repairSchema(connection, repair)
    for (const step of steps) database.exec(step)
    if (connection.statement('PRAGMA foreign_key_check').get({}) !== undefined)
      throw new Error(`The migration of ${file} would break references`)
    database.exec(
      `PRAGMA application_id=${APPLICATION_ID[kind]}; PRAGMA user_version=${migrations.length}`,
    )
    database.exec('COMMIT')
  } catch (error) {
    if (connection.inTransaction) database.exec('ROLLBACK')
    throw error
  } finally {
    database.exec('PRAGMA foreign_keys=ON')
  }
}

/**
 * What the file lacks of the schema that `migrations` make; undefined where it lacks nothing.
 * Throws an Error that names table and column for what cannot be mended.
 */
export function planRepair(
  connection: Connection,
  file: string,
  migrations: readonly string[],
): SchemaRepair | undefined {
  try {
    return compareSchema(promiseSchema(migrations), readSchema(connection))
  } catch (error) {
    if (!(error instanceof SchemaMismatch)) throw error
    throw new SchemaMismatch(
      `${file} is not what its schema ${migrations.length} promises: ${error.message}. ` +
        'It is left as it is: restore a backup, or name another data folder.',
      { cause: error },
    )
  }
}

/** Writes the database into a file of its own, which is whole before it bears its name. */
export function saveCopy(connection: Connection, target: string): void {
  if (existsSync(target)) return
  const part = `${target}.part`
  // With a journal of its own, where a process ended in the middle of it.
  for (const end of ['', '-journal']) rmSync(part + end, { force: true })
  connection.database.exec(`VACUUM INTO '${toUri(part, 'rwc')}'`)
  placeFile(part, target)
}
