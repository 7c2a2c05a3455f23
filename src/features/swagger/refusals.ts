/** The answers that every route may give when it refuses (src/server/README.md, Errors). */
import type { TSchema } from '@sinclair/typebox'
import { ConflictEnvelope, ErrorEnvelope, ValidationEnvelope } from '../../server/schema.ts'
import type { Components } from './components.ts'
import { type AnswerHeader, referToHeaders } from './headers.ts'
import type { Answer } from './parts.ts'

interface Refusal {
  description: string
  schema: TSchema
  headers?: readonly AnswerHeader[]
  example: { code: string; error: string; [member: string]: unknown }
}

/** Refusals that any route may give, in one shape: by status, with what each is about. */
const ANY: Readonly<Record<string, readonly [about: string, code: string, error: string]>> = {
  400: [
    'A header that cannot be used, where nothing else can be wrong',
    'INVALID_ARGUMENT',
    'X-TimeZone must be an IANA time zone, such as Europe/Berlin',
  ],
  401: [
    'No valid token (`invalid_token` in WWW-Authenticate), or not allowed (`insufficient_scope`)',
    'PERMISSION_DENIED',
    'You are not allowed to do this',
  ],
  404: ['Nothing of this name or key, as far as the caller may see', 'NOT_FOUND', 'Not found'],
  413: ['The body is over the limit', 'TOO_LARGE', 'The body is over 8192 KB'],
  416: [
    'The requested range is outside the file, whose size Content-Range tells',
    'RANGE_NOT_SATISFIABLE',
    'The requested range is outside the file',
  ],
  429: [
    'The caller has reached a bound of their own; Retry-After says when to come back',
    'TOO_MANY_REQUESTS',
    'Too many failed sign-ins. Try again later.',
  ],
  500: [
    'The server failed',
    'INTERNAL_ERROR',
    'The server could not complete this. Its log has the reason under this trace id.',
  ],
  503: [
    'The server cannot do it now, and has done nothing of it; Retry-After says when to ask again',
    'UNAVAILABLE',
    'The change waited for its turn longer than Svc:Writer:MaxWait allows. Try again.',
  ],
}

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
        Details: {
          Lines: [
            {
              Key: { Id: 1201 },
              Kind: 'changed',
              Current: { Id: 1201, LineNumber: 1, Quantity: 12 },
              ChangedFields: ['Quantity'],
              ChangedBy: null,
              ChangedAt: null,
              RowVersion: null,
            },
          ],
        },
      },
    },
  },
  ForeignOrigin: {
    description: 'A page of another origin',
    schema: ErrorEnvelope,
    example: {
      code: 'ORIGIN_DENIED',
      error: 'Pages of this origin are not allowed to connect',
    },
  },
} as const satisfies Record<string, Refusal>

export type RefusalName = keyof typeof REFUSALS | 'Refused'

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const OF_ALL = ['X-Trace-Id', 'Content-Language'] as const

/** One refusal; `schema` where a route says more than others in it. */
export function planRefusal(
  components: Components,
  name: keyof typeof REFUSALS,
  schema?: TSchema,
): Answer {
  const known: Refusal = REFUSALS[name]
  const { error, ...example } = known.example
  const own: unknown = Array.isArray(schema?.examples) ? schema.examples[0] : undefined
  return {
    description: known.description,
    headers: referToHeaders(...OF_ALL, ...(known.headers ?? [])),
    content: {
      'application/json': {
        schema: components.plan(schema ?? known.schema),
        example: own ?? { success: false, error, ...example, traceId: TRACE_ID },
      },
    },
  }
}

/** All statuses of `ANY` in one answer, each with its example. */
function planAny(components: Components): Answer {
  const examples = Object.entries(ANY).map(([status, [summary, code, error]]) => [
    status,
    { summary, value: { success: false, error, code, traceId: TRACE_ID } },
  ])
  return {
    description: Object.entries(ANY)
      .map(([status, [about]]) => `${status}: ${about}.`)
      .join(' '),
    headers: referToHeaders(...OF_ALL, 'Retry-After', 'WWW-Authenticate', 'Content-Range'),
    content: {
      'application/json': {
        schema: components.plan(ErrorEnvelope),
        examples: Object.fromEntries(examples),
      },
    },
  }
}

/** `components.responses`: all but the one of a foreign page, which is written in place. */
export const planRefusals = (components: Components): Record<string, Answer> => ({
  Invalid: planRefusal(components, 'Invalid'),
  Conflict: planRefusal(components, 'Conflict'),
  Refused: planAny(components),
})
