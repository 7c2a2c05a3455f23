/**
 * The way through to the engine: requests and answers as they are, as streams in both directions,
 * so that a browser knows one origin. Only the refresh token is held back (`refresh-cookie.ts`).
 */
import {
  isRefresh,
  isWithoutToken,
  mayBearToken,
  planCookie,
  putToken,
  readToken,
  takesToken,
  takeToken,
} from './refresh-cookie.ts'

/** Headers of one connection alone (RFC 9110, 7.6.1), and what the runtime says anew. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The engine is asked again in the time that a restart takes, for what may be asked twice. */
const RETRY_SECONDS = 2

/** A request's facts that the engine is told. */
interface Visitor {
  /** The address of the browser. */
  address: string | undefined
  /** True where the browser came by https. */
  isSecure: boolean
}

/** Passes a request to the engine at `api`, and its answer back. */
export async function passThrough(
  request: Request,
  { api, visitor }: { api: URL; visitor: Visitor },
): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  // A browser asks at its first visit, too: no session is no fault.
  if (isRefresh(pathname) && isWithoutToken(request)) return new Response(null, { status: 204 })
  const target = `${api.origin}${api.pathname.replace(/\/$/, '')}${pathname}${search}`
  const answer = await fetch(target, await planRequest(request, { api, pathname, visitor })).catch(
    (error: unknown) => explainFault(error, request),
  )
  const headers = passHeaders(answer.headers)
  if (!mayBearToken(pathname) || !isJson(answer))
    return new Response(answer.body, { status: answer.status, headers })
  return keepToken(answer, { headers, pathname, isSecure: visitor.isSecure })
}

/** Where a request goes, and for whom. */
interface Way {
  api: URL
  pathname: string
  visitor: Visitor
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/** On this machine the certificate bears the name that the world knows, not this address. */
export const tlsTo = ({ hostname }: URL): { rejectUnauthorized: boolean } => ({
  rejectUnauthorized: !LOOPBACK.test(hostname),
})

async function planRequest(
  request: Request,
  { api, pathname: path, visitor: { address, isSecure } }: Way,
): Promise<BunFetchRequestInit> {
  const headers = passHeaders(request.headers)
  headers.delete('host')
  // A cookie is between browser and front alone.
  headers.delete('cookie')
  const before = headers.get('x-forwarded-for')
  if (address !== undefined)
    headers.set('X-Forwarded-For', before === null ? address : `${before}, ${address}`)
  headers.set('X-Forwarded-Proto', isSecure ? 'https' : 'http')
  const host = request.headers.get('host')
  if (host !== null) headers.set('X-Forwarded-Host', host)
  const init = {
    method: request.method,
    headers,
    redirect: 'manual',
    decompress: false,
    signal: request.signal,
    tls: tlsTo(api),
  } as const
  if (request.method === 'GET' || request.method === 'HEAD') return init
  if (!takesToken(path)) return { ...init, body: request.body }
  headers.delete('content-length')
  if (!headers.has('content-type')) headers.set('Content-Type', 'application/json')
  return { ...init, body: putToken(await request.text(), readToken(request)) }
}

function passHeaders(given: Headers): Headers {
  const headers = new Headers()
  const named = (given.get('connection') ?? '').toLowerCase().split(/\s*,\s*/)
  for (const [name, value] of given)
    if (!HOP_BY_HOP.has(name) && !named.includes(name)) headers.append(name, value)
  return headers
}

const isJson = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('application/json') ?? false

/** The answer without its refresh token, which goes into the cookie; a logout ends the cookie. */
async function keepToken(
  answer: Response,
  { headers, pathname, isSecure }: { headers: Headers; pathname: string; isSecure: boolean },
): Promise<Response> {
  const text = await readText(answer)
  const taken = takeToken(text)
  const isOver =
    takesToken(pathname) && (pathname.endsWith('/logout') ? answer.ok : answer.status === 401)
  headers.delete('content-encoding')
  headers.delete('content-length')
  if (taken || isOver) headers.append('Set-Cookie', planCookie(taken, isSecure))
  return new Response(taken?.body ?? text, { status: answer.status, headers })
}

/** The text of a short answer, which `decompress: false` has left packed. */
async function readText(answer: Response): Promise<string> {
  const bytes = new Uint8Array(await answer.arrayBuffer())
  const coding = answer.headers.get('content-encoding')
  if (coding === 'gzip') return Buffer.from(Bun.gunzipSync(bytes)).toString()
  if (coding === 'zstd') return (await Bun.zstdDecompress(bytes)).toString()
  return Buffer.from(bytes).toString()
}

/** The engine cannot be reached, as it starts again or is not there: what the engine would say. */
function explainFault(error: unknown, request: Request): Response {
  if (request.signal.aborted) return new Response(null, { status: 499 })
  const message = error instanceof Error ? error.message : String(error)
  return Response.json(
    {
      success: false,
      error: 'The server cannot be reached. It may be starting; try again in a moment',
      code: 'SERVER_UNREACHABLE',
      reason: message,
    },
    { status: 503, headers: { 'Retry-After': String(RETRY_SECONDS) } },
  )
}
