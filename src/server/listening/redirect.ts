/** The answer of plain HTTP where the server speaks TLS. */
import { requireHost, withAddress } from '../host.ts'

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
