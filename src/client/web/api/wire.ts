/**
 * Calls of the engine, typed by its OpenAPI document: `take(wire.GET('/api/v1/svc/navbar'))`. Each
 * bears the token and the language; a call that may be made twice is made again while the server
 * is away, a mutation under its one Idempotency-Key.
 */
import { signal } from '@preact/signals'
import createClient from 'openapi-fetch'
import { language, say } from '../texts/texts.ts'
import type { components, paths } from './generated.d.ts'
import { ServerError } from './server-error.ts'
import { findToken, refreshTokens } from './tokens.ts'

/** Shapes of the wire by name. */
export type Schemas = components['schemas']

/** True while calls reach the server, false while they are tried again. */
export const isReached = signal(true)

const TRIES_MAX = 40
const WAIT_MIN_MS = 250
const WAIT_MAX_MS = 5000

/** Posts that change nothing. */
const ASKS =
  /\/(?:table|form|view|data|query|complete|field-dataset|explain|timeline|validate|\w+-preview)$/

/** The one question that is asked before it is known who asks. */
const METHODS = '/api/v1/auth/methods'

/** Calls of nobody: those that sign in. */
const OPEN = '/api/v1/auth/'

export const wire = createClient<paths>({
  baseUrl: location.origin,
  fetch: (request) => send(request),
})

/** The data of an envelope; none for one that only says that it is done. */
type DataOf<T> = T extends { data: infer D } ? D : undefined

/** Resolves to the data of an answer. @throws ServerError for a refusal */
export async function take<T extends object>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<DataOf<T>> {
  const { data, error, response } = await call
  if (data !== undefined) return (data as { data?: unknown }).data as DataOf<T>
  throw new ServerError(response.status, readRefusal(error, response))
}

function readRefusal(error: unknown, response: Response): ServerError['refusal'] {
  const named = response.headers.get('content-language')
  if (typeof error === 'object' && error !== null && 'error' in error)
    return { ...(error as ServerError['refusal']), ...(named !== null && { language: named }) }
  return { error: `${response.status} ${response.statusText}` }
}

/** The data of an envelope that was sent for by itself. @throws ServerError for a refusal */
export async function takeAnswer(response: Response): Promise<unknown> {
  const body = await readJson(response)
  if (response.ok) return (body as { data?: unknown }).data
  throw new ServerError(response.status, readRefusal(body, response))
}

/** Fetches a file of the server, such as `/files/…` or `/report/…`. @throws ServerError */
export async function fetchFile(address: string, init?: RequestInit): Promise<Response> {
  const response = await send(new Request(new URL(address, location.origin), init))
  if (response.ok) return response
  throw new ServerError(response.status, readRefusal(await readJson(response), response))
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return (await response.json()) as unknown
  } catch {
    return undefined
  }
}

/** Brings a request to the server. */
type Deliver = (request: Request) => Promise<Response>

/** Sends a request with the token; once more with a new one where the old has ended. */
export async function send(request: Request, deliver: Deliver = fetch): Promise<Response> {
  request.headers.set('Accept-Language', language.value)
  // Each try takes a copy: the request itself is there for another.
  const first = await sendWithToken(request, deliver)
  const isOver =
    first.status === 401 &&
    (first.headers.get('www-authenticate') ?? '').includes('invalid_token') &&
    !request.url.includes(OPEN)
  return isOver && (await refreshTokens()) ? sendWithToken(request, deliver) : first
}

/**
 * One try: a token that has ended is renewed first, which the server must answer, too. A call that
 * comes behind a sign-out is refused here, as the server would.
 */
async function sendOnce(request: Request, deliver: Deliver): Promise<Response> {
  // What the sign-in asks for waits for no session.
  const token = request.url.includes(METHODS) ? undefined : await findToken()
  if (token !== undefined) request.headers.set('Authorization', `Bearer ${token}`)
  else if (!request.url.includes(OPEN))
    return Response.json({ success: false, error: say('sessionEnded') }, { status: 401 })
  return deliver(request)
}

const mayRepeat = ({ method, headers, url }: Request): boolean =>
  method === 'GET' || headers.has('Idempotency-Key') || ASKS.test(new URL(url).pathname)

/** Tries again while the server is away, where the request may be made twice. */
async function sendWithToken(request: Request, deliver: Deliver): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const answer = await sendOnce(request.clone(), deliver).catch((error: unknown) => {
      if (request.signal.aborted || !mayRepeat(request) || tries >= TRIES_MAX) throw error
      return undefined
    })
    if (answer && !(answer.status === 503 && mayRepeat(request) && tries < TRIES_MAX)) {
      isReached.value = true
      return answer
    }
    if (tries > 1) isReached.value = false
    await pause(planWait(tries, answer), request.signal)
  }
}

function planWait(tries: number, answer: Response | undefined): number {
  const asked = Number(answer?.headers.get('retry-after') ?? 0) * 1000
  return Math.min(WAIT_MAX_MS, Math.max(asked, WAIT_MIN_MS * 2 ** Math.min(tries, 5)))
}

/** Waits; an abort ends it with the abort's reason. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    })
  })
