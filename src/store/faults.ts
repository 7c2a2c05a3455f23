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

/** SQLite's primary result codes of files that cannot be used. */
const FILE_CODES: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
}

/** The name of a result code that is about a file, whatever it is extended by. */
export const nameCode = (code: number): string | undefined => FILE_CODES[code & 0xff]

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

/** A deadline ended the statement. */
export const isInterrupt = (error: unknown): boolean => codeOf(error) === 'SQLITE_INTERRUPT'
/** Another process holds the lock. */
export const isBusy = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_BUSY')

/** SQLite was refused memory: the statement wants too much, or another one has it just now. */
export const isOutOfMemory = (error: unknown): boolean => codeOf(error) === 'SQLITE_NOMEM'

/** Checks that the disk refused, or that a file is not a database. */
export const isStorageFault = (error: unknown): boolean =>
  /^SQLITE_(IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|PROTOCOL)/.test(codeOf(error))

/** Checks for a fault after which the connection must not be trusted with another write. */
export const isConnectionFault = (error: unknown): boolean =>
  isStorageFault(error) || isOutOfMemory(error)

/** Checks that a statement met damage, or a file that is not a database. */
export const isDamage = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(isStorageFailure(error) ? error.cause : error))

/** The action that a fault of the disk prevents. */
type Refused = 'room' | 'writing' | 'reading'

const WRITE_FAULTS = /^SQLITE_(?:READONLY|IOERR_(?:\w*WRITE|\w*FSYNC|TRUNCATE|DELETE|BEGIN_ATOMIC))/
const SPACE_FAULTS = /^SQLITE_(?:FULL|IOERR_SHMSIZE)/

/** Returns which of the three a fault of the disk is; one without a sign of either was a read. */
export function toRefused(error: unknown): Refused {
  const code = codeOf(error)
  if (SPACE_FAULTS.test(code) || /^(?:ENOSPC|EDQUOT)$/.test(code)) return 'room'
  return WRITE_FAULTS.test(code) || code === 'EROFS' ? 'writing' : 'reading'
}

const STORAGE_MESSAGES: Readonly<Record<Refused, Message>> = {
  room: say`The disk is full. Nothing can be changed until there is space again.`,
  writing: say`The database cannot be written to right now. Try again later.`,
  reading: say`The database cannot be read right now. Try again later.`,
}

/** 503: the disk refused, or the file is not a database. */
const storageFailed = (cause: unknown): Failure =>
  new Failure('unavailable', STORAGE_MESSAGES[toRefused(cause)], {
    code: STORAGE_FAILED,
    headers: { 'Retry-After': '5' },
    cause,
  })

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
  new Failure('unavailable', say`The request was cancelled`, { code: 'SQL_CANCELLED' })

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
  codeOf(error) === 'SQLITE_ERROR'
    ? new Failure('internal', say`The query failed`, { code: 'SQL_FAILED', cause: error })
    : error

/**
 * Whatever the package threw, as a Failure; a Failure stays what it is, another error too. What
 * fails while it runs is a 400 where its text is authored: `of` names what it belongs to.
 */
export function toFailure(error: unknown, of?: string): unknown {
  const code = codeOf(error)
  if (error instanceof Failure || !(error instanceof Error) || !isSqlCode(code)) return error
  if (code.startsWith('SQLITE_CONSTRAINT') || code === 'SQLITE_MISMATCH')
    return toConstraintError(code, error)
  if (code.startsWith('UNKNOWN_SQLITE_ERROR_3091')) return toTypeError(error)
  if (isBusy(error)) return unavailable(say`The database is busy. Try again.`)
  if (code === 'SQLITE_TOOBIG')
    return invalid(say`The result is too large`, { code: 'SQL_TOO_LARGE', cause: error })
  if (code === 'SQLITE_FULL' || isStorageFault(error)) return storageFailed(error)
  if (isOutOfMemory(error)) return of === undefined ? shortOfMemory() : tooMuchMemory(true)
  if (of !== undefined && code === 'SQLITE_ERROR' && !MISSING.test(error.message)) {
    const details = { code: STATEMENT_FAILED, cause: error }
    return invalid(say`A statement of '${of}' failed on the values that it found`, details)
  }
  return new Failure('internal', say`The query failed`, { code: 'SQL_FAILED', cause: error })
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

const isSqlCode = (code: string): boolean =>
  code.startsWith('SQLITE_') || code.startsWith('UNKNOWN_SQLITE')

function toConstraintError(code: string, error: Error): SqlError {
  const detail = error.message.slice(error.message.indexOf(': ') + 2)
  switch (code) {
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
    case 'SQLITE_MISMATCH':
    case 'SQLITE_CONSTRAINT_DATATYPE':
      return toTypeError(error)
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

const toTypeError = (error: Error): SqlError =>
  new SqlError('validation', say`A value has the wrong type`, 'TYPE', { kind: 'type' }, error)

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
