/**
 * Cross-origin calls of browsers: the origins of `Svc:Cors:Origins`, compared whole, and no
 * others.
 */

const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const ALLOWED_HEADERS =
  'Accept-Language, Authorization, Content-Type, X-TimeZone, Idempotency-Key, If-None-Match, ' +
  'If-Range, Range, traceparent'
const EXPOSED_HEADERS =
  'X-Trace-Id, Content-Language, ETag, Retry-After, WWW-Authenticate, Content-Disposition, ' +
  'Content-Range, Accept-Ranges, Idempotency-Replayed'
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

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins)
  }

  /** Nothing is announced when no origin is set. No credentials: tokens come in a header. */
  apply(request: Request, headers: Headers): void {
    if (this.#origins.size === 0) return
    headers.append('Vary', 'Origin')
    const origin = request.headers.get('origin')
    if (origin === null || !this.#origins.has(origin)) return
    headers.set('Access-Control-Allow-Origin', origin)
    headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS)
  }

  /** The answer to a preflight request of an allowed origin; undefined for everything else. */
  findPreflight(request: Request): Response | undefined {
    if (request.method !== 'OPTIONS') return undefined
    const origin = request.headers.get('origin')
    const isPreflight = request.headers.has('access-control-request-method')
    if (origin === null || !isPreflight || !this.#origins.has(origin)) return undefined
    return new Response(null, {
      status: 204,
      headers: {
        'Access-Control-Allow-Methods': ALLOWED_METHODS,
        'Access-Control-Allow-Headers': ALLOWED_HEADERS,
        'Access-Control-Max-Age': PREFLIGHT_SECONDS,
      },
    })
  }
}
