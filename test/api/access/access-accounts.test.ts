/** Users as they are administered: whom an Admin reaches, locks, deletes, moves. */
import { describe, expect, test } from 'bun:test'
import { idOf, ONE, TWO } from '../../support/administrators.ts'
import type { Answer, TestApp } from '../../support/app.ts'
import { TEST_PASSWORD } from '../../support/template.ts'
import {
  auditOf,
  type Body,
  call,
  DENIED,
  DONE,
  listNames,
  MISSING,
  post,
  put,
  remove,
  startAdministrators,
  told,
  type User,
  USERS,
} from '../../support/user-calls.ts'

describe('whom an Admin reaches', () => {
  const acts: [string, (app: TestApp, as: string, id: number) => Promise<Answer<Body<User>>>][] = [
    ['lock', (app, as, id) => post(app, as, `/${id}/lock`)],
    ['unlock', (app, as, id) => post(app, as, `/${id}/unlock`)],
    ['reset-password', (app, as, id) => post(app, as, `/${id}/reset-password`)],
    ['reset-mfa', (app, as, id) => post(app, as, `/${id}/reset-mfa`)],
    ['delete', (app, as, id) => remove(app, as, `/${id}`)],
    ['rename', (app, as, id) => put(app, as, id, { UserName: `u${id}` })],
    ['mail', (app, as, id) => put(app, as, id, { Email: `${id}@example.test` })],
    ['password', (app, as, id) => put(app, as, id, { Password: 'another long phrase' })],
    ['attributes', (app, as, id) => put(app, as, id, { Attributes: { Region: 'x' } })],
  ]
  test.each(acts)('%s: not System, not accounts of further companies', async (_, act) => {
    await using app = await startAdministrators()
    const before = await app.store.all({
      sql: 'SELECT * FROM svc_users ORDER BY Id',
      args: {},
      runs: 'lane',
    })
    for (const as of ['adm', 'wide']) expect(told(await act(app, as, 1))).toEqual(DENIED)
    expect(told(await act(app, 'adm', idOf('both')))).toEqual(DENIED)
    expect(told(await act(app, 'adm', idOf('far')))).toEqual(MISSING)
    for (const as of ['clerk', 'mgr']) expect(told(await act(app, as, 9))).toEqual(DENIED)
    expect(
      await app.store.all({
        sql: 'SELECT * FROM svc_users ORDER BY Id',
        args: {},
        runs: 'lane',
      }),
    ).toEqual(before)
    expect((await app.fetch('/api/v1/auth/me', { as: 'both' })).status).toBe(200)
    expect(told(await act(app, 'adm', idOf('none')))).toEqual(DONE)
    expect(told(await act(app, 'wide', idOf('both')))).toEqual(DONE)
  })

  test('roles and companies of a System user are System’s as well', async () => {
    await using app = await startAdministrators()
    const roles = '/1/roles'
    expect(told(await post(app, 'wide', roles, { Role: 'Boss', CompanyId: ONE }))).toEqual(DENIED)
    expect(told(await remove(app, 'wide', roles, { Role: 'System' }))).toEqual(DENIED)
    expect(told(await remove(app, 'wide', `/1/companies/${ONE}`))).toEqual(DENIED)
    expect(told(await put(app, 'wide', 1, { Companies: [] }))).toEqual(DENIED)
  })

  test('nobody changes their own attributes but System', async () => {
    await using app = await startAdministrators()
    const own = { Attributes: { Region: 'south' } }
    expect(told(await put(app, 'weak', idOf('weak'), own))).toEqual(DENIED)
    expect(told(await put(app, 'sys', 1, own))).toEqual(DONE)
  })
})

