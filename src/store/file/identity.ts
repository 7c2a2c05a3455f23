/** Checks that a file is the database that belongs here. A foreign file is never overwritten. */
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { saveFile } from '../../kernel/durable.ts'
import type { Connection } from '../connection/connection.ts'
import { APPLICATION_ID, type DatabaseKind } from '../engine-tables.ts'

const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100
const USER_VERSION_AT = 60
const APPLICATION_ID_AT = 68
/** The fact that names the data; the sidecar beside the file repeats it. */
const FACT = 'DataId'
/** Larger files are checked behind the start, which must be quick. */
const CHECKED_BYTES_MAX = 64 * 1024 * 1024

/** Checks that a start leaves the reading of a file's pages for afterwards. */
export const isCheckedLater = (file: string): boolean => statSync(file).size > CHECKED_BYTES_MAX

/** A file that is not whole, or not the engine's: its message is a sentence for the operator. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile'
}

/**
 * Returns 'new' when there is no file and never was one. Throws a DamagedFile for one that is
 * missing, empty, not a database, or another program's.
 */
export function inspectFile(file: string, kind: DatabaseKind): 'new' | 'existing' {
  if (!existsSync(file)) {
    requireNoRollback(dirname(file))
    requireNeverMade(file, kind)
    return 'new'
  }
  if (statSync(file).size === 0) throw new DamagedFile(`${file} is empty. ${RESTORE}`)
  const header = findHead(file)
  if (header.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID[kind])
    throw new DamagedFile(`${file} belongs to another program. ${RESTORE}`)
  return 'existing'
}

/** A folder in a data folder, whose files take the place of those that are there. */
export const ROLLBACK_FOLDER = '.rollback'

/** Throws where a rollback of the folder began to move files, and did not end. */
export function requireNoRollback(folder: string): void {
  if (!existsSync(join(folder, ROLLBACK_FOLDER, 'folder', 'engine.db'))) return
  throw new Error(
    `A rollback of ${folder} was interrupted. Run "appengine rollback" once more, which finishes ` +
      'it; nothing else can use the folder until then.',
  )
}

/** The advice about a file that is left untouched. */
export const RESTORE = 'It was not changed: restore a backup, or name another data folder.'

function requireNeverMade(file: string, kind: DatabaseKind): void {
  // Volatile data may be lost with its file, and no more than that.
  if (kind === 'state') return
  for (const trace of [sidecarOf(file), `${file}-wal`])
    if (existsSync(trace))
      throw new DamagedFile(
        `${file} is missing, though ${trace} shows that there was one. ${RESTORE}`,
      )
}

/** Heads that were read before a connection opened their file, by its path and inode. */
const heads = new Map<string, Buffer>()

/**
 * Reads the head of a file for every later `inspectFile`. To be called before the first connection:
 * the system drops every lock that a process has on a file when any descriptor of it is closed, and
 * the package lets go of a closed connection only some time later, so that SQLite would take the
 * locks of the next one for granted. Another process could remove the log under it then.
 */
export function keepHead(file: string): void {
  heads.delete(keyOf(file))
  heads.set(keyOf(file), requireHeader(file))
}

const keyOf = (file: string): string => `${file}:${statSync(file).ino}`

const findHead = (file: string): Buffer => heads.get(keyOf(file)) ?? requireHeader(file)

/** Descriptors of databases that this process reads as files, by path and inode. */
const descriptors = new Map<string, number>()

/**
 * Opens a database to be read as a file beside connections of this process. It stays open until the
 * process ends: closed, it would drop their locks (see `keepHead`).
 */
export function keepDescriptor(file: string): number {
  const key = keyOf(file)
  const kept = descriptors.get(key) ?? openSync(file, 'r')
  descriptors.set(key, kept)
  return kept
}

/** Reads the head of a file that no connection has open; throws unless it is a database's. */
function requireHeader(file: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  const kept = descriptors.get(keyOf(file))
  const descriptor = kept ?? openSync(file, 'r')
  try {
    const bytes = readSync(descriptor, header, 0, HEADER_BYTES, 0)
    if (bytes === HEADER_BYTES && header.toString('latin1', 0, MAGIC.length) === MAGIC)
      return header
  } finally {
    if (kept === undefined) closeSync(descriptor)
  }
  throw new DamagedFile(`${file} is not a database, or is damaged. ${RESTORE}`)
}

/** Reads how many migrations a file has, by its head alone: what a log holds is not seen. */
export const readHeaderSchema = (file: string): number =>
  requireHeader(file).readUInt32BE(USER_VERSION_AT)

/** Gives a new database its id. */
export function nameDatabase(connection: Connection): void {
  connection
    .statement('INSERT INTO svc_facts (Name, Value) VALUES (@name, @value)')
    .run({ name: FACT, value: crypto.randomUUID() })
}

/** The id that a database bears. */
export function readDataId(connection: Connection, file: string): string {
  const id = connection
    .statement('SELECT Value FROM svc_facts WHERE Name = @name')
    .get({ name: FACT })?.Value
  if (typeof id !== 'string') throw new DamagedFile(`${file} has no id. ${RESTORE}`)
  return id
}

/** Throws when the sidecar names another database than this one; false where it names none. */
export function isNamedBySidecar(id: string, file: string): boolean {
  const sidecar = sidecarOf(file)
  // A loss of power can leave a file without its bytes, or zeros in their place.
  const named = existsSync(sidecar) ? readFileSync(sidecar, 'utf8').replace(/[\0\s]/g, '') : ''
  if (named === '') return false
  if (named === id) return true
  throw new DamagedFile(`${file} is not the database that ${sidecar} names. ${RESTORE}`)
}

/**
 * Throws when the file is not the one that the sidecar beside it names; writes a sidecar that is
 * missing or empty.
 */
export function requireSameDatabase(connection: Connection, file: string): void {
  const id = readDataId(connection, file)
  if (!isNamedBySidecar(id, file)) saveFile(sidecarOf(file), `${id}\n`)
}

/** Throws when pages of the file are damaged; files over 64 MB are read behind it. */
export async function requireSound(connection: Connection, file: string): Promise<void> {
  if (isCheckedLater(file)) return
  const [first] = await connection.statement('PRAGMA quick_check(1)').allOffLoop({})
  const found = String(first?.quick_check)
  if (found !== 'ok') throw toDamage(file, found)
}

/** Converts the result of a page check into its error. */
export function toDamage(file: string, found: string): Error {
  const code = Number(/error code=(\d+)/.exec(found)?.[1]) & 0xff
  // A page that the disk did not give has no code where it is behind a cell.
  if (code === IOERR || /failed to get page/.test(found))
    return Object.assign(new Error(`${file} could not be read`), { code: 'SQLITE_IOERR' })
  return new DamagedFile(`${file} is damaged (${found.replace(/\s+/g, ' ')}). ${RESTORE}`)
}

/** SQLite's primary result code of a disk that refuses to read or write. */
const IOERR = 10

const sidecarOf = (file: string): string => `${file}.id`
