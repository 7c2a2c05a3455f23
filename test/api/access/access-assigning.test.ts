/** Assignment of roles, by every path there is, and attempts of users without the right. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, startApp, type TestApp } from '../../support/app.ts'
import { holdWriter } from '../../support/held-writer.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Case" Table="cases" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title"/>
</Entity>
<ObjectView Name="Cases" Entity="Case"/>
<Rbac>
  <Role Name="Clerk"><Grant Resource="Cases" Verbs="View List Create"/></Role>
  <Role Name="Auditor" AssignableBy="AccessManager"><Grant Resource="Cases" Verbs="View List Export"/></Role>
  <Role Name="Seller" AssignableBy="Admin AccessManager"><Grant Resource="Cases" Verbs="View"/></Role>
  <Role Name="Payroll" AssignableBy="None"><Grant Resource="Cases" Verbs="View List Update"/></Role>
</Rbac>
</Model>`

const FIRM: TestApplication = {
  files: [{ name: 'firm.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    sys: 'System in ONE TWO',
    adm: 'Admin@ONE',
    mgr: 'AccessManager@ONE',
    mixed: 'Admin@ONE AccessManager@TWO in ONE TWO',
    wide: 'Admin in ONE TWO',
    clerk: 'Clerk@ONE',
    pay: 'Payroll@ONE Seller@ONE',
    far: 'Clerk@TWO in TWO',
    none: '',
    both: 'in ONE TWO',
  }),
}

const USERS = '/api/v1/svc/auth/users'
const BOARD = '/api/v1/svc/auth/board'
const ONE = 1
const TWO = 2
const idOf = (name: string): number => FIRM.users.findIndex(({ userName }) => userName === name) + 1

interface Body {
  success: boolean
  error?: string
  data: Record<string, unknown> & { Id: number; Version: string; AccessToken: string }
}

let app: TestApp
beforeEach(async () => {
  app = await startApp({ application: FIRM })
})
afterEach(() => app[Symbol.asyncDispose]())

const send = (as: string, path: string, body?: unknown, method = 'POST'): Promise<Answer<Body>> =>
  app.fetch(path, { as, method, ...(body !== undefined && { body }) })

const held = async (name: string): Promise<unknown[]> =>
  (
    await app.store.all({
      sql: `SELECT Role || coalesce('@' || CompanyId, '') AS Held FROM svc_user_roles
        WHERE UserId = ${idOf(name)} ORDER BY 1`,
      args: {},
      runs: 'lane',
    })
  ).map(({ Held }) => Held)

type Assigned = [role: string, companyId: number | null]

/** Every path by which somebody gives a role to a user that is there. */
const PATHS: Record<string, (as: string, to: string, held: Assigned) => Promise<Answer<Body>>> = {
  'POST roles': (as, to, [Role, CompanyId]) =>
    send(as, `${USERS}/${idOf(to)}/roles`, { Role, CompanyId }),
  'PUT user': async (as, to, [Role, CompanyId]) => {
    const { body } = await send('sys', `${USERS}/${idOf(to)}`, undefined, 'GET')
    const Roles = [...(body.data.Roles as unknown[]), { Role, CompanyId }]
    return send(as, `${USERS}/${idOf(to)}`, { Roles }, 'PUT')
  },
  'the board': async (as, to, [role, companyId]) => {
    const Scope = companyId === null ? 'Global' : 'Company'
    const { body } = await send(as, `${BOARD}/matrix`, { Scope, Resources: ['Cases'] })
    const change = { Principal: `user:${idOf(to)}`, Resource: `Role:${role}`, Verb: 'Member' }
    const Changes = [{ ...change, Grant: true }]
    return send(as, `${BOARD}/apply`, { Version: body.data?.Version ?? 'Company.x', Changes })
  },
}

