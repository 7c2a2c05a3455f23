/** TLS, its certificate while the server runs, the redirect to it, and the Unix socket. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { describeCertificate, readCertificate } from '../../src/server/listening/certificate.ts'
import { answerChallenge, redirectToTls } from '../../src/server/listening/redirect.ts'
import { clearSocket } from '../../src/server/listening/unix-socket.ts'
import { createApp, listen } from '../../src/app.ts'
import { startApp } from '../support/app.ts'
import {
  RENEWED_CERTIFICATE,
  RENEWED_KEY,
  TEST_CERTIFICATE,
  TEST_KEY,
} from '../support/certificate.ts'
import { temporaryFolder } from '../support/executable.ts'
import { startHubs } from '../support/hubs.ts'
import { until } from '../support/until.ts'

const home = temporaryFolder()
afterAll(() => home[Symbol.dispose]())

function write(name: string, text: string): string {
  const path = join(home.path, name)
  writeFileSync(path, text)
  return path
}

const writePair = (cert: string, key: string) => ({
  certificate: write('cert.pem', cert),
  key: write('key.pem', key),
})

/** The name in the certificate that a new connection is shown; cut off ones are tried again. */
async function askName(url: string): Promise<string> {
  for (;;)
    try {
      return await connectOnce(url)
    } catch (error) {
      // It waited at a listener that was closed: the system resets it, and clients come back.
      if (!(error instanceof Error) || Reflect.get(error, 'code') !== 'ECONNRESET') throw error
    }
}

const connectOnce = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(
      { host: hostname, port: Number(port), rejectUnauthorized: false },
      () => {
        resolve(String(socket.getPeerCertificate().subject.CN))
        socket.destroy()
      },
    )
    socket.on('error', reject)
  })

const ANA = JSON.stringify({ UserName: 'ana', Password: 'ana-demo-password' })
const END = '\u001e'

