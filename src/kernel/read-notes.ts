/** Notes of the records that a work shows, where their entity has the reading of them logged. */

/** The notes of one work: a request, a call of a hub, a job. */
export interface ReadNotes {
  /** Notes that a statement ran whose rows the work may show. */
  noteStatement(sql: string): void
  /** The same of an answer that was kept: the tables, in lower case, that it was read from. */
  noteTables(tables: readonly string[]): void
  /**
   * Notes records that are shown, and the view they are shown in: their keys as JSON arrays, each
   * on a line; '' for none.
   */
  noteRecords(entity: string, view: string, keys: string): void
  /**
   * Has what was noted written down; what is noted later is written at once. Of a refusal only
   * records that it shows by their keys are.
   * @throws Error of the file system where it cannot be written: nothing may be shown then
   */
  settle(isRefusal?: boolean): void
}

/** The reader of what a work shows. */
export interface ReadBy {
  userId: number | undefined
  impersonatorId?: number | undefined
  companyId: number | undefined
  traceId?: string | undefined
  /** The path of the request, or what runs instead of one. */
  place: string
  /** The request; it is told where an answer does not name its records. */
  request: unknown
}

/** Notes what work shows that is no request. */
export interface WorkNotes {
  /** Runs work, and has written down what it shows, also where it fails. */
  run<T>(by: () => ReadBy, work: () => Promise<T>): Promise<T>
}
