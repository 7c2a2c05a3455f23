/**
 * Another program's database, opened to be read and for nothing else: the source of an adoption. It
 * may be damaged or hostile: its schema runs no function that SQLite does not vouch for, and its
 * texts are read as bytes.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { type Connection, openReader } from '../connection/connection.ts'
import { APPLICATION_ID } from '../engine-tables.ts'
import { codeOf, toFailure } from '../faults.ts'
import type { SqlArgs, SqlRow } from '../sql.ts'

/** A file that cannot be read as a database: its message says what to do. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/**
 * A value exactly as in the source. Whole numbers that JSON does not hold are bigint; bytes are
 * those of a BLOB, or its size alone where they were not asked for.
 */
export type SourceCell = null | number | string | bigint | Uint8Array | SourceBytes | BrokenText

/** A text that is not UTF-8, with U+FFFD in place of what cannot be read. */
export class BrokenText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A BLOB of which only the size was asked for. */
export class SourceBytes {
  readonly size: number

  constructor(size: number) {
    this.size = size
  }
}

/** The read of a table. The composer of the SQL quotes the names. */
interface SourceRead {
  table: string
  /** Expressions by which the rows are ordered; together they tell every row from the others. */
  keys: readonly string[]
  columns: readonly { name: string; isSized: boolean }[]
}

/** A cell of bytes: where it is, and how many they are. */
interface SourceBlob extends Pick<SourceRead, 'table' | 'keys'> {
  /** The expression of the column. */
  column: string
  /** The key of its row. */
  key: readonly SourceCell[]
  size: number
}

/** A row: the values of its keys, then those of its columns. */
export interface SourceRow {
  key: readonly SourceCell[]
  cells: readonly SourceCell[]
}

const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100
const APPLICATION_ID_AT = 68

/** Rows of one page, and how many bytes of the widest row make it shorter. */
const PAGE_ROWS = 1000
const PAGE_BYTES = 4 * 1024 * 1024

/** Bytes of a BLOB that are read at once. */
const PIECE_BYTES = 8 * 1024 * 1024

/**
 * Opens the file, reads every page of it once, and stays with the state that it has now.
 * @throws SourceError
 */
export async function openSourceFile(path: string): Promise<SourceFile> {
  requireDatabase(path)
  try {
    const connection = openReader(path)
    try {
      connection.database.exec('BEGIN')
      await requireWhole(connection, path)
      return new SourceFile(path, connection)
    } catch (error) {
      connection.close()
      throw error
    }
  } catch (error) {
    throw explainSource(path, error)
  }
}

/** See `openSourceFile`. */
export class SourceFile {
  readonly path: string
  readonly #connection: Connection

  constructor(path: string, connection: Connection) {
    this.path = path
    this.#connection = connection
  }

  /** All rows of a statement, off the event loop. @throws SourceError */
  async all(sql: string, args: SqlArgs = {}): Promise<SqlRow[]> {
    try {
      return await this.#connection.statement(sql).allOffLoop(args)
    } catch (error) {
      throw explainSource(this.path, error)
    }
  }

  /** The rows of a table in the order of its keys, a page in memory at a time. */
  async *pages(read: SourceRead): AsyncGenerator<SourceRow[]> {
    const limit = await this.#findLimit(read)
    let last: SourceRow | undefined
    do {
      const rows = await this.#page({ ...read, limit, goesOn: last !== undefined }, last)
      last = rows.length === limit ? rows.at(-1) : undefined
      yield rows.map(({ key, cells }) => ({ key, cells: cells.slice(0, read.columns.length) }))
    } while (last)
  }

  /** The bytes of one cell that is a BLOB, a piece in memory at a time. */
  async *bytes(cell: SourceBlob): AsyncGenerator<Uint8Array> {
    const { table, keys, column, key, size } = cell
    const args = Object.fromEntries(key.map((each, at) => [`k${at}`, toArg(each)]))
    const where = keys.map((each, at) => `${each} = @k${at}`).join(' AND ')
    const piece = `substr(${column}, @from, ${PIECE_BYTES})`
    const sql = `SELECT ${piece} AS piece FROM ${table} WHERE ${where}`
    for (let at = 0; at < size; at += PIECE_BYTES) {
      const [row] = await this.all(sql, { ...args, from: at + 1 })
      if (!(row?.piece instanceof Uint8Array))
        throw new SourceError(`${this.path} cannot be read: bytes that were counted are missing`)
      yield row.piece
    }
  }