describe('locking and deleting', () => {
  test('lock ends the sessions at once; unlock lets the user sign in again', async () => {
    await using app = await startAdministrators()
    const path = `/${idOf('clerk')}`
    const { body } = await post(app, 'adm', `${path}/lock`)
    expect(body.data.Active).toBe(false)
    const me = await app.fetch<Body<null>>('/api/v1/auth/me', { as: 'clerk' })
    expect(me.status).toBe(401)
    expect(told(await post(app, 'adm', `${path}/unlock`))).toEqual(DONE)
    // The session is over, not asleep.
    expect((await app.fetch('/api/v1/auth/me', { as: 'clerk' })).status).toBe(401)
    const login = { UserName: 'clerk', Password: TEST_PASSWORD }
    expect((await app.fetch('/api/v1/auth/login', { body: login })).status).toBe(200)
    const actions = (await auditOf(app, idOf('clerk'))).map(({ Action }) => Action)
    expect(actions).toEqual(['create', 'lock', 'unlock'])
  })

  test('nobody locks or deletes themselves', async () => {
    await using app = await startAdministrators()
    for (const [as, id] of [
      ['adm', idOf('adm')],
      ['sys', 1],
    ] as const) {
      expect((await post(app, as, `/${id}/lock`)).status).toBe(400)
      expect((await put(app, as, id, { Active: false })).status).toBe(400)
      expect((await remove(app, as, `/${id}`)).status).toBe(400)
      expect((await post(app, as, `/${id}/reset-password`)).status).toBe(400)
      expect((await put(app, as, id, { Password: 'another long phrase' })).status).toBe(400)
    }
  })

  test('the last active System user stays, and stays System', async () => {
    await using app = await startAdministrators()
    expect((await remove(app, 'sys', '/1/roles', { Role: 'System' })).status).toBe(409)
    expect((await put(app, 'sys', 1, { Roles: [] })).status).toBe(409)
    expect((await put(app, 'sys', 1, { Companies: [] })).status).toBe(409)
    await post(app, 'sys', '', { UserName: 'sys2', Roles: [{ Role: 'System' }] })
    const second = (await listNames(app, 'sys')).includes('sys2')
    expect(second).toBe(true)
    expect(told(await remove(app, 'sys', '/1/roles', { Role: 'System' }))).toEqual(DONE)
    expect(told(await call(app, 'sys', ''))).toEqual(DENIED)
  })

  test('a user whom records refer to is not deleted but locked', async () => {
    await using app = await startAdministrators()
    const body = { FormName: 'Cases', Parameters: { Title: 'one', OwnerId: idOf('none') } }
    await app.fetch('/api/v1/svc/object/submit', { as: 'adm', body })
    const owner = await remove(app, 'adm', `/${idOf('none')}`)
    expect(told(owner)).toEqual([409, 'USER_IN_USE'])
    expect(owner.body.error).toContain('Lock the user')
    expect(told(await remove(app, 'sys', `/${idOf('adm')}`))).toEqual([409, 'USER_IN_USE'])
    expect(told(await remove(app, 'adm', `/${idOf('mgr')}`))).toEqual(DONE)
    expect(told(await call(app, 'sys', `/${idOf('mgr')}`))).toEqual(MISSING)
    expect((await app.fetch('/api/v1/auth/me', { as: 'mgr' })).status).toBe(401)
    expect((await auditOf(app, idOf('mgr'))).at(-1)).toMatchObject({
      UserId: idOf('adm'),
      Source: 'auth/users/delete',
      Action: 'delete',
    })
  })
})

test('which records refer to a user is told to those alone who may delete them', async () => {
  await using app = await startAdministrators()
  const body = { FormName: 'Cases', Parameters: { Title: 'one', OwnerId: idOf('both') } }
  expect((await app.fetch('/api/v1/svc/object/submit', { as: 'adm', body })).status).toBe(200)
  expect(told(await remove(app, 'adm', `/${idOf('both')}`))).toEqual(DENIED)
  expect(told(await remove(app, 'wide', `/${idOf('both')}`))).toEqual([409, 'USER_IN_USE'])
})

