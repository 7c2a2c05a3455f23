/** Known attacks on other hubs; each test is named after its source. */
import { describe, expect, test } from 'bun:test'
import { connect as openSocket } from 'node:net'
import type { HubConnection } from '@microsoft/signalr'
import { RECORD_END } from '../../src/server/hub/protocol.ts'
import { ADMINISTRATORS } from '../support/administrators.ts'
import { echoHub, type EchoLog, newEchoLog } from '../support/echo-hub.ts'
import { forgeTokens } from '../support/forged-tokens.ts'
import { connect, type HubServer, startHubs } from '../support/hubs.ts'
import { openRawSocket } from '../support/raw-socket.ts'
import { TEST_PASSWORD } from '../support/template.ts'

const HUB = '/api/v1/hubs/echo'
const HELLO = `{"protocol":"json","version":1}${RECORD_END}`

const start = async (
  settings: Record<string, string> = {},
  log: EchoLog = newEchoLog(),
): Promise<HubServer> =>
  startHubs({ application: ADMINISTRATORS, hubs: [echoHub(log)], settings, withoutLoops: true })

/** The handshake of a WebSocket as bytes; the status of the answer. */
async function shake(
  server: HubServer,
  headers: Record<string, string>,
  path = HUB,
): Promise<{ status: number; headers: Headers }> {
  const { host, hostname, port } = new URL(server.url)
  const lines = Object.entries({
    Host: host,
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version': '13',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`)
  const text = await new Promise<string>((resolve, reject) => {
    const socket = openSocket(Number(port), hostname)
    let all = ''
    socket.on('data', (chunk) => {
      all += chunk.toString()
      if (!all.includes('\r\n\r\n')) return
      resolve(all)
      socket.destroy()
    })
    socket.on('error', reject)
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  })
  const [first = '', ...rest] = text.split('\r\n\r\n')[0]?.split('\r\n') ?? []
  const pairs = rest.map((line): [string, string] => {
    const at = line.indexOf(': ')
    return [line.slice(0, at), line.slice(at + 2)]
  })
  return { status: Number(first.split(' ')[1]), headers: new Headers(pairs) }
}

const bearer = (token = ''): Record<string, string> => ({ Authorization: `Bearer ${token}` })

interface Jwks {
  data: { keys: { kid: string; kty: string; n: string; e: string }[] }
}

describe('CWE-1385, Rancher CVE-2019-13209, Directus CVE-2024-54151: who may connect', () => {
  const ALLOWED = 'https://app.ok.example'
  const settings = { 'Svc:Cors:Origins': ALLOWED }

  test.each([
    ['https://evil.example', 401],
    ['null', 401],
    ['', 401],
    ['https://app.ok.example.evil', 401],
    ['https://appXok.example', 401],
    ['http://app.ok.example', 401],
    ['ws://HOST', 401],
    ['http://HOST.evil', 401],
    [ALLOWED, 101],
    ['http://HOST', 101],
    ['https://HOST', 101],
    [undefined, 101],
  ])('a page of %p gets %i', async (origin, status) => {
    await using server = await start(settings)
    const { host } = new URL(server.url)
    const given = origin !== undefined && { Origin: origin.replace('HOST', host) }
    const answer = await shake(server, { ...bearer(server.tokens.clerk), ...given })
    expect(answer.status).toBe(status)
    expect(server.context.hubs.size).toBe(status === 101 ? 1 : 0)
  })

  test('no token, one of another kind, or a forged one opens nothing', async () => {
    await using server = await start(settings)
    const listener = 'http://127.0.0.1:9'
    const token = server.tokens.clerk ?? ''
    const [jwk] = (await server.fetch<Jwks>('/api/v1/auth/jwks')).body.data.keys
    if (!jwk) throw new Error('There is no key')
    const forged = forgeTokens({ token, kid: jwk.kid, jwk, listener })
    expect(forged.length).toBeGreaterThan(10)
    for (const { name, token } of [...forged, { name: 'none', token: '' }]) {
      const { status } = await shake(server, {}, `${HUB}?access_token=${encodeURIComponent(token)}`)
      expect({ name, isRefused: status >= 400 }).toEqual({ name, isRefused: true })
    }
    expect((await shake(server, {})).status).toBe(401)
    expect(server.context.hubs.size).toBe(0)
  })

  test('a token in the query opens hubs, and nothing else', async () => {
    await using server = await start(settings)
    const query = `?access_token=${server.tokens.clerk}`
    expect((await shake(server, {}, HUB + query)).status).toBe(101)
    expect((await shake(server, {}, `/api/v1/auth/me${query}`)).status).toBe(401)
    expect((await server.fetch(`/api/v1/auth/me${query}`)).status).toBe(401)
    expect(server.log.join('\n')).not.toContain(server.tokens.clerk ?? '')
  })

  test('a negotiation answers pages of allowed origins alone, as browsers ask', async () => {
    await using server = await start(settings)
    const path = '/api/v1/hubs/notifications/negotiate?negotiateVersion=1'
    const preflight = (Origin: string) =>
      server.fetch(path, {
        method: 'OPTIONS',
        headers: { Origin, 'Access-Control-Request-Method': 'POST' },
      })
    const { status, headers } = await preflight(ALLOWED)
    expect(status).toBe(204)
    expect(headers.get('Access-Control-Allow-Origin')).toBe(ALLOWED)
    expect(headers.get('Access-Control-Allow-Credentials')).toBe('true')
    const names = (headers.get('Access-Control-Allow-Headers') ?? '').split(', ')
    const asked = ['X-Requested-With', 'X-SignalR-User-Agent', 'Authorization']
    // Pages that speak MCP send these two (its streamable HTTP).
    asked.push('Mcp-Protocol-Version', 'Mcp-Session-Id')
    expect(names).toEqual(expect.arrayContaining(asked))
    expect(
      (await preflight('https://evil.example')).headers.get('Access-Control-Allow-Origin'),
    ).toBeNull()
    const asked1 = await server.fetch<Record<string, unknown>>(path, {
      as: 'clerk',
      method: 'POST',
      headers: { Origin: ALLOWED },
    })
    expect(asked1.headers.get('Access-Control-Allow-Credentials')).toBe('true')
    expect(asked1.body).toEqual({
      negotiateVersion: 1,
      connectionId: expect.any(String),
      connectionToken: expect.any(String),
      availableTransports: [{ transport: 'WebSockets', transferFormats: ['Text'] }],
    })
    const elsewhere = await server.fetch('/api/v1/auth/me', {
      as: 'clerk',
      headers: { Origin: ALLOWED },
    })
    expect(elsewhere.headers.has('Access-Control-Allow-Credentials')).toBe(false)
  })
})

describe('CVE-2026-31903: guesses at tokens are counted', () => {
  const LIMIT = 5
  const settings = { 'Svc:SignIn:AddressFailures': String(LIMIT) }
  const signIn = (server: HubServer) =>
    fetch(`${server.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ UserName: 'clerk', Password: TEST_PASSWORD }),
    })

  test('beyond the limit they are 429, by turns with sign-ins of the address', async () => {
    await using server = await start(settings)
    const forged = `${server.tokens.clerk?.split('.').slice(0, 2).join('.')}.AAAA`
    const guess = () => shake(server, {}, `${HUB}?access_token=${forged}`)
    const all = await Promise.all(Array.from({ length: 40 }, guess))
    // While one is written down it counts twice: of those that come together fewer may be judged.
    const judged = all.filter(({ status }) => status === 401)
    expect(judged.length).toBeGreaterThan(0)
    expect(judged.length).toBeLessThanOrEqual(LIMIT)
    expect(all.filter(({ status }) => status === 429)).toHaveLength(40 - judged.length)
    expect(
      Number(all.find(({ status }) => status === 429)?.headers.get('Retry-After')),
    ).toBeGreaterThan(0)
    for (let n = judged.length; n < LIMIT; n++) expect((await guess()).status).toBe(401)
    expect((await guess()).status).toBe(429)
    expect((await signIn(server)).status).toBe(429)
    // A true token is nobody's guess.
    expect((await shake(server, bearer(server.tokens.clerk))).status).toBe(101)
  })

  test('a token that has ended is no guess: nobody else at the address waits', async () => {
    await using server = await start(settings)
    const headers = bearer(server.tokens.clerk)
    const out = await server.fetch('/api/v1/auth/logout', { method: 'POST', body: {}, headers })
    expect(out.status).toBe(200)
    for (let n = 0; n < LIMIT * 2; n++) expect((await shake(server, headers)).status).toBe(401)
    for (let n = 0; n < LIMIT * 2; n++) expect((await shake(server, {})).status).toBe(401)
    expect((await shake(server, bearer(server.tokens.far))).status).toBe(101)
    expect([200, 401]).toContain((await signIn(server)).status)
  })
})

/** The messages to a client on a raw socket, and the code that it is closed with. */
function listen(socket: WebSocket) {
  const heard: string[] = []
  const closed = new Promise<number>((resolve) => (socket.onclose = ({ code }) => resolve(code)))
  const opened = new Promise<void>((resolve) => (socket.onopen = () => resolve()))
  socket.onmessage = ({ data }) => heard.push(...String(data).split(RECORD_END).filter(Boolean))
  return { heard, closed, opened }
}

describe('oven-sh/bun#32483: what a client may send', () => {
  const call = (id: number, target: string, ...args: unknown[]) =>
    JSON.stringify({ type: 1, invocationId: String(id), target, arguments: args }) + RECORD_END

  test('calls of a connection run one at a time, in their order', async () => {
    const log = newEchoLog()
    await using server = await start({}, log)
    const client = await connect(server.client('echo', 'clerk'))
    const answers = ['a', 'b', 'c'].map((gate) => client.invoke<string>('Wait', gate))
    for (const gate of ['a', 'b', 'c']) {
      while (!log.gates.has(gate)) await Bun.sleep(1)
      expect(log.events.filter((event) => event.startsWith('begin')).at(-1)).toBe(`begin ${gate}`)
      log.gates.get(gate)?.()
    }
    expect(await Promise.all(answers)).toEqual(['a', 'b', 'c'])
    const marks = log.events.filter((event) => /^(begin|end)/.test(event))
    expect(marks).toEqual(['a', 'b', 'c'].flatMap((gate) => [`begin ${gate}`, `end ${gate}`]))
  })

  test('calls that wait are bounded: one more than that and the client is closed', async () => {
    const log = newEchoLog()
    await using server = await start({ 'Svc:Hubs:MessagesPerSecond': '10000' }, log)
    const socket = server.socket('echo', 'clerk')
    const { closed, heard, opened } = listen(socket)
    await opened
    socket.send(HELLO + call(0, 'Wait', 'door'))
    for (let n = 1; n <= 300; n++) socket.send(call(n, 'Nothing'))
    expect(await closed).toBe(1008)
    expect(heard.at(-1)).toBe('{"type":7,"error":"Too many calls are waiting"}')
  })

  test.each([
    ['frames of the largest size', () => 'x'.repeat(64 * 1024), 1002],
    ['records without end', () => '{"type":6}' + RECORD_END, 1008],
    ['empty records', () => RECORD_END.repeat(1000), 1008],
    ['frames that are larger', () => 'x'.repeat(64 * 1024 + 1), 1009],
  ])('a flood of %s is closed', async (_, frame, code) => {
    await using server = await start()
    const socket = server.socket('echo', 'clerk')
    const { closed, opened } = listen(socket)
    await opened
    socket.send(HELLO)
    const text = frame()
    for (let n = 0; n < 500; n++) socket.send(text)
    expect(await closed).toBe(code)
  })

  test.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['no type', '{}'],
    ['arguments that are no list', '{"type":1,"target":"Echo","arguments":{}}'],
    ['no target', '{"type":1,"arguments":[]}'],
    ['an id that is a number', '{"type":1,"invocationId":1,"target":"Echo","arguments":[]}'],
    ['a stream without an id', '{"type":4,"target":"Count","arguments":[1]}'],
    ['JSON that is nested without end', '[['.repeat(20_000)],
    ['too many values', `{"type":1,"target":"Echo","arguments":[${'1,'.repeat(20_000)}1]}`],
    ['a prototype', `{"type":1,"target":"__proto__","arguments":[{"__proto__":{"x":1}}]}`],
  ])('%s ends the connection, and no more than that', async (name, record) => {
    await using server = await start()
    const socket = server.socket('echo', 'clerk')
    const { closed, heard, opened } = listen(socket)
    await opened
    socket.send(HELLO)
    socket.send(record + RECORD_END)
    if (name === 'a prototype') {
      socket.send(call(1, 'Who'))
      while (!heard.some((text) => text.includes('"result"'))) await Bun.sleep(1)
      expect(({} as { x?: number }).x).toBeUndefined()
    } else expect(await closed).toBe(1002)
    const other = await connect(server.client('echo', 'far'))
    expect(await other.invoke<{ name: string }>('Who')).toMatchObject({ name: 'far' })
  })

  test('a client that is closed before it has entered the hub leaves nothing behind', async () => {
    const log = newEchoLog()
    await using server = await start({}, log)
    const socket = server.socket('echo', 'clerk')
    const { closed, opened } = listen(socket)
    await opened
    socket.send(`${HELLO}{${RECORD_END}`)
    expect(await closed).toBe(1002)
    const other = await connect(server.client('echo', 'far'))
    await other.invoke('Nothing')
    expect([log.events, log.connections.size]).toEqual([['open far'], 1])
  })

  test.each([
    ['pings', 0x89],
    ['pongs', 0x8a],
  ])('a flood of %s of the WebSocket is closed, with the reason', async (_, first) => {
    await using server = await start()
    const raw = await openRawSocket(server.url, 'echo', server.tokens.clerk ?? '')
    raw.socket.write(Buffer.alloc(6 * 1000, Buffer.from([first, 0x80, 0, 0, 0, 0])))
    await raw.closed
    expect(raw.text()).toContain('{"type":7,"error":"Too many messages"}')
    const other = await connect(server.client('echo', 'far'))
    await other.invoke('Nothing')
  })

  test('streams of a user are bounded over all connections, and others still stream', async () => {
    await using server = await start({ 'Svc:Hubs:UserStreams': '2' })
    const clients = await Promise.all([1, 2, 3].map(() => connect(server.client('echo', 'clerk'))))
    const stream = (client: HubConnection | undefined) => {
      const begun = Promise.withResolvers<string>()
      const ended = client?.stream('Count', 1e9).subscribe({
        next: () => begun.resolve('runs'),
        complete: () => {},
        error: (thrown: Error) => begun.resolve(thrown.message),
      })
      return { begun: begun.promise, ended }
    }
    const [first, second] = [stream(clients[0]), stream(clients[1])]
    expect([await first.begun, await second.begun]).toEqual(['runs', 'runs'])
    expect(await stream(clients[2]).begun).toContain('You have too many streams open')
    const other = await connect(server.client('echo', 'far'))
    expect(await stream(other).begun).toBe('runs')
    first.ended?.dispose()
    let again = await stream(clients[2]).begun
    while (again !== 'runs') again = await stream(clients[2]).begun
    expect(again).toBe('runs')
  })

  test('connections of a user are bounded, and others still come', async () => {
    await using server = await start({ 'Svc:Hubs:UserConnections': '3' })
    const clients = [1, 2, 3].map(() => server.client('echo', 'clerk'))
    await Promise.all(clients.map(connect))
    expect((await shake(server, bearer(server.tokens.clerk))).status).toBe(429)
    expect((await shake(server, bearer(server.tokens.far))).status).toBe(101)
    await clients[0]?.stop()
    while (server.context.hubs.size > 3) await Bun.sleep(1)
    expect((await shake(server, bearer(server.tokens.clerk))).status).toBe(101)
  })

  test('all connections are bounded', async () => {
    await using server = await start({ 'Svc:Hubs:MaxConnections': '2' })
    await Promise.all(['clerk', 'far'].map((as) => connect(server.client('echo', as))))
    const { status, headers } = await shake(server, bearer(server.tokens.both))
    expect(status).toBe(503)
    expect(headers.get('Retry-After')).toBe('5')
  })
})
