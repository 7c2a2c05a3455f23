/** The caller's own sessions, what ends them, and what is told of new clients. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { saveActive } from '../../../src/access/users/users.ts'
import {
  addUser,
  type Answer,
  type IdentityServer,
  PASSWORD,
  type Signed,
  startIdentity,
} from '../../support/identity.ts'
import { waitForOutbox } from '../../support/outbox.ts'

const AUTH = '/api/v1/auth'
const ALL = { company: 'all', because: 'a test' } as const

interface Session {
  Id: string
  Client: string | null
  Address: string | null
  CreatedAt: string
  LastUsedAt: string
  IsCurrent: boolean
  Impersonator: { Id: number; UserName: string } | null
}

let server: IdentityServer

beforeAll(async () => {
  server = await startIdentity()
})
afterAll(async () => server[Symbol.asyncDispose]())

const me = (token: string) => server.get(`${AUTH}/me`, token)
const refresh = (RefreshToken: string) => server.post(`${AUTH}/refresh`, { RefreshToken })

async function list(token: string): Promise<Session[]> {
  const { status, body } = await server.get(`${AUTH}/sessions`, token)
  expect(status).toBe(200)
  return body.data as Session[]
}

async function remove(id: string, token: string): Promise<Answer> {
  const response = await fetch(`${server.url}${AUTH}/sessions/${id}`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${token}` },
  })
  const body = (await response.json()) as Answer['body']
  return { status: response.status, body, headers: response.headers }
}

async function signInWith(userName: string, client: string): Promise<Signed> {
  const body = { UserName: userName, Password: PASSWORD }
  const answer = await server.post(`${AUTH}/login`, body, undefined, { 'User-Agent': client })
  return answer.body.data as Signed
}

let users = 0

async function addMember(email?: string): Promise<{ userName: string; id: number }> {
  users += 1
  const userName = `member${users}`
  const id = await addUser(server.context, { userName, email, companies: ['NORTH'] })
  return { userName, id }
}

const sidOf = ({ AccessToken }: Signed): string =>
  (JSON.parse(atob(AccessToken.split('.')[1] ?? '')) as { sid: string }).sid

describe('own sessions', () => {
  test('are listed with client, address and times, newest first', async () => {
    const { userName } = await addMember()
    const at = server.clock.now().toISOString()
    const one = await signInWith(userName, 'Reader/1.0')
    const other = await signInWith(userName, 'Writer/2.0')
    expect(await list(other.AccessToken)).toEqual([
      {
        Id: sidOf(other),
        Client: 'Writer/2.0',
        Address: '127.0.0.1',
        CreatedAt: at,
        LastUsedAt: at,
        IsCurrent: true,
        Impersonator: null,
      },
      expect.objectContaining({ Id: sidOf(one), Client: 'Reader/1.0', IsCurrent: false }),
    ])
  })

  test('of others are in no list, and an id of theirs is like one of nobody', async () => {
    const [mine, theirs] = [await addMember(), await addMember()]
    const own = await server.signIn(mine.userName)
    const foreign = await server.signIn(theirs.userName)
    expect((await list(own.AccessToken)).map(({ Id }) => Id)).toEqual([sidOf(own)])
    const [there, nowhere] = [
      await remove(sidOf(foreign), own.AccessToken),
      await remove('0199aaaa-0000-7000-8000-000000000000', own.AccessToken),
    ]
    const withoutTrace = ({ status, body: { traceId, ...body } }: Answer) => ({ status, body })
    expect(withoutTrace(there)).toEqual(withoutTrace(nowhere))
    expect(there.status).toBe(404)
    expect((await me(foreign.AccessToken)).status).toBe(200)
    expect((await refresh(foreign.RefreshToken)).status).toBe(200)
  })

  test('end one by one, and are in the list no longer', async () => {
    const { userName } = await addMember()
    const [one, other] = [await server.signIn(userName), await server.signIn(userName)]
    await me(one.AccessToken)
    const answer = await remove(sidOf(one), other.AccessToken)
    expect(answer).toMatchObject({ status: 200, body: { data: { SessionsEnded: 1 } } })
    expect((await me(one.AccessToken)).body.code).toBe('SESSION_ENDED')
    expect((await refresh(one.RefreshToken)).status).toBe(401)
    expect(await list(other.AccessToken)).toHaveLength(1)
    expect((await remove(sidOf(one), other.AccessToken)).status).toBe(404)
  })

  test('the one that asks can end itself', async () => {
    const { userName } = await addMember()
    const signed = await server.signIn(userName)
    expect((await remove(sidOf(signed), signed.AccessToken)).status).toBe(200)
    expect((await me(signed.AccessToken)).status).toBe(401)
  })

  test('nobody without a token sees or ends any', async () => {
    expect((await server.get(`${AUTH}/sessions`)).status).toBe(401)
    expect((await remove('x', '')).status).toBe(401)
  })

  test('in which somebody acts as the user tell who does', async () => {
    const { userName, id } = await addMember()
    const root = await server.signIn('root')
    const body = { UserId: id, Reason: 'A question of theirs', Minutes: 10 }
    const started = await server.post('/api/v1/impersonation/start', body, root.AccessToken)
    expect(started.status).toBe(200)
    const signed = await server.signIn(userName)
    const [, acting] = await list(signed.AccessToken)
    expect(acting?.Impersonator).toEqual({ Id: root.User.Id, UserName: 'root' })
    const acts = started.body.data as Signed
    expect((await me(acts.AccessToken)).status).toBe(200)
    expect(await remove(sidOf(signed), acts.AccessToken)).toMatchObject({
      status: 401,
      body: { code: 'PERMISSION_DENIED' },
    })
    await remove(acting?.Id ?? '', signed.AccessToken)
    expect((await me(acts.AccessToken)).status).toBe(401)
  })
})

describe('the last use', () => {
  const lastUsed = async (token: string) => (await list(token))[0]?.LastUsedAt

  const writes = async () => {
    const sql = 'SELECT LastUsedAt FROM svc_sessions ORDER BY CreatedAt DESC, Id DESC LIMIT 1'
    return server.context.state.text({ sql, args: {}, runs: 'inline' })
  }

  test('moves with each request, and is written once a minute', async () => {
    const { userName } = await addMember()
    const { AccessToken } = await server.signIn(userName)
    await me(AccessToken)
    await server.context.callers.uses.write()
    const at = await writes()
    server.clock.pass(30_000)
    await me(AccessToken)
    expect(await lastUsed(AccessToken)).toBe(server.clock.now().toISOString())
    expect(await writes()).toBe(at)
    server.clock.pass(61_000)
    await me(AccessToken)
    await server.context.callers.uses.write()
    expect(await writes()).toBe(server.clock.now().toISOString())
    expect(await lastUsed(AccessToken)).toBe(server.clock.now().toISOString())
  })

  test('is kept over a stop', async () => {
    await using own = await startIdentity()
    const { AccessToken } = await own.signIn('ana')
    own.clock.pass(5000)
    await own.get(`${AUTH}/me`, AccessToken)
    const used = own.clock.now().toISOString()
    await own.restart()
    own.clock.pass(5000)
    const sql = 'SELECT LastUsedAt FROM svc_sessions'
    expect(await own.context.state.text({ sql, args: {}, runs: 'inline' })).toBe(used)
  })
})

describe('what holds at once, not at the token’s expiry', () => {
  test('Directus GHSA-56p6-qw3c-fq2g: a lock ends the refresh as well', async () => {
    const { userName } = await addMember()
    const signed = await server.signIn(userName)
    await me(signed.AccessToken)
    const { store, clock, callers } = server.context
    const actor = { now: clock.now(), source: 'test' }
    callers.forgetUser(await store.write((tx) => saveActive(tx, userName, false, actor), ALL))
    expect((await me(signed.AccessToken)).status).toBe(401)
    expect((await refresh(signed.RefreshToken)).status).toBe(401)
    expect((await server.get(`${AUTH}/sessions`, signed.AccessToken)).status).toBe(401)
  })

  test('a role that was taken is gone, one that was given is there', async () => {
    const { userName, id } = await addMember()
    const { AccessToken } = await server.signIn(userName)
    const roles = async () => ((await me(AccessToken)).body.data as { Roles: string[] }).Roles
    const change = async (sql: string) => {
      await server.context.store.write((tx) => tx.run(sql, { id }), ALL)
      server.context.callers.forgetUser(id)
    }
    expect(await roles()).toEqual([])
    await change("INSERT INTO svc_user_roles (UserId, Role) VALUES (@id, 'Clerk')")
    expect(await roles()).toEqual(['Clerk'])
    await change('DELETE FROM svc_user_roles WHERE UserId = @id')
    expect(await roles()).toEqual([])
  })

  test('OAuth refresh reuse: a stolen one that is offered ends what is listed', async () => {
    const { userName } = await addMember()
    const [watcher, stolen] = [await server.signIn(userName), await server.signIn(userName)]
    const next = (await refresh(stolen.RefreshToken)).body.data as Signed
    server.clock.pass(10_001)
    expect((await refresh(stolen.RefreshToken)).status).toBe(401)
    expect((await refresh(next.RefreshToken)).status).toBe(401)
    expect(await list(watcher.AccessToken)).toHaveLength(1)
  })
})

describe('a client that was not seen before', () => {
  const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120.0.0.0'

  const newsFor = async (email: string) =>
    (await waitForOutbox(server.context)).filter(
      (mail) => mail.includes(`<${email}>`) && mail.includes('Subject: Sign-in from a new client'),
    )

  test('is told by mail, but not the very first, nor one seen before, nor an update', async () => {
    const email = 'watchful@example.test'
    const { userName } = await addMember(email)
    await signInWith(userName, CHROME)
    expect(await newsFor(email)).toEqual([])
    await signInWith(userName, CHROME)
    await signInWith(userName, CHROME.replace('120.0.0.0', '121.4.0.1'))
    expect(await newsFor(email)).toEqual([])
    await signInWith(userName, 'curl/8.5 <b>&')
    const [mail, ...others] = await newsFor(email)
    expect(others).toEqual([])
    expect(mail).toContain(`${userName} signed in from a new client`)
    expect(mail).toContain('Client: curl/8.5 <b>&')
    expect(mail).toContain('<p>Client: curl/8.5 &lt;b&gt;&amp;</p>')
    expect(mail).toContain('Address: 127.0.0.1')
    await signInWith(userName, 'curl/9.0.1 <b>&')
    expect(await newsFor(email)).toHaveLength(1)
  })

  test('of a sign-in that failed, or of a user without an address, nothing is told', async () => {
    const before = (await waitForOutbox(server.context)).length
    const { userName } = await addMember()
    for (const client of ['one', 'two']) await signInWith(userName, client)
    const email = 'unsigned@example.test'
    const { userName: other } = await addMember(email)
    await signInWith(other, 'one')
    const wrong = { UserName: other, Password: 'not it' }
    await server.post(`${AUTH}/login`, wrong, undefined, { 'User-Agent': 'two' })
    expect(await waitForOutbox(server.context)).toHaveLength(before)
  })
})
