/**
 * Whatever was thrown, as an answer (src/server/README.md, Errors): Elysia's own errors included.
 */
import { InvalidCookieSignature, NotFoundError, ParseError, ValidationError } from 'elysia'
import { STATUS, toEnvelope, toFailure } from '../kernel/envelope.ts'
import { Failure, invalid, notFound, STATEMENT_FAILED, validation } from '../kernel/failure.ts'
import type { FieldErrors } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import type { Message } from '../kernel/messages.ts'
import { FIELD_ERRORS_MAX } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { RouteTable } from './route-table.ts'

export interface RefusalParts {
  log: Log
  /** `Svc:Errors`. */
  exposeErrors: boolean
  routes: RouteTable
}

/** What an answer needs to know of its request. */
export interface RefusedRequest {
  method: string
  path: string
  traceId: string
  /** The language of the answer. */
  language: string
}

/**
 * The error answer to a request. A 5xx is logged with its cause, and so is what the application's
 * own SQL failed at; any other refusal is the caller's affair, and logged at level debug alone.
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
  return new Response(JSON.stringify(toEnvelope(failure, traceId, parts.exposeErrors, language)), {
    status: STATUS[failure.kind],
    headers: { 'Content-Type': 'application/json', ...failure.headers },
  })
}

function explain(routes: RouteTable, request: RefusedRequest, thrown: unknown): Failure {
  if (thrown instanceof NotFoundError) return explainMissingRoute(routes, request)
  if (thrown instanceof ValidationError) return explainValidation(thrown)
  if (thrown instanceof ParseError)
    // A failure of our own parser comes wrapped in Elysia's error.
    return thrown.cause instanceof Failure ? thrown.cause : invalid(say`The body cannot be read`)
  if (thrown instanceof InvalidCookieSignature) return invalid(say`A cookie cannot be read`)
  return toFailure(thrown)
}

/** A wrong method on a known path is 405 and tells the right ones (RFC 9110, section 15.5.6). */
function explainMissingRoute(routes: RouteTable, { method, path }: RefusedRequest): Failure {
  const allowed = routes.allowedMethods(path)
  if (allowed.length === 0 || allowed.includes(method))
    return notFound(say`There is nothing at this address`, { code: 'ROUTE_NOT_FOUND' })
  return new Failure('wrongMethod', say`This address takes ${allowed.join(', ')}`, {
    headers: { Allow: allowed.join(', ') },
  })
}

/** Names members and what is expected of them; the value that was sent is repeated nowhere. */
function explainValidation(error: ValidationError): Failure {
  const fieldErrors = describeMembers(error)
  if (error.type === 'response') {
    const text = Object.entries(fieldErrors).map(([name, message]) => `${name}: ${message}`)
    return toFailure(new Error(`The answer does not fit its own schema: ${text.join('; ')}`))
  }
  const [first] = Object.entries(fieldErrors)
  return validation(
    fieldErrors,
    first ? say`${first[0]}: ${first[1]}` : say`The request is not valid`,
  )
}

const WHOLE = '(all)'

function describeMembers(error: ValidationError): FieldErrors {
  const fieldErrors: FieldErrors = {}
  let count = 0
  for (const issue of issuesOf(error))
    for (const { path, message } of describeIssue(issue)) {
      const name = toMemberName(path)
      if (!Object.hasOwn(fieldErrors, name)) fieldErrors[name] = message
      if (++count >= FIELD_ERRORS_MAX) return fieldErrors
    }
  return fieldErrors
}

function issuesOf(error: ValidationError): Iterable<Issue> {
  const { validator, value } = error as {
    validator: { Errors?(value: unknown): Iterable<Issue> }
    value: unknown
  }
  return validator.Errors?.(value) ?? []
}

/** JSON pointer to the spelling of `fieldErrors`: `/Filters/0/Field` is `Filters[0].Field`. */
function toMemberName(pointer: string): string {
  const name = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
  return name === '' ? WHOLE : name.slice(0, 200)
}

