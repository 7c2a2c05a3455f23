/**
 * The types of an extension: a TypeScript file in the folder `extensions/` of the data folder
 * whose default export takes the `Engine` and declares its parts. This file is the text of
 * `appengine types`, which belongs beside it as `appengine.d.ts`:
 *
 *     import type { Engine } from './appengine.d.ts'
 *
 *     export default (engine: Engine) => {
 *       engine.script({
 *         Name: 'CountOrders',
 *         Parameters: [{ Name: 'Status', Type: 'Text', Required: true }],
 *         run: ({ Parameters, query }) =>
 *           query('SELECT count(*) AS Orders FROM Orders WHERE Status = @Status', Parameters),
 *       })
 *     }
 *
 * An extension runs in a process of its own, never in the serving one, and reaches records through
 * `query` and `submit` alone, as the user who asked. Each run loads the file again: values that one
 * run leaves in memory are lost in the next. Names have the form [A-Za-z][A-Za-z0-9_]*.
 */

/** Declares the parts of an extension. */
export interface Engine {
  /** A script, which POST /api/v1/svc/execute-script runs. Gate: Execute on its Resource. */
  script<const P extends readonly Parameter[] = readonly []>(script: Script<P>): void
  /** A file format of /api/v1/svc/handlers. Gate: Export or Import on its Resource, and object. */
  handler<const P extends readonly Parameter[] = readonly []>(handler: Handler<P>): void
  /** A report, which GET /report/{key} makes a file of. Gate: List on its Resource. */
  report<const P extends readonly Parameter[] = readonly []>(report: Report<P>): void
  /**
   * Work beside the requests, at least once: asked for by `enqueue`, a `<Job>` of the model, POST
   * /api/v1/svc/execute-script with Background, or its Cron. Gate by name: Execute on its Resource.
   */
  job<const P extends readonly Parameter[] = readonly []>(job: Job<P>): void
  /** A check of records, before a submit or an import writes them; row actions are SQL. */
  validate(validation: Validation): void
  /** A listener to changed records: a job after the commit, as the user who caused the change. */
  on(listener: Listener): void
  /** Background work that runs from the start of the server to its end. */
  hostedService(service: HostedService): void
  /** A setting of the application's own (`App:Mail:From`) as text; undefined when it is not set. */
  setting(name: `App:${string}`): string | undefined
}

/** Members that scripts, jobs and handlers have in common. */
interface Part<P extends readonly Parameter[]> {
  /** The name to call it by: unique in its kind, and among scripts and jobs together. */
  Name: string
  /** The label that people read; the Name in words by default. */
  Label?: string
  /** The resource on which roles get the rights to it; the Name by default. */
  Resource?: string
  Parameters?: P
}

/** The queue and the tries of work that is done after a commit. */
interface Waiting {
  /** The queue where it waits for a worker: `extensions` by default. */
  Queue?: string
  /** Tries until it is a dead letter: 11 by default. */
  Attempts?: number
}

/** A script: its parameters and its code. */
export interface Script<P extends readonly Parameter[] = readonly Parameter[]> extends Part<P> {
  /**
   * Does the work. The value returned is the result, as JSON. The caller gets the message of an
   * `Error` that it throws; other failures are in the server's log alone. It is ended after
   * `Svc:Scripts:Timeout` and beyond `Svc:Scripts:MaxMemory`.
   */
  run(context: ScriptContext<P>): unknown
}

/** A job: its parameters and its code. */
export interface Job<P extends readonly Parameter[] = readonly Parameter[]>
  extends Part<P>, Waiting {
  /** Its schedule: minute, hour, day of the month, month, day of the week. */
  Cron?: string
  /** IANA name; by default the company's with RunAs, else that of `Svc:Jobs:TimeZone`. */
  TimeZone?: string
  /**
   * The name of the user as whom it runs when it comes by its Cron, in each of their companies.
   * Without it such a run is the engine's own: `query`, `submit` and `enqueue` are refused.
   */
  RunAs?: string
  /**
   * Does the work; may run again after it was cut off. The value returned is the job's Result.
   * After an error it is retried, unless a right is missing. Bound: `Svc:Jobs:Timeout`.
   */
  run(context: JobContext<P>): unknown
}

export interface JobContext<
  P extends readonly Parameter[] = readonly Parameter[],
> extends ScriptContext<P> {
  JobId: number
  /** The first try is 1. */
  Attempt: number
  /** Reports progress, in any unit; `total` is null while it is not known. */
  progress(done: number, total?: number | null, message?: string): void
}

/** A listener to changes of records. */
export interface Listener extends Waiting {
  /**
   * Name or slug of an object, a dot, and created, updated, deleted or the name of a row action:
   * `orders.created`. The event is raised for each record of the object's entity.
   */
  Event: string
  /** The name, unique among listeners: the Event by default. */
  Name?: string
  /**
   * Handles the event of one record; events of one transaction share a process. May be called again
   * for the same event. Changes that it makes raise events, too, 20 at most in a chain.
   */
  run(event: ListenerContext): unknown
}