describe('companies of a user', () => {
  test('a user joins only where their roles may be handed out', async () => {
    await using app = await startAdministrators()
    const path = `/${idOf('far')}/companies`
    expect(told(await post(app, 'adm', path, { CompanyId: ONE }))).toEqual(MISSING)
    expect(told(await post(app, 'sys', path, { CompanyId: ONE }))).toEqual(DONE)
    const none = `/${idOf('none')}/companies`
    expect(told(await post(app, 'adm', none, { CompanyId: TWO }))).toEqual(MISSING)
    expect(told(await post(app, 'wide', none, { CompanyId: TWO }))).toEqual(DONE)
    await post(app, 'sys', `/${idOf('weak')}/companies`, { CompanyId: TWO })
    await post(app, 'sys', `/${idOf('weak')}/roles`, { Role: 'Admin', CompanyId: TWO })
    const boss = await post(app, 'sys', '', {
      UserName: 'boss',
      Roles: [{ Role: 'Boss' }],
      Companies: [ONE],
    })
    const id = boss.body.data.Id
    expect(told(await post(app, 'weak', `/${id}/companies`, { CompanyId: TWO }))).toEqual(DENIED)
    expect(told(await post(app, 'wide', `/${id}/companies`, { CompanyId: TWO }))).toEqual(DONE)
  })

  test('leaving takes the roles there along and ends the sessions there', async () => {
    await using app = await startAdministrators()
    expect(told(await remove(app, 'adm', `/${idOf('clerk')}/companies/${TWO}`))).toEqual(MISSING)
    expect(told(await remove(app, 'sys', `/${idOf('clerk')}/companies/${TWO}`))).toEqual(MISSING)
    expect(told(await remove(app, 'adm', `/${idOf('clerk')}/companies/${ONE}`))).toEqual(DONE)
    expect((await app.fetch('/api/v1/auth/me', { as: 'clerk' })).status).toBe(401)
    expect((await call(app, 'sys', `/${idOf('clerk')}`)).body.data).toMatchObject({
      Roles: [],
      Companies: [],
    })
  })

  test('PUT replaces those that the caller administers', async () => {
    await using app = await startAdministrators()
    const id = idOf('both')
    expect(told(await put(app, 'adm', id, { Companies: [] }))).toEqual(DONE)
    expect((await call(app, 'sys', `/${id}`)).body.data.Companies.map(({ Id }) => Id)).toEqual([
      TWO,
    ])
    expect((await app.fetch('/api/v1/auth/me', { as: 'both' })).status).toBe(401)
  })
})

test('a session that acts as an Admin administers nobody', async () => {
  await using app = await startAdministrators()
  const started = await app.fetch<Body<{ AccessToken: string }>>('/api/v1/impersonation/start', {
    as: 'sys',
    body: { UserId: idOf('adm'), Reason: 'A test', Minutes: 5 },
  })
  const headers = { Authorization: `Bearer ${started.body.data.AccessToken}` }
  const path = `${USERS}/${idOf('clerk')}`
  expect((await app.fetch(path, { headers })).status).toBe(200)
  const acts = [
    app.fetch(`${path}/lock`, { headers, body: {} }),
    app.fetch(`${path}/reset-password`, { headers, body: {} }),
    app.fetch(`${path}/roles`, { headers, body: { Role: 'Looker', CompanyId: ONE } }),
    app.fetch(`${path}/companies`, { headers, body: { CompanyId: ONE } }),
    app.fetch(path, { headers, method: 'PUT', body: { DisplayName: 'x' } }),
    app.fetch(path, { headers, method: 'DELETE' }),
    app.fetch(USERS, { headers, body: { UserName: 'eve' } }),
  ]
  for (const act of acts) expect((await act).status).toBe(401)
})

test('refusals are told in German', async () => {
  await using app = await startAdministrators()
  const { body } = await app.fetch<Body<null>>(`${USERS}/1/lock`, {
    as: 'adm',
    body: {},
    headers: { 'Accept-Language': 'de' },
  })
  expect(body.error).toBe('Bei diesem Benutzer darf das nur ein Benutzer mit der Rolle System')
})
