/** /api/v1/svc/webhooks: what receivers are sent, signed, and what they may never see. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { startApp, type TestApp } from '../support/app.ts'
import type { TestApplication } from '../support/template.ts'

const MODEL = `<Model>
<Entity Name="Case" Table="cases" Company="CompanyId" Display="Title">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text" Required="true"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="Cost" Type="Integer"/>
  <On Event="updated" When="Title = 'urgent'"><Webhook Event="CaseUrgent"/></On>
</Entity>
<ObjectView Name="Cases" Slug="cases" Entity="Case">
  <RowAction Name="Close" Label="Close"><Sql>UPDATE cases SET Title = 'closed' WHERE Id = @Id</Sql><Webhook Event="CaseClosed"/></RowAction>
  <RowAction Name="Sweep" For="View" Label="Sweep"><Sql>UPDATE cases SET Cost = 1</Sql></RowAction>
</ObjectView>
<ObjectView Name="Secrets" Entity="Case"/>
<Rbac>
  <Role Name="Boss"><Grant Resource="Cases" Verbs="View List Create Update Delete Import"/></Role>
  <Role Name="North"><Grant Resource="Cases" Verbs="View List"/>
    <RowFilter Resource="Cases">Region = 'north'</RowFilter>
    <FieldRule Resource="Cases" Field="Cost" Access="Hidden"/></Role>
</Rbac>
</Model>`

const CASES: TestApplication = {
  files: [{ name: 'cases.xml', body: MODEL }],
  companies: ['ONE', 'TWO'],
  users: [
    { userName: 'sys', roles: ['System'], companies: ['ONE', 'TWO'] },
    { userName: 'boss', roles: ['Boss', 'Admin'], companies: ['ONE'] },
    { userName: 'north', roles: ['North', 'Admin'], companies: ['ONE'] },
    { userName: 'far', roles: ['Boss', 'Admin'], companies: ['TWO'] },
    { userName: 'clerk', roles: ['Boss'], companies: ['ONE'] },
  ],
}

interface Entry {
  Id: number
  Secret?: string
  Active: boolean
  OffReason: string | null
  MakerId: number
}
interface Sent {
  Id: number
  MessageId: string
  Event: string
  State: string
  Attempts: number
  LastStatus: number | null
  LastError: string | null
  Keys: unknown
}
interface Reply<T> {
  code?: string
  fieldErrors?: Record<string, string>
  data: T
}
interface Heard {
  headers: Record<string, string>
  text: string
  body: { Event: string; Action: string; Keys: unknown; Values: Record<string, unknown> | null }
}

let heard: Heard[] = []
let answer: () => Response | Promise<Response> = () => new Response()
const receiver = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const text = await request.text()
    const headers = Object.fromEntries(request.headers)
    heard.push({ headers, text, body: JSON.parse(text) as Heard['body'] })
    return answer()
  },
})
const Url = `http://127.0.0.1:${receiver.port}/hooks`

let app: TestApp
beforeAll(async () => {
  const settings = {
    ...{ 'Svc:Jobs:RetryDelay': '5ms', 'Svc:Outbound:AllowHttp': 'true' },
    ...{ 'Svc:Outbound:Allow': '127.0.0.1', 'Svc:Outbound:Ports': String(receiver.port) },
  }
  app = await startApp({ application: CASES, settings })
  await app.context.jobs.start()
})
afterAll(async () => {
  await app.context.jobs.stop()
  await app[Symbol.asyncDispose]()
  await receiver.stop(true)
})
const write = (sql: string) =>
  app.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })
beforeEach(async () => {
  await write('DELETE FROM svc_webhooks')
  const running = `SELECT 1 AS n FROM svc_jobs WHERE State IN ('Processing', 'Enqueued')`
  while ((await app.store.all(running)).length > 0) await Bun.sleep(2)
  heard = []
  answer = () => new Response()
})

const HOOKS = '/api/v1/svc/webhooks'
const ask = <T>(as: string, path: string, method = 'GET', body?: object) =>
  app.fetch<Reply<T>>(`${HOOKS}${path}`, { as, method, ...(body && { body }) })
async function register(as: string, ...Events: string[]): Promise<Entry> {
  const { status, body, text } = await ask<Entry>(as, '', 'POST', { Url, Events })
  if (status !== 200) throw new Error(text)
  return body.data
}
const deliveries = async (as: string, id: number): Promise<Sent[]> =>
  (await ask<Sent[]>(as, `/${id}/deliveries`)).body.data
async function post(as: string, path: string, body: object): Promise<{ Values: { Id: number } }> {
  const sent = await app.fetch<Reply<{ Values: { Id: number } }>>(`/api/v1/svc/object/${path}`, {
    ...{ as, body },
  })
  if (sent.status !== 200) throw new Error(sent.text)
  return sent.body.data
}
const save = (Parameters: object, as = 'boss') =>
  post(as, 'submit', { FormName: 'Cases', Parameters })
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let look = 0; look < 4000 && !(await holds()); look++) await Bun.sleep(5)
  expect(await holds()).toBe(true)
}
const isQuiet = async () =>
  (await app.store.all(`SELECT 1 AS n FROM svc_jobs WHERE State NOT IN ('Succeeded', 'Failed')`))
    .length === 0

test('what happens is sent, signed, with what its maker sees', async () => {
  const hook = await register('boss', 'cases.created', 'Cases.Updated', 'cases.deleted')
  expect(hook.Secret).toStartWith('whsec_')
  const { Values } = await save({ Title: 'Lamp', Region: 'south', Cost: 7 })
  await until(() => heard.length === 1)
  await save({ Id: Values.Id, Title: 'Desk' })
  await until(() => heard.length === 2)
  await post('boss', 'delete-row', { ObjectName: 'Cases', Parameters: { Id: Values.Id } })
  await until(() => heard.length === 3)
  await until(isQuiet)
  const base = { Object: 'Cases', Keys: { Id: Values.Id } }
  expect(heard.map(({ body }) => body)).toMatchObject([
    { Event: 'cases.created', Action: 'created', ...base, Values: { Title: 'Lamp', Cost: 7 } },
    { Event: 'cases.updated', Action: 'updated', ...base, Values: { Title: 'Desk' } },
    { Event: 'cases.deleted', Action: 'deleted', ...base, Values: { Title: 'Desk', Cost: 7 } },
  ])
  const verifier = new Webhook(hook.Secret ?? '')
  for (const { text, headers } of heard) expect(verifier.verify(text, headers)).toBeDefined()
  const { text = '', headers = {} } = heard[0] ?? {}
  expect(() => new Webhook('whsec_AAAA').verify(text, headers)).toThrow()
  const listed = await deliveries('boss', hook.Id)
  expect(listed.map(({ State, LastStatus }) => [State, LastStatus])).toEqual(
    Array(3).fill(['sent', 200]),
  )
  expect((await ask<Entry[]>('boss', '')).text).not.toContain('whsec_')
})

test('attack: rows and fields that the maker does not see are not sent, nor listed', async () => {
  const hook = await register('north', 'cases.created', 'cases.updated', 'cases.deleted')
  const hidden = await save({ Title: 'Hidden', Region: 'south', Cost: 7 })
  await save({ Id: hidden.Values.Id, Title: 'Still hidden' })
  await post('boss', 'delete-row', { ObjectName: 'Cases', Parameters: { Id: hidden.Values.Id } })
  await save({ Title: 'Seen', Region: 'north', Cost: 7 })
  await until(isQuiet)
  expect(heard.map(({ body }) => body.Values?.Title)).toEqual(['Seen'])
  expect(heard[0]?.body.Values).not.toHaveProperty('Cost')
  expect(await deliveries('north', hook.Id)).toHaveLength(1)
  await save({ Title: 'Elsewhere', Region: 'north' }, 'far')
  await until(isQuiet)
  expect(heard).toHaveLength(1)
  // A right that is lost holds from then on.
  await write(`DELETE FROM svc_user_roles WHERE UserId = 3 AND Role = 'North'`)
  app.context.callers.forgetUser(3)
  await save({ Title: 'Later', Region: 'north' })
  await until(isQuiet)
  await write(`INSERT INTO svc_user_roles (UserId, Role) VALUES (3, 'North')`)
  app.context.callers.forgetUser(3)
  expect(heard).toHaveLength(1)
})

test('attack: who may not, what there is not, and inner addresses', async () => {
  for (const as of ['clerk']) expect((await ask(as, '')).status).toBe(401)
  const refuse = async (as: string, body: object) =>
    (await ask<Entry>(as, '', 'POST', { Url, Events: ['cases.created'], ...body })).body.fieldErrors
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
  const hook = await register('boss', 'cases.created')
  for (const [path, method] of [
    [`/${hook.Id}`, 'PUT'],
    [`/${hook.Id}`, 'DELETE'],
    [`/${hook.Id}/deliveries`, 'GET'],
    [`/${hook.Id}/test`, 'POST'],
    [`/${hook.Id}/deliveries/1/replay`, 'POST'],
  ] as const) {
    const refused = await ask('far', path, method, method === 'GET' ? undefined : {})
    expect([path, refused.status]).toEqual([path, 404])
  }
})

test('a receiver that fails is tried again under the same id; others go on', async () => {
  const hook = await register('boss', 'cases.created')
  let fails = 3
  answer = () => new Response('no', { status: fails-- > 0 ? 503 : 204 })
  await save({ Title: 'Lamp' })
  await until(async () => (await deliveries('boss', hook.Id))[0]?.State === 'sent')
  expect(new Set(heard.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(heard).toHaveLength(4)
  expect((await deliveries('boss', hook.Id))[0]).toMatchObject({ Attempts: 4, LastError: null })
})

test('a redirect is a failure, a gone receiver is turned off and its maker told', async () => {
  const hook = await register('boss', 'cases.created')
  answer = () => Response.redirect('http://127.0.0.1:1/inner')
  await save({ Title: 'Lamp' })
  await until(async () => (await deliveries('boss', hook.Id))[0]?.LastStatus === 302)
  answer = () => new Response(null, { status: 410 })
  await until(async () => !(await ask<Entry[]>('boss', '')).body.data[0]?.Active)
  const told = await app.store.all(`SELECT UserId, Kind FROM svc_notifications ORDER BY Id`)
  expect(told.at(-1)).toEqual({ UserId: 2, Kind: 'Webhook' })
  const before = heard.length
  await save({ Title: 'Desk' })
  await until(isQuiet)
  expect(heard).toHaveLength(before)
})

test('a changed secret signs beside the former one; who changes it is its maker', async () => {
  const hook = await register('boss', 'cases.created')
  const changed = await ask<Entry>('north', `/${hook.Id}`, 'PUT', { RotateSecret: true })
  const { Secret = '', MakerId } = changed.body.data
  expect([Secret === hook.Secret, MakerId]).toEqual([false, 3])
  await ask('north', `/${hook.Id}/test`, 'POST', {})
  await until(() => heard.length === 1)
  const { text = '', headers = {} } = heard[0] ?? {}
  for (const each of [Secret, hook.Secret ?? '']) new Webhook(each).verify(text, headers)
  expect(heard[0]?.body).toMatchObject({ Event: 'test', Keys: null, Values: null })
})

test('what was sent is sent again, as it was', async () => {
  const hook = await register('boss', 'cases.created')
  const { Values } = await save({ Title: 'Lamp' })
  await until(async () => (await deliveries('boss', hook.Id))[0]?.State === 'sent')
  await save({ Id: Values.Id, Title: 'Desk' })
  const [sent] = await deliveries('boss', hook.Id)
  await ask('boss', `/${hook.Id}/deliveries/${sent?.Id}/replay`, 'POST', {})
  await until(() => heard.length === 2)
  expect(heard[1]?.text).toBe(heard[0]?.text ?? '')
  expect(heard[1]?.headers['webhook-id']).toBe(heard[0]?.headers['webhook-id'] ?? '')
})

test('actions and events of effects; what is rolled back is never sent', async () => {
  const hook = await register('boss', 'cases.close', 'CaseClosed')
  const { Values } = await save({ Title: 'Lamp' })
  const parameters = { ObjectName: 'Cases', ActionName: 'Close', Parameters: { Id: Values.Id } }
  await post('boss', 'execute-row-action', parameters)
  await until(() => heard.length >= 2)
  await until(isQuiet)
  expect(heard.map(({ body }) => [body.Event, body.Action, body.Values?.Title]).sort()).toEqual([
    ['CaseClosed', 'CaseClosed', 'closed'],
    ['cases.close', 'Close', 'closed'],
  ])
  const count = async () => (await app.store.all('SELECT Id FROM svc_webhook_deliveries')).length
  const before = await count()
  const missing = { ...parameters, Parameters: { Id: 999 } }
  expect(
    (await app.fetch('/api/v1/svc/object/execute-row-action', { as: 'boss', body: missing }))
      .status,
  ).toBe(404)
  expect(await count()).toBe(before)
  expect((await deliveries('boss', hook.Id)).length).toBe(2)
})

test('what an entity says names the first view that its maker may View', async () => {
  await register('boss', 'CaseUrgent')
  await register('north', 'CaseUrgent')
  const { Values } = await save({ Title: 'Lamp', Region: 'south', Cost: 7 })
  await save({ Id: Values.Id, Title: 'urgent' })
  await until(() => heard.length > 0)
  await until(isQuiet)
  expect(heard.map(({ body }) => body)).toMatchObject([
    { Object: 'Cases', Keys: { Id: Values.Id }, Values: { Title: 'urgent', Cost: 7 } },
  ])
})

test('of very many rows of one transaction the last are told once, without a key', async () => {
  await write(`INSERT INTO cases (CompanyId, Title) SELECT 1, 'Row' FROM generate_series(1, 510)`)
  const hook = await register('boss', 'cases.updated')
  const action = { ObjectName: 'Cases', ActionName: 'Sweep', Parameters: {} }
  await post('boss', 'execute-row-action', action)
  await until(isQuiet)
  const sent = heard.map(({ body }) => body.Keys)
  expect([sent.length, sent.filter((keys) => keys === null).length]).toEqual([501, 1])
  expect(new Set(sent.map((keys) => JSON.stringify(keys))).size).toBe(501)
  await ask('boss', `/${hook.Id}`, 'DELETE')
  await write(`DELETE FROM cases`)
})

test('a webhook whose receiver is no good any more can be turned off', async () => {
  const hook = await register('boss', 'cases.created')
  await write(
    `UPDATE svc_webhooks SET Url = 'https://receiver.invalid/', Events = '["gone.created"]'`,
  )
  const off = await ask<Entry>('boss', `/${hook.Id}`, 'PUT', { Active: false })
  expect([off.status, off.body.data.Active]).toEqual([200, false])
  const moved = await ask('boss', `/${hook.Id}`, 'PUT', { Url: 'https://receiver.invalid/' })
  expect(Object.keys(moved.body.fieldErrors ?? {})).toEqual(['Url'])
})

test('a receiver that hangs holds up nobody else', async () => {
  await register('boss', 'cases.created')
  const other = await register('boss', 'cases.updated')
  const { Values } = await save({ Title: 'Lamp' })
  await until(() => heard.length === 1)
  let release = () => {}
  answer = () => new Promise((resolve) => (release = () => resolve(new Response())))
  await save({ Title: 'Hangs' })
  await until(() => heard.length === 2)
  answer = () => new Response()
  await save({ Id: Values.Id, Title: 'Desk' })
  await until(async () => (await deliveries('boss', other.Id))[0]?.State === 'sent')
  release()
})
