/**
 * Another program's database, opened to be read and for nothing else: the source of an adoption. It
 * may be damaged or hostile: nothing of its schema is run, and its texts are read as bytes.
 */
import type { Connection } from '../connection/connection.ts'
import { decodeJson } from '../connection/statement.ts'
import { explainSource, SourceError } from './source-fault.ts'
import type { SqlArg, SqlArgs, SqlRow } from '../sql.ts'

/**
 * A value exactly as in the source. Whole numbers that JSON does not hold are bigint; bytes are
 * those of a BLOB, or its size alone where they were not asked for.
 */
export type SourceCell =
  null | number | string | bigint | Uint8Array | SourceBytes | BrokenText | LargeCell

/** A text that is none in the database's encoding, with U+FFFD in place of what has no meaning. */
export class BrokenText {
  readonly text: string
  readonly bytes: Uint8Array

  constructor(text: string, bytes: Uint8Array) {
    this.text = text
    this.bytes = bytes
  }
}

/** A value of more than `CELL_BYTES_MAX` bytes, of which only the size was read. */
export class LargeCell {
  readonly size: number

  constructor(size: number) {
    this.size = size
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

/** Rows of one page, and how many bytes of the widest row make it shorter. */
const PAGE_ROWS = 1000
const PAGE_BYTES = 4 * 1024 * 1024

/** Bytes of a BLOB that are read at once; SQLite reads all of it each time. */
const PIECE_BYTES = 16 * 1024 * 1024

/** Tables after which their statements are collected. */
const TABLES_KEPT = 50

/** Most bytes of a value that is read; several are in memory at a time, in several forms. */
export const CELL_BYTES_MAX = 16 * 1024 * 1024

/** Most bytes of a row's values together. */
const ROW_BYTES_MAX = 2 * CELL_BYTES_MAX

/** The facts about an opened database. */
export interface SourceFacts {
  path: string
  encoding: SourceEncoding
  /** Tables that are not in the order of their keys, by lower-case name; the key's collation. */
  unsorted: ReadonlyMap<string, string>
  /** Throws SourceError where another program has changed the file meanwhile. */
  requireSame: () => void
  /** Removes what was made to read it. */
  close: () => void
}

/** The encoding of a database's texts. */
export type SourceEncoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** See `openSourceFile`. */
export class SourceFile {
  readonly path: string
  readonly unsorted: ReadonlyMap<string, string>
  readonly #connection: Connection
  readonly #facts: SourceFacts
  #tablesRead = 0

  constructor(connection: Connection, facts: SourceFacts) {
    this.path = facts.path
    this.unsorted = facts.unsorted
    this.#connection = connection
    this.#facts = facts
  }

  /** Checks that the file is still as it was opened. @throws SourceError */
  requireSame(): void {
    this.#facts.requireSame()
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
    this.#collect()
    const sizes = await this.#measure(read)
    let last: SourceRow | undefined
    do {
      const rows = await this.#page({ ...read, ...sizes, last: last?.key })
      last = rows.length === sizes.limit ? rows.at(-1) : undefined
      yield rows.map(({ key, cells }) => ({ key, cells: cells.slice(0, read.columns.length) }))
    } while (last)
  }

  /** The bytes of one cell that is a BLOB, a piece in memory at a time. */
  async *bytes(cell: SourceBlob): AsyncGenerator<Uint8Array> {
    const { table, keys, column, key, size } = cell
    const { marks, args } = bindKey(key)
    const where = keys.map((each, at) => `${each} = ${marks[at] ?? ''}`).join(' AND ')
    const piece = `substr(${column}, @from, ${PIECE_BYTES})`
    const sql = `SELECT ${piece} AS piece FROM ${table} WHERE ${where}`
    for (let at = 0; at < size; at += PIECE_BYTES) {
      const bytes = await this.#readBytes(sql, { ...args, from: at + 1 })
      if (bytes.length !== Math.min(PIECE_BYTES, size - at))
        throw new SourceError(`${this.path} cannot be read: bytes that were counted are missing`)
      yield bytes
    }
  }

  /** Ends the reading; nothing of it stays beside the file. */
  [Symbol.dispose](): void {
    if (this.#connection.inTransaction) this.#connection.database.exec('ROLLBACK')
    this.#connection.close()
    this.#facts.close()
  }

  /**
   * Lets go of what the statements of former tables hold: SQLite has tens of KB of each, and the
   * collector sees a few bytes. No request waits for this thread.
   */
  #collect(): void {
    this.#tablesRead++
    if (this.#tablesRead % TABLES_KEPT === 0) Bun.gc(true)
  }

  /** Reads one value as bytes. @throws SourceError */
  async #readBytes(sql: string, args: SqlArgs): Promise<Uint8Array> {
    try {
      return await this.#connection.text(sql).bytesOffLoop(args)
    } catch (error) {
      throw explainSource(this.path, error)
    }
  }

  /** Reads a page of rows. If one of its texts is not UTF-8, all are read as bytes, one by one. */
  async #page(read: PageRead): Promise<SourceRow[]> {
    const { encoding } = this.#facts
    const decode = (cell: Encoded): SourceCell => decodeCell(cell, encoding)
    const rows = JSON.parse((await this.#readPage(read)) || '[]') as [Encoded[], Encoded[][]][]
    return rows.map(([key, cells]) => ({ key: key.map(decode), cells: cells.flat().map(decode) }))
  }

  /** The rows as JSON. */
  async #readPage(read: PageRead): Promise<string> {
    const { args } = bindKey(read.last ?? [])
    const load = (sql: string) => this.#readBytes(sql, args)
    // SQLite would make some other text of a broken UTF-16 without a word.
    if (this.#facts.encoding === 'utf-8') {
      const text = decodeText(await load(composePage(read, encodeText)))
      if (text !== undefined) return text
    }
    return decodeJson(await load(composePage(read, encodeTextAsBytes)))
  }

  /** Finds how many rows one page may hold, and the columns with values that are not read. */
  async #measure({ table, columns }: SourceRead): Promise<PageSizes> {
    const measures = columns.map(({ name, isSized }) => {
      const size = `octet_length(${name})`
      return `max(${isSized ? `iif(typeof(${name}) = 'blob', 0, ${size})` : size})`
    })
    const bytes = chunk(measures).map((part) => `json_array(${part.join(', ')})`)
    const [row] = await this.all(
      `SELECT json_array(${bytes.length > 0 ? bytes.join(', ') : '0'}) AS bytes FROM ${table}`,
    )
    const found = (JSON.parse(String(row?.bytes)) as (number | null)[][]).flat()
    const read = columns.map((_, at) => found[at] ?? 0)
    const wide = read.filter((size) => size > PAGE_BYTES).length
    const most = Math.min(CELL_BYTES_MAX, Math.floor(ROW_BYTES_MAX / Math.max(wide, 1)))
    const widest = read.reduce((sum, size) => sum + Math.min(size, most), 0)
    const limit = Math.max(1, Math.min(PAGE_ROWS, Math.floor(PAGE_BYTES / Math.max(widest, 1))))
    return { limit, most, isLarge: read.map((size) => size > most) }
  }
}

/** SQLite allows 127 arguments to a function. */
const CELLS_MAX = 100

const chunk = (parts: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(parts.length / CELLS_MAX) }, (_, at) =>
    parts.slice(at * CELLS_MAX, (at + 1) * CELLS_MAX),
  )

