/** `Svc:Outbound:*`: where the server sends to when a user or an author named the address. */
import { readFileSync } from 'node:fs'
import { type Message, say } from '../../kernel/messages.ts'
import { boolean, list, text } from '../../kernel/setting.ts'
import { SettingError, type Settings } from '../../kernel/settings.ts'
import { isInnerAddress, isOfNetworks, type Network, parseNetwork } from './inner-address.ts'

export const OUTBOUND = {
  allowHttp: boolean(
    'Svc:Outbound:AllowHttp',
    'Whether webhooks and push messages may also go unencrypted, by http',
    false,
  ),
  ports: list('Svc:Outbound:Ports', 'Ports that they may be sent to beside 443', {
    each: /^(?!0)\d{1,5}$/,
    expected: 'ports like 8443',
  }),
  allow: list(
    'Svc:Outbound:Allow',
    'Own hosts and networks that they may be sent to: hooks.local, *.corp.local, 10.1.0.0/16',
    { each: /^[^\s@?#]+$/, expected: 'hosts or networks like hooks.local or 10.1.0.0/16' },
  ),
  caFile: text(
    'Svc:Outbound:CaFile',
    'PEM file of an authority of your own that receivers’ certificates may be of',
    '',
  ),
}

/** Resolves all addresses of a name. */
type ResolveName = (name: string) => Promise<readonly string[]>

export interface OutboundPolicy {
  allowHttp: boolean
  ports: ReadonlySet<number>
  /** Names that may have inner addresses; a leading `*.` matches any names. */
  allowedNames: readonly string[]
  /** Networks that are inner and yet may be sent to. */
  allowedNetworks: readonly Network[]
  /** PEM; undefined: the authorities that everybody trusts. */
  ca: readonly string[] | undefined
  resolve: ResolveName
}

/** An address that is never sent to. */
export class OutboundRefusal extends Error {
  /** The message for the user who named the address; it tells nothing of the host. */
  readonly text: Message

  constructor(message: Message) {
    super(String(message))
    this.text = message
  }
}

const URL_CHARACTERS_MAX = 2048

/** Names that are of one machine or one house (RFC 6761, 6762, 8375). */
const INNER_NAME = /^[^.]*$|(?:^|\.)(?:localhost|local|internal|home\.arpa)$/

/** One sentence for all refusals: inner names and addresses must not be found out by it. */
export const INNER_HOST = say`Requests to this host are not allowed`

/** @throws SettingError */
export function readOutboundPolicy(settings: Settings): OutboundPolicy {
  const allowed = settings.get(OUTBOUND.allow).map((entry) => [entry, parseNetwork(entry)] as const)
  const slashed = allowed.find(([entry, network]) => !network && entry.includes('/'))
  if (slashed) throw new SettingError(`Setting Svc:Outbound:Allow: ${slashed[0]} is no network`)
  return {
    allowHttp: settings.get(OUTBOUND.allowHttp),
    ports: new Set([443, ...settings.get(OUTBOUND.ports).map(Number)]),
    allowedNames: allowed.flatMap(([entry, network]) => (network ? [] : [entry.toLowerCase()])),
    allowedNetworks: allowed.flatMap(([, network]) => (network ? [network] : [])),
    ca: readAuthority(settings.get(OUTBOUND.caFile)),
    resolve: resolveName,
  }
}

/**
 * All addresses of a name, by /etc/hosts and DNS. By `c-ares`, which waits in no thread: with 200
 * names whose server is silent, `node:dns` held up each read of a file for 20 seconds.
 */
async function resolveName(name: string): Promise<string[]> {
  const found = await Bun.dns.lookup(name, { backend: 'c-ares' })
  return found.map(({ address }) => address)
}

function readAuthority(file: string): string[] | undefined {
  if (file === '') return undefined
  // Loaded where it is needed: a start does not wait for it.
  const { rootCertificates } = process.getBuiltinModule('node:tls')
  try {
    return [...rootCertificates, readFileSync(file, 'utf8')]
  } catch (error) {
    throw new SettingError(`Setting Svc:Outbound:CaFile: ${file} cannot be read: ${String(error)}`)
  }
}

/**
 * Checks the parts of an address that need no name lookup: scheme, port, user info, inner names,
 * and inner addresses in every notation that a URL may write them in.
 * @throws OutboundRefusal
 */
export function checkOutboundUrl(address: string, policy: OutboundPolicy): URL {
  const url = address.length > URL_CHARACTERS_MAX ? null : URL.parse(address)
  if (!url)
    throw new OutboundRefusal(say`This must be a URL of at most ${URL_CHARACTERS_MAX} characters`)
  const isHttp = url.protocol === 'http:'
  if (url.protocol !== 'https:' && !(isHttp && policy.allowHttp))
    throw new OutboundRefusal(say`The address must begin with https://`)
  if (url.username !== '' || url.password !== '')
    throw new OutboundRefusal(say`The address must not contain a user or a password`)
  const port = portOf(url)
  if (!policy.ports.has(port) && !(isHttp && port === 80))
    throw new OutboundRefusal(say`Requests to this port are not allowed`)
  const host = hostOf(url)
  if (isAllowedName(host, policy)) return url
  const isInner = isLiteral(url) ? isRefusedAddress(host, policy) : INNER_NAME.test(host)
  if (isInner) throw new OutboundRefusal(INNER_HOST)
  return url
}

/**
 * The addresses that a checked URL may be sent to now. An inner one refuses the name: a second
 * lookup may give another answer, so requests connect to these addresses and no others.
 * @throws OutboundRefusal, also where the name has no address
 */
export async function resolveOutbound(
  url: URL,
  policy: OutboundPolicy,
): Promise<readonly string[]> {
  const host = hostOf(url)
  if (isLiteral(url)) return [host]
  const addresses = await policy.resolve(host).catch(() => [])
  const isRefused =
    !isAllowedName(host, policy) && addresses.some((each) => isRefusedAddress(each, policy))
  if (addresses.length === 0 || isRefused) throw new OutboundRefusal(INNER_HOST)
  return addresses
}

/** The name or address, in small letters, without brackets and dots at the end. */
export const hostOf = ({ hostname }: URL): string =>
  hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '')

/** 443 or 80 where the URL names none. */
export const portOf = ({ port, protocol }: URL): number =>
  Number(port || (protocol === 'https:' ? 443 : 80))

/** True when the host is an address; a URL has each notation of IPv4 written out. */
const isLiteral = (url: URL): boolean => parseNetwork(hostOf(url)) !== undefined

const isRefusedAddress = (address: string, policy: OutboundPolicy): boolean =>
  isInnerAddress(address) && !isOfNetworks(address, policy.allowedNetworks)

const isAllowedName = (host: string, { allowedNames }: OutboundPolicy): boolean =>
  allowedNames.some((name) =>
    name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name,
  )
