/** Errors of SQLite as failures with a public sentence that tells nothing of SQL. */
import { STORAGE_FAILED } from '../kernel/disk-failure.ts'
import {
  Failure,
  type FailureKind,
  invalid,
  STATEMENT_FAILED,
  unavailable,
} from '../kernel/failure.ts'
import { type Message, say } from '../kernel/messages.ts'
import { type CodeMeaning, findMeaning, nameCode, type Refused, toRefused } from './codes.ts'
import { memoryLimit } from './limits.ts'
import type { SqlRead } from './sql.ts'

/** The rule of a table that a statement broke. */
type Constraint =
  /** `columns` as `Table.Column`; `index` instead for an index on an expression. */
  | { kind: 'unique'; columns: readonly string[]; index: string | undefined }
  | { kind: 'notNull'; columns: readonly string[] }
  | { kind: 'foreignKey' }
  | { kind: 'check'; name: string }
  /** A value of a type that the column does not take. */
  | { kind: 'type' }
  /** A guard of the writer: `company:<Entity>`, `reference:<Entity>.<Column>`, `wide:<Entity>`. */
  | { kind: 'guard'; text: string }

/**
 * A statement that broke a rule of the tables; the engine names the field that `constraint` tells.
 */
export class SqlError extends Failure {
  readonly constraint: Constraint

  constructor(
    kind: FailureKind,
    message: Message,
    code: string,
    constraint: Constraint,
    cause: unknown,
  ) {
    super(kind, message, { code, cause })
    this.name = 'SqlError'
    this.constraint = constraint
  }
}

/**
 * The package's code of an error (`SQLITE_BUSY`), or ''. Extended codes that it does not know (a
 * read that fails with EIO among them) go by their primary one.
 */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return ''
  if (typeof error.code !== 'string') return ''
  const unknown = /^UNKNOWN_SQLITE_ERROR_(\d+)$/.exec(error.code)?.[1]
  return (unknown && nameCode(Number(unknown))) ?? error.code
}

/** The meaning of an error of the package; undefined for any other. */
export const meaningOf = (error: unknown): CodeMeaning | undefined => findMeaning(codeOf(error))

/** A deadline ended the statement. */
export const isInterrupt = (error: unknown): boolean => meaningOf(error) === 'stopped'
/** Another process holds the lock, or another statement what this one needs. */
export const isBusy = (error: unknown): boolean => meaningOf(error) === 'busy'

/** SQLite was refused memory: the statement wants too much, or another one has it just now. */
export const isOutOfMemory = (error: unknown): boolean => meaningOf(error) === 'memory'

/** Checks that the disk refused, or that a file is not a database. */
export const isStorageFault = (error: unknown): boolean => STORAGE.has(meaningOf(error) ?? 'engine')

const STORAGE: ReadonlySet<CodeMeaning> = new Set(['disk', 'access', 'damage'])

/** Checks for a fault after which the connection must not be trusted with another write. */
export const isConnectionFault = (error: unknown): boolean =>
  isStorageFault(error) || isOutOfMemory(error)

/** Checks that a statement met damage, or a file that is not a database. */
export const isDamage = (error: unknown): boolean =>
  meaningOf(isStorageFailure(error) ? error.cause : error) === 'damage'

/** Checks that there is no room, for a file or for temporary rows. */
export const isFull = (error: unknown): boolean => meaningOf(error) === 'full'

/** Checks that a rule of a table was broken, or a value is of a type that it does not take. */
export const isBrokenRule = (error: unknown): boolean =>
  meaningOf(error) === 'rule' || meaningOf(error) === 'type'

const STORAGE_MESSAGES: Readonly<Record<Refused, Message>> = {
  room: say`The disk is full. Nothing can be changed until there is space again.`,
  writing: say`The database cannot be written to right now. Try again later.`,
  reading: say`The database cannot be read right now. Try again later.`,
}

