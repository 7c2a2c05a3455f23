/** The client's process before a server that really serves: files, the cookie, streams, hubs. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { HubConnectionBuilder } from '@microsoft/signalr'
import { startFront } from '../../src/client/front/front.ts'
import { type RunningExecutable, startExecutable } from '../support/executable.ts'

const onFault = (thrown: Error): never => {
  throw thrown
}

let server: RunningExecutable
let front: Awaited<ReturnType<typeof startFront>>

beforeAll(async () => {
  server = await startExecutable()
  front = await startFront({ host: '127.0.0.1', port: 0, api: new URL(server.url), onFault })
})

afterAll(async () => {
  await front.stop()
  await server[Symbol.asyncDispose]()
})

const JSON_TYPE = { 'Content-Type': 'application/json' }

interface Answer {
  status: number
  cookie: string
  text: string
  data: Record<string, unknown>
}

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(`${front.address}${path}`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await answer.text()
  const { data = {} } = (text === '' ? {} : JSON.parse(text)) as { data?: Record<string, unknown> }
  return { status: answer.status, cookie: answer.headers.get('set-cookie') ?? '', text, data }
}

const signIn = (): Promise<Answer> =>
  post('/api/v1/auth/login', { UserName: 'ana', Password: 'ana-demo-password' })

/** The cookie as a browser sends it back. */
const sent = ({ cookie }: Answer): Record<string, string> => ({
  Cookie: cookie.split(';')[0] ?? '',
})

test('the page has a policy with no other origin and no inline code', async () => {
  const answer = await fetch(`${front.address}/object/orders?search=mill`)
  const page = await answer.text()
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(answer.headers.get('cache-control')).toBe('no-cache')
  const policy = answer.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("require-trusted-types-for 'script'")
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  const [script = ''] = /\/client\/main-\w+\.js/.exec(page) ?? []
  const file = await fetch(`${front.address}${script}`)
  expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  const code = await file.text()
  expect(code).not.toContain('tools.vaadin.com')
  const etag = file.headers.get('etag') ?? ''
  const again = await fetch(`${front.address}${script}`, { headers: { 'If-None-Match': etag } })
  expect(again.status).toBe(304)
})

test('the service worker holds for all places, and speaks to this server alone', async () => {
  const answer = await fetch(`${front.address}/worker.js`)
  expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(answer.headers.get('cache-control')).toBe('no-cache')
  expect(answer.headers.get('content-security-policy')).toBe(
    "default-src 'none'; connect-src 'self'",
  )
})

test('a missing file is 404, another method 405, and pages of the engine stay closed', async () => {
  expect((await fetch(`${front.address}/client/none.js`)).status).toBe(404)
  expect((await fetch(front.address, { method: 'DELETE' })).status).toBe(405)
  for (const path of ['/swagger', '/metrics', '/health/ready'])
    expect((await fetch(`${front.address}${path}`)).headers.get('content-type')).toContain(
      'text/html',
    )
})

test('the refresh token lives in a cookie that no script reads, and in no answer', async () => {
  const first = await signIn()
  expect(first.status).toBe(200)
  expect(first.text).not.toContain('RefreshToken')
  expect(first.cookie).toMatch(
    /^appengine_refresh=[\w-]{20,}; Path=\/api\/v1\/auth; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
  )
  const second = await post('/api/v1/auth/refresh', '', sent(first))
  expect(second.data.AccessToken).toBeString()
  expect(second.text).not.toContain('RefreshToken')
  expect(second.cookie).not.toBe(first.cookie)
  expect((await post('/api/v1/auth/refresh', {}, sent(second))).status).toBe(200)
})

test('by https the cookie is Secure', async () => {
  const body = { UserName: 'ana', Password: 'ana-demo-password' }
  const { cookie } = await post('/api/v1/auth/login', body, { 'X-Forwarded-Proto': 'https' })
  expect(cookie).toContain('; Secure')
})

