/**
 * The rows of one read, of one state of the data, put aside so that they can be taken page by page
 * without holding the log or the memory: in a temporary table of a connection of its own.
 */
import { findReads } from '../../kernel/charged.ts'
import { unavailable } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { ReadNotes } from '../../kernel/read-notes.ts'
import { type Connection, openSpooler } from '../connection/connection.ts'
import { SerialConnection } from '../connection/serial-connection.ts'
import { retryOwn, toFailure } from '../faults.ts'
import type { SqlArgs, SqlRead } from '../sql.ts'

/** Rows that were put aside. The caller closes them. */
export interface Spool {
  readonly rows: number
  /** Reads all rows in order, some at a time. */
  pages(): AsyncIterable<SpoolPage>
  close(): Promise<void>
}

interface SpoolPage {
  /** The number of rows. */
  rows: number
  /** A JSON array of their texts, in UTF-8 where they were. */
  text: Uint8Array
}

export interface SpoolOptions {
  /** The name of the setting that says how long the read may take, and its milliseconds. */
  setting: string
  timeoutMs: number
  /** Ends the read. */
  signal?: AbortSignal | undefined
}

const TABLE = 'temp.svc_spool'
const ROWS_PER_PAGE = 1000
/** A page of wider rows holds fewer of them. */
const PAGE_BYTES_MAX = 2 * 1024 * 1024

/** Keys of records that are told together. */
const KEYS_AT_ONCE = 10_000

/** First and last row of a page, by number. */
type Range = readonly [first: number, last: number]

function open(file: string): Connection {
  try {
    return openSpooler(file)
  } catch (error) {
    throw toFailure(error)
  }
}

/** Spools of one file. */
export class Spooler {
  readonly #file: string
  readonly #open = new Set<OpenSpool>()
  #isClosed = false

  constructor(file: string) {
    this.#file = file
  }

  /** Puts aside what `read` gives: its one column is a JSON array of a row's cells, as text. */
  async spool(read: SqlRead, options: SpoolOptions): Promise<Spool> {
    if (this.#isClosed) throw unavailable(say`The server is stopping`)
    const reads = findReads()
    if (read.isTold !== true) reads?.noteStatement(read.sql)
    const connection = open(this.#file)
    const spool = new OpenSpool(connection, () => this.#open.delete(spool))
    const { signal } = options
    const abort = (): void => void spool.close()
    this.#open.add(spool)
    signal?.addEventListener('abort', abort)
    try {
      if (signal?.aborted) abort()
      await spool.fill(read, options)
      if (reads && read.records) await spool.tell(reads, read.records)
      return spool
    } catch (error) {
      await spool.close()
      throw error
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Ends every spool; a reader of one gets a 503. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#open].map((spool) => spool.close()))
  }
}

class OpenSpool implements Spool {
  rows = 0
  readonly #line: SerialConnection
  readonly #onClose: () => void
  #widest = 0

  constructor(connection: Connection, onClose: () => void) {
    this.#line = new SerialConnection(connection)
    this.#onClose = onClose
  }

  async fill(read: SqlRead, { setting, timeoutMs }: SpoolOptions): Promise<void> {
    const widths = `SELECT count(*) || ' ' || coalesce(max(octet_length(Row)), 0) FROM ${TABLE}`
    const found = await this.#line.runWithin({ setting, timeoutMs, of: read.of }, async (line) => {
      // One statement, so one state; once it is through, the log is free of this reader.
      await line.statement(`CREATE TABLE ${TABLE} (Row TEXT, RecordKey TEXT)`).allOffLoop({})
      const columns = read.records ? '(Row, RecordKey)' : '(Row)'
      const fill = ({ sql, args }: SqlRead) =>
        line.statement(`INSERT INTO ${TABLE} ${columns} ${sql}`).allOffLoop(args)
      await retryOwn(read, fill)
      return line.text(widths).getOffLoop({})
    })
    const [rows = 0, widest = 0] = found.split(' ').map(Number)
    this.rows = rows
    this.#widest = widest
  }

  /** Tells the keys of all rows, some at a time; each lot is written down. */
  async tell(reads: ReadNotes, { entity, view }: NonNullable<SqlRead['records']>): Promise<void> {
    const sql = `SELECT RecordKey FROM ${TABLE} WHERE rowid > @from AND rowid <= @to`
    for (let from = 0; from < this.rows; from += KEYS_AT_ONCE) {
      const args = { from, to: from + KEYS_AT_ONCE }
      const rows = await this.#line.run((line) => line.statement(sql).allOffLoop(args))
      reads.noteRecords(entity, view, rows.map(({ RecordKey }) => String(RecordKey)).join('\n'))
      reads.settle()
    }
  }

  /** The next page is read while the last one is worked on. */
  async *pages(): AsyncGenerator<SpoolPage> {
    const ranges = await this.#planPages()
    let next = this.#page(ranges[0])
    for (let at = 0; at < ranges.length; at++) {
      const text = await next
      const [first, last] = ranges[at] ?? [1, 0]
      next = this.#page(ranges[at + 1])
      next.catch(ignore)
      yield { rows: last - first + 1, text }
    }
  }

  async close(): Promise<void> {
    await this.#line.close()
    this.#onClose()
  }

  async #planPages(): Promise<Range[]> {
    if (this.#widest * ROWS_PER_PAGE <= PAGE_BYTES_MAX) {
      const pages = Math.ceil(this.rows / ROWS_PER_PAGE)
      return Array.from({ length: pages }, (_, at) => [
        at * ROWS_PER_PAGE + 1,
        Math.min(this.rows, (at + 1) * ROWS_PER_PAGE),
      ])
    }
    const sizes =
      `SELECT rowid AS n, sum(octet_length(Row)) OVER (ORDER BY rowid) / ${PAGE_BYTES_MAX} ` +
      `AS size, (rowid - 1) / ${ROWS_PER_PAGE} AS page FROM ${TABLE}`
    const ranges = `SELECT json_array(min(n), max(n)) AS r FROM (${sizes}) GROUP BY size, page`
    const text = await this.#text(
      `SELECT json_group_array(json(r)) FROM (${ranges} ORDER BY min(n))`,
    )
    return JSON.parse(text) as Range[]
  }

  async #page(range: Range | undefined): Promise<Uint8Array> {
    if (range === undefined) return new Uint8Array()
    const rows = `SELECT Row FROM ${TABLE} WHERE rowid BETWEEN @first AND @last ORDER BY rowid`
    const sql = `SELECT '[' || group_concat(Row, ',') || ']' FROM (${rows})`
    const args = { first: range[0], last: range[1] }
    return this.#line.run((connection) => connection.text(sql).bytesOffLoop(args))
  }

  #text(sql: string, args: SqlArgs = {}): Promise<string> {
    return this.#line.run((connection) => connection.text(sql).getOffLoop(args))
  }
}

const ignore = (): void => undefined