/** 503: the disk refused, or the file is not a database. */
function storageFailed(cause: unknown): Failure {
  return new Failure('unavailable', STORAGE_MESSAGES[toRefused(codeOf(cause))], {
    code: STORAGE_FAILED,
    headers: { 'Retry-After': '5' },
    cause,
  })
}

/** Files by the errors that the package threw of them, which do not name them. */
const files = new WeakMap<Error, string>()

/** Notes the file that a fault is of. */
export function noteFile(error: unknown, file: string): void {
  const fault = error instanceof Failure ? error.cause : error
  if (fault instanceof Error) files.set(fault, file)
}

/** Returns the file that was noted of an error of the package. */
export const findFile = (fault: unknown): string | undefined =>
  fault instanceof Error ? files.get(fault) : undefined

/** A failure that `toFailure` made of what the disk refused, or of a file that was removed. */
export const isStorageFailure = (error: unknown): error is Failure =>
  error instanceof Failure && error.code === STORAGE_FAILED

/** A statement ended at its deadline: 400 that names the limit. */
export const timedOut = (setting: string, milliseconds: number): Failure =>
  invalid(say`The query took longer than ${setting} allows (${milliseconds} ms)`, {
    code: 'SQL_TIMEOUT',
  })

/** A read that was ended because nobody waits for it any more. */
export const cancelled = (): Failure =>
  new Failure('unavailable', say`The request was cancelled`, {
    code: 'SQL_CANCELLED',
    headers: { 'Retry-After': '1' },
  })

/** A statement ended for memory; others that ran beside it may have had what it wanted. */
export class MemoryFailure extends Failure {
  constructor(
    kind: FailureKind,
    message: Message,
    code: string,
    readonly mayBeOthers: boolean,
  ) {
    super(kind, message, {
      code,
      ...(kind === 'unavailable' && { headers: { 'Retry-After': '1' } }),
    })
    this.name = 'MemoryFailure'
  }
}

/** A statement ended for what it took of the process's memory: 400 that names the limit. */
export const tooMuchMemory = (mayBeOthers: boolean): Failure =>
  new MemoryFailure(
    'invalid',
    say`The query took more memory than Svc:Sql:MaxMemory allows (${memoryLimit()} bytes)`,
    'SQL_MEMORY',
    mayBeOthers,
  )

/** Engine statements need little memory: 503, another statement has it. */
const shortOfMemory = (): Failure =>
  new MemoryFailure(
    'unavailable',
    say`The server is short of memory right now. Try again later.`,
    'UNAVAILABLE',
    true,
  )

/**
 * A statement that does not compile: never the author's fault, whose text has passed the gate.
 */
export const unprepared = (error: unknown): unknown =>
  meaningOf(error) === 'statement' ? queryFailed(error) : error

/** Checks that a statement did not compile, or failed as none of the engine's may. */
export const isQueryFailure = (error: unknown): boolean =>
  error instanceof Failure && error.code === SQL_FAILED

const SQL_FAILED = 'SQL_FAILED'

const queryFailed = (cause: unknown): Failure =>
  new Failure('internal', say`The query failed`, { code: SQL_FAILED, cause })

/**
 * Whatever the package threw, as a Failure; a Failure stays what it is, another error too. What
 * fails while it runs is a 400 where its text is authored: `of` names what it belongs to.
 */
export function toFailure(error: unknown, of?: string): unknown {
  const meaning = meaningOf(error)
  if (error instanceof Failure || !(error instanceof Error) || meaning === undefined) return error
  return FAILURES[meaning](error, of)
}

/** The answer of each meaning. */
const FAILURES: Readonly<Record<CodeMeaning, (error: Error, of: string | undefined) => Failure>> = {
  disk: storageFailed,
  access: storageFailed,
  damage: storageFailed,
  full: storageFailed,
  busy: () => unavailable(say`The database is busy. Try again.`),
  memory: (_, of) => (of === undefined ? shortOfMemory() : tooMuchMemory(true)),
  stopped: cancelled,
  rule: toConstraintError,
  type: toTypeError,
  size: (cause) => invalid(say`The result is too large`, { code: 'SQL_TOO_LARGE', cause }),
  statement: (cause, of) =>
    of === undefined || MISSING.test(cause.message)
      ? queryFailed(cause)
      : invalid(say`A statement of '${of}' failed on the values that it found`, {
          code: STATEMENT_FAILED,
          cause,
        }),
  engine: queryFailed,
}

