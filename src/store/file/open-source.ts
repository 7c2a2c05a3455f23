/**
 * Opens another program's database where nothing of it changes and nothing stays beside it: in its
 * place, or in a copy where reading it there would leave files.
 */
import { constants, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Connection, openForeign, openForeignCopy } from '../connection/connection.ts'
import { meaningOf } from '../faults.ts'
import { explainSource, messageOf, SourceError } from './source-fault.ts'
import { type SourceEncoding, type SourceFacts, SourceFile } from './source-file.ts'
import { requireDatabase } from './source-kind.ts'

/** How a file is opened: see `openPlace`. */
interface Place extends Pick<SourceFacts, 'requireSame' | 'close'> {
  file: string
  mode: 'ro' | 'immutable'
}

/**
 * Opens the file, reads every page of its tables once, and stays with the state that it has now.
 * No virtual table is opened: its module would read what a hostile file has made for it.
 * @throws SourceError
 */
export async function openSourceFile(path: string): Promise<SourceFile> {
  const { isLogged } = requireDatabase(path)
  const place = choosePlace(path, isLogged)
  try {
    return await openPlace(path, place)
  } catch (error) {
    place.close()
    // A log whose index cannot be used in its place: its copy has an index of its own.
    if (isLogged && place.file === path && isUnwritable(error))
      return openCopied(path, copySource(path))
    throw explainSource(path, error)
  }
}

const isUnwritable = (error: unknown): boolean => meaningOf(error) === 'access'

async function openCopied(path: string, place: Place): Promise<SourceFile> {
  try {
    return await openPlace(path, place)
  } catch (error) {
    place.close()
    throw explainSource(path, error)
  }
}

/**
 * A database with a log makes two files beside itself when it is opened, and leaves them. Where
 * they are there already it is opened with them; without any it is read as a file that nobody
 * writes; with a log that nobody has open, in a copy.
 */
function choosePlace(path: string, isLogged: boolean): Place {
  const nothing = (): void => undefined
  if (!isLogged || sizeOf(`${path}-shm`) !== undefined)
    return { file: path, mode: 'ro', requireSame: nothing, close: nothing }
  if ((sizeOf(`${path}-wal`) ?? 0) > 0) return copySource(path)
  const before = stampOf(path)
  const requireSame = (): void => {
    if (stampOf(path) === before) return
    throw new SourceError(`${path} was changed while it was read: stop the program that writes it`)
  }
  return { file: path, mode: 'immutable', requireSame, close: nothing }
}

const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size

const stampOf = (path: string): string => {
  const { size, mtimeNs, ino } = statSync(path, { bigint: true })
  return [size, mtimeNs, ino, sizeOf(`${path}-wal`) ?? 0].join()
}

/** Copies the file and its log into a folder that goes again. @throws SourceError */
function copySource(path: string): Place {
  const folder = mkdtempSync(join(tmpdir(), 'appengine-adopt-'))
  const close = (): void => rmSync(folder, { recursive: true, force: true })
  const file = join(folder, 'source.db')
  try {
    copyFileSync(path, file, constants.COPYFILE_FICLONE)
    if (sizeOf(`${path}-wal`) !== undefined)
      copyFileSync(`${path}-wal`, `${file}-wal`, constants.COPYFILE_FICLONE)
  } catch (error) {
    close()
    const told = `${path} cannot be copied to ${tmpdir()} to be read: ${messageOf(error)}`
    throw new SourceError(told, { cause: error })
  }
  return { file, mode: 'ro', requireSame: () => undefined, close }
}

async function openPlace(path: string, place: Place): Promise<SourceFile> {
  const connection = openForeign(place.file, place.mode)
  try {
    connection.database.exec('BEGIN')
    const unsorted = await findUnsorted(connection)
    if (unsorted.size > 0) return await openSorted(path, { place, connection, unsorted })
    await requireWhole(connection, path)
    return await toSource(path, { connection, place, unsorted })
  } catch (error) {
    connection.close()
    throw error
  }
}

interface Opened {
  place: Place
  connection: Connection
  unsorted: ReadonlyMap<string, string>
}

async function toSource(
  path: string,
  { connection, place, unsorted }: Opened,
): Promise<SourceFile> {
  const encoding = await findEncoding(connection)
  const { requireSame, close } = place
  return new SourceFile(connection, { path, encoding, unsorted, requireSame, close })
}