describe('a certificate that changes', () => {
  test('serves new connections; hubs and uploads that run go on with the one before', async () => {
    const files = writePair(TEST_CERTIFICATE, TEST_KEY)
    await using server = await startHubs({
      withoutLoops: true,
      settings: { 'Svc:Http:Tls:Cert': files.certificate, 'Svc:Http:Tls:Key': files.key },
    })
    const { listeners, hubs } = server.context
    expect(server.url).toStartWith('https://')
    expect(await askName(server.url)).toBe('localhost')
    expect(listeners.certificateExpiresAt?.toISOString()).toBe('2126-10-28T22:41:20.000Z')

    const received: string[] = []
    const open = async (): Promise<WebSocket> => {
      const socket = server.socket('notifications', 'ana')
      socket.onmessage = ({ data }) => received.push(String(data))
      await new Promise((resolve) => (socket.onopen = resolve))
      const before = received.length
      socket.send(`{"protocol":"json","version":1}${END}`)
      await until(() => received.length > before)
      return socket
    }
    const early = await open()
    const middle = Promise.withResolvers<void>()
    const upload = fetch(`${server.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      tls: { rejectUnauthorized: false },
      body: new ReadableStream({
        async start(controller) {
          controller.enqueue(Buffer.from(ANA.slice(0, 10)))
          await middle.promise
          controller.enqueue(Buffer.from(ANA.slice(10)))
          controller.close()
        },
      }),
    })

    writePair(RENEWED_CERTIFICATE, RENEWED_KEY)
    await listeners.look()
    expect(await askName(server.url)).toBe('renewed.example.com')
    middle.resolve()
    const answer = await upload
    expect(answer.status).toBe(200)
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=15552000')
    const late = await open()
    received.length = 0
    await hubs.sweep(performance.now() + 20_000)
    await until(() => received.length === 2)
    expect([early.readyState, late.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN])
    for (const socket of [early, late]) socket.close()
  })

  test('is not taken while its key does not fit: logged once, the old one serves', async () => {
    const files = writePair(TEST_CERTIFICATE, TEST_KEY)
    await using server = await startHubs({
      withoutLoops: true,
      settings: { 'Svc:Http:Tls:Cert': files.certificate, 'Svc:Http:Tls:Key': files.key },
    })
    const { listeners, log } = server.context
    const told = (): number => {
      log.flush()
      return server.log.filter((line) => line.includes('is not taken')).length
    }
    write('cert.pem', RENEWED_CERTIFICATE)
    await listeners.look()
    expect(told()).toBe(0)
    await listeners.look()
    await listeners.look()
    expect(told()).toBe(1)
    expect(server.log.join('\n')).toContain('is not the key of the certificate')
    expect(await askName(server.url)).toBe('localhost')
    write('key.pem', RENEWED_KEY)
    await listeners.look()
    expect(await askName(server.url)).toBe('renewed.example.com')
  })
})

test.each(['https://a', 'https://ab', 'https://abc', 'http://a', 'https://a:1', 'https://[::1]'])(
  'the path is found behind %s, for the gate and for the route',
  async (origin) => {
    const files = writePair(TEST_CERTIFICATE, TEST_KEY)
    await using app = await startApp({
      settings: { 'Svc:Http:Tls:Cert': files.certificate, 'Svc:Http:Tls:Key': files.key },
    })
    const status = async (path: string): Promise<number> =>
      (await app.handle(new Request(origin + path))).status
    expect(await status('/health/live?a=/b')).toBe(200)
    expect(await status('/api/v1/auth/jwks')).toBe(200)
    expect(await status('/x/health/live')).toBe(401)
    expect(await status('/api/v1/auth/me')).toBe(401)
  },
)

describe('a certificate that cannot be served', () => {
  const HEAD = '-----BEGIN'
  test.each([
    ['the key of another', TEST_CERTIFICATE, RENEWED_KEY, 'is not the key of the certificate in'],
    ['its chain first', RENEWED_CERTIFICATE + TEST_CERTIFICATE, TEST_KEY, 'must come first'],
    ['an encrypted key', TEST_CERTIFICATE, `${HEAD} ENCRYPTED PRIVATE KEY-----\n`, 'is encrypted'],
    ['no PEM', 'DER', TEST_KEY, 'openssl x509 -inform der'],
    ['the key as certificate', TEST_KEY, TEST_KEY, 'holds a private key'],
    ['no key', TEST_CERTIFICATE, TEST_CERTIFICATE, 'holds no private key in PEM'],
    [
      'a damaged one',
      `${HEAD} CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----`,
      TEST_KEY,
      'damaged',
    ],
  ])('%s: a sentence', (_, cert, key, sentence) => {
    const files = writePair(cert, key)
    expect(() => readCertificate(files)).toThrow(sentence)
  })

  test('a file that is not there is named, with its setting', () => {
    const files = { certificate: join(home.path, 'none.pem'), key: write('key.pem', TEST_KEY) }
    const sentence = `Setting Svc:Http:Tls:Cert: ${files.certificate} cannot be read (there is no`
    expect(() => readCertificate(files)).toThrow(sentence)
  })

  test.each([
    [{ 'Svc:Http:Tls:Cert': 'a.pem' }, 'Svc:Http:Tls:Cert needs Svc:Http:Tls:Key, too'],
    [{ 'Svc:Http:Tls:Key': 'a.pem' }, 'Svc:Http:Tls:Key needs Svc:Http:Tls:Cert, too'],
    [{ 'Svc:Http:Tls:RedirectPort': '80' }, 'there is no https to send callers to'],
  ])('%p stops the start', async (settings: Record<string, string>, sentence) => {
    expect(await startApp({ settings }).then(String, String)).toContain(sentence)
  })
})

describe('what clients will refuse is warned of', () => {
  test.each([
    ['2026-11-20T00:00:00Z', '', 'is not valid before 2026-11-21T22:41:20.000Z'],
    ['2126-10-29T00:00:00Z', '', 'expired at 2126-10-28T22:41:20.000Z'],
    ['2126-10-20T00:00:00Z', '', 'in 8 days. Renew it'],
    ['2026-12-01T00:00:00Z', 'app.example.com', 'is not for app.example.com'],
    ['2026-12-01T00:00:00Z', '10.0.0.1', 'but for DNS:localhost, IP Address:127.0.0.1'],
    ['2026-12-01T00:00:00Z', '[::1]', 'is not for [::1]'],
  ])('%s, as %p', (now, host, sentence) => {
    const certificate = readCertificate(writePair(TEST_CERTIFICATE, TEST_KEY))
    expect(describeCertificate(certificate, new Date(now), host)).toEqual([
      expect.stringContaining(sentence),
    ])
  })

  test('a whole one is not, under each of its names', () => {
    const certificate = readCertificate(writePair(TEST_CERTIFICATE, TEST_KEY))
    for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', ''])
      expect(describeCertificate(certificate, new Date('2026-12-01'), host)).toEqual([])
  })

  test('a chain out of order', () => {
    const files = writePair(TEST_CERTIFICATE + RENEWED_CERTIFICATE, TEST_KEY)
    const [sentence] = describeCertificate(readCertificate(files), new Date('2026-12-01'), '')
    expect(sentence).toContain('CN=renewed.example.com did not sign CN=localhost')
  })
})

describe('plain HTTP beside TLS', () => {
  test.each([
    ['http://a.example:8080/x/y?z=1', 8443, 'https://a.example:8443/x/y?z=1'],
    ['http://a.example/', 443, 'https://a.example/'],
    ['http://[::1]:80/x', 443, 'https://[::1]/x'],
    ['http://a.example//evil.example/', 443, 'https://a.example//evil.example/'],
  ])('%s, port %i: to %s', (url, port, location) => {
    const headers = { Host: new URL(url).host }
    const answer = redirectToTls(new Request(url, { method: 'POST', headers }), port)
    expect([answer.status, answer.headers.get('location')]).toEqual([308, location])
  })

  test('a challenge of ACME is answered by its file, and nothing beside these', async () => {
    mkdirSync(join(home.path, '.well-known/acme-challenge'), { recursive: true })
    write('.well-known/acme-challenge/t-1_a', 'proof')
    write('.well-known/secret', 'secret')
    const ask = (path: string, folder = home.path): Response | undefined =>
      answerChallenge(new Request(`http://a.example${path}`), folder)
    const found = ask('/.well-known/acme-challenge/t-1_a')
    expect([found?.status, await found?.text()]).toEqual([200, 'proof'])
    expect(ask('/.well-known/acme-challenge/other')?.status).toBe(404)
    expect(ask('/.well-known/acme-challenge/t-1_a', '')).toBeUndefined()
    for (const path of ['..%2fsecret', '../secret', 't-1_a/', '', '%2e%2e/secret', 't.1'])
      expect(ask(`/.well-known/acme-challenge/${path}`)).toBeUndefined()
  })

  test.each(['', 'a b', 'a.example@evil.example', 'a.example/evil'])('Host %p is 400', (host) => {
    const request = new Request('http://a.example/', { headers: { Host: host } })
    expect(redirectToTls(request, 443).status).toBe(400)
  })
})

describe('a Unix socket', () => {
  let app: Awaited<ReturnType<typeof startApp>>
  const path = join(home.path, 'http.sock')

  beforeAll(async () => {
    const settings = { 'Svc:Http:Unix': path, 'Svc:SignIn:AddressFailures': '1' }
    app = await startApp({ settings })
    await listen(app.context, createApp(app.context), undefined)
  })
  afterAll(async () => {
    await app.context.listeners.stop(true)
    await app[Symbol.asyncDispose]()
  })

  test('is open to its user and group, and counts callers as its proxy tells', async () => {
    expect(statSync(path).mode & 0o777).toBe(0o660)
    const fail = async (address: string): Promise<number> => {
      const answer = await fetch('http://localhost/api/v1/auth/login', {
        unix: path,
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
        body: JSON.stringify({ UserName: `x${address}`, Password: 'wrong' }),
      })
      return answer.status
    }
    expect(await fail('192.0.2.1')).toBe(401)
    expect(await fail('192.0.2.2')).toBe(401)
    expect(await fail('192.0.2.1')).toBe(429)
  })

  test('is taken from no server that listens, and from no file of another kind', async () => {
    expect(await clearSocket(path).catch(String)).toContain(`another server listens on ${path}`)
    const file = write('file', 'kept')
    expect(await clearSocket(file).catch(String)).toContain('is not a socket')
    expect(existsSync(file)).toBe(true)
    expect(await clearSocket(`/tmp/${'x'.repeat(200)}`).catch(String)).toContain('103 bytes')
  })
})
