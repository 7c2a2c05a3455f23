/**
 * Requests that only a raw socket can send. The path of a request must be the same for the gate
 * and the router.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type RunningExecutable, startExecutable } from '../support/executable.ts'

let server: RunningExecutable
let token = ''

beforeAll(async () => {
  server = await startExecutable({ args: ['--demo', '--Svc:Http:MaxBodyBytes=4KB'] })
  const answer = await fetch(`${server.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ UserName: 'ana', Password: 'ana-demo-password' }),
  })
  token = ((await answer.json()) as { data: { AccessToken: string } }).data.AccessToken
})
afterAll(async () => server[Symbol.asyncDispose]())

interface RawAnswer {
  status: number
  text: string
  isClosed: boolean
}

/** Sends bytes and reads one answer; `isClosed` tells whether the server hung up by itself. */
async function send(bytes: string, waitForClose = false, url = server.url): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const whole = Promise.withResolvers<void>()
  let text = ''
  let isClosed = false
  const isWhole = (): boolean => {
    const [head = '', body] = text.split('\r\n\r\n')
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    return body !== undefined && Buffer.byteLength(body) >= length
  }
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_, chunk) => {
        text += chunk.toString()
        if (isWhole() && !waitForClose) whole.resolve()
      },
      close: () => {
        isClosed = true
        whole.resolve()
      },
      error: () => whole.resolve(),
    },
  })
  socket.write(bytes)
  await whole.promise
  socket.end()
  return { status: Number(text.slice(9, 12)), text, isClosed }
}

const HOST = 'Host: h\r\n'
const TABLE = '/api/v1/svc/object/orders/table'

describe('CVE-2026-31816: no address of another shape is a way past the token', () => {
  test.each([
    ['dots', `GET /health/live/../../api/v1/auth/me HTTP/1.1\r\n${HOST}\r\n`],
    ['encoded dots', `GET /health/live/%2e%2e/%2e%2e/api/v1/auth/me HTTP/1.1\r\n${HOST}\r\n`],
    ['backslashes', `GET /health/live\\..\\..\\api/v1/auth/me HTTP/1.1\r\n${HOST}\r\n`],
    ['a fragment', `GET /api/v1/auth/me#/health/live HTTP/1.1\r\n${HOST}\r\n`],
    ['a whole address', `GET http://h/health/live/../../api/v1/auth/me HTTP/1.1\r\n${HOST}\r\n`],
    ['no Host', 'GET /api/v1/auth/me HTTP/1.0\r\n\r\n'],
    ['no Host, and a path that hides another', 'GET /a/health/live HTTP/1.0\r\n\r\n'],
    ['two slashes', `GET //api/v1/auth/me HTTP/1.1\r\n${HOST}\r\n`],
  ])('%s', async (_, bytes) => {
    expect((await send(bytes)).status).toBe(401)
  })
})

