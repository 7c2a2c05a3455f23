/** The answer of plain HTTP where the server speaks TLS. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { requireHost, withAddress } from '../host.ts'

/** The path of a challenge (RFC 8555, 8.3): its token has no dot and no slash. */
const CHALLENGE = /^\/\.well-known\/acme-challenge\/([\w-]+)$/

/**
 * Answers a challenge of an authority that proves the host by plain HTTP; undefined for any other
 * request. `folder` has `.well-known/acme-challenge/`, and a file for each token.
 */
export function answerChallenge({ url }: Request, folder: string): Response | undefined {
  const [path, token] = CHALLENGE.exec(URL.parse(url)?.pathname ?? '') ?? []
  if (path === undefined || token === undefined || folder === '') return undefined
  const file = join(folder, path)
  if (!existsSync(file)) return new Response(null, { status: 404 })
  return new Response(Bun.file(file), { headers: { 'Content-Type': 'text/plain' } })
}

/**
 * Sends a request to the same host and path by https; method and body stay what they are (RFC
 * 9110, 15.4.9). `port` is that of https. A request without one valid Host is 400.
 */
export function redirectToTls(received: Request, port: number): Response {
  try {
    const request = withAddress(received)
    requireHost(request)
    if (request.headers.get('host') === null) return new Response(null, { status: 400 })
    const { hostname, pathname, search } = new URL(request.url)
    const location = `https://${hostname}${port === 443 ? '' : `:${port}`}${pathname}${search}`
    return new Response(null, { status: 308, headers: { Location: location } })
  } catch {
    return new Response(null, { status: 400 })
  }
}
