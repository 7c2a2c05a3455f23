/** The native package behind one typed door. */
import Database from 'libsql'
import { hasThreads } from '../../vendor/libsql-threads.ts'
import { nameCode } from '../codes.ts'
import { addPrepared } from './prepared-bytes.ts'
import { unprepared } from '../faults.ts'
import { joinZoneByYear } from '../read/zone-join.ts'
import type { SqlArgs, SqlValue } from '../sql.ts'
import { requireSingleText } from '../values.ts'

/** The origin of an output column; nulls for an expression. */
export interface ColumnOrigin {
  name: string
  table: string | null
  database: string | null
}

/** A prepared statement that answers with arrays of cells. */
export interface NativeStatement {
  /** False for a statement without result rows, whose `raw` throws. */
  readonly reader: boolean
  raw(on: boolean): NativeStatement
  /** Values by name, or by place, which takes less time; of a place without one the last stays. */
  get(args: SqlArgs | readonly SqlValue[]): SqlValue[] | undefined
  run(args: SqlArgs | readonly SqlValue[]): { changes: number; lastInsertRowid: number }
  iterate(args: SqlArgs | readonly SqlValue[]): Iterable<SqlValue[]>
  columns(): ColumnOrigin[]
}

/** A connection. `inTransaction` and `interrupt()` end the process once it is closed. */
export interface NativeDatabase {
  readonly inTransaction: boolean
  prepare(sql: string): NativeStatement
  exec(sql: string): void
  interrupt(): void
  close(): void
}

/** Most lanes that may run at once without one runaway stopping the commits. */
export const LANES_MAX = hasThreads ? 8 : 1

/**
 * SQLite's own file layer of this platform. The package's default one, which encrypts, drops the
 * error of a read: a checkpoint copies what it could not read, and queries answer without rows.
 * Windows has `win32`, everything else `unix` (on macOS it picks the locks that the volume has).
 */
export const fileLayer = (platform: NodeJS.Platform = process.platform): string =>
  platform === 'win32' ? 'win32' : 'unix'

/**
 * The right of a connection to write its file, and to make a missing one; `immutable` is for a file
 * that nobody writes: it is read without a lock, and nothing is made beside it.
 */
type OpenMode = 'ro' | 'rw' | 'rwc' | 'immutable'

/** The URI by which SQLite opens a file; an apostrophe is escaped too, for a text in SQL. */
export function toUri(file: string, mode: OpenMode): string {
  const path = file.replaceAll('\\', '/').replace(/[%?#']/g, escapeCharacter)
  // A name behind two slashes would be the name of a machine.
  const rights = mode === 'immutable' ? 'ro&immutable=1' : mode
  return `file:${path.startsWith('//') ? '//' : ''}${path}?mode=${rights}&vfs=${fileLayer()}`
}

const escapeCharacter = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase()}`

/** Opens a file; the caller sets its pragmas. */
export function openNative(file: string, mode: OpenMode): NativeDatabase {
  const database = openUri(toUri(file, mode))
  files.set(database, file)
  return database
}

const files = new WeakMap<NativeDatabase, string>()

/** The file of a connection; undefined for one in memory. */
export const fileOf = (database: NativeDatabase): string | undefined => files.get(database)

/** Opens a database in memory; files written out of it go through the same file layer. */
export const openMemory = (): NativeDatabase => openUri(`file::memory:?vfs=${fileLayer()}`)

function openUri(uri: string): NativeDatabase {
  try {
    const database: unknown = new Database(uri, {})
    return database as NativeDatabase
  } catch (error) {
    throw withCode(error)
  }
}

/** The package tells the code of a failed opening at the end of its message alone. */
function withCode(error: unknown): unknown {
  const number = error instanceof Error ? /: (\d+)"?\)?$/.exec(error.message)?.[1] : undefined
  const code = nameCode(Number(number))
  if (!(error instanceof Error) || code === undefined) return error
  return Object.assign(new Error(error.message, { cause: error }), { code })
}

/** Prepares one statement that answers with arrays. Throws on what would end the process. */
export function prepareNative(database: NativeDatabase, sql: string): NativeStatement {
  requireSingleText(sql)
  addPrepared(sql)
  const statement = prepare(database, joinZoneByYear(sql))
  return statement.reader ? statement.raw(true) : statement
}

function prepare(database: NativeDatabase, sql: string): NativeStatement {
  try {
    return database.prepare(sql)
  } catch (error) {
    throw unprepared(error)
  }
}
