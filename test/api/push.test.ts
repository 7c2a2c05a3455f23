/** /api/v1/push-subscription: browsers that subscribe, what they are sent, and when no more. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { enqueuePush } from '../../src/engine/web-push/push-jobs.ts'
import type { PushMessage } from '../../src/engine/web-push/push-message.ts'
import { openSweep } from '../../src/features/push-subscription/sweep-subscriptions.ts'
import { systemScope } from '../../src/store/store.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { idOf, OFFICE } from '../support/office.ts'
import { Browser, PushService } from '../support/push-service.ts'
import { RawReceiver } from '../support/receiver.ts'
import { TEST_PASSWORD } from '../support/template.ts'

const PUSH = '/api/v1/push-subscription'
const SCOPE = systemScope('a test writes')

interface Reply<T = unknown> {
  success: boolean
  code?: string
  data: T
  fieldErrors?: Record<string, string>
}

let now = new Date(Math.ceil(Date.now() / 1000) * 1000)
const clock = { now: () => now }
const pass = (milliseconds: number): void => {
  now = new Date(now.getTime() + milliseconds)
  app.context.jobs.wake()
}

const service = new PushService()
let app: TestApp

beforeAll(async () => {
  const settings = { ...service.settings, 'Svc:Push:Subject': 'mailto:ops@example.com' }
  app = await startApp({ application: OFFICE, settings, clock })
  await app.context.jobs.start()
})
afterAll(async () => {
  await app.context.jobs.stop()
  await app[Symbol.asyncDispose]()
  service[Symbol.dispose]()
})

/** A session of its own: those of the template are every test's. */
async function signIn(UserName: string) {
  const body = { UserName, Password: TEST_PASSWORD }
  const { body: answer } = await app.fetch<Reply<{ AccessToken: string }>>('/api/v1/auth/login', {
    body,
  })
  return withToken(answer.data.AccessToken)
}

const withToken = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })

type By = { as: string } | { headers: Record<string, string> }

const subscribe = (by: By, body: unknown) =>
  app.fetch<Reply<{ Count: number; Removed: number }>>(PUSH, { ...by, body })

const unsubscribe = (by: By, endpoint: string) =>
  app.fetch<Reply>(PUSH, { ...by, method: 'DELETE', body: { endpoint } })

const askTest = (by: By) => app.fetch<Reply<{ Count: number }>>(`${PUSH}/test`, { ...by, body: {} })

async function openBrowser(by: By): Promise<Browser> {
  const browser = service.open()
  expect((await subscribe(by, browser.subscription)).status).toBe(200)
  return browser
}

const MESSAGE: PushMessage = {
  ...{ Id: 7, Seq: 3, Title: 'Order 10 was shipped', Body: 'To Bergen – on time ✓' },
  ...{ Level: 'Warning', Url: '/orders/10', Kind: 'orders.shipped' },
}

const send = (user: string, message = MESSAGE, companyId = 1) =>
  app.store.write((tx) => {
    const owner = { userId: idOf(user), companyId }
    return enqueuePush(tx, { message }, { owner, source: 'test', now })
  }, SCOPE)

const BUSY = `SELECT count(*) AS N FROM svc_jobs WHERE State IN ('Enqueued', 'Processing')`

async function waitUntil(isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (let look = 0; look < 1000; look++) {
    if (await isSo()) return
    await Bun.sleep(5)
  }
  throw new Error('It never came')
}

/** Until nothing runs or waits for a worker. */
const settle = () => waitUntil(async () => (await app.store.get<{ N: number }>(BUSY))?.N === 0)

const countOf = async (user: string): Promise<number> => {
  const sql = 'SELECT count(*) AS N FROM svc_push_subscriptions WHERE UserId = @user'
  return (await app.store.get<{ N: number }>(sql, { user: idOf(user) }))?.N ?? 0
}

const clear = () =>
  app.store.write(async (tx) => void (await tx.run('DELETE FROM svc_push_subscriptions')), SCOPE)

