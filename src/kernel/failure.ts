/** The one error type of the engine, and the kinds of failure (src/server/README.md, Errors). */
import { FIELD_ERRORS_MAX } from './limits.ts'
import { type Message, say } from './messages.ts'

/** The kinds of failure; `STATUS` in `kernel/envelope.ts` gives each its HTTP status. */
export type FailureKind =
  | 'unauthorized'
  | 'foreignOrigin'
  | 'notFound'
  | 'invalid'
  | 'validation'
  | 'conflict'
  | 'wrongMethod'
  | 'tooLarge'
  | 'wrongRange'
  | 'tooMany'
  | 'unavailable'
  | 'internal'

/**
 * Field name to message, '' being the record itself; the envelope carries those of fields in the
 * caller's language.
 */
export type FieldErrors = Record<string, Message>

/** Further parts of a failure, beside its sentence. */
interface FailureDetails {
  /** Stable upper-snake-case code for machines. */
  code?: string
  /** Errors by field. After the first `FIELD_ERRORS_MAX` only the record's own are kept. */
  fieldErrors?: FieldErrors
  /** Further members of the envelope (`conflict`, `suggestions`). */
  members?: Record<string, unknown>
  /** Response headers (`Retry-After`, `WWW-Authenticate`, `Allow`). */
  headers?: Record<string, string>
  /** The private cause; logged, never sent. */
  cause?: unknown
}

/**
 * A refusal with a public sentence, which `say` makes translatable. Any thrown value other than a
 * `Failure` is an internal error.
 */
export class Failure extends Error {
  /** The sentence; `message` is its English, for logs and command lines. */
  readonly text: Message
  readonly kind: FailureKind
  readonly code: string
  readonly fieldErrors: FieldErrors | undefined
  readonly members: Record<string, unknown> | undefined
  readonly headers: Record<string, string> | undefined

  constructor(kind: FailureKind, message: Message, details: FailureDetails = {}) {
    super(String(message), { cause: details.cause })
    this.text = message
    this.name = 'Failure'
    this.kind = kind
    this.code = details.code ?? CODE[kind]
    this.fieldErrors = details.fieldErrors && bound(details.fieldErrors)
    this.members = details.members
    this.headers = details.headers
  }
}

/** The code of a 400 for authored SQL that failed while it ran: an overflow, false JSON. */
export const STATEMENT_FAILED = 'STATEMENT_FAILED'

const CODE: Record<FailureKind, string> = {
  unauthorized: 'UNAUTHORIZED',
  foreignOrigin: 'ORIGIN_DENIED',
  notFound: 'NOT_FOUND',
  invalid: 'INVALID_ARGUMENT',
  validation: 'VALIDATION_FAILED',
  conflict: 'CONFLICT',
  wrongMethod: 'METHOD_NOT_ALLOWED',
  tooLarge: 'TOO_LARGE',
  wrongRange: 'RANGE_NOT_SATISFIABLE',
  tooMany: 'TOO_MANY_REQUESTS',
  unavailable: 'UNAVAILABLE',
  internal: 'INTERNAL_ERROR',
}

/** The caller is not known: no token, or one that is false, ended or expired. 401. */
export const unauthenticated = (
  message: Message = say`Sign in first`,
  code = 'UNAUTHENTICATED',
): Failure =>
  new Failure('unauthorized', message, {
    code,
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })

/** The caller is known and may not do this. 401; 403 is for a foreign origin alone. */
export const denied = (
  message: Message = say`You are not allowed to do this`,
  code = 'PERMISSION_DENIED',
): Failure =>
  new Failure('unauthorized', message, {
    code,
    headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
  })

/** 404. */
export const notFound = (message: Message, details?: FailureDetails): Failure =>
  new Failure('notFound', message, details)

/** 400: an argument that cannot be used; the message names it, never its value. */
export const invalid = (message: Message, details?: FailureDetails): Failure =>
  new Failure('invalid', message, details)

/** A request may have a thousand rows with faults: no answer grows with them. */
function bound(fieldErrors: FieldErrors): FieldErrors {
  const names = Object.keys(fieldErrors)
  if (names.length <= FIELD_ERRORS_MAX) return fieldErrors
  const others = Object.entries(fieldErrors).filter(([name]) => name !== '')
  const whole = fieldErrors['']
  const first = others.slice(0, FIELD_ERRORS_MAX - (whole === undefined ? 0 : 1))
  return Object.fromEntries(whole === undefined ? first : [['', whole], ...first])
}

/** 400 with `fieldErrors`; an error of the whole record, under '', is its sentence. */
export function validation(fieldErrors: FieldErrors, message?: Message, cause?: unknown): Failure {
  const text = message ?? fieldErrors[''] ?? Object.values(fieldErrors)[0]
  return new Failure('validation', text ?? say`Validation failed`, { fieldErrors, cause })
}

/** 409. */
export const conflict = (message: Message, details?: FailureDetails): Failure =>
  new Failure('conflict', message, details)

/** 413. */
export const tooLarge = (message: Message): Failure => new Failure('tooLarge', message)

/** 429 with `Retry-After` in seconds. */
export const tooMany = (message: Message, retryAfterSeconds: number): Failure =>
  new Failure('tooMany', message, { headers: { 'Retry-After': String(retryAfterSeconds) } })

/** The code of a 503 behind a COMMIT: see `outcomeUnknown`. */
export const OUTCOME_UNKNOWN = 'OUTCOME_UNKNOWN'

/**
 * 503: the request may have been carried out, or a part of it, which cannot be told now. A repeat
 * under its Idempotency-Key tells (src/server/README.md, Idempotency).
 */
export const outcomeUnknown = (cause: unknown): Failure =>
  new Failure(
    'unavailable',
    say`We cannot tell whether this was saved. Check before you send it again.`,
    { code: OUTCOME_UNKNOWN, headers: { 'Retry-After': '5' }, cause },
  )

/** Checks that a failure leaves open what was stored. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof Failure && error.code === OUTCOME_UNKNOWN

/** 503 with `Retry-After` in seconds. */
export const unavailable = (message: Message, retryAfterSeconds = 1): Failure =>
  new Failure('unavailable', message, { headers: { 'Retry-After': String(retryAfterSeconds) } })
