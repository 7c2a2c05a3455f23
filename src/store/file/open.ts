/** Opens a database file as a `Store`: the file is checked, made or brought up to date first. */
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder, placeFile } from '../../kernel/durable.ts'
import { type Connection, openReader, openScratch, openWriter } from '../connection/connection.ts'
import { LANES_MAX } from '../connection/native.ts'
import {
  type DatabaseKind,
  migrateSchema,
  MIGRATIONS,
  requireKnownVersion,
  saveCopy,
} from '../engine-tables.ts'
import { isFull, meaningOf } from '../faults.ts'
import { SchemaMismatch } from './compare-tables.ts'
import { noteWriter } from './engine-version.ts'
import { explain } from './explain-fault.ts'
import { FileStore } from './file-store.ts'
import {
  DamagedFile,
  inspectFile,
  isNamedBySidecar,
  nameDatabase,
  readDataId,
  requireSameDatabase,
  requireSound,
  RESTORE,
} from './identity.ts'
import type { StoreLimits } from '../limits.ts'
import { FileReader } from '../read/reading.ts'
import type { StateReader, Store } from '../store.ts'

interface StoreOptions {
  file: string
  migrations: DatabaseKind
  /** Read lanes. */
  lanes: number
  limits: StoreLimits
  /** Called with a sentence for the operator about each repair. */
  warn?: (sentence: string) => void
  /** True leaves the schema as it is: the file is for the version that wrote it. */
  keepsSchema?: boolean
}

/**
 * Opens the file for serving; the caller holds the lock of its folder. Makes a file that never
 * existed. Throws an Error with a sentence for the operator for a file that cannot be trusted;
 * volatile data is put aside then and made again.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { file } = options
  tellMissingLog(options)
  const writer = await explain(file, () => makeReady(options))
  const mark = markOf(file)
  await explain(file, () => writeFileSync(mark, '', { mode: 0o600 }))
  const lanes = Math.min(options.lanes, LANES_MAX)
  return explain(file, () => new FileStore({ ...options, lanes, writer, mark }))
}

async function makeReady(options: StoreOptions): Promise<Connection> {
  const { file, migrations: kind, warn } = options
  const ready = (): Promise<Connection> => {
    if (inspectFile(file, kind) === 'new') createFile(file, kind)
    return prepareFile(options)
  }
  try {
    return await twice(ready)
  } catch (error) {
    if (kind !== 'state' || !isDamage(error)) throw error
    const aside = putAside(file)
    const found = error instanceof Error ? error.message : String(error)
    const reason = found.replace(RESTORE, '').trim()
    warn?.(
      `${file} could not be used and was renamed to ${aside}: everyone must sign in again. ` +
        `Reason: ${reason}`,
    )
    return ready()
  }
}

/** Runs work again after damage: a disk that fails for a moment shows itself as damage, too. */
async function twice<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isDamage(error)) throw error
    return work()
  }
}

/** Checks that an error is of a file that is not whole, or not what its schema promises. */
export const isDamage = (error: unknown): boolean =>
  error instanceof DamagedFile || error instanceof SchemaMismatch || meaningOf(error) === 'damage'

/** The file under another name, with its log; nothing is removed. */
function putAside(file: string): string {
  const aside = `${file}.damaged-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`
  for (const end of ['-shm', '-wal', ''])
    if (existsSync(file + end)) renameSync(file + end, aside + end)
  return aside
}

/** Opens the file for commands that only print: takes no lock, writes nothing, migrates nothing. */
export async function openReadOnly(
  file: string,
  limits: StoreLimits,
  kind: DatabaseKind = 'engine',
): Promise<StateReader & { close(): Promise<void> }> {
  return explain(file, () => {
    if (inspectFile(file, kind) === 'new') throw new Error(`${file} does not exist`)
    const connection = openReader(file)
    try {
      requireKnownVersion(connection, file, MIGRATIONS[kind].length)
    } finally {
      connection.close()
    }
    return new FileReader(file, { lanes: 1, timeoutMs: limits.readTimeoutMs })
  })
}

