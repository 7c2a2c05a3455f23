/**
 * One statement of one connection, prepared once in each of the forms in which it is run. As one
 * JSON text any SELECT becomes a statement of one row: all of its work is in its first step, the
 * only one off the event loop. Its text is read as bytes: what is not UTF-8
 * (`json_extract('"\ud800"', '$')` makes some) ends the process inside the native package.
 */
import { iterateOffLoop } from '../../vendor/libsql-iterate.ts'
import { type BindOrder, type BoundValues, planBindOrder, toBound } from './bind-order.ts'
import {
  type ColumnOrigin,
  type NativeDatabase,
  type NativeStatement,
  prepareNative,
} from './native.ts'
import { findFollower } from './slow-statements.ts'
import { isConnectionFault } from '../faults.ts'
import type { SqlArg, SqlArgs, SqlRow, SqlValue } from '../sql.ts'
import { toSqlValue } from '../values.ts'

/** Behind a WITH it may name one that is not its target: then one version too many rises. */
const ENGINE_TARGET = new RegExp(
  '^\\s*(?:WITH\\b[\\s\\S]*?\\b)?' +
    '(?:(?:INSERT(?:\\s+OR\\s+\\w+)?|REPLACE)\\s+INTO|UPDATE(?:\\s+OR\\s+\\w+)?|DELETE\\s+FROM)' +
    '\\s+(?:["`[]?main["`\\]]?\\s*\\.\\s*)?["`[]?(svc_\\w+)',
  'i',
)

/**
 * Rows by name. The engine's own tables are read as they are; what comes from elsewhere is read as
 * one JSON text, at once and off the event loop alike.
 */
export class Statement {
  /** Names of the output columns; none for a statement that answers with no rows. */
  readonly names: readonly string[]
  /** A SELECT, as against INSERT, UPDATE or DELETE with RETURNING. */
  readonly isSelect: boolean
  /** The engine's own table that it writes, or may write. */
  readonly target: string | undefined
  /** The same where it is certain. */
  readonly ownTarget: string | undefined
  readonly #database: NativeDatabase
  readonly #sql: string
  readonly #native: NativeStatement
  /** Only its columns are read; held, since the collector would wait for the connection. */
  readonly #inner: NativeStatement | undefined
  readonly #isPlain: boolean
  readonly #order: BindOrder
  readonly #first: Form
  readonly #all: Form

  constructor(database: NativeDatabase, sql: string) {
    this.#database = database
    this.#sql = sql
    this.#native = prepareNative(database, sql)
    const columns = this.#native.columns()
    this.#inner = columns.length > 0 ? prepareInner(database, sql) : undefined
    const inner = this.#inner?.columns()
    this.isSelect = inner !== undefined
    this.names = (inner ?? columns).map((column) => column.name)
    this.#isPlain = inner === undefined || inner.every(isEngineColumn)
    this.target = inner === undefined ? ENGINE_TARGET.exec(sql)?.[1]?.toLowerCase() : undefined
    this.ownTarget = /^\s*WITH\b/i.test(sql) ? undefined : this.target
    this.#order = planBindOrder(sql)
    this.#first = new Form(database, () => wrapFirst(sql, this.names))
    this.#all = new Form(database, () => wrapAll(sql, this.names))
  }

