/** The store's interface: the only way from the engine to libSQL. `open.ts` makes one. */
import type { Figure } from '../kernel/figures.ts'
import type { AuditRecord } from './audit/record.ts'
import type { SelectedAudit } from './audit/select.ts'
import type { Spool, SpoolOptions } from './read/spool.ts'
import type { Own, SqlArg, SqlArgs, SqlRead, SqlRow } from './sql.ts'

/** A row of the change log: a row of an entity that some statement changed. */
export interface LoggedChange {
  entity: string
  /** The key values in key order. */
  key: (string | number | null)[]
  what: 'insert' | 'update' | 'delete'
  /**
   * The row before the first change in this transaction, by column name; undefined for an insert.
   */
  before: SqlRow | undefined
  /** The row as it is now, where the statement that changed it tells. */
  after?: SqlRow | undefined
}

/**
 * The change of one row of an entity by its key, where the composer of the statement knows it: the
 * log need not be read for it. Unknown members are left out; with `before` or `after` missing only
 * silent writes go unread.
 */
export interface KnownChange extends LoggedChange {
  what: 'insert' | 'update'
  /** `Tx.touches` when `before` was read: it counts as known if nothing was written since. */
  asOf?: number | undefined
}

/** The company whose rows a transaction may write, or every company, for a reason. */
export type WriteScope = (CompanyScope | SystemScope) & {
  /**
   * Called first and last in the transaction: throws, or rejects with, the refusal of a caller who
   * may no longer write it.
   */
  revalidate?: () => Promise<void> | undefined
  /**
   * True for a write beside the work of its caller, a count of tries or an entry of a read: work
   * that fails behind it has changed nothing.
   */
  isAside?: boolean
}

interface CompanyScope {
  company: number
}

/** Engine work and `AllCompanies`: see `systemScope`. */
interface SystemScope {
  company: 'all'
  /** The reason why it is held to no company. */
  because: string
}

/** The scope of work that is held to no company, and why. */
export const systemScope = (because: string): SystemScope => ({ company: 'all', because })

/**
 * Values that the floors above keep for the duration of a transaction: each declares its member
 * beside its code (`declare module`).
 */
export interface TxFacts {}

/** The rows that an authored statement returned, and how many rows it changed. */
export interface Written {
  rows: SqlRow[]
  changes: number
}

/**
 * Reads: of the last committed state, of a transaction, of one state of the data. A text in place
 * of a planned read is a bounded statement that the engine generated: it runs at once.
 */
export interface Reader {
  /** Reads the first cell of the first row as text; '' if no row matches. */
  text(read: SqlRead): Promise<string>
  get<R extends SqlRow = SqlRow>(read: SqlRead | string, args?: SqlArgs): Promise<R | undefined>
  all<R extends SqlRow = SqlRow>(read: SqlRead | string, args?: SqlArgs): Promise<R[]>
}

/**
 * Work that is done once for what several members have left, in a transaction of every company.
 * Nothing follows from it: no after-write pass looks at what it changes.
 */
export interface EndWork<T> {
  run(tx: Tx, items: readonly T[]): Promise<void>
}

/**
 * One write transaction, a part of that of the writer's group. No effect may leave it but by
 * `afterCommit`.
 */
