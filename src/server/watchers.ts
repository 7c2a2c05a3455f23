/** Programs that read the figures of the server without a token: by where they ask from. */
import { isOfNetworks, type Network, parseNetworks } from '../engine/outbound/inner-address.ts'

const LOOPBACK = parseNetworks(['127.0.0.0/8', '::1'])

/** Headers by which proxies tell for whom they ask. */
const FORWARDING = /^(?:forwarded|via|x-forwarded(?:-.*)?|(?:.*-)?(?:client|real|connecting)-ip)$/

const isForwarded = (headers: Headers): boolean => {
  for (const name of headers.keys()) if (FORWARDING.test(name)) return true
  return false
}

/**
 * True for a request from this machine itself, not passed on by a proxy, and for one from one of
 * the networks. `peer` holds the connection, `address` is the client behind trusted proxies: what
 * another proxy passes on may come from anywhere.
 */
export function isWatcher(
  { peer, address }: { peer: string | undefined; address: string | undefined },
  headers: Headers,
  networks: readonly Network[],
): boolean {
  if (peer === undefined || address === undefined) return false
  if (!isForwarded(headers)) return isOfNetworks(peer, LOOPBACK) || isOfNetworks(address, networks)
  return !isSame(peer, address) && isOfNetworks(address, networks)
}

const isSame = (peer: string, address: string): boolean =>
  peer.toLowerCase().replace(/^::ffff:(?=[\d.]+$)/, '') === address
