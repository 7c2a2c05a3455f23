/** Past attacks on the areas of identity and access, one test each. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { findUser, saveActive } from '../../../src/access/users/users.ts'
import { startSession } from '../../../src/features/auth/start-session.ts'
import { ACCESS_BOARD } from '../../support/access-board.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { codeAt } from '../../support/authenticator.ts'
import { TEST_PASSWORD } from '../../support/template.ts'

const AUTH = '/api/v1/auth'
const USERS = '/api/v1/svc/auth/users'
const ROLES = '/api/v1/svc/auth/roles'
const ALL = { company: 'all', because: 'a test' } as const

interface Body {
  code?: string
  error?: string
  data: {
    Id: number
    Roles: { Role: string; CompanyId: number | null }[]
    [member: string]: unknown
  }
}

let app: TestApp
beforeAll(async () => {
  app = await startApp({ application: ACCESS_BOARD })
})
afterAll(() => app[Symbol.asyncDispose]())

const call = (as: string | undefined, path: string, body?: unknown, method?: string) =>
  app.fetch<Body>(path, {
    ...(as !== undefined && { as }),
    ...(body !== undefined && { body }),
    ...(method !== undefined && { method }),
  })

async function idOf(userName: string): Promise<number> {
  const user = await findUser(app.store, userName)
  if (!user) throw new Error(`Nobody is called ${userName}`)
  return user.Id
}

const signIn = (UserName: string) =>
  call(undefined, `${AUTH}/login`, { UserName, Password: TEST_PASSWORD })

const meBy = (token: unknown) =>
  app.fetch<Body>(`${AUTH}/me`, { headers: { Authorization: `Bearer ${String(token)}` } })

describe('text that no database takes', () => {
  test.each([
    ['NUL', '\\u0000'],
    ['half of a surrogate pair', 'secret\\ud800'],
  ])('%s is a 400 at open doors, and stands in no log', async (_, text) => {
    const before = app.log.length
    for (const [path, body] of [
      [`${AUTH}/login`, `{"UserName":"${text}","Password":"secret-x"}`],
      [`${AUTH}/password/forgot`, `{"UserName":"${text}"}`],
    ] as const)
      expect([path, (await call(undefined, path, body)).status]).toEqual([path, 400])
    expect(app.log.slice(before).join()).not.toMatch(/params|secret|select/)
  })

  test.each([`${AUTH}/sessions/%00`, '/api/v1/svc/audit?user=a%00b'])('%s', async (path) => {
    const method = path.includes('sessions') ? 'DELETE' : 'GET'
    expect((await call('root', path, undefined, method)).status).toBe(400)
  })
})

describe('names that every object has', () => {
  const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']

  test.each(NAMES)('%s is a role like any other that is not there', async (Role) => {
    const user = { UserName: 'never', Roles: [{ Role, CompanyId: 1 }] }
    expect((await call('adm', USERS, user)).status).toBe(400)
    const path = `${USERS}/${await idOf('x')}`
    expect((await call('adm', `${path}/roles`, { Role, CompanyId: 1 })).status).toBe(400)
    expect((await call('adm', path, { Roles: user.Roles }, 'PUT')).status).toBe(400)
    expect((await call('adm', `${ROLES}/${Role}`)).status).toBe(404)
  })

  test('a role may be called so, and grants nothing by it', async () => {
    expect((await call('adm', ROLES, { Name: 'constructor' })).status).toBe(200)
    const path = `${USERS}/${await idOf('x')}/roles`
    const given = await call('adm', path, { Role: 'constructor', CompanyId: 1 })
    expect(given.body.data.Roles).toEqual([{ Role: 'constructor', CompanyId: 1 }])
    expect((await call('x', '/api/v1/svc/object/Orders/table', {})).status).toBe(401)
    await call('adm', `${path}/constructor?companyId=1`, undefined, 'DELETE')
  })
})

describe('at once', () => {
  test('of roles that are made at once none that was told as made is lost', async () => {
    const names = Array.from({ length: 8 }, (_, at) => `Role${at}`)
    const answers = await Promise.all(names.map((Name) => call('adm', ROLES, { Name })))
    const made = names.filter((_, at) => answers[at]?.status === 200)
    expect(made.length).toBeGreaterThan(0)
    for (const { status } of answers) expect([200, 409]).toContain(status)
    const { body } = await app.fetch<{ data: { Name: string }[] }>(ROLES, { as: 'adm' })
    const there = body.data.map(({ Name }) => Name).filter((name) => names.includes(name))
    expect(there.sort()).toEqual(made)
  })

  test('of 20 switches one opens a session', async () => {
    const { AccessToken } = (await signIn('cleo')).body.data
    const headers = { Authorization: `Bearer ${String(AccessToken)}` }
    const body = { CompanyId: 2 }
    const send = () => app.fetch('/api/v1/svc/company/switch', { headers, body })
    const answers = await Promise.all(Array.from({ length: 20 }, send))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 401)).toHaveLength(19)
  })
})

test('a role that is named twice is given once', async () => {
  const twice = [1, 2].map(() => ({ Role: 'Idle', CompanyId: 1 }))
  const made = await call('adm', USERS, { UserName: 'twice', Roles: twice })
  expect(made.body.data.Roles).toEqual([{ Role: 'Idle', CompanyId: 1 }])
  const path = `${USERS}/${made.body.data.Id}`
  await call('adm', path, { Roles: [] }, 'PUT')
  const put = await call('adm', path, { Roles: twice }, 'PUT')
  expect(put.body.data.Roles).toEqual([{ Role: 'Idle', CompanyId: 1 }])
})

test('Directus: a role that comes again under its name comes to nobody', async () => {
  const id = await idOf('x')
  const held = "INSERT INTO svc_user_roles (UserId, Role, CompanyId) VALUES (@id, 'Gone', 1)"
  await app.store.write((tx) => tx.run(held, { id }), ALL)
  const refused = await call('adm', ROLES, { Name: 'Gone' })
  expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT'])
  await call('adm', `${USERS}/${id}/roles`, { Role: 'Gone', CompanyId: 1 }, 'DELETE')
  expect((await call('adm', ROLES, { Name: 'Gone' })).status).toBe(200)
})

test('PocketBase CVE-2026-44166: nobody is called by the mail address of another', async () => {
  const made = { UserName: 'owner', Email: 'Owner@Example.test' }
  expect((await call('adm', USERS, made)).status).toBe(200)
  for (const user of [
    { UserName: 'OWNER@example.test' },
    { UserName: 'ｏwner@example.test' },
    { UserName: 'thief', Email: 'owner+x@example.test' },
  ])
    expect((await call('adm', USERS, user)).status).toBe(409)
  const named = { UserName: 'own@example.test', Email: 'own@example.test' }
  expect((await call('adm', USERS, named)).status).toBe(200)
  const later = { UserName: 'later', Email: 'own@example.test' }
  expect((await call('adm', USERS, later)).status).toBe(409)
})

test('what a new user is given is audited, with attributes, without the password', async () => {
  const user = {
    UserName: 'told',
    DisplayName: 'Told of',
    Email: 'told@example.test',
    Password: 'nine stones under a bridge',
    Attributes: { Region: 'east' },
  }
  const { body } = await call('adm', USERS, user)
  const [row] = await app.store.all({
    sql: "SELECT Changes FROM svc_audit WHERE Action = 'create' AND RecordKey = json_array(@id)",
    args: { id: body.data.Id },
    runs: 'inline',
  })
  const { Password, ...given } = user
  expect(JSON.parse(String(row?.Changes))).toEqual({
    ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, [null, value]])),
    Roles: [null, []],
    Companies: [null, ['NORTH']],
  })
  expect(String(row?.Changes)).not.toContain(Password)
})

test('sessions that a crash after a lock left over do not come to life again', async () => {
  const { AccessToken } = (await signIn('boss')).body.data
  expect((await meBy(AccessToken)).status).toBe(200)
  const actor = { now: app.context.clock.now(), source: 'test' }
  await app.store.write((tx) => saveActive(tx, 'boss', false, actor), ALL)
  const id = await idOf('boss')
  app.context.callers.forgetUser(id)
  expect((await meBy(AccessToken)).status).toBe(401)
  expect((await call('adm', `${USERS}/${id}/unlock`, {})).status).toBe(200)
  expect((await meBy(AccessToken)).status).toBe(401)
  expect((await signIn('boss')).status).toBe(200)
})

test('a factor that was confirmed while the password was checked is asked for', async () => {
  const user = await findUser(app.store, 'moe')
  if (!user) throw new Error('Moe is missing')
  const { AccessToken } = (await signIn('moe')).body.data
  const headers = { Authorization: `Bearer ${String(AccessToken)}` }
  const setup = await app.fetch<Body>(`${AUTH}/mfa/setup`, {
    headers,
    body: { Password: TEST_PASSWORD },
  })
  const Code = codeAt(String(setup.body.data['Secret']), new Date())
  const body = { Code }
  expect((await app.fetch(`${AUTH}/mfa/confirm`, { headers, body })).status).toBe(200)
  const origin = { address: 'none', client: undefined, language: 'en', traceId: '' }
  const entry = { companyId: 1, hasFactor: false }
  const refused = await startSession(app.context, user, entry, origin).catch((error) => error)
  expect(refused).toMatchObject({ code: 'SIGN_IN_FAILED' })
  const list = await app.fetch<{ data: unknown[] }>(`${AUTH}/sessions`, { headers })
  expect(list.body.data).toHaveLength(1)
})

test('the name of a company has no characters that nobody sees', async () => {
  for (const Name of ['North\u202eToo', 'North\u0007', '  ']) {
    const { status, body } = await call('root', '/api/v1/svc/company', { Code: 'HID', Name })
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED'])
  }
})
