/** Successful answers in their envelope (src/server/README.md, Response envelope). */
import { JsonText } from '../kernel/json-text.ts'
import { varyByCoding } from './content-coding.ts'
import { holdsTag } from './file-answer.ts'
import type { RequestFacts, WithFacts } from './session.ts'

/**
 * The success envelope around a value; Elysia turns it into JSON by the route's response schema.
 */
export const ok = <T>(data: T): { success: true; data: T } => ({ success: true, data })

const JSON_HEADERS = {
  'Content-Type': 'application/json',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
}

/** Made once, with what every answer gets anyway: copying them is cheaper than setting them. */
const JSON_INIT = { headers: new Headers(JSON_HEADERS) }

/**
 * The success envelope around text that is JSON already, as it came from SQL. It is neither checked
 * nor trimmed by a response schema: the plan's column list is the allow-list (src/store/README.md,
 * Text made by SQLite).
 */
export const okText = (json: string): Response =>
  new Response('{"success":true,"data":' + json + '}', JSON_INIT)

/** The same for the request's own answer, made with all of its headers at once. */
export const okTextTo = (to: WithFacts, json: string): Response =>
  okEnvelopeTo(to, '{"success":true,"data":' + json + '}')

/** Headers of answers by their language; '' for answers that name none. */
type Inits = Map<string, { headers: Headers }>

/** Headers of answers that may be sent in a coding, and of the others. */
const inits: { coded: Inits; plain: Inits } = { coded: new Map(), plain: new Map() }

function findInit({ isLanguageNamed, language = '', finders }: RequestFacts): { headers: Headers } {
  const isCoded = finders.isCompressing()
  const known = isCoded ? inits.coded : inits.plain
  const named = isLanguageNamed ? language : ''
  const init = known.get(named) ?? planInit(named, isCoded)
  known.set(named, init)
  return init
}

function planInit(language: string, isCoded: boolean): { headers: Headers } {
  const headers = new Headers(JSON_HEADERS)
  if (language !== '') headers.set('Content-Language', language)
  if (language !== '') headers.append('Vary', 'Accept-Language')
  if (isCoded) varyByCoding(headers)
  return { headers }
}

/** `okEnvelope` for the request's own answer, made with all of its headers at once. */
export function okEnvelopeTo({ facts }: WithFacts, text: string): Response {
  const init = findInit(facts)
  init.headers.set('X-Trace-Id', facts.traceId)
  const response = new Response(text, init)
  facts.headed = { response, text }
  return response
}

/** In a route's `detail`: its answer is `okTagged`. */
export const TAGGED = { 'x-tagged': true } as const

/**
 * The success envelope around JSON text that changes with a deploy alone: 304 where the request has
 * it by its tag.
 */
export function okTagged(to: WithFacts, { json, etag }: { json: string; etag: string }): Response {
  const { finders, received } = to.facts
  const headers = new Headers({ ETag: etag, 'Cache-Control': 'private, no-cache' })
  if (finders.isCompressing()) varyByCoding(headers)
  if (holdsTag(received.headers.get('if-none-match'), etag))
    return new Response(null, { status: 304, headers })
  const response = okText(json)
  for (const [header, value] of headers) response.headers.set(header, value)
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
