/** Opens a database file as a `Store`: the file is checked, made or brought up to date first. */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { openReader, openWriter } from './connection.ts'
import type { Connection } from './connection.ts'
import { codeOf } from './faults.ts'
import { inspectFile, nameDatabase, requireSameDatabase, requireSound } from './identity.ts'
import { FileStore } from './file-store.ts'
import type { StoreLimits } from './limits.ts'
import { LANES_MAX } from './native.ts'
import { FileReader } from './reading.ts'
import { MIGRATIONS, migrateSchema, requireKnownVersion, saveCopy } from './schema.ts'
import type { DatabaseKind } from './schema.ts'
import type { Reader, Store } from './store.ts'

export interface StoreOptions {
  file: string
  migrations: DatabaseKind
  /** Read lanes. */
  lanes: number
  limits: StoreLimits
}

/**
 * Opens the file for serving; the caller holds the lock of its folder. Makes it when there never
 * was one. Throws an Error with a sentence for the operator for a file that cannot be trusted.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { file, migrations: kind } = options
  const writer = await explain(file, async () => {
    if (inspectFile(file, kind) === 'new') createFile(file, kind)
    return prepareFile(file, kind)
  })
  return new FileStore({ ...options, lanes: Math.min(options.lanes, LANES_MAX), writer })
}

/** Opens the file for commands that only print: takes no lock, writes nothing, migrates nothing. */
export async function openReadOnly(
  file: string,
  limits: StoreLimits,
): Promise<Reader & { close(): Promise<void> }> {
  await explain(file, () => {
    if (inspectFile(file, 'engine') === 'new') throw new Error(`${file} is not there`)
    const connection = openReader(file)
    try {
      requireKnownVersion(connection, file, MIGRATIONS.engine.length)
    } finally {
      connection.close()
    }
  })
  return new FileReader(file, { lanes: 1, timeoutMs: limits.readTimeoutMs })
}

/**
 * Made in memory and written out under another name, so that a half-made file never bears the real
 * one, and no connection (the package closes one only with its last statement) has ever opened it.
 */
function createFile(file: string, kind: DatabaseKind): void {
  const fresh = `${file}.new`
  mkdirSync(dirname(file), { recursive: true })
  for (const end of ['.new', '-wal', '-shm']) rmSync(file + end, { force: true })
  const connection = openWriter(':memory:')
  try {
    migrateSchema(connection, fresh, kind)
    if (kind === 'engine') nameDatabase(connection)
    saveCopy(connection, fresh)
  } finally {
    connection.close()
  }
  syncPath(fresh, 'r+')
  renameSync(fresh, file)
  syncFolder(dirname(file))
}

/** Directories cannot be opened on Windows, which writes their entries at once. */
function syncFolder(folder: string): void {
  if (process.platform !== 'win32') syncPath(folder, 'r')
}

function syncPath(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Resolves to the connection that goes on to write: it has read a schema that may be large. */
async function prepareFile(file: string, kind: DatabaseKind): Promise<Connection> {
  const connection: Connection = openWriter(file)
  try {
    await requireSound(connection, file)
    migrateSchema(connection, file, kind)
    if (kind === 'engine') requireSameDatabase(connection, file)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** An error of the package names neither the file nor what to do. */
async function explain<T>(file: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = codeOf(error)
    if (!code.startsWith('SQLITE_')) throw error
    throw new Error(`${file} cannot be opened (${code}): ${findRemedy(code)}`, { cause: error })
  }
}

function findRemedy(code: string): string {
  if (code === 'SQLITE_FULL') return 'its disk is full. Make room, then start again'
  if (/^SQLITE_(?:CANTOPEN|READONLY|PERM|AUTH)/.test(code))
    return 'this user must be allowed to read and write it, and its folder'
  return 'restore a backup, or name another folder'
}
