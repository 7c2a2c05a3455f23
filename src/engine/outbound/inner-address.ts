/** Inner addresses: not of the public internet, so that no user may have requests sent to them. */
import ipaddr from 'ipaddr.js'

/** A network, or one address of it. */
export type Network = [address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number]

/** Public by the tables, and yet answered by the host's own platform: Azure's agent. */
const PLATFORM = new Set(['168.63.129.16'])

/** The network of the internet's IPv6 addresses; ranges beyond it are not given out. */
const GLOBAL_IPV6: Network = [ipaddr.parse('2000::'), 3]

/**
 * True when an address is loopback, private, link-local, shared, reserved, or one that IPv4 is
 * written in (`::ffff:0:0/96`, NAT64, 6to4). A text that is not an address counts as inner.
 */
export function isInnerAddress(text: string): boolean {
  const address = parseAddress(text)
  if (address === undefined || address.range() !== 'unicast') return true
  if (address.kind() === 'ipv4') return PLATFORM.has(address.toString())
  return !address.match(GLOBAL_IPV6)
}

/** True when an address is in one of the networks; an IPv4-mapped one counts as IPv4. */
export function isOfNetworks(text: string, networks: readonly Network[]): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  return networks.some((network) => address.kind() === network[0].kind() && address.match(network))
}

/** `10.1.0.0/16`, or an address as the network that has it alone; undefined for other texts. */
export function parseNetwork(text: string): Network | undefined {
  if (ipaddr.isValidCIDR(text)) return toPlain(ipaddr.parseCIDR(text))
  const address = parseAddress(text)
  return address && toPlain([address, address.kind() === 'ipv4' ? 32 : 128])
}

/** Bits before an IPv4 address that is written as IPv6 (RFC 4291, 2.5.5.2). */
const MAPPED_BITS = 96

/** Turns an IPv4 address in IPv6 form, or a network of them, into plain IPv4. */
function toPlain([address, bits]: Network): Network {
  if (!(address instanceof ipaddr.IPv6) || !address.isIPv4MappedAddress() || bits < MAPPED_BITS)
    return [address, bits]
  return [address.toIPv4Address(), bits - MAPPED_BITS]
}

/** The networks that texts name. */
export const parseNetworks = (texts: readonly string[]): Network[] =>
  texts.map(parseNetwork).filter((network) => network !== undefined)

/** Four decimal numbers, or IPv6; not the short forms, which a URL has written out before. */
const parseAddress = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
    ? ipaddr.parse(text)
    : undefined