/** How much of a table is read at a time. */
interface PageSizes {
  /** Most rows of a page. */
  limit: number
  /** Most bytes of a value. */
  most: number
  /** Columns that have values of more bytes. */
  isLarge: readonly boolean[]
}

/** One page of a table, the first or one behind a key. */
interface PageRead extends SourceRead, PageSizes {
  last: readonly SourceCell[] | undefined
}

/** The SQL that writes a text into JSON. */
type TextCode = (name: string) => string

const encodeText: TextCode = (name) => `'t'||${name}`
const encodeTextAsBytes: TextCode = (name) => `'h'||hex(CAST(${name} AS BLOB))`

function composePage(read: PageRead, toText: TextCode): string {
  const { table, keys, columns, limit, most, isLarge, last } = read
  const where = last ? ` WHERE (${keys.join(', ')}) > (${bindKey(last).marks.join(', ')})` : ''
  const outputs = [
    // SQLite looks for the collation of a column of a query, which need not be known here.
    ...keys.map((key, at) => `${key} COLLATE BINARY AS k${at}`),
    ...columns.map((column, at) => composeOutput(column, at, isLarge[at] ? most : undefined)),
  ]
  const rows =
    `SELECT ${outputs.join(', ')} FROM ${table}${where} ` +
    `ORDER BY ${keys.join(', ')} LIMIT ${limit}`
  const cells = columns.map(({ isSized }, at) => {
    const cell = encode(`c${at}`, toText)
    const sized = isSized ? `WHEN t${at} = 'blob' THEN 'z'||s${at} ` : ''
    const large = isLarge[at] ? `WHEN s${at} > ${most} THEN 'l'||s${at} ` : ''
    return sized + large === '' ? cell : `CASE ${sized}${large}ELSE ${cell} END`
  })
  const chunks = chunk(cells).map((part) => `json_array(${part.join(',')})`)
  const key = keys.map((_, at) => encode(`k${at}`, toText)).join(',')
  const row = `json_array(json_array(${key}), json_array(${chunks.join(',')}))`
  return `SELECT json_group_array(${row}) FROM (${rows})`
}

