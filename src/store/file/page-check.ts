/** Reads the pages of a database beside the work on it. */
import { createHash } from 'node:crypto'
import { type Connection, openReader } from '../connection/connection.ts'
import { isDamage, isInterrupt } from '../faults.ts'
import type { DiskState } from './disk-state.ts'
import { DamagedFile, isCheckedLater, toDamage } from './identity.ts'

/**
 * Damage of a table of which no page is named may have been repaired: the table is read again after
 * so many times as long as the look took, and not at once.
 */
const AGAIN = 10
const AGAIN_MS_MIN = 1000

/** Most pages of one finding that are remembered: a repaired disk has repaired all of them. */
const PAGES_MAX = 100

/** Most characters of a check's message that are shown. */
const TOLD_MAX = 300

const TABLES = `SELECT name AS Name, rootpage AS Root FROM sqlite_schema
  WHERE type = 'table' AND rootpage > 0 ORDER BY rootpage`

const PAGE = 'SELECT data AS Data FROM sqlite_dbpage WHERE pgno = @page'

interface Table {
  name: string
  /** Number of the first page. */
  root: number
}

/** Damage that a second look has confirmed. */
interface Finding {
  damage: string
  /** The table; undefined for the schema itself, without which there are no tables. */
  table: Table | undefined
  /** Hashes of its first page and of the pages that the check named, by number. */
  pages: ReadonlyMap<number, string>
  /** Duration of the look, in milliseconds. */
  tookMs: number
}

/**
 * The check of one database's pages: when it is due, and what it finds. A disk that fails for a
 * moment also shows itself as damage: it is reported only where a second look, by a connection with
 * no page in memory, finds it again and meets no fault of the disk. Damage has ended as soon as the
 * damaged pages read otherwise; then the file serves, and all of it is read once more.
 */
export class PageCheck {
  readonly #file: string
  readonly #disk: DiskState
  #dueAt: number
  #found: Finding | undefined
  #connection: Connection | undefined
  #isStopped = false

  constructor(file: string, disk: DiskState) {
    this.#file = file
    this.#disk = disk
    this.#dueAt = isCheckedLater(file) ? 0 : Infinity
  }

  /** See `Store.checkPages`. */
  async checkWhenDue(): Promise<string | undefined> {
    if (this.#isStopped) return undefined
    if (this.#found && !(await this.#isOver(this.#found))) return this.#found.damage
    if (this.#found) this.#note(undefined)
    else if (!this.#disk.isSuspect && performance.now() < this.#dueAt) return undefined
    const found = await this.#find()
    if (this.#isStopped) return undefined
    this.#dueAt = Infinity
    this.#note(found)
    return found?.damage
  }

  /** Ends what runs. */
  stop(): void {
    this.#isStopped = true
    this.#connection?.interrupt()
  }

  #note(found: Finding | undefined): void {
    this.#found = found
    this.#disk.noteCheck(found?.damage)
    if (!found) return
    this.#dueAt = performance.now() + Math.max(AGAIN_MS_MIN, AGAIN * found.tookMs)
  }

  /** Checks that the damage has gone: a few pages tell, where they are named. */
  async #isOver({ table, pages }: Finding): Promise<boolean> {
    if (table !== undefined) {
      const now = await this.#fresh((connection) => readPages(connection, [...pages.keys()]))
      if ([...pages].some(([page, before]) => now.get(page) !== before)) return true
    }
    // A page that is only pointed to is named by none.
    if (table !== undefined && performance.now() < this.#dueAt) return false
    return (await this.#lookAt(table)) === undefined
  }

  async #find(): Promise<Finding | undefined> {
    const tables = await this.#lookAgain(undefined)
    if (!Array.isArray(tables)) return tables
    for (const table of tables) {
      if (this.#isStopped) return undefined
      const found = await this.#lookAgain(table)
      if (found && !Array.isArray(found)) return found
    }
    return undefined
  }

  /** Returns damage that two looks both find; the tables where the schema itself is sound. */
  async #lookAgain(table: Table | undefined): Promise<Finding | Table[] | undefined> {
    const start = performance.now()
    const first = await this.#lookAt(table)
    if (first === undefined) return table === undefined ? this.#fresh(listTables) : undefined
    const damage = await this.#lookAt(table)
    if (damage === undefined) return table === undefined ? this.#fresh(listTables) : undefined
    const tookMs = performance.now() - start
    const numbers = table === undefined ? [] : [table.root, ...listPages(damage)]
    const pages = await this.#fresh((connection) => readPages(connection, numbers))
    const told = toDamage(this.#file, damage.slice(0, TOLD_MAX)).message
    return { damage: told, table, pages, tookMs }
  }

  /**
   * Describes damage of a table, or of the schema, in the words of SQLite. Throws a refusal of the
   * disk, which tells nothing of the pages: they are read again.
   */
  async #lookAt(table: Table | undefined): Promise<string | undefined> {
    try {
      return await this.#fresh((connection) =>
        table === undefined
          ? listTables(connection).then(() => undefined)
          : check(connection, table),
      )
    } catch (error) {
      if (isInterrupt(error) && this.#isStopped) return undefined
      if (isDamage(error)) return String(error)
      throw error
    }
  }

  /** Uses a connection without a page in memory: none holds the log for long. */
  async #fresh<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = openReader(this.#file)
    this.#connection = connection
    try {
      return await work(connection)
    } finally {
      connection.close()
      this.#connection = undefined
    }
  }
}

async function listTables(connection: Connection): Promise<Table[]> {
  const tables = await connection.statement(TABLES).allOffLoop({})
  return tables.map(({ Name, Root }) => ({ name: String(Name), root: Number(Root) }))
}

async function check(connection: Connection, table: Table): Promise<string | undefined> {
  const sql = `PRAGMA quick_check("${table.name.replaceAll('"', '""')}")`
  const rows = await connection.statement(sql).allOffLoop({})
  const found = rows.map((row) => String(row.quick_check)).join('; ')
  if (found === 'ok') return undefined
  const damage = toDamage('', found)
  if (!(damage instanceof DamagedFile)) throw damage
  return found
}

/** The pages that a check names: `Tree 5 page 1234 cell 3: …`. */
const listPages = (damage: string): number[] =>
  [...new Set([...damage.matchAll(/\bpage (\d+)/gi)].map(([, page]) => Number(page)))].slice(
    0,
    PAGES_MAX,
  )

/** Reads the hashes of pages; an unreadable page has the hash of an empty text. */
async function readPages(
  connection: Connection,
  pages: readonly number[],
): Promise<Map<number, string>> {
  const read = new Map<number, string>()
  for (const page of pages) {
    const [row] = await connection.statement(PAGE).allOffLoop({ page })
    const bytes = row?.Data instanceof Uint8Array ? row.Data : ''
    read.set(page, createHash('sha256').update(bytes).digest('base64url'))
  }
  return read
}