test('an Admin hires a clerk: one call, a one-time password, and the clerk works', async () => {
  const hired = await send('adm', USERS, {
    UserName: 'eve',
    Roles: [{ Role: 'Clerk', CompanyId: ONE }],
  })
  expect({ status: hired.status, text: hired.text }).toMatchObject({ status: 200 })
  const Password = String(hired.body.data.OneTimePassword)
  const login = await app.fetch<Body>('/api/v1/auth/login', { body: { UserName: 'eve', Password } })
  const headers = { Authorization: `Bearer ${login.body.data.AccessToken}` }
  const NewPassword = 'a much better one 7'
  const path = '/api/v1/auth/password/change'
  const changed = await app.fetch<Body>(path, { headers, body: { Password, NewPassword } })
  expect(changed.status).toBe(200)
  const again = await app.fetch<Body>('/api/v1/auth/login', {
    body: { UserName: 'eve', Password: NewPassword },
  })
  const own = { Authorization: `Bearer ${again.body.data.AccessToken}` }
  const table = await app.fetch('/api/v1/svc/object/cases/table', { headers: own, body: {} })
  expect(table.status).toBe(200)
  const admin = await app.fetch('/api/v1/svc/object/cases/table', { as: 'adm', body: {} })
  expect(admin.status).toBe(401)
})

test('whom an Admin may hire, they also help back in; nobody else', async () => {
  const acts: [name: string, act: (as: string, id: number) => Promise<Answer<Body>>][] = [
    ['a one-time password', (as, id) => send(as, `${USERS}/${id}/reset-password`)],
    ['no second factor', (as, id) => send(as, `${USERS}/${id}/reset-mfa`)],
    ['a password', (as, id) => send(as, `${USERS}/${id}`, { Password: 'much better 7 9' }, 'PUT')],
    ['an address', (as, id) => send(as, `${USERS}/${id}`, { Email: `x${id}@a.test` }, 'PUT')],
  ]
  const hire = async (UserName: string, roles: string[], Companies = [ONE]) => {
    const Roles = roles.map((Role) => ({ Role, CompanyId: ONE }))
    return (await send('sys', USERS, { UserName, Roles, Companies })).body.data.Id
  }
  const TRIES: [as: string, id: number, status: number][] = [
    ['adm', idOf('clerk'), 200],
    ['adm', await hire('seller', ['Clerk', 'Seller']), 200],
    ['wide', idOf('far'), 200],
    ['adm', await hire('auditor', ['Auditor']), 401],
    ['adm', await hire('more', ['Clerk', 'Payroll']), 401],
    ['adm', await hire('chief', ['Clerk', 'AccessManager']), 200],
    ['adm', await hire('elsewhere', ['Clerk'], [ONE, TWO]), 401],
    ['mixed', idOf('far'), 404],
    ['mgr', idOf('clerk'), 401],
  ]
  for (const [as, id, status] of TRIES)
    for (const [name, act] of acts)
      expect({ as, id, name, status: (await act(as, id)).status }).toEqual({ as, id, name, status })
})

describe('what is assignable is given, and taken back', () => {
  test.each([
    ['adm', 'none', 'Clerk', ONE],
    ['adm', 'none', 'Seller', ONE],
    ['adm', 'clerk', 'Seller', ONE],
    ['mgr', 'none', 'Auditor', ONE],
    ['mgr', 'none', 'Seller', ONE],
    ['mixed', 'both', 'Auditor', TWO],
    ['wide', 'both', 'Clerk', TWO],
    ['sys', 'none', 'Payroll', ONE],
  ] as const)('%s gives %s the role %s in %p', async (as, to, Role, CompanyId) => {
    const before = await held(to)
    const path = `${USERS}/${idOf(to)}/roles`
    const given = await send(as, path, { Role, CompanyId })
    expect({ status: given.status, text: given.text }).toMatchObject({ status: 200 })
    expect(await held(to)).toContain(`${Role}@${CompanyId}`)
    expect((await send(as, path, { Role, CompanyId }, 'DELETE')).status).toBe(200)
    expect(await held(to)).toEqual(before)
  })

  test('by the board and with the user as a whole too', async () => {
    for (const [name, give] of Object.entries(PATHS)) {
      const { status, text } = await give('adm', 'none', ['Clerk', ONE])
      expect({ name, status, text }).toMatchObject({ name, status: 200 })
      const path = `${USERS}/${idOf('none')}/roles`
      await send('sys', path, { Role: 'Clerk', CompanyId: ONE }, 'DELETE')
    }
  })

  test('an AccessManager is told of a user what the board shows, and nothing more', async () => {
    const path = `${USERS}/${idOf('none')}/roles`
    const given = await send('mgr', path, { Role: 'Seller', CompanyId: ONE })
    expect(given.body.data).toEqual({
      Id: idOf('none'),
      UserName: 'none',
      DisplayName: 'none',
      Active: true,
      Roles: [{ Role: 'Seller', CompanyId: ONE }],
    } as unknown as Body['data'])
    expect((await send('mgr', `${USERS}/${idOf('none')}`, undefined, 'GET')).status).toBe(401)
  })
})

