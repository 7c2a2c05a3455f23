/**
 * Acting as another user (src/server/README.md, Identity): who may, as whom, for how long, what it
 * opens.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { findUser, saveActive } from '../../../src/access/users/users.ts'
import {
  addUser,
  type IdentityServer,
  PASSWORD,
  type Signed,
  startIdentity,
} from '../../support/identity.ts'

const AUTH = '/api/v1/auth'
const START = '/api/v1/impersonation/start'
const STOP = '/api/v1/impersonation/stop'
const ALL = { company: 'all', because: 'a test' } as const
const MINUTE = 60_000
let server: IdentityServer

beforeAll(async () => {
  server = await startIdentity()
  await addUser(server.context, { userName: 'second', companies: ['NORTH'] }, ['System'])
  await addUser(server.context, { userName: 'admin', companies: ['NORTH'] }, ['Admin'])
  await addUser(server.context, { userName: 'access' }, ['AccessManager@NORTH'])
})
afterAll(async () => server[Symbol.asyncDispose]())

const me = (token: string) => server.get(`${AUTH}/me`, token)
const stop = (token: string) => server.post(STOP, {}, token)

async function idOf(userName: string): Promise<number> {
  const user = await findUser(server.context.store, userName)
  if (!user) throw new Error(`Nobody is called ${userName}`)
  return user.Id
}

/** Asks to act as somebody. */
async function ask(token: string, userName: string, more: object = {}) {
  const UserId = await idOf(userName)
  return server.post(START, { UserId, Reason: 'A test', Minutes: 10, ...more }, token)
}

async function actAs(userName: string, as = 'root'): Promise<{ own: Signed; acting: Signed }> {
  const own = await server.signIn(as)
  const { body } = await ask(own.AccessToken, userName)
  if (!body.success) throw new Error(body.error)
  return { own, acting: body.data as Signed }
}

const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

const audited = (id: number) =>
  server.context.store.all({
    sql: `SELECT UserId, ImpersonatorId, Source, Action, Changes FROM svc_audit
          WHERE RecordKey = json_array(@id) AND Action LIKE 'impersonate%' ORDER BY Id`,
    args: { id },
    runs: 'inline',
  })

describe('start', () => {
  test('gives tokens of the user, in their company, that name the impersonator', async () => {
    const { own, acting } = await actAs('ana')
    const root = { Id: own.User.Id, UserName: 'root' }
    expect(acting.User).toMatchObject({ UserName: 'Ana', Roles: ['Clerk'], Impersonator: root })
    expect(claimsOf(acting.AccessToken)).toMatchObject({
      sub: String(acting.User.Id),
      act: { sub: String(own.User.Id), name: 'root' },
    })
    expect((await me(acting.AccessToken)).body.data).toMatchObject({
      UserName: 'Ana',
      Impersonator: root,
    })
    expect((await me(own.AccessToken)).body.data).toMatchObject({ Impersonator: null })
    expect(claimsOf(own.AccessToken)).not.toHaveProperty('act')
  })

  test('asks for a reason, minutes within the setting, and a user who could sign in', async () => {
    const { AccessToken } = await server.signIn('root')
    const fields = async (userName: string, more: object) => {
      const { status, body } = await ask(AccessToken, userName, more)
      return [status, Object.keys(body.fieldErrors ?? {})]
    }
    expect(await fields('ana', { Reason: '  ' })).toEqual([400, ['Reason']])
    expect(await fields('ana', { Minutes: 61 })).toEqual([400, ['Minutes']])
    expect(await fields('ana', { Minutes: 0 })).toEqual([400, ['Minutes']])
    expect(await fields('nowhere', {})).toEqual([400, ['UserId']])
    expect((await ask(AccessToken, 'ana', { UserId: 4711 })).status).toBe(404)
    await addUser(server.context, { userName: 'shut', companies: ['NORTH'] })
    await setActive('shut', false)
    expect(await fields('shut', {})).toEqual([400, ['UserId']])
  })

  test('a user whose one-time password still stands can be acted as', async () => {
    const user = { userName: 'new', companies: ['NORTH'], mustChangePassword: true }
    await addUser(server.context, user)
    const { acting } = await actAs('new')
    expect(acting.MustChangePassword).toBeUndefined()
    expect((await me(acting.AccessToken)).status).toBe(200)
  })

  test('start and stop are audited with the reason', async () => {
    await addUser(server.context, { userName: 'watched', companies: ['NORTH'] })
    const { own, acting } = await actAs('watched')
    await stop(acting.AccessToken)
    const rows = await audited(acting.User.Id)
    expect(rows).toMatchObject([
      { UserId: own.User.Id, ImpersonatorId: null, Action: 'impersonate' },
      { UserId: acting.User.Id, ImpersonatorId: own.User.Id, Action: 'impersonate-end' },
    ])
    expect(JSON.parse(String(rows[0]?.Changes))).toMatchObject({ Reason: [null, 'A test'] })
    expect(JSON.parse(String(rows[1]?.Changes))).toEqual({ Reason: ['A test', null] })
  })
})

