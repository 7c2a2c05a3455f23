/** Successful answers in their envelope (src/server/README.md, Response envelope). */
import { JsonText } from '../kernel/json-text.ts'
import { holdsTag } from './file-answer.ts'

/**
 * The success envelope around a value; Elysia turns it into JSON by the route's response schema.
 */
export const ok = <T>(data: T): { success: true; data: T } => ({ success: true, data })

/** Made once, with what every answer gets anyway: copying them is cheaper than setting them. */
const JSON_INIT = {
  headers: new Headers({
    'Content-Type': 'application/json',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  }),
}

/**
 * The success envelope around text that is JSON already, as it came from SQL. It is neither checked
 * nor trimmed by a response schema: the plan's column list is the allow-list (src/store/README.md,
 * Text made by SQLite).
 */
export const okText = (json: string): Response =>
  new Response('{"success":true,"data":' + json + '}', JSON_INIT)

/**
 * The success envelope around JSON text that changes with a deploy alone: 304 where the request has
 * it by its tag.
 */
export function okTagged(
  request: Request,
  { json, etag }: { json: string; etag: string },
): Response {
  const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' }
  if (holdsTag(request.headers.get('if-none-match'), etag))
    return new Response(null, { status: 304, headers })
  const response = okText(json)
  for (const [header, value] of Object.entries(headers)) response.headers.set(header, value)
  return response
}

/** The success envelope around a value, as the text that goes out. */
export const envelopeOf = (data: unknown): string =>
  data instanceof JsonText ? `{"success":true,"data":${data.text}}` : JSON.stringify(ok(data))

/** An answer whose text is an envelope already. */
export const okEnvelope = (text: string): Response => new Response(text, JSON_INIT)

/** An answer that was given before, to the byte. */
export const replayed = (status: number, text: string): Response =>
  new Response(text, {
    status,
    headers: { 'Content-Type': 'application/json', 'Idempotency-Replayed': 'true' },
  })
