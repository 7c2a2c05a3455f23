/** API keys: what they open, for how long, and what they never do. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { saveActive } from '../../../src/access/users/users.ts'
import {
  addUser,
  type Answer,
  type IdentityServer,
  PASSWORD,
  startIdentity,
} from '../../support/identity.ts'

const KEYS = '/api/v1/auth/api-keys'
const CURRENT = '/api/v1/svc/company/current'
const USERS = '/api/v1/svc/auth/users'
const ALL = { company: 'all', because: 'a test' } as const
const DAY = 24 * 60 * 60_000

interface Key {
  Id: number
  Name: string
  Roles: string[]
  Companies: number[]
  CreatedAt: string
  ExpiresAt: string
  LastUsedAt: string | null
  Key: string
}

let server: IdentityServer
let north: number
let south: number
let names = 0

beforeAll(async () => {
  server = await startIdentity()
  const rows = await server.context.store.all('SELECT Id, Code FROM svc_companies')
  const find = (code: string) => Number(rows.find(({ Code }) => Code === code)?.Id)
  ;[north, south] = [find('NORTH'), find('SOUTH')]
})
afterAll(async () => server[Symbol.asyncDispose]())

interface Member {
  id: number
  name: string
  token: string
}

async function addMember(roles: string[], companies = ['NORTH']): Promise<Member> {
  names += 1
  const name = `keyholder${names}`
  const email = `${name}@example.test`
  const id = await addUser(server.context, { userName: name, email, companies }, roles)
  return { id, name, token: (await server.signIn(name)).AccessToken }
}

/** A service account, made as an administrator makes it. */
async function addMachine(roles: string[], companies = ['NORTH']): Promise<number> {
  names += 1
  const root = (await server.signIn('root')).AccessToken
  const Companies = companies.map((code) => (code === 'NORTH' ? north : south))
  const body = { UserName: `machine${names}`, ServiceAccount: true, Companies }
  const Roles = roles.map((Role) => ({ Role }))
  const made = await server.post(USERS, { ...body, Roles }, root)
  expect(made.status).toBe(200)
  expect(made.body.data).not.toHaveProperty('OneTimePassword')
  return (made.body.data as { Id: number }).Id
}

const ask = (token: string, change: object = {}): Promise<Answer> =>
  server.post(KEYS, { Name: 'Nightly', Roles: [], Companies: [north], ...change }, token)

async function make(token: string, change: object = {}): Promise<Key> {
  const { status, body } = await ask(token, change)
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
  return body.data as Key
}

const list = async (token: string, query = ''): Promise<Omit<Key, 'Key'>[]> =>
  (await server.get(`${KEYS}${query}`, token)).body.data as Key[]

const seen = async (key: string) => {
  const { status, body } = await server.get(CURRENT, key)
  return status === 200 ? (body.data as { Code: string }).Code : body.code
}