test('a browser reads what is sent to it, from this server and no other', async () => {
  const browser = await openBrowser({ as: 'clerk' })
  await send('clerk')
  await settle()
  expect(browser.messages).toEqual([{ ...MESSAGE }])
  const [pushed] = browser.pushed
  const key = await app.fetch<Reply<{ PublicKey: string }>>(`${PUSH}/vapid-key`, { as: 'weak' })
  expect(pushed?.signedBy).toBe(key.body.data.PublicKey)
  expect(pushed?.claims).toEqual({
    aud: `http://127.0.0.1:${service.port}`,
    exp: now.getTime() / 1000 + 12 * 3600,
    sub: 'mailto:ops@example.com',
  })
  const names = ['ttl', 'urgency', 'content-encoding', 'content-type']
  expect(names.map((name) => pushed?.headers.get(name))).toEqual([
    ...['86400', 'high', 'aes128gcm', 'application/octet-stream'],
  ])
  const rows = await app.store.all(
    'SELECT Auth AS Secret FROM svc_push_subscriptions UNION ALL SELECT PrivateJwk FROM svc_keys ' +
      `WHERE Kid = 'vapid'`,
  )
  expect(rows).toHaveLength(2)
  expect(JSON.stringify(rows)).not.toContain(browser.subscription.keys.auth)
  expect(JSON.stringify(rows)).not.toContain('"d"')
  await clear()
})

test('the test message is in the language of the caller; one waits at a time', async () => {
  const by = await signIn('clerk')
  const browser = await openBrowser(by)
  let release: (answer: Response) => void = () => undefined
  browser.reply = () => new Promise((resolve) => (release = resolve))
  const german = { headers: { ...by.headers, 'Accept-Language': 'de' } }
  for (const round of [1, 2, 3])
    expect([round, (await askTest(german)).body.data]).toEqual([round, { Count: 1 }])
  await waitUntil(() => browser.asked === 1)
  release(new Response(null, { status: 201 }))
  await settle()
  expect(browser.messages.map(({ Title }) => Title)).toEqual([
    'Nachrichten erreichen diesen Browser',
  ])
  expect(browser.asked).toBe(1)
  await clear()
  expect((await askTest(by)).body.data).toEqual({ Count: 0 })
})

test('Directus CVE-2026-35409, Budibase CVE-2026-31818: inner endpoints are refused', async () => {
  await using inner = await RawReceiver.open('127.0.0.3', 0, () => undefined)
  const { keys } = service.open().subscription
  const endpoints = [
    `http://127.0.0.3:${inner.port}/`,
    ...[
      'https://a.localhost/',
      'https://[::ffff:127.0.0.3]/',
      'https://127.3',
      'https://0x7f000003',
    ],
    ...['https://169.254.169.254/', 'https://10.0.0.1/', 'ftp://example.com/', 'x', ''],
    ...[`https://u@127.0.0.1/`, 'https://example.com:22/', 'https://no-such-name.invalid/'],
  ]
  for (const endpoint of endpoints) {
    const answer = await subscribe({ as: 'clerk' }, { endpoint, keys })
    const { status, body } = answer
    expect([endpoint, status, Object.keys(body.fieldErrors ?? {})]).toEqual([
      ...[endpoint, 400],
      ['endpoint'],
    ])
    if (endpoint.length > 1) expect(answer.text).not.toContain(endpoint)
  }
  expect([inner.connections, await countOf('clerk')]).toEqual([0, 0])
})

test('what is no subscription of a browser is refused', async () => {
  const { endpoint, keys } = service.open().subscription
  const offCurve = Buffer.alloc(65, 7)
  offCurve[0] = 4
  const wrong = [
    ...[{}, { endpoint }, { endpoint, keys: {} }, { endpoint, keys: 'x' }, { keys }],
    { endpoint, keys: { ...keys, p256dh: offCurve.toString('base64url') } },
    { endpoint, keys: { ...keys, p256dh: Buffer.alloc(65).toString('base64url') } },
    { endpoint, keys: { ...keys, auth: 'c2hvcnQ' } },
    { endpoint: `${endpoint}${'x'.repeat(3000)}`, keys },
    { endpoint, keys, expirationTime: 9e15 },
  ]
  for (const body of wrong)
    expect([body, (await subscribe({ as: 'clerk' }, body)).status]).toEqual([body, 400])
  expect(await countOf('clerk')).toBe(0)
})

test('a redirect inward is not followed, and what an endpoint says goes nowhere', async () => {
  await using inner = await RawReceiver.open('127.0.0.1', 0, () => undefined)
  const browser = await openBrowser({ as: 'clerk' })
  browser.reply = () => Response.redirect(`http://127.0.0.1:${inner.port}/`, 307)
  const job = await send('clerk')
  await settle()
  expect([inner.connections, browser.asked]).toEqual([0, 1])
  const told = await app.fetch<Reply<{ Log: string[] }>>(`/api/v1/hangfire/jobs/${job}`, {
    as: 'sys',
  })
  expect(told.body.data.Log.join()).toContain('The push service answered 307')
  await clear()
})

