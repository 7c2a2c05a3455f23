/** The client's service worker: pictures with the token, and messages that are pushed. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { ClosedPage } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'
import { until } from '../support/until.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('ana', '/object/orders/400')
  await browser.page.context().grantPermissions(['notifications'])
})

afterAll(() => world[Symbol.asyncDispose]())

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const workerOf = async (page: Page) => {
  const [known] = page.context().serviceWorkers()
  return known ?? page.context().waitForEvent('serviceworker')
}

/** The address of a picture that ana has uploaded, which is hers alone as long as it waits. */
async function upload(): Promise<string> {
  const login = await fetch(`${world.server.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ UserName: 'ana', Password: 'ana-demo-password' }),
  })
  const { data: tokens } = (await login.json()) as { data: { AccessToken: string } }
  const body = new FormData()
  body.set('objectName', 'orders')
  body.set('fieldName', 'Documents')
  body.set('files', new File([PIXEL], 'dot.png', { type: 'image/png' }))
  const answer = await fetch(`${world.server.url}/api/v1/svc/object/upload`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${tokens.AccessToken}` },
    body,
  })
  const { data } = (await answer.json()) as { data: [{ UploadKey: string }] }
  return `/files/${data[0].UploadKey}`
}

/** The width of a picture as the page draws it; 0 where it cannot. */
const widthOf = (page: Page, address: string): Promise<unknown> =>
  page.evaluate(`new Promise((resolve) => {
    const picture = new Image()
    picture.onload = () => resolve(picture.naturalWidth)
    picture.onerror = () => resolve(0)
    picture.src = ${JSON.stringify(address)}
  })`)

test('a picture is drawn by its address, with the token of the page', async () => {
  const { page } = browser
  const address = await upload()
  await workerOf(page)
  await until(() => page.evaluate('navigator.serviceWorker.controller !== null'))
  expect(await widthOf(page, address)).toBe(1)
  await page.reload()
  await page.locator('main.frame-main').waitFor()
  expect(await widthOf(page, address)).toBe(1)
  // It is the token that opens it, and not the address.
  expect((await fetch(`${world.address}${address}`)).status).toBe(401)
})

test('a file opens in a tab of its own, by the token of another', async () => {
  const { page } = browser
  const address = await upload()
  const tab = await page.context().newPage()
  await tab.goto(`${world.address}${address}`)
  expect(await tab.evaluate('document.images[0]?.naturalWidth')).toBe(1)
  await tab.close()
})

test('a picture that is not there is no more there with the worker', async () => {
  const { page, complaints } = browser
  expect(await widthOf(page, '/files/01a2267d-7978-7441-846a-3bd2a3bf9e56')).toBe(0)
  expect(complaints.splice(0).join()).toContain('404')
})

interface Told {
  Id: number
  Seq: number
  Title: string
}

/** Sends ana a notification about an order, and delivers it as a push service would. */
async function push(page: Page, title: string): Promise<Told> {
  const sent = { Title: title, Users: ['ana'], Object: 'Orders', Keys: { Id: 399 } }
  await world.call('root', '/api/v1/notifications', sent)
  const [told] = (await world.call('ana', '/api/v1/notification?limit=1')) as [Told]
  const session = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) =>
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [found] }) => {
      if (found) resolve(found.registrationId)
    }),
  )
  await session.send('ServiceWorker.enable')
  await session.send('ServiceWorker.deliverPushMessage', {
    origin: world.address,
    registrationId: await registered,
    data: JSON.stringify({ Id: told.Id, Seq: told.Seq, Title: title, Body: null, Url: null }),
  })
  await session.detach()
  return told
}

/** Clicks what is shown of a message, as its user would. */
const clickNotice = async (page: Page): Promise<void> => {
  const worker = await workerOf(page)
  await worker.evaluate(`(async () => {
    const [notification] = await self.registration.getNotifications()
    self.dispatchEvent(new NotificationEvent('notificationclick', { notification }))
  })()`)
}

const SHOWN =
  'navigator.serviceWorker.ready.then((found) => found.getNotifications())' +
  '.then((list) => list.map(({ title }) => title).join())'

test('a pushed message is shown, and a click opens its record in the open page', async () => {
  const { page } = browser
  const { Id } = await push(page, 'Look at this order')
  await until(() => page.evaluate(`${SHOWN}.then((titles) => titles === 'Look at this order')`))
  await clickNotice(page)
  await page.waitForURL(/\/object\/orders\/399$/)
  await page.getByRole('heading', { level: 1, name: /^SO-/ }).waitFor()
  const list = (await world.call('ana', '/api/v1/notification?limit=1')) as [
    { Id: number; ReadAt: string | null },
  ]
  expect(list[0]).toMatchObject({ Id, ReadAt: expect.any(String) })
})

test('a page that a message has opened goes to its record', async () => {
  const { page } = browser
  const { Seq } = await push(page, 'And at this')
  for (const place of ['/', '/object/orders/399']) {
    await page.goto(`${world.address}${place}?notification=${Seq}`)
    await page.waitForURL(/\/object\/orders\/399$/)
  }
})

/** A push service of our own: no machine of a test reaches one. */
const STUB = `
  const made = {
    endpoint: 'https://push.example.com/send/1',
    toJSON: () => ({
      endpoint: made.endpoint,
      expirationTime: null,
      keys: { p256dh: 'B'.repeat(87), auth: 'A'.repeat(22) },
    }),
    unsubscribe: () => Promise.resolve(sessionStorage.removeItem('subscribed') === undefined),
  }
  PushManager.prototype.subscribe = ({ applicationServerKey }) => {
    if (applicationServerKey.length !== 65) throw new TypeError('No key of P-256')
    sessionStorage.setItem('subscribed', 'true')
    return Promise.resolve(made)
  }
  PushManager.prototype.getSubscription = () =>
    Promise.resolve(sessionStorage.getItem('subscribed') === null ? null : made)
`

test('messages are turned on in this browser, tried, and turned off', async () => {
  const { page } = browser
  const told: string[] = []
  await page.addInitScript(STUB)
  await page.route(`${world.address}/api/v1/push-subscription`, (route) => {
    told.push(route.request().method())
    return route.fulfill({ json: { success: true, data: { Count: 1, Removed: 0 } } })
  })
  await page.goto(`${world.address}/account/notifications`)
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText('Messages are shown here while').waitFor()
  await page.getByRole('button', { name: 'Send a test message' }).click()
  await page.getByText(/^A message is sent to/).waitFor()
  // In a session of its own the browser is subscribed again.
  await Promise.all([
    page.waitForRequest(`${world.address}/api/v1/push-subscription`),
    page.reload(),
  ])
  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('button', { name: 'Turn on' }).waitFor()
  expect(told).toEqual(['POST', 'POST', 'DELETE'])
})

test('the policy refused nothing of it', () => {
  expect([...browser.outside, ...browser.complaints]).toEqual([])
})
