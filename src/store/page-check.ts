/** Reads the pages of a database beside the work on it. */
import { openReader } from './connection.ts'
import type { Connection } from './connection.ts'
import type { DiskState } from './disk-state.ts'
import { isDamage, isInterrupt } from './faults.ts'
import { DamagedFile, isCheckedLater, toDamage } from './identity.ts'

/**
 * What was found damaged may have been mended: it is read again after so many times as long as that
 * took, and not at once.
 */
const AGAIN = 10
const AGAIN_MS_MIN = 1000

const TABLES = `SELECT name AS Name FROM sqlite_schema
  WHERE type = 'table' AND rootpage > 0 ORDER BY rootpage`

/** The check of one database's pages: when it is due, and what it finds. */
export class PageCheck {
  readonly #file: string
  readonly #disk: DiskState
  #dueAt: number
  #connection: Connection | undefined
  #isStopped = false

  constructor(file: string, disk: DiskState) {
    this.#file = file
    this.#disk = disk
    this.#dueAt = isCheckedLater(file) ? 0 : Infinity
  }

  /** See `Store.checkPages`. */
  async checkWhenDue(): Promise<string | undefined> {
    const isDue = this.#disk.isSuspect || performance.now() >= this.#dueAt
    if (!isDue || this.#isStopped) return undefined
    const start = performance.now()
    const damage = await this.#find()
    if (this.#isStopped) return undefined
    const now = performance.now()
    const again = now + Math.max(AGAIN_MS_MIN, AGAIN * (now - start))
    this.#dueAt = damage === undefined ? Infinity : again
    this.#disk.noteCheck(damage)
    return damage
  }

  /** Ends what runs. */
  stop(): void {
    this.#isStopped = true
    this.#connection?.interrupt()
  }

  async #find(): Promise<string | undefined> {
    try {
      this.#connection = openReader(this.#file)
      return await this.#readTables(this.#connection)
    } catch (error) {
      if (isInterrupt(error) && this.#isStopped) return undefined
      if (error instanceof DamagedFile) return error.message
      if (isDamage(error)) return toDamage(this.#file, String(error)).message
      // A disk that refuses to read tells nothing of the pages: they are read again.
      throw error
    } finally {
      this.#connection?.close()
      this.#connection = undefined
    }
  }

  /** One by one, each in a transaction of its own: none holds the log for long. */
  async #readTables(connection: Connection): Promise<undefined> {
    const tables = await connection.statement(TABLES).allOffLoop({})
    for (const { Name } of tables) {
      if (this.#isStopped) return undefined
      const name = String(Name).replaceAll('"', '""')
      const sql = `PRAGMA quick_check("${name}")`
      const [first] = await connection.statement(sql).allOffLoop({})
      const found = String(first?.quick_check)
      if (found !== 'ok') throw toDamage(this.#file, found)
    }
    return undefined
  }
}