describe('attacks', () => {
  const CASES: [what: string, as: string, to: string, role: string, companyId: number | null][] = [
    ['to oneself', 'adm', 'adm', 'Clerk', ONE],
    ['to oneself, by the other role', 'mgr', 'mgr', 'Auditor', ONE],
    ['in all companies at once', 'adm', 'none', 'Clerk', null],
    ['in all of one’s own at once', 'wide', 'both', 'Clerk', null],
    ['upwards, System', 'wide', 'none', 'System', null],
    ['upwards, Admin', 'mgr', 'none', 'Admin', ONE],
    ['sideways, Admin', 'adm', 'none', 'Admin', ONE],
    ['sideways, AccessManager', 'mgr', 'none', 'AccessManager', ONE],
    ['downwards, AccessManager', 'adm', 'none', 'AccessManager', ONE],
    ['a role of the other manager', 'adm', 'none', 'Auditor', ONE],
    ['a role of the other manager', 'mgr', 'none', 'Clerk', ONE],
    ['a role that nobody hands out', 'adm', 'none', 'Payroll', ONE],
    ['to a System user', 'adm', 'sys', 'Clerk', ONE],
    ['to who holds what is not theirs to give', 'adm', 'pay', 'Clerk', ONE],
    ['to an Admin', 'mgr', 'adm', 'Seller', ONE],
    ['by a role of another company', 'mixed', 'both', 'Clerk', TWO],
    ['across companies', 'adm', 'both', 'Clerk', TWO],
    ['to who is not of one’s company', 'adm', 'far', 'Clerk', ONE],
    ['without any such role', 'clerk', 'none', 'Clerk', ONE],
  ]
  test.each(CASES)('%s: %s to %s, %s in %p', async (_, as, to, role, companyId) => {
    const before = await held(to)
    for (const [name, give] of Object.entries(PATHS)) {
      // The board has one company: that of the session.
      if (name === 'the board' && companyId === TWO) continue
      const { status, body } = await give(as, to, [role, companyId])
      expect({ name, success: body.success }).toEqual({ name, success: false })
      expect([400, 401, 404]).toContain(status)
      expect(await held(to)).toEqual(before)
    }
  })

  test.each([
    ['adm', 'Payroll', ONE],
    ['adm', 'Admin', ONE],
    ['adm', 'Clerk', null],
    ['adm', 'Clerk', TWO],
    ['wide', 'System', null],
    ['mgr', 'Seller', ONE],
  ])('%s creates no user with %s in %p', async (as, Role, CompanyId) => {
    const made = await send(as, USERS, { UserName: 'eve', Roles: [{ Role, CompanyId }] })
    expect([401, 404]).toContain(made.status)
    const found = await app.store.all({
      sql: "SELECT 1 FROM svc_users WHERE UserName = 'eve'",
      args: {},
      runs: 'lane',
    })
    expect(found).toEqual([])
  })

  test.each([
    ['one’s own', 'adm', 'adm', 'Admin', ONE],
    ['one that nobody hands out', 'adm', 'pay', 'Payroll', ONE],
    ['one of who holds more', 'adm', 'pay', 'Seller', ONE],
    ['that of another Admin', 'adm', 'mixed', 'Admin', ONE],
    ['that of another company', 'adm', 'far', 'Clerk', TWO],
    ['that of the other manager', 'mgr', 'clerk', 'Clerk', ONE],
    ['System', 'wide', 'sys', 'System', null],
  ])('takes no role that is not theirs to take: %s', async (_, as, from, Role, CompanyId) => {
    const before = await held(from)
    const path = `${USERS}/${idOf(from)}/roles`
    expect([401, 404]).toContain((await send(as, path, { Role, CompanyId }, 'DELETE')).status)
    expect(await held(from)).toEqual(before)
  })

  test('not while acting as an Admin', async () => {
    const started = await send('sys', '/api/v1/impersonation/start', {
      UserId: idOf('adm'),
      Reason: 'support',
      Minutes: 5,
    })
    const headers = { Authorization: `Bearer ${started.body.data.AccessToken}` }
    const path = `${USERS}/${idOf('none')}/roles`
    for (const method of ['POST', 'DELETE']) {
      const body = { Role: 'Clerk', CompanyId: ONE }
      expect((await app.fetch(path, { headers, method, body })).status).toBe(401)
    }
    expect(await held('none')).toEqual([])
  })

  test('not by who loses the Admin role while the request waits for its turn', async () => {
    const writer = await holdWriter(app.store, (tx) =>
      tx.run('DELETE FROM svc_user_roles WHERE UserId = @id', { id: idOf('adm') }),
    )
    const waiting = send('adm', `${USERS}/${idOf('none')}/roles`, { Role: 'Clerk', CompanyId: ONE })
    await writer.queued(1)
    await writer.release()
    expect((await waiting).status).toBe(401)
    expect(await held('none')).toEqual([])
  })

  test('locks, unlocks and resets nobody whom they do not reach', async () => {
    const acts = ['lock', 'unlock', 'reset-password', 'reset-mfa']
    for (const act of acts) {
      expect((await send('adm', `${USERS}/${idOf('far')}/${act}`)).status).toBe(404)
      expect((await send('adm', `${USERS}/${idOf('both')}/${act}`)).status).toBe(401)
      expect((await send('adm', `${USERS}/1/${act}`)).status).toBe(401)
      expect((await send('mgr', `${USERS}/${idOf('clerk')}/${act}`)).status).toBe(401)
    }
    for (const act of ['reset-password', 'reset-mfa'])
      expect((await send('adm', `${USERS}/${idOf('pay')}/${act}`)).status).toBe(401)
    expect((await app.fetch('/api/v1/auth/me', { as: 'clerk' })).status).toBe(200)
  })

  test('no import of the Rbac but by System', async () => {
    const body = { Users: [{ UserName: 'none', Roles: ['Clerk@ONE'] }] }
    for (const as of ['adm', 'mgr', 'wide'])
      expect((await send(as, '/api/v1/svc/auth/rbac/import', body)).status).toBe(401)
    expect((await send('sys', '/api/v1/svc/auth/rbac/import', body)).status).toBe(200)
  })
})

