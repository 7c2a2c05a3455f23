/** Wizards by an API key, and by somebody who acts as another user. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  type Body,
  type RunData,
  startWizards,
  WIZARD,
  type Wizards,
} from '../../support/wizards.ts'

const ANA = 2
let guide: Wizards
beforeAll(async () => {
  guide = await startWizards()
})
afterAll(() => guide[Symbol.asyncDispose]())

const write = (sql: string) =>
  guide.app.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })

/** A wizard's calls with a bearer of their own. */
const by = (token: string) => (path: string, body?: object) =>
  guide.app.fetch<Body>(`${WIZARD}${path}`, {
    headers: { Authorization: `Bearer ${token}` },
    ...(body !== undefined && { body }),
  })

async function makeKey(Roles: string[]): Promise<{ Id: number; Key: string }> {
  const answer = await guide.app.fetch<{ data: { Id: number; Key: string } }>(
    '/api/v1/auth/api-keys',
    { as: 'ana', body: { Name: `Key ${Roles.join(' ')}`, Roles, Companies: [1] } },
  )
  return answer.body.data
}

async function actAs(UserId: number): Promise<string> {
  const answer = await guide.app.fetch<{ data: { AccessToken: string } }>(
    '/api/v1/impersonation/start',
    { as: 'root', body: { UserId, Reason: 'A test', Minutes: 10 } },
  )
  return answer.body.data.AccessToken
}

type Calls = ReturnType<typeof by>

/** A run that only has to be finished. */
async function goToEnd(call: Calls, Name: string): Promise<string> {
  const begun = await call('/new-client/start', {})
  const { RunId } = begun.body.data
  for (const Values of [{ Name }, { Country: 'DE' }, {}])
    expect((await call(`/runs/${RunId}/next`, { Values })).status).toBe(200)
  return RunId
}

const countClients = async (name: string) =>
  (await guide.rows<{ n: number }>(`SELECT count(*) AS n FROM clients WHERE Name = '${name}'`))[0]
    ?.n

test('a run of a key is the key’s alone, and finished once by its rights', async () => {
  const key = by((await makeKey(['Clerk'])).Key)
  const other = by((await makeKey(['Clerk'])).Key)
  const RunId = await goToEnd(key, 'Keyed')
  expect((await other(`/runs/${RunId}`)).status).toBe(404)
  expect((await guide.call(`/runs/${RunId}`)).status).toBe(404)
  expect((await other(`/runs/${RunId}/finish`, { Values: {} })).status).toBe(404)
  expect((await key(`/runs/${RunId}/finish`, { Values: {} })).status).toBe(200)
  expect((await key(`/runs/${RunId}/finish`, { Values: {} })).status).toBe(404)
  expect(await countClients('Keyed')).toBe(1)
})

test('a key without the wizard’s right begins none, one that lost it ends none', async () => {
  const bare = by((await makeKey([])).Key)
  expect((await bare('/new-client/start', {})).status).toBe(401)
  const made = await makeKey(['Clerk'])
  const key = by(made.Key)
  const RunId = await goToEnd(key, 'Narrowed')
  await write(`UPDATE svc_user_roles SET Role = 'Lead' WHERE UserId = ${ANA}`)
  guide.app.context.callers.forgetUser(ANA)
  expect((await key(`/runs/${RunId}/finish`, { Values: {} })).status).toBe(401)
  await write(`UPDATE svc_user_roles SET Role = 'Clerk' WHERE UserId = ${ANA}`)
  guide.app.context.callers.forgetUser(ANA)
  const path = `/api/v1/auth/api-keys/${made.Id}`
  expect((await guide.app.fetch(path, { as: 'ana', method: 'DELETE' })).status).toBe(200)
  expect((await key(`/runs/${RunId}/finish`, { Values: {} })).status).toBe(401)
  expect(await countClients('Narrowed')).toBe(0)
})

test('who acts as another finishes a run under both names', async () => {
  const acting = by(await actAs(ANA))
  const RunId = await goToEnd(acting, 'Acted')
  expect((await acting(`/runs/${RunId}/finish`, { Values: {} })).status).toBe(200)
  const [entry] = await guide.rows<{ UserId: number; ImpersonatorId: number }>(
    `SELECT UserId, ImpersonatorId FROM svc_audit
      WHERE Source LIKE '%NewClient%' ORDER BY Id DESC LIMIT 1`,
  )
  expect(entry).toEqual({ UserId: ANA, ImpersonatorId: 1 })
})

test('the end of acting ends what they can do with the run', async () => {
  const token = await actAs(ANA)
  const acting = by(token)
  const RunId = await goToEnd(acting, 'Ended')
  const stop = await guide.app.fetch('/api/v1/impersonation/stop', {
    headers: { Authorization: `Bearer ${token}` },
    body: {},
  })
  expect(stop.status).toBe(200)
  expect((await acting(`/runs/${RunId}/finish`, { Values: {} })).status).toBe(401)
  expect((await guide.call<RunData>(`/runs/${RunId}`, { as: 'root' })).status).toBe(404)
  expect(await countClients('Ended')).toBe(0)
})
