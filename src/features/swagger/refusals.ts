/** The answers that every route may give when it refuses (src/server/README.md, Errors). */
import { answerHeaders } from './headers.ts'

function refusal(description: string, code: string, error: string, more: object = {}) {
  const example = { success: false, error, code, traceId: '4bf92f3577b34da6a3ce929d0e0e4736' }
  return {
    description,
    headers: answerHeaders,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ErrorEnvelope' },
        example: { ...example, ...more },
      },
    },
  }
}

/** By name, as `components.responses` holds them. */
export const REFUSALS = {
  Invalid: refusal(
    'An argument that cannot be used, or fields that failed validation',
    'VALIDATION_FAILED',
    'Number is required',
    { fieldErrors: { Number: 'Number is required' } },
  ),
  Unauthorized: refusal(
    'No valid token (`invalid_token` in WWW-Authenticate), or not allowed (`insufficient_scope`)',
    'PERMISSION_DENIED',
    'You are not allowed to do this',
  ),
  NotFound: refusal(
    'Nothing of this name or key, as far as the caller may see',
    'NOT_FOUND',
    'Not found',
  ),
  Conflict: refusal(
    'The record was changed by someone else',
    'CONFLICT',
    'This record was changed by someone else',
  ),
  TooLarge: refusal('The body is over the limit', 'TOO_LARGE', 'The body is too large'),
  TooMany: refusal(
    'Too many attempts or too much load; Retry-After says when to come back',
    'TOO_MANY_REQUESTS',
    'Too many attempts',
  ),
  Internal: refusal('The server failed', 'INTERNAL_ERROR', 'The server could not do this'),
}

export type RefusalName = keyof typeof REFUSALS
