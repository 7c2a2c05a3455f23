/**
 * Whatever was thrown, as an answer (src/server/README.md, Errors): Elysia's own errors included.
 */
import { InvalidCookieSignature, NotFoundError, ParseError, ValidationError } from 'elysia'
import { explainRead } from '../kernel/disk-failure.ts'
import { STATUS, toEnvelope, toFailure } from '../kernel/envelope.ts'
import { Failure, invalid, notFound, STATEMENT_FAILED } from '../kernel/failure.ts'
import { newTraceId } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import { say } from '../kernel/messages.ts'
import type { Issue } from './describe-issue.ts'
import type { RouteTable } from './route-table.ts'
import { describeMembers, refuseUnfit } from './unfit.ts'

interface RefusalParts {
  log: Log
  /** `Svc:Errors`. */
  exposeErrors: boolean
  routes: RouteTable
}

/** Facts of a refused request that its answer needs. */
interface RefusedRequest {
  method: string
  path: string
  traceId: string
  /** The language of the answer. */
  language: string
}

/**
 * Returns the error answer to a request. A 5xx is logged with its cause, and so is a failure of the
 * application's own SQL; any other refusal is the caller's affair, and logged at level debug alone.
 */
export function refuse(parts: RefusalParts, request: RefusedRequest, thrown: unknown): Response {
  const failure = explain(parts.routes, request, thrown)
  const { method, path, traceId, language } = request
  if (failure.code === STATEMENT_FAILED && failure.cause instanceof Error) {
    const reason = failure.cause.message
    parts.log.warn('a statement of the model failed', { traceId, method, path, reason })
  }
  if (failure.kind === 'internal' || (failure.kind === 'unavailable' && failure.cause))
    parts.log.error('request failed', failure.cause ?? failure, { traceId, method, path })
  else parts.log.debug('request refused', { traceId, method, path, code: failure.code })
  const status = STATUS[failure.kind]
  const envelope = toEnvelope(failure, traceId, parts.exposeErrors, language)
  const tell = status === STATUS.invalid ? parts.routes.find(method, path)?.tellInvalid : undefined
  return new Response(JSON.stringify(tell ? tell(envelope) : envelope), {
    status,
    headers: { 'Content-Type': 'application/json', ...failure.headers },
  })
}

/**
 * Returns the answer in place of one whose file could not be opened any more when it was to be
 * sent: the request itself has ended, so that nothing of it is known.
 */
export function refuseLate(log: Log, thrown: unknown): Response {
  const [failure, traceId] = [toFailure(explainRead(thrown)), newTraceId()]
  log.error('an answer could not be sent', failure.cause ?? failure, { traceId })
  return new Response(JSON.stringify(toEnvelope(failure, traceId, false)), {
    status: STATUS[failure.kind],
    headers: {
      'Content-Type': 'application/json',
      'X-Content-Type-Options': 'nosniff',
      'X-Trace-Id': traceId,
      ...failure.headers,
    },
  })
}

function explain(routes: RouteTable, request: RefusedRequest, thrown: unknown): Failure {
  if (thrown instanceof NotFoundError) return explainMissingRoute(routes, request)
  if (thrown instanceof ValidationError) return explainValidation(thrown)
  if (thrown instanceof ParseError)
    // A failure of our own parser comes wrapped in Elysia's error.
    return thrown.cause instanceof Failure
      ? thrown.cause
      : invalid(say`The request body could not be read`)
  if (thrown instanceof InvalidCookieSignature) return invalid(say`A cookie could not be read`)
  return toFailure(thrown)
}

/** Explains a missing route: 405 with the right methods (RFC 9110, section 15.5.6), else 404. */
function explainMissingRoute(routes: RouteTable, { method, path }: RefusedRequest): Failure {
  const allowed = routes.allowedMethods(path)
  if (allowed.length === 0 || allowed.includes(method))
    return notFound(say`There is nothing at this address`, { code: 'ROUTE_NOT_FOUND' })
  return new Failure('wrongMethod', say`This address only accepts ${allowed.join(', ')}`, {
    headers: { Allow: allowed.join(', ') },
  })
}

/** An answer that does not fit is a fault of the server; anything else is the caller's. */
function explainValidation(error: ValidationError): Failure {
  if (error.type !== 'response') return refuseUnfit(issuesOf(error))
  const text = Object.entries(describeMembers(issuesOf(error))).map(
    ([name, message]) => `${name}: ${message}`,
  )
  return toFailure(new Error(`The answer does not fit its own schema: ${text.join('; ')}`))
}

function issuesOf(error: ValidationError): Iterable<Issue> {
  const { validator, value } = error as {
    validator: { Errors?(value: unknown): Iterable<Issue> }
    value: unknown
  }
  return validator.Errors?.(value) ?? []
}
