/**
 * Headers that many operations have in common, as `components` of the document hold them. None has
 * an example: Swagger UI would send it with every call, one Idempotency-Key with all mutations.
 */

interface RequestHeader {
  name: string
  in: 'header'
  description: string
  schema: { type: 'string' }
}

const header = (name: string, description: string): RequestHeader => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
})

/** `components.parameters`. */
export const REQUEST_HEADERS = {
  'Accept-Language': header(
    'Accept-Language',
    'Languages that labels and messages are wanted in, with their weights (RFC 9110, 12.5.4), ' +
      'like de-AT, de;q=0.9, en;q=0.5',
  ),
  'X-TimeZone': header(
    'X-TimeZone',
    'IANA time zone that dates of this request are meant in, like Europe/Berlin',
  ),
} as const

/** Of the operations that run once under a key. */
export const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'Drawn by the client, once for each thing it wants done: a repeat gets the first answer again ' +
    '(`Idempotency-Replayed: true`) and does nothing; 409 while the first is in ' +
    'flight. This page draws one for each call',
)

/** `components.headers`. */
export const ANSWER_HEADERS = {
  'Content-Language': {
    description: 'The language of the labels and messages in the answer, where it has any',
    schema: { type: 'string' },
    example: 'de',
  },
} as const

/** The headers of an answer, by reference. */
export const answerHeaders = {
  'Content-Language': { $ref: '#/components/headers/Content-Language' },
} as const
