/**
 * The way through to the engine: requests and answers as they are, as streams in both directions,
 * so that a browser knows one origin. Only the refresh token is held back (`refresh-cookie.ts`).
 */
import {
  BODY_MAX,
  isOfOwnPage,
  isRefresh,
  isWithoutToken,
  mayBearToken,
  planCookie,
  putToken,
  readToken,
  takesToken,
  takeToken,
} from './refresh-cookie.ts'
import { refuse } from './refusal.ts'

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

/** A request's facts that the engine is told. */
interface Visitor {
  /** The address of the browser. */
  address: string | undefined
  /** True where the browser came by https. */
  isSecure: boolean
}

/** Where a request goes, and for whom. */
interface Way {
  /** As the browser asked for it: the engine may be below a base path. */
  path: string
  /** The address at the engine. */
  target: URL
  visitor: Visitor
}

/** Passes a request to the engine, and its answer back. */
export async function passThrough(request: Request, way: Way): Promise<Response> {
  const { path, target, visitor } = way
  // A browser asks at its first visit, too: no session is no fault.
  if (isRefresh(path) && isWithoutToken(request)) return new Response(null, { status: 204 })
  const init = await planRequest(request, way)
  if (!init) return refuse(request, 'BODY_TOO_LARGE')
  const answer = await fetch(target, init).catch((error: unknown) => explainFault(error, request))
  const headers = passHeaders(answer.headers)
  // A page of another origin must neither end the session of ours nor put its own in its place.
  if (!mayBearToken(path) || !isJson(answer) || !isOfOwnPage(request))
    return new Response(answer.body, { status: answer.status, headers })
  return keepToken(answer, { headers, path, isSecure: visitor.isSecure })
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/** On this machine the certificate bears the name that the world knows, not this address. */
export const tlsTo = ({ hostname }: URL): { rejectUnauthorized: boolean } => ({
  rejectUnauthorized: !LOOPBACK.test(hostname),
})

/** The request as it goes on; undefined where its body is larger than those of its route. */
async function planRequest(
  request: Request,
  { path, target, visitor: { address, isSecure } }: Way,
): Promise<BunFetchRequestInit | undefined> {
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
    tls: tlsTo(target),
  } as const
  if (request.method === 'GET' || request.method === 'HEAD') return init
  if (!takesToken(path)) return { ...init, body: request.body }
  headers.delete('content-length')
  if (!headers.has('content-type')) headers.set('Content-Type', 'application/json')
  const body = await readShort(request)
  return body === undefined ? undefined : { ...init, body: putToken(body, readToken(request)) }
}

/** The text of a short body; undefined for a longer one, of which no more is read. */
async function readShort({ body }: Request): Promise<string | undefined> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.byteLength
    if (bytes > BODY_MAX) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
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
  { headers, path, isSecure }: { headers: Headers; path: string; isSecure: boolean },
): Promise<Response> {
  const text = await readText(answer)
  const taken = takeToken(text)
  const isOver = takesToken(path) && (path.endsWith('/logout') ? answer.ok : answer.status === 401)
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
  return refuse(
    request,
    'SERVER_UNREACHABLE',
    error instanceof Error ? error.message : String(error),
  )
}