  /** Ends the reading; nothing of it stays beside the file. */
  [Symbol.dispose](): void {
    if (this.#connection.inTransaction) this.#connection.database.exec('ROLLBACK')
    this.#connection.close()
  }

  /** Reads a page of rows. If one of its texts is not UTF-8, all are read as bytes, one by one. */
  async #page(read: PageRead, last: SourceRow | undefined): Promise<SourceRow[]> {
    const args = Object.fromEntries((last?.key ?? []).map((cell, at) => [`k${at}`, toArg(cell)]))
    const load = (sql: string) => this.#connection.text(sql).bytesOffLoop(args)
    try {
      const bytes = await load(composePage(read, encodeText))
      const text = decodeText(bytes) ?? decodeText(await load(composePage(read, encodeTextAsBytes)))
      const rows = JSON.parse(text || '[]') as [Encoded[], Encoded[][]][]
      return rows.map(([key, cells]) => ({ key: key.map(decode), cells: cells.flat().map(decode) }))
    } catch (error) {
      throw explainSource(this.path, error)
    }
  }

  /** Finds how many rows of this table one page may hold. */
  async #findLimit({ table, columns }: SourceRead): Promise<number> {
    const wide = columns.filter(({ isSized }) => !isSized)
    const sizes = wide.map(({ name }) => `coalesce(octet_length(${name}), 0)`)
    // In parts: SQLite takes no sum that is 1000 deep.
    const sums = chunk(['0', ...sizes]).map((part) => `(${part.join(' + ')})`)
    const [row] = await this.all(`SELECT max(${sums.join(' + ')}) AS n FROM ${table}`)
    const widest = Math.max(Number(row?.n ?? 0), 1)
    return Math.max(1, Math.min(PAGE_ROWS, Math.floor(PAGE_BYTES / widest)))
  }
}

/** SQLite allows 127 arguments to a function. */
const CELLS_MAX = 100

const chunk = (parts: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(parts.length / CELLS_MAX) }, (_, at) =>
    parts.slice(at * CELLS_MAX, (at + 1) * CELLS_MAX),
  )

/** One page of a table, the first or one behind a key. */
interface PageRead extends SourceRead {
  limit: number
  goesOn: boolean
}

/** The SQL that writes a text into JSON. */
type TextCode = (name: string) => string

const encodeText: TextCode = (name) => `'t'||${name}`
const encodeTextAsBytes: TextCode = (name) => `'h'||hex(CAST(${name} AS BLOB))`

function composePage(read: PageRead, toText: TextCode): string {
  const { table, keys, columns, limit, goesOn } = read
  const marks = keys.map((_, at) => `@k${at}`).join(', ')
  const where = goesOn ? ` WHERE (${keys.join(', ')}) > (${marks})` : ''
  const outputs = [
    ...keys.map((key, at) => `${key} AS k${at}`),
    ...columns.map(({ name }, at) => `${name} AS c${at}`),
  ]
  const rows =
    `SELECT ${outputs.join(', ')} FROM ${table}${where} ` +
    `ORDER BY ${keys.join(', ')} LIMIT ${limit}`
  const cells = columns.map(({ isSized }, at) => encode(`c${at}`, isSized, toText))
  const chunks = chunk(cells).map((part) => `json_array(${part.join(',')})`)
  const key = keys.map((_, at) => encode(`k${at}`, false, toText)).join(',')
  const row = `json_array(json_array(${key}), json_array(${chunks.join(',')}))`
  return `SELECT json_group_array(${row}) FROM (${rows})`
}

