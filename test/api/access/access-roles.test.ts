/** Roles: made, called otherwise and removed, by those who manage access. */
import { describe, expect, test } from 'bun:test'
import { deployModel } from '../../../src/model/deploy/deploy.ts'
import { ADMINISTRATORS, idOf, ONE } from '../../support/administrators.ts'
import { type Answer, startApp, type TestApp } from '../../support/app.ts'

const BASE = '/api/v1/svc/auth/roles'

interface Role {
  Name: string
  Label: string
  IsBuiltIn: boolean
  IsDeclared: boolean
  Users: number
  Grants: { Resource: string; Verbs: string[]; Capabilities: string[] }[]
}
interface Body<T> {
  code?: string
  error?: string
  data: T
}

const start = () => startApp({ application: ADMINISTRATORS })
const call = <T = Role>(
  app: TestApp,
  as: string,
  path = '',
  options: { method?: string; body?: unknown } = {},
) => app.fetch<Body<T>>(`${BASE}${path}`, { as, ...options })
const create = (app: TestApp, as: string, body: unknown) => call(app, as, '', { body })
const label = (app: TestApp, as: string, name: string, Label: string) =>
  call(app, as, `/${name}`, { method: 'PUT', body: { Label } })
const remove = (app: TestApp, as: string, name: string) =>
  call(app, as, `/${name}`, { method: 'DELETE' })
const told = ({ status, body }: Answer<Body<unknown>>) => [status, body.code ?? 'OK']
const DENIED = [401, 'PERMISSION_DENIED']
const MISSING = [404, 'NOT_FOUND']
const TAKEN = [409, 'CONFLICT']
const DONE = [200, 'OK']

test('the list has every role with its grants, and counts users in scope', async () => {
  await using app = await start()
  const { body } = await call<Role[]>(app, 'sys')
  const counts = Object.fromEntries(body.data.map(({ Name, Users }) => [Name, Users]))
  expect(counts).toEqual({
    System: 1,
    Admin: 3,
    AccessManager: 1,
    Boss: 3,
    Clerk: 4,
    Looker: 1,
    Rich: 0,
    Narrow: 0,
  })
  const near = (await call<Role[]>(app, 'mgr')).body.data
  const nearby = Object.fromEntries(near.map(({ Name, Users }) => [Name, Users]))
  expect(nearby).toMatchObject({ Clerk: 3, Looker: 0, Boss: 3 })
  expect((await call(app, 'mgr', '/Clerk')).body.data).toMatchObject({
    Name: 'Clerk',
    IsBuiltIn: false,
    IsDeclared: true,
    Grants: [{ Resource: 'Cases', Verbs: ['View', 'List', 'Create', 'Update'], Capabilities: [] }],
    RowFilters: [{ Resource: 'Cases', Verbs: null, DataSet: null, Sql: 'Region = @User_Region' }],
    FieldRules: [{ Resource: 'Cases', Field: 'Cost', Access: 'Hidden' }],
  })
  expect((await call(app, 'mgr', '/Admin')).body.data).toMatchObject({ IsBuiltIn: true })
  expect(told(await call(app, 'mgr', '/Nobody'))).toEqual(MISSING)
  expect(told(await call(app, 'clerk'))).toEqual(DENIED)
})

describe('a role that is made here', () => {
  test('is there at once, is given, outlives a deploy, and goes when nobody holds it', async () => {
    await using app = await start()
    const made = await create(app, 'mgr', { Name: 'Night', Label: 'Night <"&\'> shift' })
    expect(made.body.data).toMatchObject({
      Name: 'Night',
      Label: 'Night <"&\'> shift',
      IsBuiltIn: false,
      IsDeclared: false,
      Users: 0,
      Grants: [],
    })
    const { models, store, clock } = app.context
    await deployModel(store, models, ADMINISTRATORS.files, {}, clock)
    const holder = `/api/v1/svc/auth/users/${idOf('none')}/roles`
    const given = await app.fetch(holder, { as: 'adm', body: { Role: 'Night', CompanyId: ONE } })
    expect(given.status).toBe(200)
    expect((await call(app, 'sys', '/Night')).body.data.Users).toBe(1)
    expect(told(await remove(app, 'sys', 'Night'))).toEqual(TAKEN)
    const body = { Role: 'Night', CompanyId: ONE }
    const taken = await app.fetch(holder, { as: 'adm', method: 'DELETE', body })
    expect(taken.status).toBe(200)
    expect(told(await remove(app, 'wide', 'Night'))).toEqual(DONE)
    expect(told(await call(app, 'sys', '/Night'))).toEqual(MISSING)
    const audited = await store.all({
      sql: `SELECT UserId, Action, Changes FROM svc_audit WHERE Source = 'auth/roles' ORDER BY Id`,
      args: {},
      runs: 'lane',
    })
    expect(audited.map(({ UserId, Action }) => [UserId, Action])).toEqual([
      [idOf('mgr'), 'create role'],
      [idOf('wide'), 'delete role'],
    ])
  })

  test('has a name of its own, in any case', async () => {
    await using app = await start()
    for (const Name of ['Clerk', 'cLERK', 'system', 'Admin'])
      expect(told(await create(app, 'mgr', { Name }))).toEqual(TAKEN)
    for (const Name of ['', 'a b', '1st', 'x"/><Role Name="System', 'ä'])
      expect(told(await create(app, 'mgr', { Name }))).toEqual([400, 'VALIDATION_FAILED'])
    expect(told(await create(app, 'mgr', { Name: 'Second' }))).toEqual(DONE)
    expect(told(await create(app, 'mgr', { Name: 'Third', Label: 'a\u0000b' }))[0]).toBe(400)
    expect(told(await create(app, 'mgr', { Name: 'Third' }))).toEqual(DONE)
    expect((await call(app, 'mgr', '/Third')).body.data.Label).toBe('Third')
  })
})

describe('roles of the model', () => {
  test('get another label, in the text of their script', async () => {
    await using app = await start()
    expect((await label(app, 'sys', 'Clerk', 'Case "worker"')).body.data).toMatchObject({
      Label: 'Case "worker"',
      IsDeclared: true,
    })
    expect((await label(app, 'wide', 'Clerk', 'Clerk')).body.data.Label).toBe('Clerk')
    const table = await app.fetch('/api/v1/svc/object/cases/table', { as: 'clerk', body: {} })
    expect(table.status).toBe(200)
  })

  test('are not removed here, and the built-in ones stay as they are', async () => {
    await using app = await start()
    const refused = await remove(app, 'sys', 'Clerk')
    expect(told(refused)).toEqual(TAKEN)
    expect(refused.body.error).toContain('office.xml')
    for (const name of ['System', 'Admin', 'AccessManager']) {
      expect((await remove(app, 'sys', name)).status).toBe(400)
      expect((await label(app, 'sys', name, 'x')).status).toBe(400)
    }
    expect(told(await remove(app, 'sys', 'Nobody'))).toEqual(MISSING)
  })

  test('hold in every company: who manages one company does not change them', async () => {
    await using app = await start()
    for (const as of ['mgr', 'adm', 'clerk']) {
      expect(told(await label(app, as, 'Clerk', 'x'))).toEqual(DENIED)
      expect(told(await remove(app, as, 'Clerk'))).toEqual(DENIED)
    }
    expect(told(await create(app, 'clerk', { Name: 'Mine' }))).toEqual(DENIED)
  })
})