const LITERAL = /^Expected ('.+')$/

/** TypeBox's own sentences, by their beginning or in a pattern; the detail is of the schema. */
const EXPECTATIONS: readonly [pattern: RegExp, tell: (detail: string) => Message][] = [
  [/^Expected string$/, () => say`Expected string`],
  [/^Expected integer$/, () => say`Expected integer`],
  [/^Expected number$/, () => say`Expected number`],
  [/^Expected boolean$/, () => say`Expected boolean`],
  [/^Expected array$/, () => say`Expected array`],
  [/^Expected object$/, () => say`Expected object`],
  [/^Expected null$/, () => say`Expected null`],
  [/^Expected required property$/, () => say`Expected required property`],
  [/^Unexpected property$/, () => say`Unexpected property`],
  [
    /^Expected string length less or equal to (.+)$/,
    (most) => say`Expected string length less or equal to ${most}`,
  ],
  [
    /^Expected string length greater or equal to (.+)$/,
    (least) => say`Expected string length greater or equal to ${least}`,
  ],
  [
    /^Expected array length to be less or equal to (.+)$/,
    (most) => say`Expected array length to be less or equal to ${most}`,
  ],
  [
    /^Expected array length to be greater or equal to (.+)$/,
    (least) => say`Expected array length to be greater or equal to ${least}`,
  ],
  [
    /^Expected integer to be less or equal to (.+)$/,
    (most) => say`Expected integer to be less or equal to ${most}`,
  ],
  [
    /^Expected integer to be greater or equal to (.+)$/,
    (least) => say`Expected integer to be greater or equal to ${least}`,
  ],
  [/^Expected string to match '(.+)'/, (form) => say`Expected string to match '${form}'`],
  [LITERAL, (value) => say`Expected ${value}`],
]

/** A fault as TypeBox tells it: where (a JSON pointer), and what was expected there. */
interface Issue {
  readonly path: string
  readonly message: string
  readonly value: unknown
  /** Of a member that may be one of several: what each of these found. */
  readonly errors?: readonly Iterable<Issue>[]
}

/**
 * Where a fault is and what is expected there. Of a member that may be one of several, the faults
 * within the one that it comes closest to, else what it may be; that it may be null goes unsaid.
 * Nothing of the value is repeated.
 */
export function* describeIssue(issue: Issue): Generator<{ path: string; message: Message }> {
  const { path, message, value, errors = [] } = issue
  const choices = errors
    .map((found) => [...Iterator.from(found).take(FIELD_ERRORS_MAX)])
    .filter(([first]) => first?.message !== 'Expected null')
  if (value === undefined) yield { path, message: say`This is required` }
  else if (choices.length === 0) yield { path, message: describeExpected(message) }
  else {
    const [closest] = choices
      .filter((choice) => choices.length === 1 || choice.every((each) => each.path !== path))
      .sort((one, other) => one.length - other.length)
    if (closest) for (const each of closest) yield* describeIssue(each)
    else yield { path, message: describeEither(choices.flatMap(([first]) => first?.message ?? [])) }
  }
}

function describeEither(messages: readonly string[]): Message {
  const values = messages.flatMap((message) => LITERAL.exec(message)?.[1] ?? [])
  if (values.length > 1 && values.length === messages.length)
    return say`Expected one of ${values.join(', ')}`
  const [first = '', ...others] = new Set(messages)
  return others.reduce(
    (text, message) => say`${text}, or: ${describeExpected(message)}`,
    describeExpected(first),
  )
}

/** The sentence for a fault that TypeBox found. */
function describeExpected(message: string): Message {
  for (const [pattern, tell] of EXPECTATIONS) {
    const match = pattern.exec(message)
    if (match) return tell(match[1] ?? '')
  }
  return say`This value does not fit`
}