/** Small whole numbers and nulls as they are; the rest as text behind a letter. */
const encode = (name: string, isSized: boolean, toText: TextCode): string =>
  `CASE typeof(${name}) WHEN 'text' THEN ${toText(name)} WHEN 'real' THEN 'r'||quote(${name}) ` +
  `WHEN 'blob' THEN ${isSized ? `'z'||length(${name})` : `'b'||hex(${name})`} ` +
  `WHEN 'integer' THEN iif(${name} BETWEEN ${-Number.MAX_SAFE_INTEGER} AND ` +
  `${Number.MAX_SAFE_INTEGER}, ${name}, 'i'||${name}) END`

type Encoded = string | number | null

function decode(cell: Encoded): SourceCell {
  if (typeof cell !== 'string') return cell
  const rest = cell.slice(1)
  switch (cell[0]) {
    case 't':
      return rest
    case 'h':
      return decodeText(Buffer.from(rest, 'hex')) ?? toBroken(Buffer.from(rest, 'hex'))
    case 'r':
      return toReal(rest)
    case 'i':
      return BigInt(rest)
    case 'z':
      return new SourceBytes(Number(rest))
    default:
      return Buffer.from(rest, 'hex')
  }
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8; undefined for other bytes. */
function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

const toBroken = (bytes: Buffer): BrokenText => new BrokenText(bytes.toString('utf8'))

/** Parses a real number. SQLite writes infinity as `9.0e+999`, in other places as `Inf`. */
const toReal = (text: string): number =>
  Number(text.replace(/inf$/i, 'Infinity').replace(/^(-?)9\.0e\+999$/, '$1Infinity'))

/** A key that cannot be bound as it was would lead astray. */
function toArg(cell: SourceCell) {
  if (!(cell instanceof SourceBytes || cell instanceof BrokenText)) return cell
  throw new SourceError('A key of the database is text that is not UTF-8: the rest cannot be read')
}

function requireDatabase(path: string): void {
  const facts = statSync(path, { throwIfNoEntry: false })
  if (facts === undefined) throw new SourceError(`There is no file ${path}`)
  if (!facts.isFile()) throw new SourceError(`${path} is not a file`)
  const header = readHeader(path)
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new SourceError(`${path} is not an SQLite database, or it is encrypted or damaged`)
  const owner = header.readUInt32BE(APPLICATION_ID_AT)
  if (Object.values(APPLICATION_ID).includes(owner))
    throw new SourceError(
      `${path} is a database of this engine itself: copy its data folder, or export and import`,
    )
}

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  try {
    const descriptor = openSync(path, 'r')
    try {
      readSync(descriptor, header, 0, HEADER_BYTES, 0)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    throw new SourceError(`${path} cannot be read: ${messageOf(error)}`, { cause: error })
  }
  return header
}

async function requireWhole(connection: Connection, path: string): Promise<void> {
  const found = await connection.statement('PRAGMA quick_check(100)').allOffLoop({})
  const texts = found.map((row) => String(row.quick_check).replace(/\s+/g, ' '))
  const damage = texts.find((text) => text !== 'ok' && !BROKEN_RULE.test(text))
  if (damage === undefined) return
  throw new SourceError(`${path} is damaged (${damage}): repair it, or take a backup of it`)
}

/** Messages for rows that break a rule of the source. Not damage: rows are checked one by one. */
const BROKEN_RULE = /^(?:CHECK constraint failed|NULL value in|\w+ value in|non-\w+ value in)/

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

function explainSource(path: string, error: unknown): unknown {
  const code = codeOf(error)
  if (!/^SQLITE_|^UNKNOWN_SQLITE/.test(code)) return error
  return new SourceError(`${path} cannot be read (${code}): ${findRemedy(code, error)}`, {
    cause: toFailure(error),
  })
}

function findRemedy(code: string, error: unknown): string {
  if (/^SQLITE_(?:CORRUPT|NOTADB)/.test(code))
    return 'it is damaged or encrypted: repair it, or take a backup of it'
  if (/^SQLITE_(?:CANTOPEN|READONLY|PERM|AUTH)/.test(code))
    return (
      'another program left its log (-wal or -journal) beside it, and this user may not ' +
      'write there: open it once with the program that it belongs to, or copy all of ' +
      'its files into a folder of your own'
    )
  if (code.startsWith('SQLITE_BUSY'))
    return 'another program is writing to it: stop that program first'
  return messageOf(error)
}
