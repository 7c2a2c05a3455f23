/**
 * The refresh token between a browser and the engine: it lives in a cookie that no script can
 * read. It is taken out of every answer that bears one and put into what needs it.
 */

/** Name of the cookie. */
const NAME = 'appengine_refresh'

/** The cookie goes to these addresses alone. */
const PATH = '/api/v1/auth'

/** Answers of these may bear tokens. */
const TOKEN_PATHS = /^\/api\/v1\/(?:auth|impersonation)\/|^\/api\/v1\/svc\/company\/switch$/

/** Requests that are carried out with the refresh token. */
const TAKES_TOKEN = /^\/api\/v1\/auth\/(?:refresh|logout)$/

/** Bytes that a body of these routes has at most. */
export const BODY_MAX = 64 * 1024

/** True for a path whose answers may bear a refresh token. */
export const mayBearToken = (path: string): boolean => TOKEN_PATHS.test(path)

/** True for a path whose requests take the refresh token out of the cookie. */
export const takesToken = (path: string): boolean => TAKES_TOKEN.test(path)

/** True for the path of the refresh. */
export const isRefresh = (path: string): boolean => path === '/api/v1/auth/refresh'

/** True for a request with no refresh token: none in its cookie, and nothing in its body. */
export const isWithoutToken = (request: Request): boolean =>
  readToken(request) === undefined &&
  Number(request.headers.get('content-length') ?? 0) <= '{}'.length

/** True for a request of a page of this address, or of no page at all. */
export function isOfOwnPage({ headers }: Request): boolean {
  const origin = headers.get('origin')
  return origin === null || URL.parse(origin)?.host === headers.get('host')
}

/**
 * The refresh token of a request's cookies; undefined without one, and for a page of another
 * origin: to `SameSite` another port of this machine is the same site.
 */
export function readToken(request: Request): string | undefined {
  if (!isOfOwnPage(request)) return undefined
  const cookies = new Bun.CookieMap(request.headers.get('cookie') ?? '')
  return cookies.get(NAME) ?? undefined
}

/** A request's JSON with the cookie's token; as it is where it names one itself, or has none. */
export function putToken(body: string, token: string | undefined): string {
  if (token === undefined) return body
  const value = readObject(body === '' ? '{}' : body)
  if (!value || Object.keys(value).some((name) => name.toLowerCase() === 'refreshtoken'))
    return body
  return JSON.stringify({ ...value, RefreshToken: token })
}

/** An answer's JSON without its refresh token, and that token with the seconds that it holds. */
interface TakenToken {
  body: string
  token: string
  seconds: number
}

/** Takes the refresh token out of an answer; undefined where it bears none. */
export function takeToken(body: string): TakenToken | undefined {
  if (!body.includes('"RefreshToken"')) return undefined
  const answer = readObject(body)
  const data = answer?.data
  if (!isObject(data) || typeof data.RefreshToken !== 'string') return undefined
  const { RefreshToken, ...rest } = data
  const seconds = typeof data.RefreshExpiresIn === 'number' ? data.RefreshExpiresIn : 0
  return { body: JSON.stringify({ ...answer, data: rest }), token: RefreshToken, seconds }
}

/** The Set-Cookie that keeps a token, or ends the cookie without one. */
export function planCookie(taken: TakenToken | undefined, isSecure: boolean): string {
  return new Bun.Cookie({
    name: NAME,
    value: taken?.token ?? '',
    path: PATH,
    maxAge: taken?.seconds ?? 0,
    httpOnly: true,
    sameSite: 'strict',
    secure: isSecure,
  }).toString()
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    // What is no JSON is the engine's to refuse, as it stands.
    return undefined
  }
}
