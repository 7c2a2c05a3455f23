/** Attacks on the client's process: bodies, hosts, origins, many slow requests, its own faults. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startFront } from '../../src/client/front/front.ts'
import { builtExecutable, type RunningExecutable, startExecutable } from '../support/executable.ts'

const faults: Error[] = []
const onFault = (thrown: Error): void => void faults.push(thrown)

let server: RunningExecutable
let front: Awaited<ReturnType<typeof startFront>>

beforeAll(async () => {
  server = await startExecutable()
  front = await startFront({ host: '127.0.0.1', port: 0, api: new URL(server.url), onFault })
})

afterAll(async () => {
  await front.stop()
  await server[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

interface Raw {
  status: number
  text: string
}

/** Sends what it is given, to the letter, and resolves to the answer once the connection ends. */
async function sendRaw(head: string, body = ''): Promise<Raw> {
  let got = ''
  const end = Promise.withResolvers<void>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(new URL(front.address).port),
    socket: {
      data: (_, bytes) => void (got += bytes.toString()),
      close: () => end.resolve(),
    },
  })
  socket.write(`${head.replaceAll('\n', '\r\n')}\r\nConnection: close\r\n\r\n${body}`)
  await end.promise
  return { status: Number(got.split(' ')[1]), text: got }
}

test.each(['[', 'a b', 'x/api/v1/auth/refresh?', '', 'a:99999', 'a@b', 'a#b'])(
  'Host %j is refused, and shows nothing of the server',
  async (host) => {
    for (const path of ['/', '/api/v1/svc/navbar', '/client/none.js']) {
      const { status, text } = await sendRaw(`GET ${path} HTTP/1.1\nHost: ${host}`)
      expect(status).toBe(400)
      expect(text).toContain('HOST_INVALID')
      expect(text).not.toMatch(/<html|node_modules|\.ts|cwd/)
    }
  },
)

test('refusals come in the language of the browser', async () => {
  const { text } = await sendRaw('GET / HTTP/1.1\nHost: [\nAccept-Language: de-AT, en;q=0.5')
  expect(text).toContain('Der Header Host muss genau einen gültigen Host nennen')
})

test('an old client that names no host is served', async () => {
  expect((await sendRaw('GET / HTTP/1.0')).status).toBe(200)
  expect((await sendRaw('GET /api/v1/auth/methods HTTP/1.0')).status).toBe(200)
})

test.each(['/api/../metrics', '/api/%2e%2e/metrics', '/api/..\\metrics', '//api/v1/svc/navbar'])(
  '%s leads to the page, and to nothing of the engine',
  async (path) => {
    const { status, text } = await sendRaw(`GET ${path} HTTP/1.1\nHost: localhost`)
    expect(status).toBe(200)
    expect(text).toContain('<!doctype html>')
  },
)

test('a body that no refresh has is refused before it is held in memory', async () => {
  let sent = 0
  const body = new ReadableStream({
    async pull(controller) {
      if (sent > 256) return controller.close()
      sent++
      await Bun.sleep(1)
      controller.enqueue(new Uint8Array(64 * 1024))
    },
  })
  const answer = await fetch(`${front.address}/api/v1/auth/refresh`, {
    method: 'POST',
    headers: { Cookie: 'appengine_refresh=none', 'Accept-Language': 'de' },
    body,
  })
  expect(answer.status).toBe(413)
  expect(await answer.json()).toEqual({
    success: false,
    error: 'Die Anfrage ist zu groß',
    code: 'BODY_TOO_LARGE',
  })
  expect(sent).toBeLessThan(200)
})

test('a GET with a body leaves nothing behind that another request would begin with', async () => {
  const hidden = 'GET /api/v1/svc/none HTTP/1.1\r\nHost: x\r\n\r\n'
  const length = `Content-Length: ${hidden.length}`
  const head = `GET /api/v1/auth/methods HTTP/1.1\nHost: localhost\n${length}`
  for (let at = 0; at < 20; at++) {
    expect((await sendRaw(head, hidden)).status).toBe(200)
    expect((await fetch(`${front.address}/api/v1/auth/methods`)).status).toBe(200)
  }
})

