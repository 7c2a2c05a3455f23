/**
 * The migration of both databases of a data folder that an older version wrote. The caller holds
 * the lock of the folder, and nobody has its databases open.
 */
import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syncFolder } from '../../kernel/durable.ts'
import { type Connection, openReader } from '../connection/connection.ts'
import {
  beginMigration,
  type DatabaseKind,
  endMigration,
  MIGRATIONS,
  planSchema,
  requireKnownVersion,
  saveCopy,
  type SchemaPlan,
} from '../engine-tables.ts'
import { noteFile } from '../faults.ts'
import { findWriter } from './engine-version.ts'
import { explain } from './explain-fault.ts'
import { inspectFile, keepHead, readHeaderSchema } from './identity.ts'
import {
  type FolderSchema,
  type LastUpgrade,
  readLastUpgrade,
  saveLastUpgrade,
} from './last-upgrade.ts'
import { isDamage, openSound, requireOwnLog } from './open.ts'

/** An upgrade that a folder needs before this version can serve it. */
export interface DueUpgrade {
  /** The version that wrote the folder; undefined where it does not tell. */
  version: string | undefined
  from: FolderSchema
  to: FolderSchema
  /** The backup that takes the upgrade before this one back. */
  wayHome: string | undefined
}

const fileOf = (folder: string, kind: DatabaseKind): string => join(folder, `${kind}.db`)

/** The state.db as it was, beside the new one until engine.db is committed, too. */
const keptOf = (folder: string): string => `${fileOf(folder, 'state')}.before-upgrade`

/**
 * Finds the upgrade that a folder needs; undefined for one that is up to date, new, or not whole,
 * which its opening reports. First undoes half of one that was cut off between its two commits.
 * @throws Error for a folder that a newer version wrote, with the version that it needs
 */
export async function findUpgrade(folder: string): Promise<DueUpgrade | undefined> {
  const to = { engine: MIGRATIONS.engine.length, state: MIGRATIONS.state.length }
  const engine = await findSchema(folder, 'engine', to.engine)
  if (engine === undefined) return undefined
  await settleState(folder, to)
  const state = (await findSchema(folder, 'state', to.state)) ?? to.state
  if (engine === to.engine && state === to.state) return undefined
  const facts = await readEngine(folder, (connection) => ({
    version: findWriter(connection),
    wayHome: readLastUpgrade(connection)?.Backup ?? undefined,
  }))
  return { ...facts, from: { engine, state }, to }
}

/**
 * The migrations of a file; undefined where it is new, or not whole.
 * @throws Error that names the file, where its disk refuses
 */
async function findSchema(
  folder: string,
  kind: DatabaseKind,
  known: number,
): Promise<number | undefined> {
  const file = fileOf(folder, kind)
  return existsSync(file) ? explain(file, () => readSchema(file, kind, known)) : undefined
}

async function readSchema(
  file: string,
  kind: DatabaseKind,
  known: number,
): Promise<number | undefined> {
  try {
    if (statSync(file).size > 0) keepHead(file)
    inspectFile(file, kind)
    const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
    if (hasLog) await requireOwnLog(file, kind)
    const schema = hasLog ? undefined : readHeaderSchema(file)
    if (schema === 0 || (schema !== undefined && schema <= known)) return schema || undefined
    const connection = openReader(file)
    try {
      return requireKnownVersion(connection, file, known)
    } finally {
      connection.close()
    }
  } catch (error) {
    if (isDamage(error)) return undefined
    throw error
  }
}

function readEngine<T>(folder: string, read: (connection: Connection) => T): Promise<T> {
  const file = fileOf(folder, 'engine')
  return explain(file, () => {
    const connection = openReader(file)
    try {
      return read(connection)
    } finally {
      connection.close()
    }
  })
}

/** Puts state.db back where an upgrade ended between its two commits. */
async function settleState(folder: string, to: FolderSchema): Promise<void> {
  if (!existsSync(keptOf(folder))) return
  const made = (await readEngine(folder, readLastUpgrade))?.To.Schema
  if (made?.engine === to.engine && made.state === to.state) rmSync(keptOf(folder))
  else await putStateBack(folder)
}

async function putStateBack(folder: string): Promise<void> {
  const file = fileOf(folder, 'state')
  for (const end of ['-shm', '-wal']) rmSync(file + end, { force: true })
  renameSync(keptOf(folder), file)
  await syncFolder(dirname(file))
}

/** A database with its migration, which may be nothing. */
interface OpenFile {
  connection: Connection
  plan: SchemaPlan | undefined
}

/**
 * Brings both databases of a folder up to date: each in one transaction, and either both or
 * neither. `upgrade` is noted with them; without it the folder is a copy that is thrown away.
 * @throws Error where a step fails; the folder is as it was then
 */
export async function migrateFolder(folder: string, upgrade?: LastUpgrade): Promise<void> {
  const engine = await openFile(folder, 'engine')
  try {
    const state = await openState(folder)
    try {
      await migrateBoth(folder, { engine, state, upgrade })
    } finally {
      state?.connection.close()
    }
  } finally {
    engine.connection.close()
  }
  // The package lets go of a file with its last statement: it is opened again in a moment.
  Bun.gc(true)
}

async function openFile(folder: string, kind: DatabaseKind): Promise<OpenFile> {
  const file = fileOf(folder, kind)
  const connection = await explain(file, () => openSound(file, kind, true))
  try {
    return { connection, plan: planSchema(connection, file, kind) }
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Undefined for one that is missing or not whole: its opening makes it anew. */
async function openState(folder: string): Promise<OpenFile | undefined> {
  if (!existsSync(fileOf(folder, 'state'))) return undefined
  try {
    return await openFile(folder, 'state')
  } catch (error) {
    if (isDamage(error)) return undefined
    throw error
  }
}

interface BothFiles {
  engine: OpenFile
  state: OpenFile | undefined
  upgrade: LastUpgrade | undefined
}

/** The commit of engine.db comes last, and decides: see `settleState`. */
async function migrateBoth(folder: string, { engine, state, upgrade }: BothFiles): Promise<void> {
  const hasState = state?.plan !== undefined
  if (hasState && upgrade) saveCopy(state.connection, keptOf(folder))
  let isStateDone = false
  try {
    begin(engine)
    if (state) begin(state)
    if (upgrade) saveLastUpgrade(engine.connection, upgrade)
    if (hasState) state.connection.database.exec('COMMIT')
    isStateDone = hasState
    if (engine.connection.inTransaction) engine.connection.database.exec('COMMIT')
  } catch (error) {
    endMigration(engine.connection)
    if (state) endMigration(state.connection)
    state?.connection.close()
    if (isStateDone && upgrade) await putStateBack(folder)
    else rmSync(keptOf(folder), { force: true })
    throw error
  }
  endMigration(engine.connection)
  if (state) endMigration(state.connection)
  rmSync(keptOf(folder), { force: true })
}

/** An engine.db without a migration of its own has the transaction of what is noted. */
function begin({ connection, plan }: OpenFile): void {
  if (!plan) return connection.database.exec('BEGIN IMMEDIATE')
  try {
    beginMigration(connection, plan)
  } catch (error) {
    noteFile(error, plan.file)
    throw error
  }
}
