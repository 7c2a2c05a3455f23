/**
 * Rows put aside in a file of their own, beside the database, until one transaction writes them:
 * filling and asking it holds neither the writer nor its log.
 */
import { rmSync } from 'node:fs'
import { unavailable } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { type Connection, openReader, openSpooler } from '../connection/connection.ts'
import { toUri } from '../connection/native.ts'
import { SerialConnection } from '../connection/serial-connection.ts'
import { retryOwn, toFailure } from '../faults.ts'
import { SQL } from '../floor.ts'
import type { SqlArgs, SqlRead, SqlRow } from '../sql.ts'
import type { Stage } from '../store.ts'
import { toFirstText } from '../values.ts'

/** The name by which statements find the tables of a stage; no authored text may name a schema. */
const STAGE = 'staged'

/** Ends of what SQLite keeps beside a file. */
const ENDS = ['', '-journal', '-wal', '-shm']

/** Stages of one file. */
export class Stages {
  readonly #file: string
  readonly #timeoutMs: number
  readonly #open = new Set<OpenStage>()
  #isClosed = false

  /** `timeoutMs` is `Svc:Sql:Timeout`, for each authored read. */
  constructor(file: string, timeoutMs: number) {
    this.#file = file
    this.#timeoutMs = timeoutMs
  }

  /** Makes the stage at `path`, which must not be there. */
  open(path: string): Stage {
    if (this.#isClosed) throw unavailable(say`The server is stopping`)
    const stage = new OpenStage(this.#file, path, this.#timeoutMs)
    stage.onClose = () => this.#open.delete(stage)
    this.#open.add(stage)
    return stage
  }

  /** Closes every stage; work with an open one gets a 503. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#open].map((stage) => stage[Symbol.asyncDispose]()))
  }
}

class OpenStage implements Stage {
  readonly path: string
  onClose: () => void = ignore
  readonly #timeoutMs: number
  readonly #staging: SerialConnection
  readonly #reading: SerialConnection
  #ended: Promise<unknown> | undefined

  constructor(file: string, path: string, timeoutMs: number) {
    this.path = path
    this.#timeoutMs = timeoutMs
    const staging = openStaging(file, path)
    try {
      this.#reading = new SerialConnection(openReader(file))
    } catch (error) {
      staging.close()
      throw toFailure(error)
    }
    this.#staging = new SerialConnection(staging)
  }

  run(sql: string, args: SqlArgs = {}): Promise<SqlRow[]> {
    return this.#staging.run((connection) => connection.statement(sql).allOffLoop(args))
  }

  async text(read: SqlRead): Promise<string> {
    return toFirstText(await this.get(read))
  }

  async get<R extends SqlRow = SqlRow>(
    read: SqlRead | string,
    args: SqlArgs = {},
  ): Promise<R | undefined> {
    if (typeof read !== 'string') return (await this.all<R>(read))[0]
    const get = async (connection: Connection): Promise<R | undefined> =>
      connection.statement(read).get(args) as R | undefined
    return this.#reading.run(get)
  }

  async all<R extends SqlRow = SqlRow>(read: SqlRead | string, args: SqlArgs = {}): Promise<R[]> {
    if (typeof read === 'string') {
      const all = (connection: Connection) => connection.statement(read).allOffLoop(args)
      return this.#reading.run(all) as Promise<R[]>
    }
    return (await retryOwn(read, (each) => this.#authored(each))) as R[]
  }

  #authored({ sql, args, of }: SqlRead): Promise<SqlRow[]> {
    const limit = { setting: SQL.timeout.name, timeoutMs: this.#timeoutMs, of }
    return this.#reading.runWithin(limit, (each) => each.statement(sql).allOffLoop(args))
  }

  async end(): Promise<void> {
    await (this.#ended ??= Promise.all([this.#staging.close(), this.#reading.close()]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end()
    this.onClose()
    try {
      for (const end of ENDS) rmSync(this.path + end, { force: true })
    } catch {
      // The next start clears its folder: work with the rows did not fail for it.
    }
  }
}

function openStaging(file: string, path: string): Connection {
  let staging: Connection | undefined
  try {
    staging = openSpooler(file)
    attachStage(staging, path, 'rwc')
    // A stage that a crash leaves is thrown away, so nothing need be safe.
    staging.database.exec(`PRAGMA ${STAGE}.journal_mode=OFF; PRAGMA ${STAGE}.synchronous=OFF`)
    return staging
  } catch (error) {
    staging?.close()
    throw toFailure(error)
  }
}

/** Attaches the file of a stage. @throws Error when another one is attached */
export function attachStage(connection: Connection, path: string, mode: 'ro' | 'rwc'): void {
  try {
    connection.database.exec(`ATTACH DATABASE '${toUri(path, mode)}' AS ${STAGE}`)
  } catch (error) {
    // SQLite gives it no code of its own.
    if (!(error instanceof Error) || !/unable to open database/.test(error.message)) throw error
    throw Object.assign(new Error(error.message, { cause: error }), { code: 'SQLITE_CANTOPEN' })
  }
}

/** Lets go of the file of a stage, outside of any transaction. */
export function detachStage(connection: Connection): void {
  connection.database.exec(`DETACH DATABASE ${STAGE}`)
}

const ignore = (): void => undefined
