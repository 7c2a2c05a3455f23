/** The SDK's way to the server: it follows no redirect, and no body may hang or be endless. */
import { broken, overlong, timedOut } from './model-failure.ts'

/** Most bytes of one answer of the server, in any form. */
const BODY_BYTES_MAX = 16 * 1024 * 1024
/** Most bytes of one line of it: one event, or a whole answer that does not stream. */
const LINE_BYTES_MAX = 2 * 1024 * 1024
/** A server that wants a longer pause is not asked again for this answer. */
const RETRY_AFTER_SECONDS_MAX = 60
/** Headers that reach the server; the others would tell of the machine. */
const SENT = ['accept', 'authorization', 'content-type', 'traceparent']
const LINE_FEED = 10

/** The bounds and facts of a request. */
interface FetchBounds {
  silenceMs: number
  /** True when there is a key; without one the SDK sends a text in its place. */
  hasKey: boolean
}

/** Makes the `fetch` of the SDK. A redirect is an answer like another. */
export const guardFetch =
  ({ silenceMs, hasKey }: FetchBounds) =>
  async (address: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const given = new Headers(init.headers)
    const headers = new Headers([...given].filter(([name]) => SENT.includes(name)))
    if (!hasKey) headers.delete('authorization')
    const response = await fetch(address, { ...init, headers, redirect: 'manual' })
    const received = new Headers(response.headers)
    if (isLongPause(received)) received.set('x-should-retry', 'false')
    const { status, statusText, body } = response
    return new Response(body && guardBody(body, silenceMs), {
      status,
      statusText,
      headers: received,
    })
  }

/** True when `Retry-After` is a longer pause than an answer can wait for. */
function isLongPause(headers: Headers): boolean {
  const given = headers.get('retry-after')
  if (given === null) return false
  const seconds = /^\d+$/.test(given.trim()) ? Number(given) : untilDate(given)
  return seconds > RETRY_AFTER_SECONDS_MAX
}

const untilDate = (text: string): number => (Date.parse(text) - Date.now()) / 1000

/** A body that fails where it is silent for too long, too large, or one endless line. */
function guardBody(
  body: ReadableStream<Uint8Array>,
  silenceMs: number,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let [bytes, line] = [0, 0]
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await readWithin(reader, silenceMs)
          if (done || value === undefined) return controller.close()
          bytes += value.byteLength
          const last = value.lastIndexOf(LINE_FEED)
          line = last < 0 ? line + value.byteLength : value.byteLength - last - 1
          if (bytes > BODY_BYTES_MAX || line > LINE_BYTES_MAX) throw overlong()
          controller.enqueue(value)
        } catch (error) {
          controller.error(error)
          // The body has failed already; an error at its end is not news.
          await reader.cancel().catch(() => undefined)
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** The next chunk of a reader. */
interface Chunk {
  done: boolean
  value?: Uint8Array | undefined
}

async function readWithin(reader: { read(): Promise<Chunk> }, ms: number): Promise<Chunk> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(timedOut()), ms)
  try {
    return await Promise.race([reader.read(), promise])
  } finally {
    clearTimeout(timer)
  }
}

/** The JSON of a body that does not stream. @throws ModelFailure for a body that is not JSON */
export async function readJson(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw broken()
  }
}
