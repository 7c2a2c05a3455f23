/** The answers that every route may give when it refuses (src/server/README.md, Errors). */
import type { TSchema } from '@sinclair/typebox'
import { ConflictEnvelope, ErrorEnvelope, ValidationEnvelope } from '../../server/schema.ts'
import type { Components } from './components.ts'
import { type AnswerHeader, referToHeaders } from './headers.ts'

interface Refusal {
  description: string
  schema: TSchema
  headers?: readonly AnswerHeader[]
  example: { code: string; error: string; [member: string]: unknown }
}

const refusal = (description: string, code: string, error: string): Refusal => ({
  description,
  schema: ErrorEnvelope,
  example: { code, error },
})

/** By name, as `components.responses` holds them. */
const REFUSALS = {
  Invalid: {
    description: 'An argument that cannot be used, or fields that failed validation',
    schema: ValidationEnvelope,
    example: {
      error: 'Number is required',
      code: 'VALIDATION_FAILED',
      fieldErrors: { Number: 'Number is required' },
    },
  },
  Unauthorized: {
    ...refusal(
      'No valid token (`invalid_token` in WWW-Authenticate), or not allowed (`insufficient_scope`)',
      'PERMISSION_DENIED',
      'You are not allowed to do this',
    ),
    headers: ['WWW-Authenticate'],
  },
  NotFound: refusal(
    'Nothing of this name or key, as far as the caller may see',
    'NOT_FOUND',
    'Not found',
  ),
  Conflict: {
    description:
      'Someone else has changed it in the meantime: `conflict` is about a stale RowVersion, ' +
      '`current` ' +
      'of other things. Or its state does not allow it, or a request with this Idempotency-Key ' +
      'is in flight (`Retry-After`)',
    schema: ConflictEnvelope,
    headers: ['Retry-After'],
    example: {
      error: 'The record was changed by someone else',
      code: 'CONFLICT',
      conflict: {
        Current: { Id: 400, Reference: 'PO 4711', RowVersion: '3' },
        ChangedFields: ['Reference'],
        ChangedBy: 'Sales manager',
        ChangedAt: '2026-01-05T08:00:00.000Z',
        RowVersion: '3',
      },
    },
  },
  ForeignOrigin: refusal(
    'A page of another origin',
    'ORIGIN_DENIED',
    'Pages of this origin are not allowed to connect',
  ),
  TooLarge: refusal('The body is over the limit', 'TOO_LARGE', 'The body is over 8192 KB'),
  WrongRange: {
    ...refusal(
      'The requested range is outside the file',
      'RANGE_NOT_SATISFIABLE',
      'The requested range is outside the file',
    ),
    headers: ['Content-Range'],
  },
  TooMany: {
    ...refusal(
      'The caller has reached a bound of their own; Retry-After says when to come back',
      'TOO_MANY_REQUESTS',
      'Too many failed sign-ins. Try again later.',
    ),
    headers: ['Retry-After'],
  },
  Internal: refusal(
    'The server failed',
    'INTERNAL_ERROR',
    'The server could not complete this. Its log has the reason under this trace id.',
  ),
  Unavailable: {
    ...refusal(
      'The server cannot do it now, and has done nothing of it; Retry-After says when to ask again',
      'UNAVAILABLE',
      'The change waited for its turn longer than Svc:Writer:MaxWait allows. Try again.',
    ),
    headers: ['Retry-After'],
  },
} as const satisfies Record<string, Refusal>

export type RefusalName = keyof typeof REFUSALS

/** One refusal; `schema` where a route says more than others in it. */
export function planRefusal(components: Components, name: RefusalName, schema?: TSchema) {
  const known: Refusal = REFUSALS[name]
  const { error, ...example } = known.example
  const own: unknown = Array.isArray(schema?.examples) ? schema.examples[0] : undefined
  return {
    description: known.description,
    headers: referToHeaders('X-Trace-Id', 'Content-Language', ...(known.headers ?? [])),
    content: {
      'application/json': {
        schema: components.plan(schema ?? known.schema),
        example: own ?? {
          success: false,
          error,
          ...example,
          traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
        },
      },
    },
  }
}

/** `components.responses`: all but the one of a foreign page, which is written in place. */
export const planRefusals = (components: Components) =>
  Object.fromEntries(
    (Object.keys(REFUSALS) as RefusalName[])
      .filter((name) => name !== 'ForeignOrigin')
      .map((name) => [name, planRefusal(components, name)]),
  )