describe('StudioCMS GHSA-667w-mmh7-mrr4, Immich CVE-2026-23896', () => {
  test('nobody but System begins it, and it never reaches another System user', async () => {
    for (const name of ['admin', 'access', 'ana', 'bo']) {
      const { AccessToken } = await server.signIn(name)
      const { status, body } = await ask(AccessToken, 'bo')
      expect([name, status, body.code]).toEqual([name, 401, 'PERMISSION_DENIED'])
    }
    const { AccessToken } = await server.signIn('root')
    for (const name of ['second', 'root'])
      expect(await ask(AccessToken, name)).toMatchObject({
        status: 401,
        body: { code: 'PERMISSION_DENIED' },
      })
    expect((await server.post(START, {})).status).toBe(401)
  })

  test('it is never nested and opens nothing of System', async () => {
    const { acting } = await actAs('ana')
    for (const name of ['bo', 'ana', 'root'])
      expect(await ask(acting.AccessToken, name)).toMatchObject({
        status: 401,
        body: { code: 'PERMISSION_DENIED' },
      })
    const audit = await server.get('/api/v1/svc/audit', acting.AccessToken)
    expect(audit).toMatchObject({ status: 401, body: { code: 'PERMISSION_DENIED' } })
  })

  test('stop gives the impersonator back, and a second one nothing', async () => {
    const { own, acting } = await actAs('ana')
    await me(acting.AccessToken)
    const first = await stop(acting.AccessToken)
    const back = first.body.data as Signed
    expect(back.User).toMatchObject({ UserName: 'root', Impersonator: null })
    expect(claimsOf(back.AccessToken).sid).toBe(claimsOf(own.AccessToken).sid)
    expect((await stop(acting.AccessToken)).status).toBe(401)
    expect((await me(acting.AccessToken)).status).toBe(401)
    const refresh = { RefreshToken: acting.RefreshToken }
    expect((await server.post(`${AUTH}/refresh`, refresh)).status).toBe(401)
    for (const { RefreshToken } of [back, own])
      expect((await server.post(`${AUTH}/refresh`, { RefreshToken })).status).toBe(200)
  })

  test('in another company of the user it is the same impersonation', async () => {
    const { own, acting } = await actAs('ana')
    const { Company } = acting.User
    const switched = await server.post(
      '/api/v1/svc/company/switch',
      { CompanyId: Company.Id === 1 ? 2 : 1 },
      acting.AccessToken,
    )
    const there = switched.body.data as Signed
    expect(there.User.Company.Id).not.toBe(Company.Id)
    expect(claimsOf(there.AccessToken)).toMatchObject({ act: { name: 'root' } })
    expect((await me(acting.AccessToken)).status).toBe(401)
    const back = (await stop(there.AccessToken)).body.data as Signed
    expect(claimsOf(back.AccessToken).sid).toBe(claimsOf(own.AccessToken).sid)
    expect((await me(there.AccessToken)).status).toBe(401)
  })

  test('of two stops at once one gets tokens', async () => {
    const { acting } = await actAs('ana')
    const answers = await Promise.all([stop(acting.AccessToken), stop(acting.AccessToken)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
  })

  test('stop is a 400 for whoever acts as nobody else', async () => {
    for (const name of ['root', 'bo']) {
      const { AccessToken } = await server.signIn(name)
      expect(await stop(AccessToken)).toMatchObject({
        status: 400,
        body: { code: 'NOT_IMPERSONATING' },
      })
    }
  })

  test('passwords are not changed and sessions not ended in somebody else’s name', async () => {
    const { acting } = await actAs('ana')
    const body = { Password: PASSWORD, NewPassword: 'seven birds over the hill' }
    const refused = { status: 401, body: { code: 'PERMISSION_DENIED' } }
    const change = await server.post(`${AUTH}/password/change`, body, acting.AccessToken)
    expect(change).toMatchObject(refused)
    const logout = await server.post(`${AUTH}/logout`, { All: true }, acting.AccessToken)
    expect(logout).toMatchObject(refused)
    expect((await server.signIn('ana')).User.UserName).toBe('Ana')
  })

  test('nor second factors, users, roles, companies and rights, whoever it is', async () => {
    const { acting } = await actAs('admin')
    const user = { UserName: 'smuggled', DisplayName: 'x', Companies: [1] }
    const role = { Name: 'Smuggled', Label: 'x' }
    for (const [path, body] of [
      ['/api/v1/auth/mfa/setup', { Password: PASSWORD }],
      ['/api/v1/auth/mfa/confirm', { Code: '123456' }],
      ['/api/v1/auth/mfa/disable', { Password: PASSWORD, Code: '123456' }],
      ['/api/v1/svc/auth/users', user],
      [`/api/v1/svc/auth/users/${await idOf('bo')}/lock`, {}],
      ['/api/v1/svc/auth/roles', role],
      ['/api/v1/svc/auth/board/apply', { Version: '0', Changes: [], DryRun: false }],
      ['/api/v1/svc/auth/rbac/import', {}],
      ['/api/v1/svc/company', { Code: 'X', Name: 'x' }],
    ] as const) {
      const { status, body: answer } = await server.post(path, body, acting.AccessToken)
      expect([path, status, answer.code]).toEqual([path, 401, 'PERMISSION_DENIED'])
    }
  })
})

describe('the end', () => {
  const both = async (acting: Signed) => [
    (await me(acting.AccessToken)).status,
    (await server.post(`${AUTH}/refresh`, { RefreshToken: acting.RefreshToken })).status,
  ]

  test('locking the impersonator ends it at once', async () => {
    await addUser(server.context, { userName: 'temp', companies: ['NORTH'] }, ['System'])
    const { acting } = await actAs('ana', 'temp')
    expect((await me(acting.AccessToken)).status).toBe(200)
    await setActive('temp', false)
    expect(await both(acting)).toEqual([401, 401])
  })

  test('so does losing the role, on either side', async () => {
    await addUser(server.context, { userName: 'fallen', companies: ['NORTH'] }, ['System'])
    await addUser(server.context, { userName: 'risen', companies: ['NORTH'] })
    const one = await actAs('ana', 'fallen')
    const other = await actAs('risen')
    await me(one.acting.AccessToken)
    await me(other.acting.AccessToken)
    await run("DELETE FROM svc_user_roles WHERE UserId = @id AND Role = 'System'", 'fallen')
    await run("INSERT INTO svc_user_roles (UserId, Role) VALUES (@id, 'System')", 'risen')
    expect(await both(one.acting)).toEqual([401, 401])
    expect(await both(other.acting)).toEqual([401, 401])
  })

  test('so does the end of the session that began it', async () => {
    const { own, acting } = await actAs('ana')
    await me(acting.AccessToken)
    await server.post(`${AUTH}/logout`, {}, own.AccessToken)
    expect(await both(acting)).toEqual([401, 401])
    expect((await stop(acting.AccessToken)).status).toBe(401)
  })

  test('so does locking the user', async () => {
    await addUser(server.context, { userName: 'leaving', companies: ['NORTH'] })
    const { acting } = await actAs('leaving')
    await me(acting.AccessToken)
    await setActive('leaving', false)
    expect(await both(acting)).toEqual([401, 401])
  })

  test('refreshing keeps `act` and never passes the minutes', async () => {
    await using short = await startIdentity({ 'Svc:Impersonation:MaxTime': '20m' })
    const own = await short.signIn('root')
    const ana = (await short.signIn('ana')).User.Id
    const body = { UserId: ana, Reason: 'A test', Minutes: 20 }
    const begun = await short.post(START, body, own.AccessToken)
    expect(begun.body.data).toMatchObject({ ExpiresIn: 900, RefreshExpiresIn: 1200 })
    short.clock.pass(14 * MINUTE)
    const { RefreshToken } = begun.body.data as Signed
    const again = await short.post(`${AUTH}/refresh`, { RefreshToken })
    const next = again.body.data as Signed
    expect(again.body.data).toMatchObject({ ExpiresIn: 360, RefreshExpiresIn: 360 })
    expect(claimsOf(next.AccessToken)).toMatchObject({ act: { name: 'root' } })
    expect((await short.get(`${AUTH}/me`, next.AccessToken)).status).toBe(200)
    short.clock.pass(6 * MINUTE + 1000)
    expect((await short.get(`${AUTH}/me`, next.AccessToken)).status).toBe(401)
    const late = await short.post(`${AUTH}/refresh`, { RefreshToken: next.RefreshToken })
    expect(late.status).toBe(401)
  })
})

async function setActive(userName: string, active: boolean): Promise<void> {
  const { store, clock, callers } = server.context
  const actor = { now: clock.now(), source: 'test' }
  callers.forgetUser(await store.write((tx) => saveActive(tx, userName, active, actor), ALL))
}

async function run(sql: string, userName: string): Promise<void> {
  const id = await idOf(userName)
  await server.context.store.write((tx) => tx.run(sql, { id }), ALL)
  server.context.callers.forgetUser(id)
}
