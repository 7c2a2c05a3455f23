/** The engine's own tables: their migrations, embedded in the executable, forward only. */
import { existsSync, rmSync } from 'node:fs'
import { placeFile } from '../kernel/durable.ts'
import { toRecord } from './audit/check.ts'
import { EMPTY_LOG, hashRecord, HEAD_NAME, writeHead } from './audit/record.ts'
import type { Connection } from './connection/connection.ts'
import { toUri } from './connection/native.ts'
import {
  CHAINED,
  compareSchema,
  describeColumn,
  type FileTable,
  hasTexts,
  isChained,
  promiseSchema,
  promiseTexts,
  readSchema,
  SchemaMismatch,
  type SchemaRepair,
} from './file/compare-tables.ts'
import { countRows, findRowFaults } from './file/count-rows.ts'
import { ENGINE_VERSION, findFolderWriter } from './file/engine-version.ts'
import engineInitial from './migrations/engine/0000_initial.sql' with { type: 'text' }
import engineImportLists from './migrations/engine/0001_import_lists.sql' with { type: 'text' }
import modelMigrations from './migrations/engine/0002_model_migrations.sql' with { type: 'text' }
import replayGates from './migrations/engine/0003_replay_gates.sql' with { type: 'text' }
import documents from './migrations/engine/0004_documents.sql' with { type: 'text' }
import savedBy from './migrations/engine/0005_saved_by.sql' with { type: 'text' }
import jobs from './migrations/engine/0006_jobs.sql' with { type: 'text' }
import search from './migrations/engine/0007_search.sql' with { type: 'text' }
import searchFeed from './migrations/engine/0008_search_feed.sql' with { type: 'text' }
import recurringJobs from './migrations/engine/0009_recurring_jobs.sql' with { type: 'text' }
import push from './migrations/engine/0010_push_subscriptions.sql' with { type: 'text' }
import notifications from './migrations/engine/0011_notifications.sql' with { type: 'text' }
import webhooks from './migrations/engine/0012_webhooks.sql' with { type: 'text' }
import apiKeys from './migrations/engine/0013_api_keys.sql' with { type: 'text' }
import wizardRuns from './migrations/engine/0014_wizard_runs.sql' with { type: 'text' }
import workflows from './migrations/engine/0015_workflows.sql' with { type: 'text' }
import leanerJobs from './migrations/engine/0016_leaner_jobs.sql' with { type: 'text' }
import assistant from './migrations/engine/0017_assistant.sql' with { type: 'text' }
import webhookRemoved from './migrations/engine/0018_webhook_removed.sql' with { type: 'text' }
import languages from './migrations/engine/0019_languages.sql' with { type: 'text' }
import takeovers from './migrations/engine/0020_takeovers.sql' with { type: 'text' }
import heldJobs from './migrations/engine/0021_held_jobs.sql' with { type: 'text' }
import ownSettings from './migrations/engine/0022_own_settings_and_views.sql' with { type: 'text' }
import comments from './migrations/engine/0023_comments.sql' with { type: 'text' }
import ownJobs from './migrations/engine/0024_own_jobs.sql' with { type: 'text' }
import mailParts from './migrations/engine/0025_mail_parts.sql' with { type: 'text' }
import stateInitial from './migrations/state/0000_initial.sql' with { type: 'text' }
import apiKeyUses from './migrations/state/0001_api_key_uses.sql' with { type: 'text' }
import assistantTokens from './migrations/state/0002_assistant_tokens.sql' with { type: 'text' }
import strays from './migrations/state/0003_strays.sql' with { type: 'text' }

/** The one of the data folder's two databases that a file is. */
export type DatabaseKind = 'engine' | 'state'

/** Migrations in their order; a file's `user_version` tells how many of them it has. */
export const MIGRATIONS: Record<DatabaseKind, readonly string[]> = {
  engine: [
    engineInitial,
    engineImportLists,
    modelMigrations,
    replayGates,
    documents,
    savedBy,
    jobs,
    search,
    searchFeed,
    recurringJobs,
    push,
    notifications,
    webhooks,
    apiKeys,
    wizardRuns,
    workflows,
    leanerJobs,
    assistant,
    webhookRemoved,
    languages,
    takeovers,
    heldJobs,
    ownSettings,
    comments,
    ownJobs,
    mailParts,
  ],
  state: [stateInitial, apiKeyUses, assistantTokens, strays],
}

