/**
 * Cross-origin calls of browsers: the origins of `Svc:Cors:Origins`, compared whole, and no
 * others.
 */

const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const ALLOWED_HEADERS =
  'Accept-Language, Authorization, Content-Type, X-TimeZone, Idempotency-Key, If-None-Match, ' +
  'If-Range, Range, traceparent, Mcp-Protocol-Version, Mcp-Session-Id'
/** Path below which hubs are. */
export const HUBS_PATH = '/api/v1/hubs'

/** Headers that clients of SignalR send beside these. */
const HUB_HEADERS = `${ALLOWED_HEADERS}, X-Requested-With, X-SignalR-User-Agent`
const EXPOSED_HEADERS =
  'X-Trace-Id, Content-Language, ETag, Retry-After, WWW-Authenticate, Content-Disposition, ' +
  'Content-Range, Accept-Ranges, Idempotency-Replayed, Mcp-Session-Id'
const PREFLIGHT_SECONDS = '600'

/**
 * The answer to `OPTIONS /`, with which load balancers ask whether there is a server at all (RFC
 * 9110, 9.3.7); undefined for everything else. It tells the same of every server.
 */
export const findPing = (method: string, path: string): Response | undefined =>
  method === 'OPTIONS' && path === '/'
    ? new Response(null, { status: 204, headers: { Allow: `${ALLOWED_METHODS}, OPTIONS` } })
    : undefined

/** Puts the headers of the fetch standard's CORS protocol on answers; errors get them as well. */
export class Cors {
  readonly #origins: ReadonlySet<string>
  readonly #hubs: string

  /** `hubs` is the path above all hubs. */
  constructor(origins: readonly string[], hubs: string) {
    this.#origins = new Set(origins)
    this.#hubs = `${hubs}/`
  }

  /**
   * Adds the headers; none when no origin is set. Credentials are allowed at hubs alone, whose
   * clients ask for them; they are of no use to an attacker, since tokens come in a header.
   */
  apply(request: Request, path: string, headers: Headers): void {
    if (this.#origins.size === 0) return
    headers.append('Vary', 'Origin')
    const origin = request.headers.get('origin')
    if (origin === null || !this.#origins.has(origin)) return
    headers.set('Access-Control-Allow-Origin', origin)
    if (path.startsWith(this.#hubs)) headers.set('Access-Control-Allow-Credentials', 'true')
    headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS)
  }

  /** The answer to a preflight request of an allowed origin; undefined for everything else. */
  findPreflight(request: Request, path: string): Response | undefined {
    if (request.method !== 'OPTIONS') return undefined
    const origin = request.headers.get('origin')
    const isPreflight = request.headers.has('access-control-request-method')
    if (origin === null || !isPreflight || !this.#origins.has(origin)) return undefined
    return new Response(null, {
      status: 204,
      headers: {
        'Access-Control-Allow-Methods': ALLOWED_METHODS,
        'Access-Control-Allow-Headers': path.startsWith(this.#hubs) ? HUB_HEADERS : ALLOWED_HEADERS,
        'Access-Control-Max-Age': PREFLIGHT_SECONDS,
      },
    })
  }
}