export interface ListenerContext extends Omit<ScriptContext, 'Parameters'> {
  /** The Event as it was declared. */
  Event: string
  /** Name of the object, as the model has it. */
  Object: string
  /** created, updated, deleted or the name of the row action. */
  Action: string
  Keys: Readonly<Record<string, string | number | null>>
  /**
   * The record as the user sees it now; null for one that they do not see, or no longer see. For a
   * deleted one the values they saw; null where a row filter of theirs is on the object.
   */
  Values: Readonly<Record<string, unknown>> | null
}

/** A service that runs as long as the server does. */
export interface HostedService {
  /** The name, unique among hosted services. */
  Name: string
  /**
   * The name of the user as whom it reads and writes, in the company of this code. Without both
   * `query`, `submit` and `enqueue` are refused.
   */
  RunAs?: string
  Company?: string
  /**
   * Runs until `signal` aborts, then has a second to end. Starts again after an error, with waits
   * that grow; when it returns, it is done. It is ended beyond `Svc:Scripts:MaxMemory`.
   */
  run(context: Omit<ScriptContext, 'Parameters'>): unknown
}

/** A check of records before they are written. */
export interface Validation {
  /** Name or slug of the object. */
  Object: string
  /** The name, unique among checks: the Object by default. */
  Name?: string
  /**
   * Returns faults by field name, '' for the whole record; nothing for a valid record. An `Error`
   * that it throws counts for the whole record. If it fails otherwise, or takes longer than
   * `Svc:Scripts:ValidateTimeout`, nothing is written.
   */
  run(context: ValidationContext): Faults | Promise<Faults>
}

export type Faults = Readonly<Record<string, string>> | null | undefined | void

export interface ValidationContext extends Pick<ScriptContext, 'log' | 'query' | 'signal'> {
  /** Name of the object, as the model has it. */
  Object: string
  IsNew: boolean
  /** The record as it would be stored, with all of its fields, for every writer. */
  Values: Readonly<Record<string, unknown>>
  /** The record as it is stored; null for a new one. */
  Old: Readonly<Record<string, unknown>> | null
}

/** A report: its parameters and the rows that it gives. */
export interface Report<P extends readonly Parameter[] = readonly Parameter[]> {
  /** The key that addresses it, unique among reports; record, list and page are taken. */
  Key: string
  /** The label that people read; the Key in words by default. */
  Label?: string
  /** A description for people. */
  Description?: string
  /** The resource on which roles get List; the Key by default. */
  Resource?: string
  /** pdf, xlsx, csv and json by default; the first one is made where a request names none. */
  Formats?: readonly ReportFormat[]
  Parameters?: P
  /**
   * Reads and gives the rows, which the engine writes in the requested format: columns are
   * the members of all rows, 1000 at most; or the whole file. It is bounded as a script is.
   */
  run(context: ReportContext<P>): ReportResult | Promise<ReportResult>
}

export type ReportFormat = 'pdf' | 'xlsx' | 'csv' | 'json'

export type ReportResult =
  readonly Readonly<Record<string, Cell>>[] | { Body: string | Uint8Array; ContentType: string }

export interface ReportContext<P extends readonly Parameter[] = readonly Parameter[]> extends Omit<
  ScriptContext<P>,
  'submit' | 'enqueue'
> {
  /** The requested format. */
  Format: ReportFormat
}

export interface ScriptContext<P extends readonly Parameter[] = readonly Parameter[]> {
  /** Values by the declared names, checked and typed; undeclared ones have been dropped. */
  Parameters: ParametersOf<P>
  /** Adds a line to the log that is returned with the result; values other than text as JSON. */
  log(...values: unknown[]): void
  /**
   * Reads by SQL: a SELECT over the tables of the model, held to the caller's company. Values are
   * given by `@Name`; `@CurrentUserId`, `@Today` and the like are known. At most 10,000 rows.
   * @throws EngineError
   */
  query<R extends Row = Row>(
    sql: string,
    parameters?: Readonly<Record<string, Value>>,
  ): Promise<R[]>
  /** Reads a page of an object's grid, as the caller sees it. @throws EngineError */
  query(request: TableRequest): Promise<TableResult>
  /** Creates or updates a record as the caller, with every rule. @throws EngineError */
  submit(request: SubmitRequest): Promise<ObjectActionResult>
  /**
   * Asks for a job or a script by name, as the caller, with their rights of when it runs. An error
   * later in this run does not take it back. At most 1,000 in a run. @throws EngineError
   */
  enqueue(
    name: string,
    parameters?: Readonly<Record<string, unknown>>,
    options?: EnqueueOptions,
  ): Promise<{ JobId: number }>
  /** Aborts when the time is up: shortly before the process is ended. */
  signal: AbortSignal
}

export interface EnqueueOptions {
  /** Milliseconds to wait before it begins. */
  delayMs?: number
  /** The queue where it waits; its own Queue by default. */
  queue?: string
  /** Jobs of the caller's company with one key run one at a time. */
  exclusiveKey?: string
}

