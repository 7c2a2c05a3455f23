/** When browsers are sent nothing any more, and which notifications reach them. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { enqueuePushes } from '../../../src/engine/notifications/push-channel.ts'
import { openSweep } from '../../../src/features/web-push/sweep-subscriptions.ts'
import { idOf } from '../../support/administrators.ts'
import {
  PushSubscribers,
  type Reply,
  SCOPE,
  taken,
  withToken,
} from '../../support/push-subscribers.ts'
import { until } from '../../support/until.ts'

let office: PushSubscribers
beforeAll(async () => {
  office = await PushSubscribers.start()
})
afterAll(() => office[Symbol.asyncDispose]())

async function sweep(): Promise<void> {
  const loop = openSweep(office.app.context)
  await loop.start()
  await until(() => loop.runs === 1)
  await loop.stop()
}

test('it ends with the session, which may go on in another company', async () => {
  const [by, moving] = [await office.signIn('clerk'), await office.signIn('wide')]
  const [browser, moved] = [await office.openBrowser(by), await office.openBrowser(moving)]
  const body = { CompanyId: 2 }
  const { body: next } = await office.app.fetch<Reply<{ AccessToken: string }>>(
    '/api/v1/svc/company/switch',
    { ...moving, body },
  )
  await office.app.fetch('/api/v1/auth/logout', { ...by, body: {} })
  await office.send('clerk')
  await office.send('wide')
  await office.settle()
  expect([browser.asked, moved.asked]).toEqual([0, 1])
  expect([await office.countOf('clerk'), await office.countOf('wide')]).toEqual([0, 1])
  await office.app.fetch('/api/v1/auth/logout', { ...withToken(next.data.AccessToken), body: {} })
  await sweep()
  expect([await office.countOf('wide'), moved.asked]).toEqual([0, 1])
})

test('it ends when the browser said that it would', async () => {
  const browser = office.service.open()
  const expirationTime = office.now.getTime() + 60_000
  await office.subscribe({ as: 'clerk' }, { ...browser.subscription, expirationTime })
  await office.send('clerk')
  await office.settle()
  office.pass(60_000)
  await office.send('clerk')
  await office.settle()
  await sweep()
  expect([browser.asked, await office.countOf('clerk')]).toEqual([1, 0])
})

test('rights are judged when it is sent: locked users, and those of other companies', async () => {
  const [locked, away] = [
    await office.openBrowser({ as: 'mgr' }),
    await office.openBrowser({ as: 'clerk' }),
  ]
  await office.send('clerk', 2)
  const path = `/api/v1/svc/auth/users/${idOf('mgr')}`
  const lock = await office.app.fetch(path, { as: 'sys', method: 'PUT', body: { Active: false } })
  expect(lock.status).toBe(200)
  await office.send('mgr')
  await office.settle()
  expect([locked.asked, away.asked]).toEqual([0, 0])
  expect([await office.countOf('mgr'), await office.countOf('clerk')]).toEqual([0, 1])
  await office.clear()
})

const notify = (Users: string[], more: object = {}) =>
  office.app.fetch<Reply<{ Recipients: number }>>('/api/v1/notifications', {
    as: 'sys',
    body: { Title: 'Told in secret', Body: 'Twice', Users, ...more },
  })

const listOwn = async (as: string) =>
  (await office.app.fetch<Reply<{ Id: number }[]>>('/api/v1/notification', { as })).body.data

test('a notification reaches the browsers of those who want it so', async () => {
  const [told, wanting, quiet] = [
    await office.openBrowser({ as: 'clerk' }),
    await office.openBrowser({ as: 'wide' }),
    await office.openBrowser({ as: 'weak' }),
  ]
  const set = (as: string, body: object) =>
    office.app.fetch('/api/v1/notifications/preferences', {
      as,
      method: 'PUT',
      body: { Preferences: [body] },
    })
  expect((await set('weak', { Kind: 'Message', Push: false })).status).toBe(200)
  // It counts as read from the start on, and is pushed all the same.
  expect((await set('wide', { Kind: 'Message', Hub: false })).status).toBe(200)
  await notify(['clerk', 'wide', 'weak', 'none'], { Level: 'error', Url: '/orders' })
  await office.settle()
  const [own] = await listOwn('clerk')
  expect(told.messages).toEqual([
    {
      Id: own?.Id,
      Seq: own?.Id,
      Title: 'Told in secret',
      Body: 'Twice',
      Level: 'error',
      Object: null,
      Keys: null,
      Url: '/orders',
      Kind: 'Message',
    },
  ])
  expect(told.pushed[0]?.headers.get('urgency')).toBe('high')
  expect([wanting, quiet].map(({ asked }) => asked)).toEqual([1, 0])
  const jobs = await office.app.fetch<Reply<{ Jobs: { Id: number; Name: string }[] }>>(
    '/api/v1/hangfire/jobs',
    { as: 'weak' },
  )
  const pushes = jobs.body.data.Jobs.filter(({ Name }) => /push/.test(Name)).slice(0, 3)
  expect(pushes.map(({ Name }) => Name).sort()).toEqual([
    ...['notification-push', 'push-message', 'push-message'],
  ])
  for (const { Id } of pushes) {
    const job = await office.app.fetch(`/api/v1/hangfire/jobs/${Id}`, { as: 'weak' })
    expect([job.status, job.text.includes('Told in secret')]).toEqual([200, false])
  }
  await office.clear()
})

test('attack: where it leads is sent to those alone who see the record then', async () => {
  const { store } = office.app
  const write = (sql: string) => store.write((tx) => tx.run(sql), SCOPE)
  await write(`INSERT INTO cases (Id, CompanyId, Region) VALUES (7, 1, 'south'), (8, 1, 'north')`)
  const browser = await office.openBrowser({ as: 'clerk' })
  for (const Id of [7, 8])
    await notify(['clerk'], { Object: 'Cases', Keys: { Id }, Url: `/cases/${Id}` })
  await office.settle()
  expect(browser.messages).toMatchObject([
    { Object: null, Keys: null, Url: null },
    { Object: 'Cases', Keys: { Id: 8 }, Url: '/cases/8' },
  ])
  await office.clear()
})

test('what was read or removed before it could be sent is not sent', async () => {
  const browser = await office.openBrowser({ as: 'clerk' })
  let release: (answer: Response) => void = () => undefined
  browser.reply = () => new Promise((resolve) => (release = resolve))
  await notify(['clerk'])
  await until(() => browser.asked === 1)
  office.pass(1000)
  for (const Title of ['Read', 'Removed', 'Kept']) await notify(['clerk'], { Title })
  const [kept, removed, read] = await listOwn('clerk')
  expect(kept).toBeDefined()
  office.pass(1000)
  const by = { as: 'clerk', body: {} }
  expect((await office.app.fetch(`/api/v1/notification/${read?.Id}/read`, by)).status).toBe(200)
  const path = `/api/v1/notification/${removed?.Id}`
  expect((await office.app.fetch(path, { as: 'clerk', method: 'DELETE' })).status).toBe(200)
  browser.reply = taken
  release(taken())
  await office.settle()
  expect(browser.messages.map(({ Title }) => Title)).toEqual(['Told in secret', 'Kept'])
  await office.clear()
})

test('many are handed on page by page, each once', async () => {
  const browser = await office.openBrowser({ as: 'clerk' })
  await office.app.store.write(async (tx) => {
    const saved = await tx.all<{ Id: number }>(
      `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 205)
       INSERT INTO svc_notifications (UserId, CompanyId, Kind, Title, Level, CreatedAt)
       SELECT @user, 1, 'Message', 'Number ' || n, 'info', @at FROM c RETURNING Id`,
      { user: idOf('clerk'), at: office.now.toISOString() },
    )
    const range = { first: saved[0]?.Id ?? 0, last: saved.at(-1)?.Id ?? 0 }
    await enqueuePushes(tx, range, { companyId: 1, now: office.now })
  }, SCOPE)
  await office.settle()
  expect(browser.messages.map(({ Title }) => Title)).toEqual(
    Array.from({ length: 205 }, (_, at) => `Number ${at + 1}`),
  )
  await office.clear()
})

test('who acts as another user subscribes no browser for them', async () => {
  const body = { UserId: idOf('clerk'), Reason: 'Help', Minutes: 5 }
  const { body: acting } = await office.app.fetch<Reply<{ AccessToken: string }>>(
    '/api/v1/impersonation/start',
    { ...(await office.signIn('sys')), body },
  )
  const answer = await office.subscribe(
    withToken(acting.data.AccessToken),
    office.service.open().subscription,
  )
  expect([answer.status, answer.body.code, await office.countOf('clerk')]).toEqual([
    ...[401, 'PERMISSION_DENIED', 0],
  ])
})