/** Reads no value that is too large, and no bytes of which only the size is asked for. */
function composeOutput(
  { name, isSized }: SourceRead['columns'][number],
  at: number,
  most: number | undefined,
): string {
  const skips = [
    ...(isSized ? [`typeof(${name}) = 'blob'`] : []),
    ...(most === undefined ? [] : [`octet_length(${name}) > ${most}`]),
  ]
  if (skips.length === 0) return `${name} COLLATE BINARY AS c${at}`
  const value = `iif(${skips.join(' OR ')}, NULL, ${name})`
  return `${value} AS c${at}, typeof(${name}) AS t${at}, octet_length(${name}) AS s${at}`
}

/** Binds the key of a row: a text that is none is bound as the bytes that it is. */
function bindKey(key: readonly SourceCell[]): { marks: string[]; args: Record<string, SqlArg> } {
  const isBroken = (cell: SourceCell): boolean => cell instanceof BrokenText
  return {
    marks: key.map((cell, at) => (isBroken(cell) ? `CAST(@k${at} AS TEXT)` : `@k${at}`)),
    args: Object.fromEntries(key.map((cell, at) => [`k${at}`, toArg(cell)])),
  }
}

/** Small whole numbers and nulls as they are; the rest as text behind a letter. */
const encode = (name: string, toText: TextCode): string =>
  `CASE typeof(${name}) WHEN 'text' THEN ${toText(name)} WHEN 'real' THEN 'r'||quote(${name}) ` +
  `WHEN 'blob' THEN 'b'||hex(${name}) ` +
  `WHEN 'integer' THEN iif(${name} BETWEEN ${-Number.MAX_SAFE_INTEGER} AND ` +
  `${Number.MAX_SAFE_INTEGER}, ${name}, 'i'||${name}) END`

type Encoded = string | number | null

function decodeCell(cell: Encoded, encoding: SourceEncoding): SourceCell {
  if (typeof cell !== 'string') return cell
  const rest = cell.slice(1)
  switch (cell[0]) {
    case 't':
      return rest
    case 'h':
      return decodeBytes(Buffer.from(rest, 'hex'), encoding)
    case 'l':
      return new LargeCell(Number(rest))
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

/** Decodes the bytes of a text as the database has them. */
function decodeBytes(bytes: Buffer, encoding: SourceEncoding): string | BrokenText {
  if (encoding === 'utf-8')
    return decodeText(bytes) ?? new BrokenText(bytes.toString('utf8'), bytes)
  const isWhole = bytes.length % 2 === 0
  const pairs = Buffer.from(bytes.subarray(0, bytes.length - (isWhole ? 0 : 1)))
  const text = (encoding === 'utf-16be' ? pairs.swap16() : pairs).toString('utf16le')
  if (isWhole && text.isWellFormed()) return text
  return new BrokenText(`${text.toWellFormed()}${isWhole ? '' : '\ufffd'}`, bytes)
}

/** Parses a real number. SQLite writes infinity as `9.0e+999`, in other places as `Inf`. */
const toReal = (text: string): number =>
  Number(text.replace(/inf$/i, 'Infinity').replace(/^(-?)9\.0e\+999$/, '$1Infinity'))

/** A key that cannot be bound as it was would lead astray. */
function toArg(cell: SourceCell): SqlArg {
  if (cell instanceof BrokenText) return cell.bytes
  if (!(cell instanceof SourceBytes || cell instanceof LargeCell)) return cell
  throw new SourceError('A key of the database is too large: the rows behind it cannot be read')
}