test('a refresh without a cookie is no fault; a stale one ends the cookie', async () => {
  expect((await post('/api/v1/auth/refresh', {})).status).toBe(204)
  const stale = await post(
    '/api/v1/auth/refresh',
    {},
    { Cookie: 'appengine_refresh=no-such-token' },
  )
  expect(stale.status).toBe(401)
  expect(stale.cookie).toContain('appengine_refresh=; Path=/api/v1/auth; Max-Age=0')
})

test('a sign-out takes the token out of the cookie and ends both', async () => {
  const session = await signIn()
  const bearer = { Authorization: `Bearer ${String(session.data.AccessToken)}` }
  const over = await post('/api/v1/auth/logout', {}, { ...bearer, ...sent(session) })
  expect(over).toMatchObject({ status: 200 })
  expect(over.cookie).toContain('Max-Age=0')
  expect((await post('/api/v1/auth/refresh', {}, sent(session))).status).toBe(401)
})

test('the cookie goes to /api/v1/auth alone, and to no engine', async () => {
  const session = await signIn()
  const echoed = await fetch(`${front.address}/api/v1/auth/me`, { headers: sent(session) })
  expect(echoed.status).toBe(401)
})

test('a page of another origin, of this machine too, cannot use the cookie', async () => {
  const session = await signIn()
  const foreign = { ...sent(session), Origin: 'http://127.0.0.1:9' }
  expect((await post('/api/v1/auth/refresh', {}, foreign)).status).toBe(204)
  expect((await post('/api/v1/auth/logout', {}, foreign)).status).toBe(401)
  const own = { ...sent(session), Origin: front.address }
  expect((await post('/api/v1/auth/refresh', {}, own)).status).toBe(200)
})

test('ranges, streams and refusals go through as they are', async () => {
  const { data } = await signIn()
  const headers = { Authorization: `Bearer ${String(data.AccessToken)}`, ...JSON_TYPE }
  const body = JSON.stringify({ ObjectName: 'orders', Format: 'csv' })
  const call = (base: string) =>
    fetch(`${base}/api/v1/svc/object/export-data`, { method: 'POST', headers, body })
  const made = (await (await call(front.address)).json()) as { data: { File: { Url: string } } }
  const range = { ...headers, Range: 'bytes=0-9' }
  const part = await fetch(`${front.address}${made.data.File.Url}`, { headers: range })
  expect([part.status, (await part.bytes()).length]).toEqual([206, 10])
  const [own, passed] = await Promise.all(
    [server.url, front.address].map((base) =>
      fetch(`${base}/api/v1/svc/object/none/metadata`, { headers }),
    ),
  )
  expect(passed?.status).toBe(own?.status as number)
  expect(passed?.headers.get('x-trace-id')).toBeString()
})

test('a hub of the stock client goes through, and none with a token of no one', async () => {
  const { data } = await signIn()
  const hub = new HubConnectionBuilder()
    .withUrl(`${front.address}/api/v1/hubs/notifications`, {
      accessTokenFactory: () => String(data.AccessToken),
    })
    .build()
  const unread = Promise.withResolvers<unknown>()
  hub.on('unread', unread.resolve)
  await hub.start()
  await hub.invoke('Subscribe', 'orders')
  await hub.invoke('MarkAllRead')
  expect(await unread.promise).toBeNumber()
  await hub.stop()
  const stranger = new HubConnectionBuilder()
    .withUrl(`${front.address}/api/v1/hubs/notifications`, { accessTokenFactory: () => 'none' })
    .build()
  expect(stranger.start()).rejects.toThrow('401')
})

test('without the engine a call is 503 with Retry-After, and the page still comes', async () => {
  const api = new URL('http://127.0.0.1:9')
  const alone = await startFront({ host: '127.0.0.1', port: 0, api, onFault })
  try {
    const answer = await fetch(`${alone.address}/api/v1/svc/navbar`)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('2')
    expect(await answer.json()).toMatchObject({ success: false, code: 'SERVER_UNREACHABLE' })
    expect((await fetch(alone.address)).status).toBe(200)
  } finally {
    await alone.stop()
  }
})