test('a browser has one subscription, whoever signs in there', async () => {
  const browser = await openBrowser({ as: 'clerk' })
  await subscribe({ as: 'clerk' }, browser.subscription)
  const renewed = { ...service.open().subscription, endpoint: browser.endpoint }
  await subscribe({ as: 'clerk' }, renewed)
  await subscribe({ as: 'clerk' }, browser.subscription)
  expect(await countOf('clerk')).toBe(1)
  await subscribe({ as: 'weak' }, browser.subscription)
  expect([await countOf('clerk'), await countOf('weak')]).toEqual([0, 1])
  await send('clerk')
  await settle()
  expect(browser.asked).toBe(0)
  await clear()
})

test('who knows an endpoint alone takes nothing from its user', async () => {
  const browser = await openBrowser({ as: 'clerk' })
  const { endpoint, keys } = browser.subscription
  const thief = service.open().subscription
  await subscribe({ as: 'weak' }, { endpoint, keys: thief.keys })
  await subscribe({ as: 'weak' }, { endpoint, keys: { ...keys, auth: thief.keys.auth } })
  const known = await unsubscribe({ as: 'sys' }, endpoint)
  const unknown = await unsubscribe({ as: 'sys' }, `${endpoint}x`)
  const mask = (text: string) => text.replace(/"traceId":"[^"]*"/, '')
  expect([known.status, mask(known.text)]).toEqual([404, mask(unknown.text)])
  await send('clerk')
  await settle()
  expect(browser.messages).toHaveLength(1)
  expect((await unsubscribe({ as: 'clerk' }, endpoint)).body).toEqual({ success: true, data: null })
  expect(await countOf('clerk')).toBe(0)
  await clear()
})

test('a user has twenty subscriptions; of more the oldest goes', async () => {
  const first = await openBrowser({ as: 'clerk' })
  for (let count = 2; count <= 20; count++) await openBrowser({ as: 'clerk' })
  // It is the newest again, and counts once.
  const again = await subscribe({ as: 'clerk' }, first.subscription)
  expect(again.body.data).toEqual({ Count: 20, Removed: 0 })
  const more = await subscribe({ as: 'clerk' }, service.open().subscription)
  expect(more.body.data).toEqual({ Count: 20, Removed: 1 })
  expect((await unsubscribe({ as: 'clerk' }, first.endpoint)).status).toBe(200)
  await clear()
})

test('subscriptions that are gone are dropped', async () => {
  const browsers = [await openBrowser({ as: 'clerk' }), await openBrowser({ as: 'clerk' })]
  const kept = await openBrowser({ as: 'clerk' })
  browsers.forEach((browser, at) => {
    browser.reply = () => new Response(null, { status: at === 0 ? 404 : 410 })
  })
  await send('clerk')
  await settle()
  expect([await countOf('clerk'), kept.messages.length]).toEqual([1, 1])
  await clear()
})

test('a busy push service is asked again, later; others do not wait for it', async () => {
  const [busy, broken, closed, fine] = [
    ...[await openBrowser({ as: 'clerk' }), await openBrowser({ as: 'clerk' })],
    ...[await openBrowser({ as: 'clerk' }), await openBrowser({ as: 'clerk' })],
  ]
  if (!busy || !broken || !closed || !fine) throw new Error('There are four')
  const full = { status: 429, headers: { 'Retry-After': '120' } }
  busy.reply = () => (busy.asked === 1 ? new Response(null, full) : taken())
  broken.reply = () => (broken.asked < 3 ? new Response(null, { status: 503 }) : taken())
  closed.reply = () => new Response(null, { status: 403 })
  await send('clerk')
  await settle()
  expect([busy, broken, closed, fine].map(({ asked }) => asked)).toEqual([1, 1, 1, 1])
  expect(fine.messages).toHaveLength(1)
  pass(11_000)
  await waitUntil(() => broken.asked === 2)
  await settle()
  expect(busy.asked).toBe(1)
  pass(110_000)
  await waitUntil(() => busy.asked === 2 && broken.asked === 3)
  await settle()
  expect([busy.messages, broken.messages].map(({ length }) => length)).toEqual([1, 1])
  expect([fine.asked, closed.asked]).toEqual([1, 1])
  await clear()
})

