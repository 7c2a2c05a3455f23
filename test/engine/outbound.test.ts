import { afterAll, describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { loadSettings, type Settings } from '../../src/kernel/settings.ts'
import type { Network } from '../../src/engine/outbound/inner-address.ts'
import {
  checkOutboundUrl,
  OUTBOUND,
  type OutboundPolicy,
  OutboundRefusal,
  readOutboundPolicy,
  resolveOutbound,
} from '../../src/engine/outbound/outbound-policy.ts'
import {
  OutboundFailure,
  type OutboundRequest,
  sendOutbound,
} from '../../src/engine/outbound/send-outbound.ts'
import { TEST_CERTIFICATE } from '../support/certificate.ts'
import { RawReceiver, serveTls } from '../support/receiver.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

const STRICT: OutboundPolicy = {
  allowHttp: false,
  ports: new Set([443]),
  allowedNames: [],
  allowedNetworks: [],
  ca: undefined,
  resolve: () => Promise.resolve(['93.184.216.34']),
}

/** Lets requests out to one port of `127.0.0.2`, which stands for an outer address. */
const outerAt = (port: number, resolve = ['127.0.0.2']): OutboundPolicy => ({
  ...readOutboundPolicy(readSettings({ 'Svc:Outbound:Allow': '127.0.0.2' })),
  allowHttp: true,
  ports: new Set([443, port]),
  resolve: () => Promise.resolve(resolve),
})

const readSettings = (values: Record<string, string>): Settings =>
  loadSettings({ dataFolder: 'no-such-folder', env: {}, flags: values }, [OUTBOUND])

const POST: OutboundRequest = {
  method: 'POST',
  headers: { 'Content-Type': 'text/plain' },
  body: 'hello',
  timeoutMs: 5000,
  answerBytesMax: 1000,
}

/** The outcome of a request to an address, in a word. */
const send = (address: string, policy: OutboundPolicy, more: Partial<OutboundRequest> = {}) =>
  sendOutbound(address, { ...POST, ...more }, policy).then(
    ({ status, body }) => `${status} ${body.toString()}`,
    (error: unknown) => (error instanceof OutboundFailure ? error.code : nameRefusal(error)),
  )

const nameRefusal = (error: unknown): string => {
  if (error instanceof OutboundRefusal) return 'refused'
  throw error
}

const check = (address: string, policy = STRICT): string => {
  try {
    return checkOutboundUrl(address, policy).hostname
  } catch (error) {
    return nameRefusal(error)
  }
}

/** Directus CVE-2026-35409, Budibase CVE-2026-31818: inner addresses in disguise. */
const DISGUISES = [
  ...['127.0.0.1', '127.1', '127.0.1', '0x7f000001', '0x7f.1', '0177.0.0.1', '2130706433'],
  ...['127.0.0.1.', '127。0。0。1', '①②⑦.0.0.1', '１２７.0.0.1', '%31%32%37.0.0.1', '0', '0.0.0.0'],
  ...['0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.255.255.255'],
  ...['169.254.169.254', '0xa9fea9fe', '172.16.0.1', '172.31.255.255', '192.0.0.192'],
  ...['192.0.2.1', '192.168.1.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1'],
  ...['224.0.0.1', '240.0.0.1', '255.255.255.255', '168.63.129.16'],
  ...['[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[::127.0.0.1]', '[::7f00:1]'],
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:0:127.0.0.1]', '[::ffff:8.8.8.8]'],
  ...['[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]'],
  ...['[2001::1]', '[2001:db8::1]', '[fc00::1]', '[fd00:ec2::254]', '[fe80::1]', '[febf::1]'],
  ...['[fec0::1]', '[ff02::1]', '[100::1]', '[4000::1]', '[fe80::1%25lo]'],
  ...['localhost', 'LOCALHOST', 'localhost.', 'localhost..', 'ⓛocalhost', 'ｌｏｃａｌｈｏｓｔ'],
  ...[
    'a.localhost',
    'printer.local',
    'printer.local.',
    'vault.internal',
    'metadata.google.internal',
  ],
  ...['nas.home.arpa', 'intranet', 'metadata'],
]

const NO_URLS = [
  ...['', 'x', '//example.com', 'http://example.com/', 'ftp://example.com/', 'file:///etc/passwd'],
  ...['javascript:alert(1)', 'data:text/plain,x', 'unix:/run/x.sock', 'HTTP://example.com'],
  ...[
    'https://user@example.com/',
    'https://user:secret@example.com/',
    'https://:secret@example.com',
  ],
  ...['https://example.com:22/', 'https://example.com:80/', 'https://example.com:8443/'],
  ...['https://example.com@127.0.0.1/', 'https://127.0.0.1\\@example.com/', 'https:127.0.0.1'],
  ...[
    'https:\\\\127.0.0.1',
    'https:///127.0.0.1',
    '\u0000https://127.0.0.1',
    'h\tttps://127.0.0.1',
  ],
  ...['https://exa mple.com/', 'https://1.2.3.4.5/', `https://example.com/${'x'.repeat(2048)}`],
]