export interface Tx extends Reader {
  /** The company whose rows it may write now; null for every company. */
  readonly company: number | null
  /**
   * Rises with each statement that may touch records: as long as it stays, a row that was read is
   * as it was.
   */
  readonly touches: number
  /**
   * A statement that the engine generated; resolves to the number of rows it changed. `known` is
   * what it comes to where that is one.
   */
  run(sql: string, args?: SqlArgs, known?: KnownChange): Promise<number>
  /**
   * An INSERT of one row that the engine generated, where time counts: without RETURNING, and with
   * values by their place (`?1`, `?2` …). Resolves to SQLite's own number of the row; `plan` says
   * what it comes to under a number.
   */
  insert(
    sql: string,
    values: readonly SqlArg[],
    plan?: (id: number) => KnownChange,
  ): Promise<number>
  /**
   * Leaves an item for the end of the group, where `work` is done once for the items of all its
   * members. What fails there fails each member that left something, alone.
   */
  leave<T>(work: EndWork<T>, item: T): void
  /**
   * An authored or unbounded statement: off the event loop, ended at `Svc:Sql:WriteTimeout` with a
   * 400 that names the limit; at once where it changes one row and has shown that it is quick.
   * `changes` counts the rows of this statement itself, not of triggers.
   * `of` names what its authored text belongs to: what fails while it runs is then a 400, too;
   * after it was run again in the form `own`, if one is given.
   */
  authored(sql: string, args?: SqlArgs, of?: string, own?: Own): Promise<Written>
  /**
   * Very many new rows at once, in half of the time, within a `writeAlone` that was told of their
   * table. The change log does not get them. Resolves to how many; what fails, or refuses a row,
   * takes the transaction with it. @throws AddedRowsRefused
   */
  addRows(rows: AddedRows): Promise<number>
  /**
   * Rows touched since the last call, in order, one entry a record with its net change; then the
   * log is empty. The after-write pass reads it; nothing else should.
   */
  takeChangeLog(): Promise<LoggedChange[]>
  /**
   * Runs `work`, and tells the key of the first row of an entity that it inserted, whatever
   * statement did; undefined where it inserted none.
   */
  insertedBy<T>(
    entity: string,
    work: () => Promise<T>,
  ): Promise<{ value: T; key: LoggedChange['key'] | undefined }>
  /** Runs `work` with the change log switched off: for the after-write pass's own corrections. */
  silently<T>(work: () => Promise<T>): Promise<T>
  /**
   * Runs `work` held to another company's rows than the transaction is, or to none: for what the
   * after-write pass computes and raises, which may be about records of another company.
   */
  within<T>(company: number | 'all', work: () => Promise<T>): Promise<T>
  /** Runs the after-write pass now (it runs once more before the commit). */
  runAfterWrite(): Promise<void>
  /**
   * Runs `work` on a part: a transaction of its own within this one, with facts and an after-write
   * pass of its own. A part that fails is undone alone, and its failure may be caught; a failure of
   * storage or of time takes the transaction with it all the same. To be used within `writeAlone`,
   * while nothing else of the transaction runs.
   */
  attempt<T>(work: (part: Tx) => Promise<T>): Promise<T>
  /**
   * Writes entries of the audit log. One that fails takes the transaction with it, also when its
   * error is caught.
   */
  audit(...records: AuditRecord[]): Promise<void>
  /** The same of many entries whose texts a SELECT makes: in half of the time. */
  auditSelected(selected: SelectedAudit): Promise<void>
  readonly facts: TxFacts
  /**
   * Ends the group with this transaction, which changes what other members are validated by: none
   * runs between it and what it does after the commit.
   */
  endGroup(): void
  /** Waits for the commit: hub messages, cache versions, timers. */
  afterCommit(effect: () => void): void
}

/**
 * A file of rows that wait for their transaction, as schema `staged` of a connection that reads the
 * last committed state. `await using` removes it.
 */
export interface Stage extends Reader, AsyncDisposable {
  readonly path: string
  /**
   * A statement that the engine generated, off the event loop: it may write `staged` and read all.
   */
  run(sql: string, args?: SqlArgs): Promise<SqlRow[]>
  /** Ends the statement that runs; its rows are asked for no more. */
  end(): Promise<void>
}

/** One INSERT of rows whose keys are numbers of a range that had no rows before. */
export interface AddedRows {
  /** The text behind the table's name: columns and a SELECT, generated by the engine. */
  sql: string
  args: SqlArgs
  first: number
  last: number
}

/** A stage that exclusive work writes from. */
export interface StagedWrite extends Pick<Stage, 'path'> {
  /** A watched table with a number as its key, whose rows `addRows` adds; foreign keys are off. */
  adds?: string | undefined
}

/** The after-write pass: called at the end of every write transaction. */
export type AfterWrite = (tx: Tx) => Promise<void>

/**
 * An entity's table as the writer watches it: change log, company guard, references in the
 * company.
 */
export interface WatchedTable {
  entity: string
  table: string
  /** Key columns in order. */
  keys: readonly string[]
  /** Columns of the table, all of them, for the image before a change. */
  columns: readonly string[]
  /** The tenant column, when the entity has one. */
  company: string | undefined
  /**
   * References that must stay within the company: own column, referenced table, its key and tenant
   * column.
   */
  references: readonly { column: string; table: string; key: string; company: string }[]
}

/** Counts of SQL that ran, for tests that show that something ran none. */
export interface StoreCounters {
  reads: number
  writes: number
}

/**
 * Changes of a commit: by table (in lower case) the keys of its rows; undefined where they are too
 * many, or not known. A migration changes all.
 */
export type TableChanges = 'all' | ReadonlyMap<string, readonly (string | number)[] | undefined>