const taken = () => new Response(null, { status: 201 })

test('an endpoint that hangs holds up nobody else', async () => {
  const hanging = await openBrowser({ as: 'clerk' })
  const own = await openBrowser({ as: 'clerk' })
  const other = await openBrowser({ as: 'weak' })
  const answers: ((answer: Response) => void)[] = []
  hanging.reply = () => new Promise((resolve) => answers.push(resolve))
  for (let at = 0; at < 20; at++) await send('clerk')
  await waitUntil(() => hanging.asked === 1)
  for (let at = 0; at < 5; at++) await send('weak')
  await waitUntil(() => other.messages.length === 5)
  expect([hanging.asked, own.messages.length]).toEqual([1, 1])
  hanging.reply = taken
  answers.forEach((answer) => answer(taken()))
  await settle()
  expect([hanging.messages.length, own.messages.length]).toEqual([20, 20])
  await clear()
})

async function sweep(): Promise<void> {
  const loop = openSweep(app.context)
  await loop.start()
  await waitUntil(() => loop.runs === 1)
  await loop.stop()
}

test('it ends with the session, which may go on in another company', async () => {
  const [by, moving] = [await signIn('clerk'), await signIn('wide')]
  const [browser, moved] = [await openBrowser(by), await openBrowser(moving)]
  const body = { CompanyId: 2 }
  const { body: next } = await app.fetch<Reply<{ AccessToken: string }>>(
    '/api/v1/svc/company/switch',
    { ...moving, body },
  )
  await app.fetch('/api/v1/auth/logout', { ...by, body: {} })
  await send('clerk')
  await send('wide')
  await settle()
  expect([browser.asked, moved.asked]).toEqual([0, 1])
  expect([await countOf('clerk'), await countOf('wide')]).toEqual([0, 1])
  await app.fetch('/api/v1/auth/logout', { ...withToken(next.data.AccessToken), body: {} })
  await sweep()
  expect([await countOf('wide'), moved.asked]).toEqual([0, 1])
})

test('it ends when the browser said that it would', async () => {
  const browser = service.open()
  const expirationTime = now.getTime() + 60_000
  await subscribe({ as: 'clerk' }, { ...browser.subscription, expirationTime })
  await send('clerk')
  await settle()
  pass(60_000)
  await send('clerk')
  await settle()
  await sweep()
  expect([browser.asked, await countOf('clerk')]).toEqual([1, 0])
})

test('rights are judged when it is sent: locked users, and those of other companies', async () => {
  const [locked, away] = [await openBrowser({ as: 'mgr' }), await openBrowser({ as: 'clerk' })]
  await send('clerk', MESSAGE, 2)
  const path = `/api/v1/svc/auth/users/${idOf('mgr')}`
  const lock = await app.fetch(path, { as: 'sys', method: 'PUT', body: { Active: false } })
  expect(lock.status).toBe(200)
  await send('mgr')
  await settle()
  expect([locked.asked, away.asked]).toEqual([0, 0])
  expect([await countOf('mgr'), await countOf('clerk')]).toEqual([0, 1])
  await clear()
})

test('who acts as another user subscribes no browser for them', async () => {
  const body = { UserId: idOf('clerk'), Reason: 'Help', Minutes: 5 }
  const { body: acting } = await app.fetch<Reply<{ AccessToken: string }>>(
    '/api/v1/impersonation/start',
    { ...(await signIn('sys')), body },
  )
  const answer = await subscribe(withToken(acting.data.AccessToken), service.open().subscription)
  expect([answer.status, answer.body.code, await countOf('clerk')]).toEqual([
    ...[401, 'PERMISSION_DENIED', 0],
  ])
})

test('a subscription that never works rests, then goes', async () => {
  const dead = await openBrowser({ as: 'clerk' })
  dead.reply = () => new Response(null, { status: 400 })
  for (let at = 0; at < 8; at++) await send('clerk')
  await settle()
  expect(dead.asked).toBe(5)
  pass(3_600_000)
  await send('clerk')
  await settle()
  expect(dead.asked).toBe(6)
  for (let hour = 0; hour < 44; hour++) {
    pass(3_600_000)
    await send('clerk')
    await settle()
  }
  expect([dead.asked, await countOf('clerk')]).toEqual([50, 0])
})