  get(args: SqlArgs): SqlRow | undefined {
    const bound = toBound(this.#order, args)
    if (!this.#isPlain) return decodeFirst(this.#first.get(bound)?.[0], this.names)
    // A statement that writes is run to its end: it holds the transaction open until then.
    const cells = this.isSelect
      ? getFirst(this.#native, bound)
      : [...iterate(this.#native, bound)][0]
    return cells === undefined ? undefined : zipRow(cells, this.names)
  }

  all(args: SqlArgs): SqlRow[] {
    const bound = toBound(this.#order, args)
    if (!this.#isPlain) return decodeAll(this.#all.get(bound)?.[0], this.names)
    const rows: SqlRow[] = []
    for (const cells of iterate(this.#native, bound)) rows.push(zipRow(cells, this.names))
    return rows
  }

  /** All rows of a SELECT, by place. */
  cells(args: SqlArgs): SqlValue[][] {
    const rows = decodeCells(this.#all.get(toBound(this.#order, args))?.[0])
    return rows.map((row) => flatten(row, this.names).map(decodeCell))
  }

  /** Runs to the end; the number of rows changed, or undefined where only `changes()` tells. */
  run(args: SqlArgs): number | undefined {
    const bound = toBound(this.#order, args)
    if (this.names.length === 0) return this.#native.run(bound).changes
    for (const _ of iterate(this.#native, bound)) continue
    return undefined
  }

  /** Runs an INSERT of one row, without RETURNING; the number of the row. */
  insert(values: readonly SqlArg[]): number {
    return this.#native.run(values.map(toSqlValue)).lastInsertRowid
  }

  async getOffLoop(args: SqlArgs): Promise<SqlRow | undefined> {
    const cells = await this.#first.getOffLoop(toBound(this.#order, args))
    return decodeFirst(cells?.[0], this.names)
  }

  /** All rows; those of a SELECT are computed in the first step. */
  async allOffLoop(args: SqlArgs): Promise<SqlRow[]> {
    const bound = toBound(this.#order, args)
    if (this.isSelect) return decodeAll((await this.#all.getOffLoop(bound))?.[0], this.names)
    const rows: SqlRow[] = []
    iterated.add(this.#native)
    const run = { native: this.#native, bound, compose: () => this.#sql }
    for (const cells of await timed(this.#database, run)) rows.push(zipRow(cells, this.names))
    return rows
  }
}

/** A read of one cell as text: the form in which answers are made. */
export class TextStatement {
  readonly #form: Form
  readonly #order: BindOrder

  constructor(database: NativeDatabase, sql: string) {
    this.#order = planBindOrder(sql)
    this.#form = new Form(database, () => wrapText(sql))
  }

  get(args: SqlArgs): string {
    return decodeText(this.#form.get(toBound(this.#order, args))?.[0])
  }

  async getOffLoop(args: SqlArgs): Promise<string> {
    return decodeText(await this.bytesOffLoop(args))
  }

  /** The same as bytes, which need not be UTF-8. */
  async bytesOffLoop(args: SqlArgs): Promise<Uint8Array> {
    const cell = (await this.#form.getOffLoop(toBound(this.#order, args)))?.[0]
    return cell instanceof Uint8Array ? cell : new Uint8Array()
  }
}

/** Runs a statement off the event loop; a slow run is reported. */
async function timed(
  database: NativeDatabase,
  {
    native,
    bound,
    compose,
  }: { native: NativeStatement; bound: BoundValues; compose: () => string },
): Promise<Iterable<SqlValue[]>> {
  const follower = findFollower()
  if (!follower) return iterateOffLoop(native, bound)
  const begin = performance.now()
  try {
    return await iterateOffLoop(native, bound)
  } finally {
    const milliseconds = performance.now() - begin
    if (milliseconds >= follower.fromMs)
      follower.note({ database, text: compose(), bound }, milliseconds)
  }
}

/**
 * A text that gives one row. It is prepared once for this thread and once for what runs off the
 * event loop: of a statement that was iterated `get` takes twice as long (`getFirst`).
 */
class Form {
  readonly #database: NativeDatabase
  readonly #compose: () => string
  #here: NativeStatement | undefined
  #offLoop: NativeStatement | undefined

  constructor(database: NativeDatabase, compose: () => string) {
    this.#database = database
    this.#compose = compose
  }

  get(bound: BoundValues): SqlValue[] | undefined {
    this.#here ??= prepareNative(this.#database, this.#compose())
    return this.#here.get(bound)
  }

  async getOffLoop(bound: BoundValues): Promise<SqlValue[] | undefined> {
    this.#offLoop ??= prepareNative(this.#database, this.#compose())
    const run = { native: this.#offLoop, bound, compose: this.#compose }
    const rows = [...(await timed(this.#database, run))]
    return rows[0]
  }
}

/** Statements that `iterate` has read, on this thread or off the event loop. */
const iterated = new WeakSet<NativeStatement>()

function iterate(statement: NativeStatement, bound: BoundValues): Iterable<SqlValue[]> {
  iterated.add(statement)
  return statement.iterate(bound)
}

/**
 * The first row. After `iterate` the package's `get` binds nothing and says nothing: it answers of
 * the values that were bound before.
 */
const getFirst = (statement: NativeStatement, bound: BoundValues): SqlValue[] | undefined =>
  iterated.has(statement) ? [...statement.iterate(bound)][0] : statement.get(bound)

/**
 * Prepares a SELECT as a subquery, for its columns (a second `Id` is `Id:1`); undefined for others.
 */
function prepareInner(database: NativeDatabase, sql: string): NativeStatement | undefined {
  try {
    return prepareNative(database, `SELECT * FROM (\n${sql}\n)`)
  } catch (error) {
    // If SQLite had no memory for the text, or no page of the schema, nothing is known of it.
    if (isConnectionFault(error)) throw error
    return undefined
  }
}

/** Checks for a column of the engine's own tables: the engine bound its text, so it is UTF-8. */
const isEngineColumn = (column: ColumnOrigin): boolean =>
  column.database === 'main' && (column.table?.startsWith('svc_') ?? false)

/** SQLite allows 127 arguments to a function. */
const CELLS_MAX = 100

/** The first cell of the first row, as bytes. */
const wrapText = (sql: string): string => `SELECT CAST((\n${sql}\n) AS BLOB)`

/** The first row as one JSON array, as bytes; `names` are the statement's column names. */
const wrapFirst = (sql: string, names: readonly string[]): string =>
  `SELECT CAST(${rowArray(names)} AS BLOB) FROM (SELECT * FROM (\n${sql}\n) LIMIT 1 OFFSET 0)`

/** All rows as one JSON array of arrays, as bytes. */
const wrapAll = (sql: string, names: readonly string[]): string =>
  // OFFSET keeps SQLite from flattening, which would compute a column once for each mention here.
  `SELECT CAST(json_group_array(${rowArray(names)}) AS BLOB)` +
  ` FROM (SELECT * FROM (\n${sql}\n) LIMIT -1 OFFSET 0)`

function rowArray(names: readonly string[]): string {
  const cells = names.map(cell)
  if (cells.length <= CELLS_MAX) return `json_array(${cells.join(',')})`
  const chunks: string[] = []
  for (let at = 0; at < cells.length; at += CELLS_MAX)
    chunks.push(`json_array(${cells.slice(at, at + CELLS_MAX).join(',')})`)
  return `json_array(${chunks.join(',')})`
}

/** Integers and nulls as they are; the rest as text behind a letter, which keeps it exact. */
function cell(name: string): string {
  const c = `"${name.replaceAll('"', '""')}"`
  return (
    `CASE typeof(${c}) WHEN 'text' THEN 't'||${c} WHEN 'real' THEN 'r'||quote(${c})` +
    ` WHEN 'blob' THEN 'b'||hex(${c}) ELSE ${c} END`
  )
}

/** Decodes a cell that was cast to bytes; bytes that are not UTF-8 become U+FFFD. */
const decodeText = (cell: SqlValue | undefined): string =>
  cell instanceof Uint8Array ? asBuffer(cell).toString('utf8') : ''

const asBuffer = (bytes: Uint8Array): Buffer =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

type Encoded = (string | number | null)[]

const decodeCells = (cell: SqlValue | undefined): (Encoded | Encoded[])[] =>
  JSON.parse((cell instanceof Uint8Array ? decodeJson(cell) : '') || '[]') as Encoded[]

/**
 * Decodes JSON in the encoding of its database, whose first two bytes tell it: another program's
 * may be UTF-16. What has no meaning becomes U+FFFD.
 */
export function decodeJson(bytes: Uint8Array): string {
  const buffer = asBuffer(bytes)
  if (buffer[1] === 0) return buffer.toString('utf16le').toWellFormed()
  if (buffer[0] === 0) return Buffer.from(buffer).swap16().toString('utf16le').toWellFormed()
  return buffer.toString('utf8')
}

/** Rows of `wrapAll`'s cell. */
const decodeAll = (cell: SqlValue | undefined, names: readonly string[]): SqlRow[] =>
  decodeCells(cell).map((row) => decodeRow(row, names))

const flatten = (row: Encoded | Encoded[], names: readonly string[]): Encoded =>
  names.length > CELLS_MAX ? (row.flat() as Encoded) : (row as Encoded)

/** The row of `wrapFirst`'s cell; undefined when there was none. */
function decodeFirst(cell: SqlValue | undefined, names: readonly string[]): SqlRow | undefined {
  return cell === undefined ? undefined : decodeRow(JSON.parse(decodeText(cell)), names)
}

function decodeRow(row: Encoded | Encoded[], names: readonly string[]): SqlRow {
  const cells = flatten(row, names)
  const decoded: SqlRow = {}
  for (let at = 0; at < names.length; at++) decoded[names[at] ?? ''] = decodeCell(cells[at] ?? null)
  return decoded
}

function decodeCell(cell: string | number | null): SqlValue {
  if (typeof cell !== 'string') return cell
  const rest = cell.slice(1)
  if (cell[0] === 't') return rest
  return cell[0] === 'r' ? toReal(rest) : Buffer.from(rest, 'hex')
}

/** Parses a real number. SQLite writes infinity as `Inf` and `-Inf`. */
const toReal = (text: string): number => Number(text.endsWith('Inf') ? `${text}inity` : text)

/** A row by column name from the package's array. */
function zipRow(cells: readonly SqlValue[], names: readonly string[]): SqlRow {
  const row: SqlRow = {}
  for (let at = 0; at < names.length; at++) row[names[at] ?? ''] = cells[at] ?? null
  return row
}