describe('a key', () => {
  test('is told once, acts as its user, and its last use is shown', async () => {
    const { token, id } = await addMember(['Admin'])
    const made = await make(token, { Roles: ['Admin'] })
    const { Key: secret, ...rest } = made
    expect(secret).toMatch(/^ak_[\w-]{43}$/)
    expect(rest).toEqual({
      Id: made.Id,
      Name: 'Nightly',
      Roles: ['Admin'],
      Companies: [north],
      CreatedAt: server.clock.now().toISOString(),
      ExpiresAt: new Date(server.clock.now().getTime() + 90 * DAY).toISOString(),
      LastUsedAt: null,
    })
    expect(await list(token)).toEqual([rest])
    expect(await seen(secret)).toBe('NORTH')
    expect((await server.get(USERS, secret)).status).toBe(200)
    expect((await list(token))[0]?.LastUsedAt).toBe(server.clock.now().toISOString())
    await server.context.callers.uses.write()
    const used = await server.context.state.all('SELECT KeyId FROM svc_api_key_uses')
    expect(used).toEqual([{ KeyId: made.Id }])
    const stored = await server.context.store.all(
      'SELECT * FROM svc_api_keys, svc_audit WHERE svc_audit.UserId = @id',
      { id },
    )
    expect(stored.length).toBeGreaterThan(0)
    expect(JSON.stringify(stored)).not.toContain(secret)
    expect(JSON.stringify(stored)).not.toContain(secret.slice(3))
    const mails = await server.context.store.all(
      "SELECT Payload FROM svc_outbox WHERE Payload LIKE '%An API key was created%' AND UserId = @id",
      { id },
    )
    expect(mails).toHaveLength(1)
    expect(JSON.stringify(mails)).not.toContain(secret)
  })

  test('opens no route of people, and makes no other key', async () => {
    const { token, id } = await addMember(['Admin'])
    const { Key: key } = await make(token, { Roles: ['Admin'] })
    const answers = [
      await server.get('/api/v1/auth/me', key),
      await server.get('/api/v1/auth/sessions', key),
      await server.get(KEYS, key),
      await ask(key, { Roles: ['Admin'] }),
      await server.post('/api/v1/auth/logout', { All: true }, key),
      await server.post('/api/v1/auth/mfa/setup', { Password: 'x' }, key),
      await server.post(
        '/api/v1/impersonation/start',
        { UserId: id, Reason: 'x', Minutes: 5 },
        key,
      ),
      await server.post('/api/v1/impersonation/stop', {}, key),
      await server.post('/api/v1/svc/company/switch', { CompanyId: north }, key),
      await server.get('/api/v1/push-subscription/vapid-key', key),
      await server.get('/api/v1/svc/webhooks', key),
      await server.get('/api/v1/auth/%61pi-keys', key),
    ]
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(11).fill(401), 404])
    for (const { headers } of answers.slice(0, 11))
      expect(headers.get('WWW-Authenticate')).toContain('insufficient_scope')
    expect(await list(token)).toHaveLength(1)
  })

  test('has no role that it does not name, nor one that its user gets later', async () => {
    const { token, id } = await addMember(['Admin'])
    const { Key: none } = await make(token)
    expect(await seen(none)).toBe('NORTH')
    expect((await server.get(USERS, none)).body.code).toBe('PERMISSION_DENIED')
    const other = await addMember([])
    const { Key: early } = await make(other.token)
    const root = (await server.signIn('root')).AccessToken
    await server.post(`${USERS}/${other.id}/roles`, { Role: 'Admin' }, root)
    expect((await server.get(USERS, (await server.signIn(other.name)).AccessToken)).status).toBe(
      200,
    )
    expect((await server.get(USERS, early)).status).toBe(401)
    expect(id).toBeGreaterThan(0)
  })

  test('is held to its companies, and a suffix names another of them', async () => {
    const { token } = await addMember(['Admin'], ['NORTH', 'SOUTH'])
    const one = await make(token, { Roles: ['Admin'], Companies: [north] })
    const both = await make(token, { Roles: ['Admin'], Companies: [south, north] })
    expect(await seen(both.Key)).toBe('NORTH')
    expect(await seen(`${both.Key}.SOUTH`)).toBe('SOUTH')
    expect(await seen(`${one.Key}.NORTH`)).toBe('NORTH')
    expect(await seen(`${one.Key}.SOUTH`)).toBe('SESSION_ENDED')
    const southerner = await addMember([], ['SOUTH'])
    const open = (key: string) => server.get(`${USERS}/${southerner.id}`, key)
    expect((await open(token)).status).toBe(200)
    expect((await open(both.Key)).status).toBe(200)
    expect((await open(one.Key)).status).toBe(404)
  })

  test.each([
    ['a role of nobody', { Roles: ['Nobody'] }, 'Roles'],
    ['a role of others', { Roles: ['Admin'] }, 'Roles'],
    ['a role of another company', { Roles: ['Manager'] }, 'Roles'],
    ['System', { Roles: ['System'] }, 'Roles'],
    ['no company', { Companies: [] }, 'Companies'],
    ['a company of others', { Companies: [9999] }, 'Companies'],
    ['a blank name', { Name: ' ' }, 'Name'],
    ['an invisible name', { Name: 'a\u200bb' }, 'Name'],
    ['a long end', { ExpiresAt: '2999-01-01T00:00:00Z' }, 'ExpiresAt'],
    ['a past end', { ExpiresAt: '2001-01-01T00:00:00Z' }, 'ExpiresAt'],
    ['no instant', { ExpiresAt: 'tomorrow' }, 'ExpiresAt'],
  ])('is not made with %s', async (_, change, member) => {
    const token = (await server.signIn('ana')).AccessToken
    const { status, body } = await ask(token, change)
    expect({ status, members: Object.keys(body.fieldErrors ?? {}) }).toEqual({
      status: 400,
      members: [member],
    })
  })

  test('is no key when it is changed in any way', async () => {
    const { token } = await addMember([])
    const { Key: key } = await make(token)
    const other = key[4] === 'A' ? 'B' : 'A'
    const false_ = [
      'ak_',
      key.slice(0, -1),
      `${key}a`,
      key.slice(0, 4) + other + key.slice(5),
      key.toUpperCase(),
      `${key}.`,
      `${key}.NORTH.NORTH`,
      `ak_${'a'.repeat(4000)}`,
    ]
    for (const text of false_)
      expect({ text: text.slice(0, 60), seen: await seen(text) }).toEqual({
        text: text.slice(0, 60),
        seen: 'TOKEN_INVALID',
      })
    expect((await server.get(`${CURRENT}?access_token=${key}`)).status).toBe(401)
    expect((await server.get(CURRENT, `${key} ${key}`)).status).toBe(401)
    expect(await seen(`${key}.nowhere`)).toBe('SESSION_ENDED')
    expect(await seen(key)).toBe('NORTH')
  })
})

