/**
 * Host and client of a request. Without a usable host (RFC 9112, 3.2) Bun gives no whole address,
 * and a search for the path behind the host would find it in the middle of the path.
 */
import { isIP } from 'node:net'
import { invalid } from '../kernel/failure.ts'
import { Lru } from '../kernel/lru.ts'
import { say } from '../kernel/messages.ts'

/** A name, an IPv4 address or an IPv6 address in brackets; a port behind it, or none. */
const HOST = /^(?:[\w.~-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::(\d{0,5}))?$/i

const PORT_MAX = 65_535

/** Host of an HTTP/1.0 request that does not name one; no answer names it. */
const NAMELESS = 'http://localhost'

const SLASH = '/'

/** Hosts that were found good; clients name few different ones. */
const known = new Lru<string, true>(100)

/**
 * Offset from which Elysia looks for the path: behind `http://`, or with TLS behind `https://` and
 * a host of three letters (its `standardHostname`).
 */
export const pathSearchFrom = (isTls: boolean): number => (isTls ? 11 : 7)

/** Offset of the path, in the address of a request. */
export const findPathStart = (url: string): number =>
  url.indexOf(SLASH, url.startsWith('https:') ? 'https://'.length : 'http://'.length)

/**
 * The request with a whole address: itself, or for one without a usable Host a copy whose path is
 * the one that was sent. HTTP/1.0 needs no Host; Bun refuses HTTP/1.1 without one by itself. Also a
 * copy where Elysia would look for the path behind its beginning: hosts of a few letters, with TLS.
 */
export function withAddress(request: Request, searchFrom = pathSearchFrom(false)): Request {
  const { url } = request
  if (url.startsWith(SLASH)) return new Request(NAMELESS + url, request)
  if (searchFrom === pathSearchFrom(false)) return request
  const start = findPathStart(url)
  return start < searchFrom ? new Request(NAMELESS + url.slice(start), request) : request
}

/** @throws invalid (400) for a Host that is empty or none, and for two of them. */
export function requireHost(request: Request): void {
  const host = request.headers.get('host')
  if (host === null || known.find(host)) return
  const [whole, port] = HOST.exec(host) ?? []
  if (whole === undefined || Number(port ?? 0) > PORT_MAX)
    throw invalid(say`The Host header must name one valid host`, { code: 'HOST_INVALID' })
  known.keep(host, true)
}

/**
 * Returns the nearest address that is not a trusted proxy's: the peer's own, or what the proxies
 * wrote into `X-Forwarded-For`, read from its end, since everything before it could be forged. Text
 * that is not an address ends the search at the proxy that let it through.
 */
export function findClientAddress(
  peer: string | undefined,
  forwardedFor: string | null,
  isProxy: (address: string) => boolean,
): string | undefined {
  if (peer === undefined) return undefined
  let nearest = plain(peer)
  const hops = (forwardedFor ?? '').split(',').map((hop) => plain(hop.trim()))
  while (isProxy(nearest)) {
    const hop = hops.pop()
    if (hop === undefined || isIP(hop) === 0) return nearest
    nearest = hop
  }
  return nearest
}

/** Without brackets and port; an IPv4 address in IPv6 clothes (RFC 4291, 2.5.5.2) as IPv4. */
function plain(address: string): string {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, '$1')
  return bare.toLowerCase().replace(/^::ffff:(?=[\d.]+$)/, '')
}