describe('what a text is told by', () => {
  test.each(DISGUISES)('Directus CVE-2026-35409, Budibase CVE-2026-31818: https://%s', (host) => {
    expect(check(`https://${host}/push`)).toBe('refused')
  })

  test.each(NO_URLS)('no address to send to: %j', (address) => {
    expect(check(address)).toBe('refused')
  })

  test.each([
    ['https://fcm.googleapis.com/fcm/send/a:b?c=d', 'fcm.googleapis.com'],
    ['https://EXAMPLE.com:0443', 'example.com'],
    ['https://example.com.', 'example.com.'],
    ['https://8.8.8.8/', '8.8.8.8'],
    ['https://[2606:4700::1111]/', '[2606:4700::1111]'],
    ['https://localhost.example.com/', 'localhost.example.com'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
  ])('an outer address: %s', (address, host) => {
    expect(check(address)).toBe(host)
  })

  test('settings open hosts, networks, ports and http, and nothing beside them', () => {
    const policy = readOutboundPolicy(
      readSettings({
        'Svc:Outbound:Allow': 'Hooks.local, *.corp.local, 10.1.0.0/16, fd00:1::/32, 192.168.0.9',
        'Svc:Outbound:Ports': '8443',
        'Svc:Outbound:AllowHttp': 'true',
      }),
    )
    const open = ['hooks.local', 'hooks.local:8443', 'a.corp.local', '10.1.2.3', '[fd00:1::5]']
    const shut = ['corp.local', 'xcorp.local', 'a.hooks.local', '10.2.0.1', '[fd00:2::5]']
    for (const host of [...open, '192.168.0.9', 'example.com:80'])
      expect([host, check(`http://${host}/`, policy)]).not.toContain('refused')
    for (const host of [
      ...shut,
      '192.168.0.8',
      'hooks.local:8444',
      '127.0.0.1',
      '[::ffff:10.2.0.1]',
    ])
      expect([host, check(`http://${host}/`, policy)]).toContain('refused')
    expect(check('https://example.com:80/', policy)).toBe('refused')
    expect(() => readOutboundPolicy(readSettings({ 'Svc:Outbound:Allow': '10.0.0.0/99' }))).toThrow(
      'Svc:Outbound:Allow',
    )
  })
})

describe('what a name leads to', () => {
  const names: [string, string[]][] = [
    ['to loopback', ['127.0.0.1']],
    ['to an outer and an inner one', ['93.184.216.34', '10.0.0.1']],
    ['to a mapped one', ['::ffff:127.0.0.1']],
    ['to the link', ['fe80::1%eth0']],
    ['to no address', []],
    ['to what is no address', ['127.1']],
  ]
  test.each(names)('a name that leads %s is not sent to', async (_, found) => {
    const policy = { ...STRICT, resolve: () => Promise.resolve(found) }
    expect(await resolveOutbound(new URL('https://a.example/'), policy).catch(nameRefusal)).toBe(
      'refused',
    )
  })

  test('names of the machine itself are resolved, too', async () => {
    const { resolve } = readOutboundPolicy(readSettings({}))
    expect(await resolve('localhost')).toContain('127.0.0.1')
    expect(await resolve('no-such-name.invalid').catch(() => 'unknown')).toBe('unknown')
  })

  test('a name that is not known is refused by the same words as an inner one', async () => {
    const unknown = { ...STRICT, resolve: () => Promise.reject(new Error('ENOTFOUND')) }
    const inner = { ...STRICT, resolve: () => Promise.resolve(['10.0.0.1']) }
    const said = [unknown, inner].map((policy) =>
      resolveOutbound(new URL('https://a.example/'), policy).catch(String),
    )
    const [first, second] = await Promise.all(said)
    expect(first).toBe(second)
  })
})

describe('requests', () => {
  const heard: string[] = []
  const answers: Record<string, (socket: Socket) => void> = {
    '/ok': (socket) => socket.write(OK),
    '/redirect': (socket) =>
      socket.write(
        'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n',
      ),
    '/long': (socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n${'x'.repeat(5000)}`),
    '/endless': (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const pour = (): unknown => socket.writable && socket.write('x'.repeat(100), pour)
      pour()
    },
    '/headers': (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(100_000)}`),
    '/zip': (socket) => socket.write(zipAnswer()),
    '/noise': (socket) => socket.write('no http\r\n\r\n'),
    '/drip': (socket) =>
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n'),
  }
  const answer = (text: string, socket: Socket): void => {
    heard.push(text)
    answers[text.split(' ')[1] ?? '']?.(socket)
  }
  const outer = RawReceiver.open('127.0.0.2', 0, answer)
  const inner = outer.then(({ port }) => RawReceiver.open('127.0.0.1', port, answer))
  afterAll(async () => {
    await (await outer)[Symbol.asyncDispose]()
    await (await inner)[Symbol.asyncDispose]()
  })

  test('rebinding: what was checked is connected to, though the name has moved', async () => {
    const { port } = await outer
    const found = [['127.0.0.2'], ['127.0.0.1']]
    const policy = { ...outerAt(port), resolve: () => Promise.resolve(found.shift() ?? []) }
    const address = `http://rebind.example:${port}/ok`
    expect(await send(address, policy)).toBe('200 ok')
    expect(found).toHaveLength(1)
    expect(heard.at(-1)).toContain(`\r\nhost: rebind.example:${port}\r\n`)
    expect(await send(address, policy)).toBe('refused')
    expect((await inner).bytes).toBe(0)
  })

  test('a redirect inward is an answer, and not followed', async () => {
    const { port } = await outer
    expect(await send(`http://a.example:${port}/redirect`, outerAt(port))).toBe('302 ')
    expect(await send(`http://127.0.0.1:${port}/ok`, outerAt(port))).toBe('refused')
    expect(await send(`http://a.example:${port}/ok`, outerAt(port, ['127.0.0.1']))).toBe('refused')
    expect((await inner).connections).toBe(0)
  })

  test('an answer is bounded in bytes, headers and time, and is not unpacked', async () => {
    const { port } = await outer
    const policy = outerAt(port)
    const long = await sendOutbound(`http://a.example:${port}/long`, POST, policy)
    expect([long.status, long.body.byteLength, long.isCut]).toEqual([200, 1000, true])
    const endless = await sendOutbound(`http://a.example:${port}/endless`, POST, policy)
    expect([endless.status, endless.body.byteLength, endless.isCut]).toEqual([200, 1000, true])
    const zip = await sendOutbound(`http://a.example:${port}/zip`, POST, policy)
    expect([zip.body.byteLength, zip.isCut]).toEqual([zipped.byteLength, false])
    expect(await send(`http://a.example:${port}/headers`, policy)).toStartWith('HPE_')
    expect(await send(`http://a.example:${port}/noise`, policy)).toStartWith('HPE_')
    const short = { timeoutMs: 50 }
    expect(await send(`http://a.example:${port}/drip`, policy, short)).toBe('ETIMEDOUT')
    expect(await send(`http://a.example:${port}/silence`, policy, short)).toBe('ETIMEDOUT')
    expect(await send(`https://a.example:${port}/silence`, policy, short)).toBe('ETIMEDOUT')
    const hanging = { ...policy, resolve: () => new Promise<string[]>(() => undefined) }
    expect(await send(`http://a.example:${port}/ok`, hanging, short)).toBe('ETIMEDOUT')
    const stop = { signal: AbortSignal.abort() }
    expect(await send(`http://a.example:${port}/ok`, policy, stop)).toBe('ABORTED')
  })

  test('the next address is tried where nobody listens', async () => {
    const { port } = await outer
    const policy = { ...outerAt(port, ['127.0.0.3', '127.0.0.2']), allowedNames: ['a.example'] }
    expect(await send(`http://a.example:${port}/ok`, policy)).toBe('200 ok')
    const nobody = { ...policy, resolve: () => Promise.resolve(['127.0.0.3']) }
    expect(await send(`http://a.example:${port}/ok`, nobody)).toBe('ECONNREFUSED')
  })

  test('headers of the request hold no second one, and no other host', async () => {
    const { port } = await outer
    const policy = outerAt(port)
    await send(`http://a.example:${port}/ok`, policy, { headers: { HOST: 'b.example' } })
    expect(heard.at(-1)?.match(/^host: .*$/gim)).toEqual([`host: a.example:${port}`])
    const headers = { 'X-Id': 'a\r\nX-Other: b' }
    const split = sendOutbound(`http://a.example:${port}/ok`, { ...POST, headers }, policy)
    expect(await split.catch(String)).toContain('Invalid character')
  })
})

const NETWORK: Network = [ipaddr.parse('127.0.0.1'), 32]

describe('certificates', () => {
  const seen: string[] = []
  const server = serveTls((request) => {
    seen.push(request.headers.get('host') ?? '')
    return new Response('secure')
  })
  afterAll(() => server.stop(true))
  const port = server.port ?? 0
  const policy = {
    ...STRICT,
    ports: new Set([port]),
    ca: [TEST_CERTIFICATE],
    allowedNames: ['localhost', 'other.example'],
    resolve: () => Promise.resolve(['127.0.0.1']),
  }

  test('the certificate is of the name, by an authority that is known', async () => {
    expect(await send(`https://localhost:${port}/`, policy)).toBe('200 secure')
    expect(await send(`https://other.example:${port}/`, policy)).toBe(
      'ERR_TLS_CERT_ALTNAME_INVALID',
    )
    const byAddress = { ...policy, allowedNetworks: [NETWORK] }
    expect(await send(`https://127.0.0.1:${port}/`, byAddress)).toBe('200 secure')
    const unknown = await send(`https://localhost:${port}/`, { ...policy, ca: undefined })
    expect(unknown).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
    expect(seen).toEqual([`localhost:${port}`, `127.0.0.1:${port}`])
  })
})

const zipped = Bun.gzipSync(new Uint8Array(500_000))

const zipAnswer = (): Buffer =>
  Buffer.concat([
    Buffer.from('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n'),
    Buffer.from(`Content-Length: ${zipped.byteLength}\r\n\r\n`),
    zipped,
  ])