/**
 * Written into an executable when it is made: the texts of what the migrations make. Run from its
 * sources, a process makes them once.
 */
declare const ENGINE_SCHEMAS: string | undefined

const texts: Partial<Record<DatabaseKind, readonly string[]>> =
  typeof ENGINE_SCHEMAS === 'string' ? (JSON.parse(ENGINE_SCHEMAS) as typeof texts) : {}

/** Checks that a file lacks nothing, without asking for each column. */
const isKnownWhole = (connection: Connection, kind: DatabaseKind): boolean =>
  hasTexts(connection, (texts[kind] ??= promiseTexts(MIGRATIONS[kind])))

/** SQLite's `application_id`: what tells the file from another program's. */
export const APPLICATION_ID: Record<DatabaseKind, number> = {
  engine: 0x41707045,
  state: 0x41707053,
}

/** A file that a newer version of the engine has migrated: its message is for the operator. */
export class NewerFolder extends Error {
  override readonly name = 'NewerFolder'
}

/**
 * Reads how many migrations a file has.
 * @throws NewerFolder with the version that it needs, where the folder tells that
 */
export function requireKnownVersion(connection: Connection, file: string, known: number): number {
  const version = Number(connection.statement('PRAGMA user_version').get({})?.user_version)
  if (version <= known) return version
  const writer = findFolderWriter(connection, file)
  const needed = writer === undefined ? 'the version that wrote it' : `version ${writer}`
  throw new NewerFolder(
    `${file} was written by a newer version of the engine (schema ${version}; this is version ` +
      `${ENGINE_VERSION}, which knows schema ${known}). Use ${needed} or a later one; its ` +
      '"appengine rollback" takes the folder back to before the upgrade.',
  )
}

/** Work that brings a file up to date. */
export interface SchemaPlan {
  file: string
  kind: DatabaseKind
  /** Migrations that the file has. */
  version: number
  steps: readonly string[]
  /** Parts that its present schema promises and it lacks. */
  repair: SchemaRepair | undefined
  /** Migrations that it has afterwards. */
  target: number
}

/**
 * Plans what a file lacks; undefined for one that is up to date. Throws when it is of a newer
 * version, or when a table is not what its schema promises.
 */
export function planSchema(
  connection: Connection,
  file: string,
  kind: DatabaseKind,
  migrations = MIGRATIONS[kind],
): SchemaPlan | undefined {
  const target = migrations.length
  const version = requireKnownVersion(connection, file, target)
  const isCurrent = migrations === MIGRATIONS[kind] && version === target
  if (isCurrent && isKnownWhole(connection, kind)) return undefined
  const repair =
    version > 0 ? planRepair(connection, file, migrations.slice(0, version)) : undefined
  const steps = migrations.slice(version)
  if (steps.length === 0 && repair === undefined) return undefined
  return { file, kind, version, steps, repair, target }
}

/** Begins the transaction of a migration, foreign keys off, and does all but its COMMIT. */
export function beginMigration(connection: Connection, plan: SchemaPlan): void {
  const { file, kind, steps, repair, target } = plan
  const { database } = connection
  database.exec('PRAGMA foreign_keys=OFF')
  database.exec('BEGIN IMMEDIATE')
  if (repair !== undefined) repairSchema(connection, repair)
  const before = countRows(connection)
  for (const step of steps) database.exec(step)
  const [fault] = findRowFaults(before, countRows(connection), steps)
  if (fault !== undefined)
    throw new Error(`The migration of ${file} would change rows that it must keep: ${fault}`)
  if (connection.statement('PRAGMA foreign_key_check').get({}) !== undefined)
    throw new Error(`The migration of ${file} would break references`)
  database.exec(`PRAGMA application_id=${APPLICATION_ID[kind]}; PRAGMA user_version=${target}`)
}

