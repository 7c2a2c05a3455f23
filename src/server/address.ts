/** The network address of a caller, behind proxies too. */
import { isIP } from 'node:net'

/**
 * The nearest address that is no trusted proxy's: the peer's own, or what the proxies wrote into
 * `X-Forwarded-For`, read from its end, since everything before it could be forged. What is no
 * address there ends the search at the proxy that let it through.
 */
export function findClientAddress(
  peer: string | undefined,
  forwardedFor: string | null,
  proxies: ReadonlySet<string>,
): string | undefined {
  if (peer === undefined) return undefined
  let nearest = plain(peer)
  const hops = (forwardedFor ?? '').split(',').map((hop) => plain(hop.trim()))
  while (proxies.has(nearest)) {
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