test('a refusal tells the reason, and explain who may give what is missing', async () => {
  const path = `${USERS}/${idOf('none')}/roles`
  const refused = await send('adm', path, { Role: 'Auditor', CompanyId: ONE })
  expect(refused.body.error).toBe(
    'The role Auditor can be assigned by AccessManager: it grants more than you have',
  )
  const body = { UserId: idOf('none'), Object: 'cases', Verb: 'List' }
  const explained = await send('adm', '/api/v1/svc/auth/explain', body)
  expect(explained.body.data.Reasons).toEqual([
    'No role of the user grants List on Cases',
    'Clerk would grant it, and can be assigned by Admin',
    'Auditor would grant it, and can be assigned by AccessManager',
    'Payroll would grant it, but only System can assign that role',
  ])
  const roles = await app.fetch<{ data: { Name: string; AssignableBy: string[] }[] }>(
    '/api/v1/svc/auth/roles',
    { as: 'adm' },
  )
  expect(roles.body.data.map(({ Name, AssignableBy }) => `${Name} ${AssignableBy.join()}`)).toEqual(
    [
      ...['System ', 'Admin ', 'AccessManager ', 'Clerk Admin', 'Auditor AccessManager'],
      ...['Seller Admin,AccessManager', 'Payroll '],
    ],
  )
})
