import { expect, test } from 'bun:test'
import { isOfNetworks, parseNetworks } from '../../src/engine/outbound/inner-address.ts'
import { findClientAddress } from '../../src/server/host.ts'

const PROXIES = parseNetworks(['10.0.0.1', '10.0.0.2', '::1', '172.16.0.0/12', 'fd00::/8'])
const isProxy = (address: string): boolean => isOfNetworks(address, PROXIES)

test.each([
  ['no proxy: the header is the caller’s own word', '192.0.2.7', '203.0.113.9', '192.0.2.7'],
  ['a trusted proxy', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['two of them', '10.0.0.1', '203.0.113.9, 10.0.0.2', '203.0.113.9'],
  ['forged entries before it', '10.0.0.1', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
  ['IPv6', '::1', '2001:db8::7', '2001:db8::7'],
  ['IPv4 in IPv6 clothes', '::ffff:10.0.0.1', '::FFFF:203.0.113.9', '203.0.113.9'],
  ['with ports', '10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
  ['IPv6 with a port', '10.0.0.1', '[2001:DB8::7]:4711', '2001:db8::7'],
  ['no header', '10.0.0.1', null, '10.0.0.1'],
  ['what is no address', '10.0.0.1', "' OR 1=1", '10.0.0.1'],
  ['only proxies', '10.0.0.1', '10.0.0.2', '10.0.0.2'],
  ['a network', '172.20.1.1', '203.0.113.9, 172.31.255.254', '203.0.113.9'],
  ['an address beside it', '172.32.0.1', '203.0.113.9', '172.32.0.1'],
  ['a network of IPv6', 'fd00::7', '203.0.113.9', '203.0.113.9'],
  ['no network', undefined, '203.0.113.9', undefined],
])('%s', (_, peer, header, expected) => {
  expect(findClientAddress(peer, header, isProxy)).toBe(expected)
})

test('networks of IPv4 in IPv6 clothes are those of IPv4', () => {
  const networks = parseNetworks(['::ffff:10.0.0.0/104', '::ffff:192.0.2.7', '::/0'])
  const trusted = [
    '10.1.2.3',
    '::ffff:10.1.2.3',
    '192.0.2.7',
    '11.0.0.1',
    '192.0.2.8',
    '2001:db8::1',
  ]
  expect(trusted.filter((address) => isOfNetworks(address, networks))).toEqual([
    ...['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.7', '2001:db8::1'],
  ])
})