/** SQLite's messages for sound statements whose tables have changed. */
const MISSING = /^no such |^ambiguous |^near /

/** Checks that a statement failed on values it met, which may be those of rows out of reach. */
export const isValueFailure = (failure: unknown): boolean =>
  failure instanceof Failure && VALUE_CODES.has(failure.code ?? '')

/**
 * Runs a read. If it fails on values it runs once more, in its form over own rows, which uses no
 * index and so belongs into a lane. See `Own`.
 */
export function retryOwn<T, R extends Pick<SqlRead, 'sql' | 'of' | 'own'>>(
  read: R,
  run: (read: R) => Promise<T>,
): Promise<T> {
  const { own, of } = read
  if (own === undefined) return run(read)
  return run(read).catch((error: unknown) => {
    if (!isValueFailure(toFailure(error, of))) throw error
    return run({ ...read, sql: own(), own: undefined, runs: 'lane' })
  })
}

const VALUE_CODES: ReadonlySet<string> = new Set([STATEMENT_FAILED, 'SQL_TOO_LARGE', 'TYPE'])

function toConstraintError(error: Error): SqlError {
  const detail = error.message.slice(error.message.indexOf(': ') + 2)
  switch (codeOf(error)) {
    case 'SQLITE_CONSTRAINT_UNIQUE':
    case 'SQLITE_CONSTRAINT_PRIMARYKEY':
    case 'SQLITE_CONSTRAINT_ROWID':
      return new SqlError(
        'validation',
        say`This value is already in use`,
        'UNIQUE',
        unique(detail),
        error,
      )
    case 'SQLITE_CONSTRAINT_NOTNULL':
      return new SqlError(
        'validation',
        say`A required value is missing`,
        'REQUIRED',
        { kind: 'notNull', columns: [detail] },
        error,
      )
    case 'SQLITE_CONSTRAINT_CHECK':
      return new SqlError(
        'validation',
        say`A value breaks a rule`,
        'CHECK',
        { kind: 'check', name: detail },
        error,
      )
    case 'SQLITE_CONSTRAINT_TRIGGER':
      // ON DELETE RESTRICT is reported as a trigger's; our guards have texts of their own.
      if (/^(company|reference|wide):/.test(error.message)) return toGuardError(error)
      break
  }
  return new SqlError(
    'validation',
    say`This refers to a record that does not exist, or other records refer to this one`,
    'REFERENCE',
    { kind: 'foreignKey' },
    error,
  )
}

function unique(detail: string): Constraint {
  const index = /^index '(.*)'$/.exec(detail)?.[1]
  return { kind: 'unique', columns: index === undefined ? detail.split(', ') : [], index }
}

function toTypeError(error: Error): SqlError {
  return new SqlError(
    'validation',
    say`A value has the wrong type`,
    'TYPE',
    { kind: 'type' },
    error,
  )
}

function toGuardError(error: Error): SqlError {
  const guard: Constraint = { kind: 'guard', text: error.message }
  if (error.message.startsWith('reference:'))
    return new SqlError(
      'validation',
      say`The value must be one of the options`,
      'REFERENCE',
      guard,
      error,
    )
  if (error.message.startsWith('wide:'))
    return new SqlError(
      'invalid',
      say`This table has too many columns. An administrator must deploy it with fewer.`,
      'TABLE_TOO_WIDE',
      guard,
      error,
    )
  return new SqlError(
    'invalid',
    say`The record belongs to another company`,
    'COMPANY',
    guard,
    error,
  )
}