const signIn = async (): Promise<string> => {
  const answer = await fetch(`${front.address}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ UserName: 'ana', Password: 'ana-demo-password' }),
  })
  return ((await answer.json()) as { data: { AccessToken: string } }).data.AccessToken
}

/** True where the hub takes a page of an origin: it answers the handshake of SignalR. */
async function takesOrigin(Origin: string, token: string): Promise<boolean> {
  const url = `${front.address}/api/v1/hubs/notifications?access_token=${token}`
  const socket = new WebSocket(url.replace('http', 'ws'), { headers: { Origin } })
  const answer = Promise.withResolvers<boolean>()
  socket.addEventListener('open', () => socket.send('{"protocol":"json","version":1}\x1e'))
  socket.addEventListener('message', () => answer.resolve(true))
  socket.addEventListener('close', () => answer.resolve(false))
  const isTaken = await answer.promise
  socket.close()
  return isTaken
}

test('a hub is open to pages of this address, and to no page of another', async () => {
  const token = await signIn()
  expect(await takesOrigin(front.address, token)).toBe(true)
  expect(await takesOrigin('http://evil.example', token)).toBe(false)
  expect(await takesOrigin('null', token)).toBe(false)
})

test('a page of another origin changes nothing of the cookie', async () => {
  const login = await fetch(`${server.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ UserName: 'dee', Password: 'dee-demo-password' }),
  })
  const { data } = (await login.json()) as { data: { RefreshToken: string } }
  const send = (RefreshToken: string) =>
    fetch(`${front.address}/api/v1/auth/refresh`, {
      method: 'POST',
      headers: { Origin: 'http://127.0.0.1:9', Cookie: 'appengine_refresh=none' },
      // Without a type: a browser sends it so without asking first.
      body: new Blob([JSON.stringify({ RefreshToken })]),
    })
  const fixed = await send(data.RefreshToken)
  expect([fixed.status, fixed.headers.get('set-cookie')]).toEqual([200, null])
  const ended = await send('none')
  expect([ended.status, ended.headers.get('set-cookie')]).toEqual([401, null])
})

test('text that is no cookie, and cookies that are none, are no fault', async () => {
  for (const cookie of ['appengine_refresh=%E0%A4%A', '=;;=', 'appengine_refresh', '%'])
    expect(
      (await sendRaw(`POST /api/v1/auth/refresh HTTP/1.1\nHost: localhost\nCookie: ${cookie}`))
        .status,
    ).toBeOneOf([204, 401])
})

/** Starts the client's process as its users do; resolves to its port. */
async function startClient() {
  const words = ['client', '--port', '0', '--api', server.url]
  const child = Bun.spawn([await builtExecutable(), ...words], { stdout: 'pipe' })
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const [, port] = /:(\d+)$/m.exec(text) ?? []
    if (port !== undefined) return { child, port: Number(port) }
  }
  throw new Error('The client did not start')
}

test('slow requests, as many as anyone may open, stop no others', async () => {
  const { child, port } = await startClient()
  const socket = { data: () => {}, error: () => {} }
  const slow = await Promise.all(
    Array.from({ length: 300 }, () => Bun.connect({ hostname: '127.0.0.1', port, socket })),
  )
  try {
    const type = 'Content-Type: application/json\r\nContent-Length: 100'
    for (const each of slow)
      each.write(`POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\n${type}\r\n\r\n{`)
    await Bun.sleep(500)
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/auth/methods`, {
      signal: AbortSignal.timeout(10_000),
    })
    expect(answer.status).toBe(200)
  } finally {
    for (const each of slow) each.end()
    child.kill()
    await child.exited
  }
}, 30_000)