/**
 * Made in memory and written out under another name, so that a half-made file never bears the real
 * one, and no connection (the package closes one only with its last statement) has ever opened it.
 */
function createFile(file: string, kind: DatabaseKind): void {
  const fresh = `${file}.new`
  makeFolder(dirname(file))
  for (const end of ['.new', '-wal', '-shm']) rmSync(file + end, { force: true })
  const connection = openScratch()
  try {
    migrateSchema(connection, fresh, kind)
    if (kind === 'engine') {
      nameDatabase(connection)
      noteWriter(connection)
    }
    saveCopy(connection, fresh)
  } finally {
    connection.close()
  }
  placeFile(fresh, file)
}

/** Resolves to the connection that goes on to write: it has read a schema that may be large. */
async function prepareFile(options: StoreOptions): Promise<Connection> {
  const { file, migrations: kind, keepsSchema } = options
  const connection = await openSound(file, kind)
  try {
    if (!keepsSchema) migrateSchema(connection, file, kind)
    if (kind === 'engine') requireSameDatabase(connection, file)
    if (kind === 'engine' && !keepsSchema) noteWriter(connection)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Opens a file to write that is whole, all of its log moved into it. */
export async function openSound(
  file: string,
  kind: DatabaseKind,
  isMigrating = false,
): Promise<Connection> {
  const isLookedAt = await requireOwnLog(file, kind)
  const connection: Connection = openWriter(file, isMigrating)
  try {
    if (!isLookedAt) await requireSound(connection, file)
    await emptyLog(connection, file)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/**
 * Checks a file's log through a connection that cannot write, which neither moves the log into the
 * file nor removes it: a log may have come here from another database, and a refused one is left as
 * it is. Resolves to true if there is a log.
 */
export async function requireOwnLog(file: string, kind: DatabaseKind): Promise<boolean> {
  if ((statSync(logOf(file), { throwIfNoEntry: false })?.size ?? 0) === 0) return false
  const hadIndex = existsSync(`${file}-shm`)
  const connection = openReader(file)
  try {
    await requireSound(connection, file)
    const known = MIGRATIONS[kind].length
    const isCurrent = requireKnownVersion(connection, file, known) === known
    if (kind === 'engine' && isCurrent) isNamedBySidecar(readDataId(connection, file), file)
  } catch (error) {
    connection.close()
    if (!hadIndex) rmSync(`${file}-shm`, { force: true })
    throw error
  }
  connection.close()
  return true
}

/** Checks that a database has a log beside it that belongs to another, or is not whole with it. */
export const hasForeignLog = (file: string): Promise<boolean> =>
  requireOwnLog(file, 'engine').then(() => false, isDamage)

const logOf = (file: string): string => `${file}-wal`

/**
 * A mark that exists while a process has a database open to write. After any other end of that
 * process the database has a log.
 */
const markOf = (file: string): string => `${file}.open`

/** Tells where a database lacks the log that it must have; notes that it is open from here on. */
function tellMissingLog({ file, warn }: StoreOptions): void {
  if (!existsSync(markOf(file)) || !existsSync(file) || existsSync(logOf(file))) return
  warn?.(
    `${logOf(file)} is missing, though ${file} was open when its process ended: the last changes ` +
      'may be lost. If so, stop the server and put the log back, or restore a backup.',
  )
}

/**
 * Moves what a process that ended has left in the log into the file, before anything is answered:
 * the system may have it in memory alone, reported as synced, where a sync of that process failed.
 * On a full disk the log stays.
 */
async function emptyLog(connection: Connection, file: string): Promise<void> {
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  try {
    await connection.statement('PRAGMA wal_checkpoint(TRUNCATE)').allOffLoop({})
  } catch (error) {
    if (!isFull(error)) throw error
  }
}