async function findEncoding(connection: Connection): Promise<SourceEncoding> {
  const [row] = await connection.statement('SELECT encoding FROM pragma_encoding').allOffLoop({})
  const name = String(row?.encoding).toLowerCase()
  return name === 'utf-16le' || name === 'utf-16be' ? name : 'utf-8'
}

/** The collations of SQLite itself. */
const COLLATIONS = "('BINARY', 'NOCASE', 'RTRIM')"

/** Keys that are the table itself: without its collation SQLite cannot even read it. */
const UNSORTED = `SELECT s.name AS name, x.coll AS coll
  FROM main.sqlite_schema AS s, pragma_index_list(s.name) AS l, pragma_index_xinfo(s.name) AS x
  WHERE s.type = 'table' AND s.rootpage > 0 AND l.origin = 'pk' AND x.key = 1
    AND upper(x.coll) NOT IN ${COLLATIONS}`

async function findUnsorted(connection: Connection): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.statement(UNSORTED).allOffLoop({})
  return new Map(rows.map(({ name, coll }) => [String(name).toLowerCase(), String(coll)]))
}

/** Opens a copy whose tables say that they compare by bytes; their rows lie in the other order. */
async function openSorted(
  path: string,
  { place, connection, unsorted }: Opened,
): Promise<SourceFile> {
  connection.close()
  const copied = place.file === path ? copySource(path) : place
  try {
    place.requireSame()
    changeCollations(copied.file, unsorted)
    const copy = openForeign(copied.file, 'ro')
    try {
      copy.database.exec('BEGIN')
      await requireWhole(copy, path)
      return await toSource(path, { connection: copy, place: copied, unsorted })
    } catch (error) {
      copy.close()
      throw error
    }
  } catch (error) {
    copied.close()
    throw error
  }
}

function changeCollations(file: string, unsorted: ReadonlyMap<string, string>): void {
  const connection = openForeignCopy(file)
  try {
    connection.database.exec('PRAGMA writable_schema=ON')
    for (const name of unsorted.keys()) {
      const [row] = connection
        .statement(
          "SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND lower(name) = @name",
        )
        .all({ name })
      const sql = String(row?.sql).replace(COLLATE, toBinary)
      connection
        .statement(
          "UPDATE main.sqlite_schema SET sql = @sql WHERE type = 'table' AND lower(name) = @name",
        )
        .run({ name, sql })
    }
  } finally {
    connection.close()
  }
}

const COLLATE = /\bCOLLATE\s+(?:"([^"]*)"|`([^`]*)`|\[([^\]]*)\]|(\w+))/gi

const toBinary = (text: string, ...names: (string | undefined)[]): string => {
  const name = names.slice(0, 4).find((each) => each !== undefined) ?? ''
  return /^(?:binary|nocase|rtrim)$/i.test(name) ? text : 'COLLATE BINARY'
}

/** Tables that can be checked: those that need nothing but SQLite itself to be read. */
const CHECKED = `SELECT s.name AS name FROM main.sqlite_schema AS s
  WHERE s.type = 'table' AND s.rootpage > 0 AND s.sql GLOB 'CREATE TABLE *'
    AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(s.name) AS c WHERE c.hidden = 2)
    AND NOT EXISTS (
      SELECT 1 FROM pragma_index_list(s.name) AS l, pragma_index_xinfo(l.name) AS x
      WHERE upper(x.coll) NOT IN ${COLLATIONS})
  ORDER BY s.rowid`

/** Reads the pages of every table and its indexes. @throws SourceError for damage */
async function requireWhole(connection: Connection, path: string): Promise<void> {
  for (const { name } of await connection.statement(CHECKED).allOffLoop({})) {
    const found = await connection
      .statement('SELECT quick_check AS text FROM pragma_quick_check(@name) LIMIT 100')
      .allOffLoop({ name: name ?? '' })
    const texts = found.map(({ text }) => String(text).replace(/\s+/g, ' '))
    const damage = texts.find((text) => text !== 'ok' && !BROKEN_RULE.test(text))
    if (damage !== undefined)
      throw new SourceError(`${path} is damaged (${damage}): repair it, or take a backup of it`)
  }
}

/** Messages for rows that break a rule of the source. Not damage: rows are checked one by one. */
const BROKEN_RULE = /^(?:NULL value in|\w+ value in|non-\w+ value in)/