/** A file format for tables. */
export interface Handler<P extends readonly Parameter[] = readonly Parameter[]> extends Part<P> {
  /** The formats that it knows; the Name in small letters by default. */
  Formats?: readonly string[]
  /** Ending of its files' names: `.txt` by default. */
  Extension?: string
  /** Media type of its files: `application/octet-stream` by default. */
  ContentType?: string
  Parameters?: P
  /** The file, in pieces, of the rows of a table. */
  export?(context: ExportContext<P>): AsyncIterable<string | Uint8Array>
  /** The rows of a file: the first one is the head, of names or labels of fields. */
  import?(context: ImportContext<P>): AsyncIterable<readonly Cell[]>
}

export interface ExportContext<P extends readonly Parameter[] = readonly Parameter[]> {
  /** One of the handler's Formats. */
  Format: string
  /** Label of the object. */
  Title: string
  /** The columns of the cells of each row. */
  Columns: readonly Column[]
  Parameters: ParametersOf<P>
  /** The rows as they come; to be read once. */
  rows: AsyncIterable<readonly Cell[]>
  /** Aborts when the time is up. */
  signal: AbortSignal
}

export interface ImportContext<P extends readonly Parameter[] = readonly Parameter[]> {
  /** One of the handler's Formats. */
  Format: string
  Parameters: ParametersOf<P>
  /** The file, piece by piece; to be read once. */
  bytes: AsyncIterable<Uint8Array>
  /** The file as lines of UTF-8 text without their ends, instead of `bytes`. */
  lines: AsyncIterable<string>
  /** Aborts when the time is up. */
  signal: AbortSignal
}

/** A parameter of a script, a job, a handler or a report. */
export interface Parameter {
  Name: string
  /** The type: Text by default. */
  Type?: ValueType
  /** The label that people read; the Name in words by default. */
  Label?: string
  /** Decimal places of a Decimal: 2 by default. */
  Scale?: number
  Required?: boolean
  /** The value where none is given. */
  Default?: string | number | boolean
}

/** Date is YYYY-MM-DD, DateTime an instant in UTC, Time HH:mm:ss: all three are texts. */
export type ValueType =
  'Text' | 'Integer' | 'Decimal' | 'Boolean' | 'Date' | 'DateTime' | 'Time' | 'Guid' | 'Json'

/** The values of declared parameters, by their names and types. */
export type ParametersOf<P extends readonly Parameter[]> = {
  readonly [D in P[number] as D['Name']]: D extends { Required: true } | { Default: Value }
    ? ValueOf<D['Type']>
    : ValueOf<D['Type']> | null
}

/** The TypeScript type of a value. */
export type ValueOf<T> = T extends 'Integer' | 'Decimal'
  ? number
  : T extends 'Boolean'
    ? boolean
    : T extends 'Json'
      ? unknown
      : string

export type Value = string | number | boolean | null
export type Cell = string | number | boolean | null
export type Row = Record<string, string | number | null>

export interface Column {
  /** Name of the field. */
  Name: string
  /** Head of the column. */
  Label: string
  Type: string
  /** Decimal places of a Decimal. */
  Scale?: number
}

/** A page of a grid, asked for as by POST /api/v1/svc/object/{name}/table. */
export interface TableRequest {
  /** Name or slug of the object. */
  ObjectName: string
  Filters?: unknown
  SearchText?: string
  Sort?: { Field: string; Direction?: string }[]
  Page?: number
  PageSize?: number
  Cursor?: string
  Fields?: string[]
  Preset?: string
  Parameters?: Record<string, unknown>
  CountMode?: string
}

export interface TableResult {
  Rows: Record<string, unknown>[]
  Pagination: {
    Page: number
    PageSize: number
    TotalRows: number | null
    TotalPages: number | null
    TotalIsExact: boolean
    HasNext: boolean
    NextCursor: string | null
  }
}

/** A record to be saved, as by POST /api/v1/svc/object/submit. */
export interface SubmitRequest {
  /** Name or slug of the object. */
  FormName: string
  /** The fields; with the key of a stored record it is an update. */
  Parameters: Record<string, unknown>
  Details?: Record<
    string,
    { Upsert?: Record<string, unknown>[]; Delete?: Record<string, unknown>[] }
  >
  IsNew?: boolean
  OnConflict?: string
}

export interface ObjectActionResult {
  Action: string
  Keys: Record<string, unknown> | Record<string, unknown>[] | null
  RowVersion?: string
  Values?: Record<string, unknown>
  /** Members of the request that were dropped, as they were sent. */
  Ignored: string[]
}

/** The engine has refused a `query` or a `submit`; its `message` is the sentence for people. */
export interface EngineError extends Error {
  name: 'EngineError'
  /** Stable, in upper snake case: VALIDATION_FAILED, PERMISSION_DENIED … */
  Code: string
  /** Field name to message. */
  FieldErrors?: Record<string, string>
}