describe('a key ends at once', () => {
  test('when it is revoked, and nobody else revokes it', async () => {
    const { token } = await addMember([])
    const { Key: key, Id: id } = await make(token)
    const bo = (await server.signIn('bo')).AccessToken
    expect(await seen(key)).toBe('NORTH')
    expect((await server.remove(`${KEYS}/${id}`, bo)).status).toBe(404)
    expect((await server.remove(`${KEYS}/${id + 1000}`, token)).status).toBe(404)
    expect(await seen(key)).toBe('NORTH')
    expect((await server.remove(`${KEYS}/${id}`, token)).status).toBe(200)
    expect(await seen(key)).toBe('SESSION_ENDED')
    expect(await list(token)).toEqual([])
    expect((await server.remove(`${KEYS}/${id}`, token)).status).toBe(404)
  })

  test('when its user is locked, and holds again when they are unlocked', async () => {
    const { token, name, id } = await addMember([])
    const { Key: key } = await make(token)
    expect(await seen(key)).toBe('NORTH')
    const lock = (active: boolean) =>
      server.context.store.write(async (tx) => {
        server.context.callers.forgetUserWith(tx, id)
        await saveActive(tx, name, active, { now: server.clock.now(), source: 'test' })
      }, ALL)
    await lock(false)
    expect(await seen(key)).toBe('SESSION_ENDED')
    await lock(true)
    expect(await seen(key)).toBe('NORTH')
  })

  test('when its user is deleted, leaves the company, or loses the role', async () => {
    const root = (await server.signIn('root')).AccessToken
    const admin = await addMember(['Admin'], ['NORTH', 'SOUTH'])
    const { Key: key } = await make(admin.token, { Roles: ['Admin'] })
    expect((await server.get(USERS, key)).status).toBe(200)
    await server.put(`${USERS}/${admin.id}`, { Roles: [] }, root)
    expect((await server.get(USERS, key)).status).toBe(401)
    expect(await seen(key)).toBe('NORTH')
    await server.put(`${USERS}/${admin.id}`, { Companies: [south] }, root)
    expect(await seen(key)).toBe('SESSION_ENDED')
    const machine = await addMachine([])
    const { Key: doomed } = await make(root, { UserId: machine })
    expect(await seen(doomed)).toBe('NORTH')
    expect(await server.remove(`${USERS}/${machine}`, root)).toMatchObject({ status: 200 })
    expect(await seen(doomed)).toBe('TOKEN_INVALID')
  })

  test('when its time is over', async () => {
    const { token, name } = await addMember([])
    const ExpiresAt = new Date(server.clock.now().getTime() + DAY).toISOString()
    const { Key: key } = await make(token, { ExpiresAt })
    expect(await seen(key)).toBe('NORTH')
    server.clock.pass(DAY - 1000)
    expect(await seen(key)).toBe('NORTH')
    server.clock.pass(2000)
    expect(await seen(key)).toBe('TOKEN_EXPIRED')
    expect(await list((await server.signIn(name)).AccessToken)).toHaveLength(1)
  })
})