describe('a request without a usable Host', () => {
  test.each([
    ['health', 'GET /health/live HTTP/1.0\r\n\r\n', 200],
    ['the health check that HAProxy makes', 'OPTIONS / HTTP/1.0\r\n\r\n', 204],
    ['six letters before a path', 'GET /aaaaaa/swagger/json HTTP/1.0\r\n\r\n', 401],
    ['seven letters before a path', 'GET /aaaaaaa/health/live HTTP/1.0\r\n\r\n', 401],
  ])('of HTTP/1.0 is read by the path that it names: %s', async (_, bytes, status) => {
    expect((await send(bytes)).status).toBe(status)
  })

  test('of HTTP/1.0 reaches its route, with its body', async () => {
    const body = '{"PageSize":1}'
    const { status, text } = await send(
      `POST ${TABLE} HTTP/1.0\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    expect(status).toBe(200)
    expect(text).toContain('"PageSize":1')
  })

  test.each([
    ['an empty one', 'Host: \r\n'],
    ['a slash', 'Host: /\r\n'],
    ['two of them', 'Host: a\r\nHost: b\r\n'],
    ['two that are the same', 'Host: a\r\nHost: a\r\n'],
    ['a path in it', 'Host: h/health/live?\r\n'],
    ['a fragment in it', 'Host: h/health/live#\r\n'],
    ['a user in it', 'Host: a@b\r\n'],
    ['a blank in it', 'Host: a b\r\n'],
    ['an escape in it', 'Host: ex%41mple\r\n'],
    ['half of an IPv6 address', 'Host: [::1\r\n'],
    ['a port that there is none of', 'Host: a:99999\r\n'],
  ])('of HTTP/1.1 is refused in the envelope: %s', async (_, host) => {
    const answer = await send(`GET /aaaaaa/health/live HTTP/1.1\r\n${host}\r\n`)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('"code":"HOST_INVALID"')
  })

  test('of HTTP/1.1 that names none at all is refused', async () => {
    expect((await send('GET /health/live HTTP/1.1\r\n\r\n', true)).status).toBe(400)
  })

  test.each(['a', 'example.com:8080', '127.0.0.1:1', '[::1]:80', 'under_score.local'])(
    'is none with %s',
    async (host) => {
      const answer = await send(`GET /health/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      expect(answer.status).toBe(200)
    },
  )
})

describe('bodies', () => {
  const head = (more: string): string =>
    `POST ${TABLE} HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\n` +
    `Content-Type: application/json\r\n${more}\r\n\r\n`

  test('in chunks', async () => {
    const chunk = '{"PageSize":1}'
    const bytes = `${head('Transfer-Encoding: chunked')}e\r\n${chunk}\r\n0\r\n\r\n`
    expect((await send(bytes)).status).toBe(200)
  })

  test('none at all', async () => {
    const bytes = `POST ${TABLE} HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\n\r\n`
    expect((await send(bytes)).status).toBe(200)
  })

  test.each([
    ['a length over the limit', 'Content-Length: 5000', '{'],
    ['chunks over the limit', 'Transfer-Encoding: chunked', `1001\r\n${'x'.repeat(4097)}\r\n`],
  ])('%s: 413 in the envelope, and the connection ends', async (_, headers, body) => {
    const answer = await send(head(headers) + body, true)
    expect([answer.status, answer.isClosed]).toEqual([413, true])
    expect(answer.text).toContain('"code":"TOO_LARGE"')
  })

  test('a refusal does not wait for a large body', async () => {
    const bytes = `POST ${TABLE} HTTP/1.1\r\n${HOST}Content-Length: 1000000\r\n\r\n{`
    const answer = await send(bytes, true)
    expect([answer.status, answer.isClosed]).toEqual([401, true])
  })

  test.each([
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3'],
    ['a length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked'],
    ['a negative length', 'Content-Length: -2'],
  ])('smuggling by %s: 400', async (_, headers) => {
    expect((await send(`${head(headers)}{}`)).status).toBe(400)
  })
})

describe('a body of somebody without a token', () => {
  const login = (more: string): string =>
    `POST /api/v1/auth/login HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${more}\r\n\r\n`

  test('a length of 65 KB, or chunks of it: 413, and the connection ends', async () => {
    await using open = await startExecutable()
    for (const bytes of [
      `${login('Content-Length: 66560')}{`,
      `${login('Transfer-Encoding: chunked')}10400\r\n${'x'.repeat(66560)}\r\n`,
    ]) {
      const answer = await send(bytes, true, open.url)
      expect([answer.status, answer.isClosed]).toEqual([413, true])
      expect(answer.text).toContain('"code":"TOO_LARGE"')
    }
  })
})

test('two tokens are none', async () => {
  const header = `Authorization: Bearer ${token}\r\n`
  const { status } = await send(`GET /api/v1/auth/me HTTP/1.1\r\n${HOST}${header}${header}\r\n`)
  expect(status).toBe(401)
})

test('an answer tells nothing of what serves it', async () => {
  const { text } = await send(`GET /health/live HTTP/1.1\r\n${HOST}\r\n`)
  expect(text.split('\r\n\r\n')[0]).not.toMatch(/^(server|x-powered-by):|bun|elysia/im)
})
