/** Failures as the wire knows them: one table to HTTP, one shape (src/server/README.md, Errors). */
import { findDiskFailure } from './disk-failure.ts'
import { Failure, type FailureKind, type FieldErrors, STATEMENT_FAILED } from './failure.ts'
import { plain, renderMessage, say } from './messages.ts'

/** Each kind of failure with its status (src/server/README.md, Errors). */
export const STATUS: Readonly<Record<FailureKind, number>> = {
  unauthorized: 401,
  foreignOrigin: 403,
  notFound: 404,
  invalid: 400,
  validation: 400,
  conflict: 409,
  wrongMethod: 405,
  tooLarge: 413,
  wrongRange: 416,
  tooMany: 429,
  unavailable: 503,
  internal: 500,
}

/**
 * The error envelope. A failure's further members (`conflict`, `suggestions`) come beside these.
 */
export interface ErrorEnvelope {
  success: false
  error: string
  code: string
  traceId: string
  fieldErrors?: Record<string, string>
  [member: string]: unknown
}

const HIDDEN = say`The server could not complete this. Its log has the reason under this trace id.`

/**
 * Converts a thrown value into a failure: any other becomes an internal one with it as the cause.
 */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown
  const refused = findDiskFailure(thrown)
  if (refused) return refused
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new Failure('internal', plain(message), { cause: thrown })
}

/**
 * The envelope of a failure. `exposeErrors` is `Svc:Errors`: whether a 5xx may tell its real
 * message (src/server/README.md, Errors), and one about authored SQL the database's; a refusal of
 * kind `unavailable` always does. Sentences are in `language`.
 */
export function toEnvelope(
  failure: Failure,
  traceId: string,
  exposeErrors: boolean,
  language = 'en',
): ErrorEnvelope {
  const isHidden = failure.kind === 'internal' && !exposeErrors
  const { fieldErrors } = failure
  const reason = exposeErrors ? describeReason(failure) : ''
  return {
    ...failure.members,
    success: false,
    error: renderMessage(isHidden ? HIDDEN : failure.text, language) + reason,
    code: failure.code,
    traceId,
    ...(fieldErrors && renderFieldErrors(fieldErrors, language)),
  }
}

/** The database's own words for authored SQL that failed, which its author needs. */
function describeReason({ code, cause }: Failure): string {
  return code === STATEMENT_FAILED && cause instanceof Error ? `: ${cause.message}` : ''
}

/** Renders the errors by field. An error of the record itself is left out: `error` says it. */
function renderFieldErrors(
  fieldErrors: FieldErrors,
  language: string,
): Pick<ErrorEnvelope, 'fieldErrors'> {
  const named = Object.entries(fieldErrors).filter(([name]) => name !== '')
  if (named.length === 0) return {}
  const rendered = named.map(([name, message]) => [name, renderMessage(message, language)] as const)
  return { fieldErrors: Object.fromEntries(rendered) }
}
