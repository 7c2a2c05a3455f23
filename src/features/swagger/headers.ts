/**
 * Headers that many operations have in common, as `components` of the document. None of a request
 * has an example: Swagger UI would send it with every call, one Idempotency-Key with all mutations.
 */
import type { Parameter } from './parts.ts'

const header = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
})

/** `components.parameters`. */
export const REQUEST_HEADERS = {
  Language: header(
    'Accept-Language',
    'Languages that labels and messages are wanted in, with their weights (RFC 9110, 12.5.4), ' +
      'like de-AT, de;q=0.9, en;q=0.5',
  ),
  Zone: header(
    'X-TimeZone',
    'IANA time zone that dates of this request are meant in, like Europe/Berlin',
  ),
} as const

/** Header of operations that run once under a key. */
export const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'Drawn by the client, once for each thing it wants done: a repeat gets the first answer again ' +
    '(`Idempotency-Replayed: true`) and does nothing; 409 while the first is in ' +
    'flight. This page draws one for each call',
)

/** Header of operations whose answer has a tag. */
export const IF_NONE_MATCH = header(
  'If-None-Match',
  'The ETag of the answer that the client has: 304 while it is the same',
)

const answered = (description: string, example: unknown, schema: object = { type: 'string' }) => ({
  description,
  schema,
  example,
})

const WHOLE_NUMBER = { type: 'integer', minimum: 0 }

/** `components.headers`. */
export const ANSWER_HEADERS = {
  'X-Trace-Id': answered(
    'Identifies the request in the log; continues the trace of a `traceparent`',
    '4bf92f3577b34da6a3ce929d0e0e4736',
  ),
  'Content-Language': answered(
    'The language of the labels and messages in the answer, where it has any',
    'de',
  ),
  ETag: answered('For `If-None-Match`', '"2gkr0fd8w1k3s-en"'),
  'Retry-After': answered('Seconds after which the request may be sent again', 1, WHOLE_NUMBER),
  'WWW-Authenticate': answered(
    '`error="invalid_token"`: a refresh or a sign-in helps. `error="insufficient_scope"`: it ' +
      'does not',
    'Bearer error="insufficient_scope"',
  ),
  'Idempotency-Replayed': answered('The answer was given before, to the byte', 'true', {
    type: 'string',
    const: 'true',
  }),
  'Content-Disposition': answered(
    'Whether the file is shown or saved, and under which name (RFC 6266)',
    'attachment; filename="orders.csv"',
  ),
  'Content-Range': answered('Which bytes of how many (RFC 9110, 14.4)', 'bytes 0-1023/146515'),
  'Accept-Ranges': answered('`bytes`: ranges are answered', 'bytes'),
} as const

export type AnswerHeader = keyof typeof ANSWER_HEADERS

/** Headers of an answer, by reference. */
export const referToHeaders = (...names: readonly AnswerHeader[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