describe('a key of another user', () => {
  test('is of a service account, which nobody signs in as', async () => {
    const root = (await server.signIn('root')).AccessToken
    const machine = { UserName: 'robot', ServiceAccount: true, Companies: [north] }
    const both = await server.post(USERS, { ...machine, Password: PASSWORD }, root)
    expect(both).toMatchObject({
      status: 400,
      body: { fieldErrors: { Password: 'A service account cannot have a password' } },
    })
    expect((await server.post(USERS, machine, root)).status).toBe(200)
    for (const Password of ['', PASSWORD, 'null'])
      expect(
        (await server.post('/api/v1/auth/login', { UserName: 'robot', Password })).status,
      ).toBe(401)
  })

  test('is for machines alone, by those who could give their roles', async () => {
    const root = (await server.signIn('root')).AccessToken
    const admin = await addMember(['Admin'])
    const [machine, person] = [await addMachine([]), (await addMember([])).id]
    const made = await make(root, { UserId: machine })
    expect(await seen(made.Key)).toBe('NORTH')
    const byAdmin = await make(admin.token, { UserId: machine })
    expect(await seen(byAdmin.Key)).toBe('NORTH')
    expect((await list(admin.token, `?user=${machine}`)).map(({ Id }) => Id)).toEqual([
      made.Id,
      byAdmin.Id,
    ])
    expect(await ask(root, { UserId: person })).toMatchObject({
      status: 400,
      body: { fieldErrors: { UserId: expect.any(String) } },
    })
    const bo = (await server.signIn('bo')).AccessToken
    expect((await ask(bo, { UserId: machine })).status).toBe(401)
    expect((await server.get(`${KEYS}?user=${machine}`, bo)).status).toBe(401)
    expect((await server.remove(`${KEYS}/${made.Id}?user=${machine}`, bo)).status).toBe(401)
    const stranger = await addMachine([], ['SOUTH'])
    expect((await ask(admin.token, { UserId: stranger, Companies: [south] })).status).toBe(404)
    expect((await server.get(`${KEYS}?user=${stranger}`, admin.token)).status).toBe(404)
    const above = await addMachine(['System'])
    expect((await ask(admin.token, { UserId: above })).status).toBe(401)
    expect((await server.remove(`${KEYS}/${made.Id}?user=${machine}`, admin.token)).status).toBe(
      200,
    )
    expect(await seen(made.Key)).toBe('SESSION_ENDED')
    expect(await seen(byAdmin.Key)).toBe('NORTH')
  })

  test('is not made or revoked by somebody who acts as the user', async () => {
    const root = (await server.signIn('root')).AccessToken
    const { token, id } = await addMember([])
    const made = await make(token)
    const start = { UserId: id, Reason: 'A question of theirs', Minutes: 10 }
    const acting = await server.post('/api/v1/impersonation/start', start, root)
    const { AccessToken } = acting.body.data as { AccessToken: string }
    expect((await ask(AccessToken)).body.code).toBe('PERMISSION_DENIED')
    expect((await server.remove(`${KEYS}/${made.Id}`, AccessToken)).status).toBe(401)
    expect(await seen(made.Key)).toBe('NORTH')
  })
})
