/** /api/v1/svc/webhooks: what receivers are sent, signed, and what they may never see. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { until } from '../../support/until.ts'
import {
  type Entry,
  HOOKS,
  openWebhookWorld,
  type Reply,
  type Sent,
  type WebhookWorld,
} from '../../support/webhooks.ts'

let world: WebhookWorld
beforeAll(async () => {
  world = await openWebhookWorld()
})
afterAll(() => world.close())
beforeEach(() => world.reset())

test('what happens is sent, signed, with what its maker sees', async () => {
  const hook = await world.register('boss', 'cases.created', 'Cases.Updated', 'cases.deleted')
  expect(hook.Secret).toStartWith('whsec_')
  const { Values } = await world.save({ Title: 'Lamp', Region: 'south', Cost: 7 })
  await until(() => world.heard().length === 1)
  await world.save({ Id: Values.Id, Title: 'Desk' })
  await until(() => world.heard().length === 2)
  await world.remove(Values.Id)
  await until(() => world.heard().length === 3)
  await until(world.isQuiet)
  const base = { Object: 'Cases', Keys: { Id: Values.Id } }
  expect(world.heard().map(({ body }) => body)).toMatchObject([
    { Event: 'cases.created', Action: 'created', ...base, Values: { Title: 'Lamp', Cost: 7 } },
    { Event: 'cases.updated', Action: 'updated', ...base, Values: { Title: 'Desk' } },
    { Event: 'cases.deleted', Action: 'deleted', ...base, Values: { Title: 'Desk', Cost: 7 } },
  ])
  const verifier = new Webhook(hook.Secret ?? '')
  for (const { text, headers } of world.heard())
    expect(verifier.verify(text, headers)).toBeDefined()
  const { text = '', headers = {} } = world.heard()[0] ?? {}
  expect(() => new Webhook('whsec_AAAA').verify(text, headers)).toThrow()
  const traces = world.heard().map(({ text: sent, headers: { traceparent } }) => {
    const { TraceId } = JSON.parse(sent) as { TraceId: string }
    return [TraceId, traceparent]
  })
  for (const [trace, parent] of traces)
    expect(parent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`))
  const listed = await world.deliveries('boss', hook.Id)
  expect(listed.map(({ State, LastStatus }) => [State, LastStatus])).toEqual(
    Array(3).fill(['sent', 200]),
  )
  expect((await world.ask<Entry[]>('boss', '')).text).not.toContain('whsec_')
})

test('attack: rows and fields that the maker does not see are not sent, nor listed', async () => {
  const hook = await world.register('north', 'cases.created', 'cases.updated', 'cases.deleted')
  const hidden = await world.save({ Title: 'Hidden', Region: 'south', Cost: 7 })
  await world.save({ Id: hidden.Values.Id, Title: 'Still hidden' })
  await world.post('boss', 'delete-row', {
    ObjectName: 'Cases',
    Parameters: { Id: hidden.Values.Id },
  })
  await world.save({ Title: 'Seen', Region: 'north', Cost: 7 })
  await until(world.isQuiet)
  expect(world.heard().map(({ body }) => body.Values?.Title)).toEqual(['Seen'])
  expect(world.heard()[0]?.body.Values).not.toHaveProperty('Cost')
  expect(await world.deliveries('north', hook.Id)).toHaveLength(1)
  await world.save({ Title: 'Elsewhere', Region: 'north' }, 'far')
  await until(world.isQuiet)
  expect(world.heard()).toHaveLength(1)
  // A right that is lost holds from then on.
  await world.write(`DELETE FROM svc_user_roles WHERE UserId = 3 AND Role = 'North'`)
  world.app.context.callers.forgetUser(3)
  await world.save({ Title: 'Later', Region: 'north' })
  await until(world.isQuiet)
  await world.write(`INSERT INTO svc_user_roles (UserId, Role) VALUES (3, 'North')`)
  world.app.context.callers.forgetUser(3)
  expect(world.heard()).toHaveLength(1)
})

test('attack: who may not, what there is not, and inner addresses', async () => {
  for (const as of ['clerk']) expect((await world.ask(as, '')).status).toBe(401)
  const refuse = async (as: string, body: object) =>
    (await world.ask<Entry>(as, '', 'POST', { Url: world.Url, Events: ['cases.created'], ...body }))
      .body.fieldErrors
  const unknown = { 'Events[0]': 'There is no such event' }
  expect(await refuse('boss', { Events: ['nothing.created'] })).toEqual(unknown)
  expect(await refuse('boss', { Events: ['secrets.created'] })).toEqual(unknown)
  expect(await refuse('boss', { Events: ['cases.nothing'] })).toEqual(unknown)
  for (const inner of [
    'http://localhost/',
    'https://169.254.169.254/',
    'https://[::1]/',
    'ftp://a',
  ])
    expect(await refuse('boss', { Url: inner })).toHaveProperty('Url')
  const hook = await world.register('boss', 'cases.created')
  for (const [path, method] of [
    [`/${hook.Id}`, 'PUT'],
    [`/${hook.Id}`, 'DELETE'],
    [`/${hook.Id}/deliveries`, 'GET'],
    [`/${hook.Id}/test`, 'POST'],
    [`/${hook.Id}/deliveries/1/replay`, 'POST'],
  ] as const) {
    const refused = await world.ask('far', path, method, method === 'GET' ? undefined : {})
    expect([path, refused.status]).toEqual([path, 404])
  }
})

test('a receiver that fails is tried again under the same id; others go on', async () => {
  const hook = await world.register('boss', 'cases.created')
  let fails = 3
  world.answerWith(() => new Response('no', { status: fails-- > 0 ? 503 : 204 }))
  await world.save({ Title: 'Lamp' })
  await until(async () => (await world.deliveries('boss', hook.Id))[0]?.State === 'sent')
  expect(new Set(world.heard().map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(world.heard()).toHaveLength(4)
  expect((await world.deliveries('boss', hook.Id))[0]).toMatchObject({
    Attempts: 4,
    LastError: null,
  })
})

test('a redirect is a failure, a gone receiver is turned off and its maker told', async () => {
  const hook = await world.register('boss', 'cases.created')
  world.answerWith(() => Response.redirect('http://127.0.0.1:1/inner'))
  await world.save({ Title: 'Lamp' })
  await until(async () => (await world.deliveries('boss', hook.Id))[0]?.LastStatus === 302)
  world.answerWith(() => new Response(null, { status: 410 }))
  await until(async () => !(await world.ask<Entry[]>('boss', '')).body.data[0]?.Active)
  const told = await world.app.store.all(`SELECT UserId, Kind FROM svc_notifications ORDER BY Id`)
  expect(told.at(-1)).toEqual({ UserId: 2, Kind: 'Webhook' })
  const read = async (language: string) => {
    const of = { as: 'boss', headers: { 'Accept-Language': language } }
    const hooks = await world.app.fetch<Reply<Entry[]>>(HOOKS, of)
    const sent = await world.app.fetch<Reply<Sent[]>>(`${HOOKS}/${hook.Id}/deliveries`, of)
    return [hooks.body.data[0]?.OffReason, sent.body.data.map(({ LastError }) => LastError)]
  }
  expect(await read('en')).toEqual([
    'The receiver no longer exists (410)',
    ['The receiver answered with status 410'],
  ])
  expect(await read('de')).toEqual([
    'Den Empfänger gibt es nicht mehr (410)',
    ['Der Empfänger hat mit Status 410 geantwortet'],
  ])
  const before = world.heard().length
  await world.save({ Title: 'Desk' })
  await until(world.isQuiet)
  expect(world.heard()).toHaveLength(before)
})

test('a changed secret signs beside the former one; who changes it is its maker', async () => {
  const hook = await world.register('boss', 'cases.created')
  const changed = await world.ask<Entry>('north', `/${hook.Id}`, 'PUT', { RotateSecret: true })
  const { Secret = '', MakerId } = changed.body.data
  expect([Secret === hook.Secret, MakerId]).toEqual([false, 3])
  await world.ask('north', `/${hook.Id}/test`, 'POST', {})
  await until(() => world.heard().length === 1)
  const { text = '', headers = {} } = world.heard()[0] ?? {}
  for (const each of [Secret, hook.Secret ?? '']) new Webhook(each).verify(text, headers)
  expect(world.heard()[0]?.body).toMatchObject({ Event: 'test', Keys: null, Values: null })
})

test('actions and events of effects; what is rolled back is never sent', async () => {
  const hook = await world.register('boss', 'cases.close', 'CaseClosed')
  const { Values } = await world.save({ Title: 'Lamp' })
  const parameters = { ObjectName: 'Cases', ActionName: 'Close', Parameters: { Id: Values.Id } }
  await world.post('boss', 'execute-row-action', parameters)
  await until(() => world.heard().length >= 2)
  await until(world.isQuiet)
  expect(
    world
      .heard()
      .map(({ body }) => [body.Event, body.Action, body.Values?.Title])
      .sort(),
  ).toEqual([
    ['CaseClosed', 'CaseClosed', 'closed'],
    ['cases.close', 'Close', 'closed'],
  ])
  const count = async () =>
    (await world.app.store.all('SELECT Id FROM svc_webhook_deliveries')).length
  const before = await count()
  const missing = { ...parameters, Parameters: { Id: 999 } }
  expect(
    (await world.app.fetch('/api/v1/svc/object/execute-row-action', { as: 'boss', body: missing }))
      .status,
  ).toBe(404)
  expect(await count()).toBe(before)
  expect((await world.deliveries('boss', hook.Id)).length).toBe(2)
})

test('what an entity says names the first view that its maker may View', async () => {
  await world.register('boss', 'CaseUrgent')
  await world.register('north', 'CaseUrgent')
  const { Values } = await world.save({ Title: 'Lamp', Region: 'south', Cost: 7 })
  await world.save({ Id: Values.Id, Title: 'urgent' })
  await until(() => world.heard().length > 0)
  await until(world.isQuiet)
  expect(world.heard().map(({ body }) => body)).toMatchObject([
    { Object: 'Cases', Keys: { Id: Values.Id }, Values: { Title: 'urgent', Cost: 7 } },
  ])
})

test('of very many rows of one transaction the last are told once, without a key', async () => {
  await world.write(
    `INSERT INTO cases (CompanyId, Title) SELECT 1, 'Row' FROM generate_series(1, 510)`,
  )
  const hook = await world.register('boss', 'cases.updated')
  const action = { ObjectName: 'Cases', ActionName: 'Sweep', Parameters: {} }
  await world.post('boss', 'execute-row-action', action)
  await until(world.isQuiet)
  const sent = world.heard().map(({ body }) => body.Keys)
  expect([sent.length, sent.filter((keys) => keys === null).length]).toEqual([501, 1])
  expect(new Set(sent.map((keys) => JSON.stringify(keys))).size).toBe(501)
  await world.ask('boss', `/${hook.Id}`, 'DELETE')
  await world.write(`DELETE FROM cases`)
})

test('a webhook whose receiver is no good any more can be turned off', async () => {
  const hook = await world.register('boss', 'cases.created')
  await world.write(
    `UPDATE svc_webhooks SET Url = 'https://receiver.invalid/', Events = '["gone.created"]'`,
  )
  const off = await world.ask<Entry>('boss', `/${hook.Id}`, 'PUT', { Active: false })
  expect([off.status, off.body.data.Active]).toEqual([200, false])
  const moved = await world.ask('boss', `/${hook.Id}`, 'PUT', { Url: 'https://receiver.invalid/' })
  expect(Object.keys(moved.body.fieldErrors ?? {})).toEqual(['Url'])
})

test('a receiver that hangs holds up nobody else', async () => {
  await world.register('boss', 'cases.created')
  const other = await world.register('boss', 'cases.updated')
  const { Values } = await world.save({ Title: 'Lamp' })
  await until(() => world.heard().length === 1)
  let release = () => {}
  world.answerWith(() => new Promise((resolve) => (release = () => resolve(new Response()))))
  await world.save({ Title: 'Hangs' })
  await until(() => world.heard().length === 2)
  world.answerWith(() => new Response())
  await world.save({ Id: Values.Id, Title: 'Desk' })
  await until(async () => (await world.deliveries('boss', other.Id))[0]?.State === 'sent')
  release()
})