/** Follows which rows each commit changes. */
export interface Follower {
  /** Checks that rows of a table (in lower case) are of interest; its key must be one column. */
  follows(table: string): boolean
  /** A commit begins: no reader can see yet what it did, and it may still fail. */
  begin(changes: TableChanges): void
  /** The commit has ended, well or not: readers see its changes. */
  end?(changes: TableChanges): void
}

/** A reader that can hold one state of the data over several reads. */
export interface StateReader extends Reader {
  /**
   * Runs `work` on one state of the data, in a lane that is its own, under one read deadline. The
   * state is that of the very moment when `work` is called: what the process knows of commits then
   * is what it reads. It may run again, so it has no effect but what it gives. `name` is what its
   * times are remembered by; it ends when `signal` aborts.
   */
  snapshot<T>(name: string, work: (reader: Reader) => Promise<T>, signal?: AbortSignal): Promise<T>
}

/** A libSQL file with its reader, its one writer and its watch. */
export interface Store extends StateReader {
  /**
   * Puts aside all rows that a read of one column gives, in one state of the data; the column is
   * JSON text. For reads too large for one answer: memory does not grow with the rows.
   */
  spool(read: SqlRead, options: SpoolOptions): Promise<Spool>
  /** Lanes that are free at this moment. */
  readonly freeLanes: number
  /**
   * The text of one statement in a lane, planned at the very moment whose state it reads: what the
   * process knows of commits then is what the statement sees. `name` is what its times are
   * remembered by, `of` what its authored text belongs to; the plan may be asked for again.
   */
  textOfNow(plan: () => SqlRead, about: Pick<SqlRead, 'of'> & { name: string }): Promise<string>
  /**
   * Queues `work` as a member of the writer's next group; resolves after the commit is on disk.
   * The work may run again after a failed group, so it draws ids, times and random values before.
   */
  write<T>(work: (tx: Tx) => Promise<T>, scope: WriteScope): Promise<T>
  /** A stage in a file that is not there yet. */
  stage(path: string): Stage
  /**
   * As `write`, with nothing beside it, with a stage to read from if one is given, and with its own
   * deadline for each authored statement: for many rows at once.
   */
  writeAlone<T>(work: (tx: Tx) => Promise<T>, scope: WriteScope, from?: StagedWrite): Promise<T>
  /**
   * Throws 503 while the file cannot be served from: it is not the one that was opened, the disk is
   * full, fails to read or write, or does not answer, or pages are damaged. That is tried, by a
   * fresh connection and by a commit that changes nothing, at most once a second.
   */
  requireServing(): Promise<void>
  /**
   * Reads all pages where that is due: those of a file that was too large for its start, and of one
   * whose statements met damage. Resolves to the fault, a sentence for the operator: the database
   * takes no changes then, until it was found whole.
   */
  checkPages(): Promise<string | undefined>
  /** Sets the pass that runs at the end of every write transaction. */
  useAfterWrite(afterWrite: AfterWrite): void
  /** Replaces the watched tables (TEMP triggers on the writer), after the queue has drained. */
  watch(tables: readonly WatchedTable[]): Promise<void>
  /**
   * Runs a migration alone: drains the group, foreign keys off outside of any transaction, one
   * BEGIN IMMEDIATE, `foreign_key_check` empty and row counts kept before COMMIT, then on again.
   * Everything is undone when `work` throws. With the commit `watch` becomes the watch, before any
   * other write; without it, the former one over the tables that are still whole. Of `shrinking`
   * tables rows may be deleted.
   */
  migrate<T>(
    work: (tx: Tx) => Promise<T>,
    watch?: readonly WatchedTable[],
    shrinking?: readonly string[],
  ): Promise<T>
  /** Returns how often a table changed since the start; rises after each commit that touched it. */
  version(table: string): number
  /**
   * Returns one number for the state of these tables (names in lower case): while it is the same,
   * no commit has touched them. Undefined while a commit that touches one of them is under way:
   * reads may then see the tables before it or after it.
   */
  stamp(tables: readonly string[]): number | undefined
  /**
   * Resolves when the commit of a migration has ended, well or not; undefined while none is under
   * way. Reads meanwhile may see the tables before it or after it.
   */
  migrated(): Promise<void> | undefined
  /** Tells `follower` of every commit from now on. */
  follow(follower: Follower): void
  readonly counters: StoreCounters
  /** Lists figures of its writer, its lanes and its files. */
  listFigures(): Figure[]
  /** Checkpoints and closes; pending writes are finished first. */
  close(): Promise<void>
}