/** Ends the transaction of a migration that was not committed, and turns foreign keys on again. */
export function endMigration({ database, inTransaction }: Connection): void {
  if (inTransaction) database.exec('ROLLBACK')
  database.exec('PRAGMA foreign_keys=ON')
}

/**
 * Brings the engine's tables of one file up to date in one transaction; a repair of what its schema
 * promises and it lacks comes first, after a copy of the file as it was (`<file>.before-<n>`, n
 * being its schema). Throws and changes nothing when a step fails. For a data folder that is in
 * use see `migrateFolder`.
 */
export function migrateSchema(
  connection: Connection,
  file: string,
  kind: DatabaseKind,
  migrations = MIGRATIONS[kind],
): void {
  const plan = planSchema(connection, file, kind, migrations)
  if (plan === undefined) return
  if (plan.repair !== undefined) saveCopy(connection, `${file}.before-${plan.version}`)
  try {
    beginMigration(connection, plan)
    connection.database.exec('COMMIT')
  } finally {
    endMigration(connection)
  }
}

/**
 * Plans the repair of a file that lacks a part of the schema that `migrations` make; undefined if
 * complete. Throws an Error that names table and column for faults that cannot be repaired.
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
      `${file} does not match its schema ${migrations.length}: ${error.message}. ` +
        'It was not changed: restore a backup, or name another data folder.',
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

/**
 * Gives a file what its schema promises and it lacks, in the open transaction, foreign keys off: an
 * early version of the engine was published with the same number and fewer tables and columns.
 */
function repairSchema(connection: Connection, repair: SchemaRepair): void {
  const { database } = connection
  for (const table of repair.tables) database.exec(table.sql)
  const rebuilt = repair.columns.find(({ table, column }) => isChained(table, column))?.table
  if (rebuilt !== undefined) rebuildAudit(connection, rebuilt)
  for (const { table, column } of repair.columns)
    if (table !== rebuilt)
      database.exec(
        `ALTER TABLE "${table.name}" ADD COLUMN "${column.name}" ${describeColumn(column)}`,
      )
  for (const [name, sql] of repair.indexes) database.exec(`DROP INDEX IF EXISTS "${name}"; ${sql}`)
}

const OLD = 'svc_audit_unchained'
const COLUMNS =
  'Id, At, UserId, ImpersonatorId, CompanyId, Source, TraceId, Entity, RecordKey, Action, Changes'
const INDEXES = `SELECT sql AS Sql FROM sqlite_schema
  WHERE type = 'index' AND tbl_name = 'svc_audit' AND sql IS NOT NULL`
const PAGE = 1000

/** The log as it is, chained from its first entry on; its numbers go on where they were. */
function rebuildAudit(connection: Connection, promised: FileTable): void {
  const { database } = connection
  const indexes = connection.statement(INDEXES).all({})
  database.exec(`ALTER TABLE svc_audit RENAME TO ${OLD}; ${promised.sql}`)
  const page = connection.statement(
    `SELECT ${COLUMNS} FROM ${OLD} WHERE Id > @after ORDER BY Id LIMIT ${PAGE}`,
  )
  const names = [...COLUMNS.split(', '), CHAINED.column]
  const insert = connection.statement(
    `INSERT INTO svc_audit (${names.join(', ')}) VALUES (${names.map((n) => `@${n}`).join(', ')})`,
  )
  let { count, hash } = EMPTY_LOG
  for (let after = 0; ;) {
    const rows = page.all({ after })
    for (const row of rows) {
      hash = hashRecord(hash, toRecord(row))
      insert.run({ ...row, Hash: hash })
      after = Number(row.Id)
      count++
    }
    if (rows.length === 0) break
  }
  if (count > 0)
    connection
      .statement('INSERT OR REPLACE INTO svc_facts (Name, Value) VALUES (@name, @value)')
      .run({ name: HEAD_NAME, value: writeHead({ count, hash }) })
  database.exec(`DELETE FROM sqlite_sequence WHERE name = 'svc_audit';
    UPDATE sqlite_sequence SET name = 'svc_audit' WHERE name = '${OLD}';
    DROP TABLE ${OLD}`)
  for (const { Sql } of indexes) database.exec(String(Sql))
}
