/** The kinds of files that are given for a database, told by their first bytes. */
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { APPLICATION_ID } from '../engine-tables.ts'
import { messageOf, SourceError } from './source-fault.ts'

const HEADER_BYTES = 512
const MAGIC = 'SQLite format 3\0'
const APPLICATION_ID_AT = 68
const READ_VERSION_AT = 19

/** The versions of the file format in its header: 1 for a rollback journal, 2 for a log (WAL). */
const WAL_VERSION = 2

/** The facts that a database's header tells. */
interface SourceHeader {
  /** True where changes are kept in a log (WAL) beside it. */
  isLogged: boolean
}

/** Reads the header of another program's database. @throws SourceError for any other file. */
export function requireDatabase(path: string): SourceHeader {
  const facts = statSync(path, { throwIfNoEntry: false })
  if (facts === undefined) throw new SourceError(`There is no file ${path}`)
  if (facts.isDirectory()) throw new SourceError(`${path} is a folder: ${adviseFolder(path)}`)
  if (!facts.isFile()) throw new SourceError(`${path} is not a file`)
  if (facts.size === 0)
    throw new SourceError(`${path} is empty: it is not an SQLite database, or nothing was copied`)
  const header = readHeader(path)
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new SourceError(`${path} is not an SQLite database: ${describeFile(path, header)}`)
  const owner = header.readUInt32BE(APPLICATION_ID_AT)
  if (Object.values(APPLICATION_ID).includes(owner))
    throw new SourceError(
      `${path} is a database of this engine itself: copy its data folder, or export and import`,
    )
  return { isLogged: header[READ_VERSION_AT] === WAL_VERSION }
}

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  try {
    const descriptor = openSync(path, 'r')
    try {
      const size = readSync(descriptor, header, 0, HEADER_BYTES, 0)
      // The fields of a header that is cut are zeros.
      return header.toString('latin1', 0, MAGIC.length) === MAGIC
        ? header
        : header.subarray(0, size)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    throw new SourceError(`${path} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}

const DATABASE_NAME = /\.(?:db|db3|sqlite|sqlite3|s3db|anki2|anki21)$/i

function adviseFolder(path: string): string {
  const found = readdirSync(path).find((name) => DATABASE_NAME.test(name))
  return found === undefined
    ? 'name the database file in it'
    : `name the database file in it, such as ${found}`
}

/** Beginnings of files, with what they are and how to go on. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [
    /^\*\* This file contains an SQLite 2/,
    'it is one of SQLite 2: dump it with "sqlite" 2, and read the dump with "sqlite3"',
  ],
  [
    /^PK(?:\x03\x04|\x05\x06|\x07\x08)/,
    'it is a ZIP archive (or a file of Office): unpack it, and name the database in it',
  ],
  [/^\x1f\x8b/, 'it is compressed by gzip: unpack it first'],
  [/^(?:BZh|\xfd7zXZ|7z\xbc\xaf|Rar!|\x28\xb5\x2f\xfd)/, 'it is compressed: unpack it first'],
  [
    /^\0\x01\0\0Standard (?:Jet|ACE) DB/,
    'it is a database of Microsoft Access: export its tables to SQLite',
  ],
  [/^PGDMP/, 'it is a dump of PostgreSQL: load it there, and copy its tables to SQLite'],
  [/^.{8}DUCK/s, 'it is a database of DuckDB: copy its tables to SQLite with ATTACH (TYPE sqlite)'],
  [/^\x37\x7f\x06[\x82\x83]/, 'it is the log (-wal) of a database: name the database beside it'],
  [
    /^\xd9\xd5\x05\xf9\x20\xa1\x63\xd7/,
    'it is the journal of a database: name the database beside it',
  ],
  [/^%PDF-/, 'it is a PDF'],
  [/^\xd0\xcf\x11\xe0/, 'it is a file of Office: save it as SQLite, or import it as xlsx'],
]

/** The bytes of text: no control characters but tabs, line breaks and page breaks. */
const TEXT = /^(?:\xef\xbb\xbf)?[\t\n\r\f\x20-\x7e\x80-\xff]+$/
const SQL_TEXT =
  /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(?:--|\/\*|PRAGMA|BEGIN|CREATE|INSERT|SET|DROP|USE)\b/i

/** Encrypted pages have no first bytes of their own; their size is that of whole pages. */
const PAGE_BYTES = 512
/** Different bytes among the first ones: random ones have far more, a text or table far fewer. */
const RANDOM_BYTES = 180

function describeFile(path: string, header: Buffer): string {
  const start = header.toString('latin1')
  const known = KINDS.find(([beginning]) => beginning.test(start))
  if (known) return known[1]
  if (SQL_TEXT.test(start) && TEXT.test(start))
    return 'it is SQL as text: make a database of it with "sqlite3 new.db < file.sql"'
  if (TEXT.test(start)) return 'it is text: a csv file is imported into a view'
  const isRandom = new Set(header).size >= RANDOM_BYTES
  return isRandom && statSync(path).size % PAGE_BYTES === 0
    ? 'it is encrypted (SQLCipher, for one): decrypt it first with the program that it belongs to'
    : 'it is of another kind, encrypted or damaged'
}
