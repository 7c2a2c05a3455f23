/** /api/v1/push-subscription: browsers that subscribe, and what they are sent. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  MESSAGE,
  PUSH,
  PushSubscribers,
  type Reply,
  taken,
} from '../../support/push-subscribers.ts'
import { RawReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

let office: PushSubscribers
beforeAll(async () => {
  office = await PushSubscribers.start()
})
afterAll(() => office[Symbol.asyncDispose]())

test('a browser reads what is sent to it, from this server and no other', async () => {
  const browser = await office.openBrowser({ as: 'clerk' })
  await office.send('clerk')
  await office.settle()
  expect(browser.messages).toEqual([{ ...MESSAGE }])
  const [pushed] = browser.pushed
  const key = await office.app.fetch<Reply<{ PublicKey: string }>>(`${PUSH}/vapid-key`, {
    as: 'weak',
  })
  expect(pushed?.signedBy).toBe(key.body.data.PublicKey)
  expect(pushed?.claims).toEqual({
    aud: `http://127.0.0.1:${office.service.port}`,
    exp: office.now.getTime() / 1000 + 12 * 3600,
    sub: 'mailto:ops@example.com',
  })
  const names = ['ttl', 'urgency', 'content-encoding', 'content-type']
  expect(names.map((name) => pushed?.headers.get(name))).toEqual([
    ...['86400', 'high', 'aes128gcm', 'application/octet-stream'],
  ])
  const rows = await office.app.store.all(
    'SELECT Auth AS Secret FROM svc_push_subscriptions UNION ALL SELECT PrivateJwk FROM svc_keys ' +
      `WHERE Kid = 'vapid'`,
  )
  expect(rows).toHaveLength(2)
  expect(JSON.stringify(rows)).not.toContain(browser.subscription.keys.auth)
  expect(JSON.stringify(rows)).not.toContain('"d"')
  await office.clear()
})

test('the test message is in the language of the caller; one waits at a time', async () => {
  const by = await office.signIn('clerk')
  const browser = await office.openBrowser(by)
  let release: (answer: Response) => void = () => undefined
  browser.reply = () => new Promise((resolve) => (release = resolve))
  const german = { headers: { ...by.headers, 'Accept-Language': 'de' } }
  for (const round of [1, 2, 3])
    expect([round, (await office.askTest(german)).body.data]).toEqual([round, { Count: 1 }])
  await until(() => browser.asked === 1)
  release(new Response(null, { status: 201 }))
  await office.settle()
  expect(browser.messages.map(({ Title }) => Title)).toEqual([
    'Benachrichtigungen funktionieren in diesem Browser',
  ])
  expect(browser.asked).toBe(1)
  await office.clear()
  expect((await office.askTest(by)).body.data).toEqual({ Count: 0 })
})

test('Directus CVE-2026-35409, Budibase CVE-2026-31818: inner endpoints are refused', async () => {
  await using inner = await RawReceiver.open('127.0.0.3', 0, () => undefined)
  const { keys } = office.service.open().subscription
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
    const answer = await office.subscribe({ as: 'clerk' }, { endpoint, keys })
    const { status, body } = answer
    expect([endpoint, status, Object.keys(body.fieldErrors ?? {})]).toEqual([
      ...[endpoint, 400],
      ['endpoint'],
    ])
    if (endpoint.length > 1) expect(answer.text).not.toContain(endpoint)
  }
  expect([inner.connections, await office.countOf('clerk')]).toEqual([0, 0])
})

test('what is no subscription of a browser is refused', async () => {
  const { endpoint, keys } = office.service.open().subscription
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
    expect([body, (await office.subscribe({ as: 'clerk' }, body)).status]).toEqual([body, 400])
  expect(await office.countOf('clerk')).toBe(0)
})

test('a redirect inward is not followed, and what an endpoint says goes nowhere', async () => {
  await using inner = await RawReceiver.open('127.0.0.1', 0, () => undefined)
  const browser = await office.openBrowser({ as: 'clerk' })
  browser.reply = () => Response.redirect(`http://127.0.0.1:${inner.port}/`, 307)
  const job = await office.send('clerk')
  await office.settle()
  expect([inner.connections, browser.asked]).toEqual([0, 1])
  const told = await office.app.fetch<Reply<{ Log: string[] }>>(`/api/v1/hangfire/jobs/${job}`, {
    as: 'sys',
  })
  expect(told.body.data.Log.join()).toContain('The push service answered with status 307')
  await office.clear()
})

test('a browser has one subscription, whoever signs in there', async () => {
  const browser = await office.openBrowser({ as: 'clerk' })
  await office.subscribe({ as: 'clerk' }, browser.subscription)
  const renewed = { ...office.service.open().subscription, endpoint: browser.endpoint }
  await office.subscribe({ as: 'clerk' }, renewed)
  await office.subscribe({ as: 'clerk' }, browser.subscription)
  expect(await office.countOf('clerk')).toBe(1)
  await office.subscribe({ as: 'weak' }, browser.subscription)
  expect([await office.countOf('clerk'), await office.countOf('weak')]).toEqual([0, 1])
  await office.send('clerk')
  await office.settle()
  expect(browser.asked).toBe(0)
  await office.clear()
})

test('who knows an endpoint alone takes nothing from its user', async () => {
  const browser = await office.openBrowser({ as: 'clerk' })
  const { endpoint, keys } = browser.subscription
  const thief = office.service.open().subscription
  await office.subscribe({ as: 'weak' }, { endpoint, keys: thief.keys })
  await office.subscribe({ as: 'weak' }, { endpoint, keys: { ...keys, auth: thief.keys.auth } })
  const known = await office.unsubscribe({ as: 'sys' }, endpoint)
  const unknown = await office.unsubscribe({ as: 'sys' }, `${endpoint}x`)
  const mask = (text: string) => text.replace(/"traceId":"[^"]*"/, '')
  expect([known.status, mask(known.text)]).toEqual([404, mask(unknown.text)])
  await office.send('clerk')
  await office.settle()
  expect(browser.messages).toHaveLength(1)
  expect((await office.unsubscribe({ as: 'clerk' }, endpoint)).body).toEqual({
    success: true,
    data: null,
  })
  expect(await office.countOf('clerk')).toBe(0)
  await office.clear()
})

test('a user has twenty subscriptions; of more the oldest goes', async () => {
  const first = await office.openBrowser({ as: 'clerk' })
  const second = await office.openBrowser({ as: 'clerk' })
  for (let count = 3; count <= 20; count++) await office.openBrowser({ as: 'clerk' })
  // It is the newest again, and counts once.
  const again = await office.subscribe({ as: 'clerk' }, first.subscription)
  expect(again.body.data).toEqual({ Count: 20, Removed: 0 })
  const newest = office.service.open()
  const more = await office.subscribe({ as: 'clerk' }, newest.subscription)
  expect(more.body.data).toEqual({ Count: 20, Removed: 1 })
  const kept = [first, newest, second].map(({ endpoint }) =>
    office.unsubscribe({ as: 'clerk' }, endpoint),
  )
  expect((await Promise.all(kept)).map(({ status }) => status)).toEqual([200, 200, 404])
  await office.clear()
})

test('subscriptions that are gone are dropped', async () => {
  const browsers = [
    await office.openBrowser({ as: 'clerk' }),
    await office.openBrowser({ as: 'clerk' }),
  ]
  const kept = await office.openBrowser({ as: 'clerk' })
  browsers.forEach((browser, at) => {
    browser.reply = () => new Response(null, { status: at === 0 ? 404 : 410 })
  })
  await office.send('clerk')
  await office.settle()
  expect([await office.countOf('clerk'), kept.messages.length]).toEqual([1, 1])
  await office.clear()
})

test('a busy push service is asked again, later; others do not wait for it', async () => {
  const [busy, broken, closed, fine] = [
    ...[await office.openBrowser({ as: 'clerk' }), await office.openBrowser({ as: 'clerk' })],
    ...[await office.openBrowser({ as: 'clerk' }), await office.openBrowser({ as: 'clerk' })],
  ]
  if (!busy || !broken || !closed || !fine) throw new Error('There are four')
  const full = { status: 429, headers: { 'Retry-After': '120' } }
  busy.reply = () => (busy.asked === 1 ? new Response(null, full) : taken())
  broken.reply = () => (broken.asked < 3 ? new Response(null, { status: 503 }) : taken())
  closed.reply = () => new Response(null, { status: 403 })
  await office.send('clerk')
  await office.settle()
  expect([busy, broken, closed, fine].map(({ asked }) => asked)).toEqual([1, 1, 1, 1])
  expect(fine.messages).toHaveLength(1)
  office.pass(11_000)
  await until(() => broken.asked === 2)
  await office.settle()
  expect(busy.asked).toBe(1)
  office.pass(110_000)
  await until(() => busy.asked === 2 && broken.asked === 3)
  await office.settle()
  expect([busy.messages, broken.messages].map(({ length }) => length)).toEqual([1, 1])
  expect([fine.asked, closed.asked]).toEqual([1, 1])
  await office.clear()
})

test('an endpoint that hangs holds up nobody else', async () => {
  const hanging = await office.openBrowser({ as: 'clerk' })
  const own = await office.openBrowser({ as: 'clerk' })
  const other = await office.openBrowser({ as: 'weak' })
  const answers: ((answer: Response) => void)[] = []
  hanging.reply = () => new Promise((resolve) => answers.push(resolve))
  for (let at = 0; at < 20; at++) await office.send('clerk')
  await until(() => hanging.asked === 1)
  for (let at = 0; at < 5; at++) await office.send('weak')
  await until(() => other.messages.length === 5)
  expect([hanging.asked, own.messages.length]).toEqual([1, 1])
  hanging.reply = taken
  answers.forEach((answer) => answer(taken()))
  await office.settle()
  expect([hanging.messages.length, own.messages.length]).toEqual([20, 20])
  await office.clear()
})

test('a subscription that never works rests, then goes', async () => {
  const dead = await office.openBrowser({ as: 'clerk' })
  dead.reply = () => new Response(null, { status: 400 })
  for (let at = 0; at < 8; at++) await office.send('clerk')
  await office.settle()
  expect(dead.asked).toBe(5)
  office.pass(3_600_000)
  await office.send('clerk')
  await office.settle()
  expect(dead.asked).toBe(6)
  for (let hour = 0; hour < 44; hour++) {
    office.pass(3_600_000)
    await office.send('clerk')
    await office.settle()
  }
  expect([dead.asked, await office.countOf('clerk')]).toEqual([50, 0])
})
