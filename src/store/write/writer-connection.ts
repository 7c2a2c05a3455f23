/**
 * The writing connection with its context and watch, which are TEMP and so live and die with it.
 */
import { rmSync } from 'node:fs'
import { Yielder, yieldNow } from '../../kernel/yielder.ts'
import { AuditChain } from '../audit/chain.ts'
import { type Connection, openWriter } from '../connection/connection.ts'
import type { Statement } from '../connection/statement.ts'
import { codeOf } from '../faults.ts'
import type { DiskState } from '../file/disk-state.ts'
import { QueryStats } from '../read/query-stats.ts'
import type { WatchedTable } from '../store.ts'
import { ChangeLog } from './change-log.ts'
import { LogBound } from './log-bound.ts'
import { Versions } from './versions.ts'
import { CONTEXT_TABLE, planLog, planTriggers, SILENT } from './watch.ts'

const SET = `UPDATE temp.${CONTEXT_TABLE} SET Company = @company, Silent = @silent`

/** Tables that a foreign key leads to: what happens there may go on to watched tables. */
const REFERENCED = `SELECT DISTINCT lower(f."table") AS Name
  FROM main.sqlite_schema AS s, pragma_foreign_key_list(s.name) AS f WHERE s.type = 'table'`

/**
 * The context table of one connection. It is brought up to date only before a statement that
 * triggers may fire for: most of what a transaction does in between only reads.
 */
class WatchContext {
  readonly #connection: Connection
  /** The values in the table; undefined when a rollback may have changed them back. */
  #applied: { company: number | null; isSilent: boolean } | undefined
  #referenced: ReadonlySet<unknown> | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Checks that a statement may touch a watched table, itself or by a foreign key. */
  mayFire({ isSelect, ownTarget }: Statement): boolean {
    if (isSelect) return false
    return ownTarget === undefined || this.#listReferenced().has(ownTarget)
  }

  /** Sets the company whose rows may be written (null: all), and whether the log is silent. */
  apply(company: number | null, isSilent: boolean): void {
    const applied = this.#applied
    if (applied?.company === company && applied.isSilent === isSilent) return
    const silent = isSilent ? SILENT : 0
    this.#connection.statement(SET).run({ company, silent })
    this.#applied = { company, isSilent }
  }

  /** Forgets the values: after a rollback the table is as it was before, which is not tracked. */
  forget(): void {
    this.#applied = undefined
  }

  #listReferenced(): ReadonlySet<unknown> {
    return (this.#referenced ??= new Set(
      this.#connection
        .statement(REFERENCED)
        .all({})
        .map(({ Name }) => Name),
    ))
  }
}

const CHECKPOINT = 'PRAGMA wal_checkpoint(TRUNCATE)'

/** Opened again by itself after a fault of the disk, with the same watch. */
export class WriterConnection {
  /** Times of statements that are authored in part. */
  readonly stats = new QueryStats()
  /** The end of the audit log. */
  readonly chain = new AuditChain()
  /** Versions of the tables that it writes. */
  readonly versions = new Versions()
  readonly disk: DiskState
  readonly #file: string
  /** See `FileStore`. */
  readonly #mark: string
  #connection: Connection
  #log: ChangeLog
  #context: WatchContext
  #logBound: LogBound
  #watched: readonly WatchedTable[] = []
  #isBroken = false

  /** Goes on with a connection to the file that is open already. */
  constructor(
    file: string,
    { connection, disk, mark }: { connection: Connection; disk: DiskState; mark: string },
  ) {
    this.#file = file
    this.#mark = mark
    this.disk = disk
    this.#connection = connection
    this.#context = new WatchContext(connection)
    this.#logBound = new LogBound(file, connection)
    this.#log = this.#startLog()
  }

  get connection(): Connection {
    return this.#connection
  }

  get log(): ChangeLog {
    return this.#log
  }

  get context(): WatchContext {
    return this.#context
  }

