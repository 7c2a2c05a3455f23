/** Values, reads and rows of SQL: the vocabulary that every floor above the store speaks. */

/**
 * A value as SQLite knows it. The store turns booleans into 1 and 0 and refuses everything else.
 */
export type SqlValue = null | number | string | bigint | Uint8Array

/**
 * A number that is a REAL even when it is whole: a Decimal. Other whole numbers bind as INTEGER,
 * and SQL would divide them as integers.
 */
export class SqlReal {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }

  /** The number as texts show it. */
  toString(): string {
    return String(this.value)
  }
}

/** A value that may be bound. */
export type SqlArg = SqlValue | SqlReal

/** Values by parameter name without its `@`. A name that is absent binds NULL. */
export type SqlArgs = Readonly<Record<string, SqlArg | undefined>>

/** One row, by output column name. */
export type SqlRow = Record<string, SqlValue>

/**
 * The place where a read runs. `inline`: at once on the serving thread, for bounded reads (by key).
 * `measured`: in a lane until its query statistics allow it inline. `lane`: off the event loop.
 * `background`: in the one lane for work that no lane of a request is to wait for.
 */
export type ReadPlace = 'inline' | 'measured' | 'lane' | 'background'

/** A planned read: text, values, and where it may run. */
export interface SqlRead {
  sql: string
  args: SqlArgs
  runs: ReadPlace
  /** The owner of the authored text in it; undefined for a read that is the engine's alone. */
  of?: string | undefined
  /** The same over rows that the caller reaches alone; see `Own`. */
  own?: Own | undefined
  /** True where who planned it tells which records it shows (`ReadNotes.noteRecords`). */
  isTold?: boolean | undefined
  /** Of a spool whose second column has the keys of the records that its rows show. */
  records?: { entity: string; view: string } | undefined
  /** Ends a read in a lane, or one that waits for a lane, with a 503 of code `SQL_CANCELLED`. */
  signal?: AbortSignal | undefined
  /** The deadline of a read from when it has a lane, where shorter than that of all reads. */
  deadline?: ReadDeadline | undefined
}

/** The time limit of a read, and the setting that declares it. */
export interface ReadDeadline {
  setting: string
  milliseconds: number
}

/**
 * A statement over the rows that its caller reaches, set apart before any expression of it runs.
 * SQLite evaluates the conditions of a statement in whatever order it likes, so one may fail on a
 * row that another would have left out. What fails on values is run again in this form, whose
 * answer or failure depends on own rows alone. Composed when it is needed: it uses no index.
 */
export type Own = () => string