  get watched(): readonly WatchedTable[] {
    return this.#watched
  }

  /** Runs one of the writer's own statements at once. */
  run(sql: string): void {
    this.#connection.statement(sql).run({})
  }

  /** COMMIT syncs to disk, so it runs off the event loop. */
  async runOffLoop(sql: string): Promise<void> {
    await this.#connection.statement(sql).allOffLoop({})
  }

  /** Rolls back any open transaction; if that fails the connection must be renewed. */
  rollback(): void {
    this.#context.forget()
    try {
      if (this.#connection.inTransaction) this.#connection.database.exec('ROLLBACK')
    } catch {
      this.#isBroken = true
    }
  }

  /** Marks the connection to be opened again before its next group. */
  markBroken(): void {
    this.#isBroken = true
  }

  /** Opens the connection again where a fault or the number of its statements asks for it. */
  async prepareGroup(): Promise<void> {
    if (this.#isBroken || this.#connection.isFull) await this.reopen()
    this.#logBound.lower()
  }

  /**
   * A fresh connection with the watch over `tables`: no setting or statement of the old one stays.
   * Where it fails the next group opens it again.
   */
  async reopen(
    tables: readonly WatchedTable[] = this.#watched,
    isMigrating = false,
  ): Promise<void> {
    this.#watched = tables
    this.#isBroken = true
    this.disk.requireSameFiles()
    this.#connection.close()
    await yieldNow()
    this.#connection = openWriter(this.#file, isMigrating)
    this.#logBound = new LogBound(this.#file, this.#connection)
    await yieldNow()
    this.#log = await this.#startLogInTurns()
    this.#isBroken = false
  }

  /**
   * Replaces the watch, in one transaction of the TEMP tables and in turns of the event loop: many
   * tables have thousands of triggers. The old watch stays when it fails; where there was none, no
   * write goes through, since none may be unguarded.
   */
  async watch(tables: readonly WatchedTable[]): Promise<void> {
    const before = this.#watched
    try {
      this.unwatch()
      this.#watched = tables
      // A start listens before the first turn.
      await yieldNow()
      this.#log = await this.#startLogInTurns()
    } catch (error) {
      this.rollback()
      if (before.length > 0) this.#watched = before
      this.#isBroken = true
      throw error
    }
  }

  /** Drops the triggers: a migration must not be logged, nor a dropped table be watched. */
  unwatch(): void {
    const triggers = this.#connection
      .statement("SELECT name AS Name FROM temp.sqlite_schema WHERE type = 'trigger'")
      .all({})
    for (const trigger of triggers)
      this.#connection.database.exec(`DROP TRIGGER temp."${trigger.Name}"`)
    this.#watched = []
  }

  /**
   * Moves the log into the file, so that the file alone is the data, and closes. On a full disk the
   * log stays beside the file, and nothing is lost.
   */
  async close(): Promise<void> {
    try {
      await this.runOffLoop(CHECKPOINT)
      rmSync(this.#mark, { force: true })
    } catch (error) {
      if (codeOf(error) === '') throw error
    } finally {
      this.#connection.close()
    }
  }

  async #startLogInTurns(): Promise<ChangeLog> {
    this.#context = new WatchContext(this.#connection)
    const { database } = this.#connection
    database.exec(['BEGIN', ...planLog(this.#watched)].join(';\n'))
    const pacing = new Yielder()
    for (const [at, table] of this.#watched.entries()) {
      database.exec(planTriggers(table, at).join(';\n'))
      await pacing.yieldWhenDue()
    }
    database.exec('COMMIT')
    return new ChangeLog(this.#connection, this.#watched, this.versions)
  }

  /** Nothing is watched yet. */
  #startLog(): ChangeLog {
    this.#connection.database.exec(['BEGIN', ...planLog([]), 'COMMIT'].join(';\n'))
    return new ChangeLog(this.#connection, [], this.versions)
  }
}
