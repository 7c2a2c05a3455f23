/** Nobody comes by more than they hold through an account that they administer, or make. */
import { describe, expect, test } from 'bun:test'
import { idOf, ONE } from '../../support/administrators.ts'
import type { TestApp } from '../../support/app.ts'
import {
  auditOf,
  DENIED,
  DONE,
  post,
  put,
  startAdministrators,
  told,
} from '../../support/user-calls.ts'

/** Changes that let their author act as the user. */
const ACTS: [string, (app: TestApp, as: string, id: number) => Promise<(string | number)[]>][] = [
  ['a password', async (app, as, id) => told(await put(app, as, id, { Password: 'x'.repeat(9) }))],
  [
    'a one-time password',
    async (app, as, id) => told(await post(app, as, `/${id}/reset-password`)),
  ],
  ['no second factor', async (app, as, id) => told(await post(app, as, `/${id}/reset-mfa`))],
  ['another address', async (app, as, id) => told(await put(app, as, id, { Email: 'a@b.test' }))],
]

test.each(ACTS)('no Admin gives %s to a user who holds more', async (_, act) => {
  await using app = await startAdministrators()
  const before = await auditOf(app, idOf('adm'))
  expect(await act(app, 'weak', idOf('adm'))).toEqual(DENIED)
  expect(await act(app, 'weak', idOf('mgr'))).toEqual(DENIED)
  expect(await auditOf(app, idOf('adm'))).toEqual(before)
  expect((await app.fetch('/api/v1/auth/me', { as: 'adm' })).status).toBe(200)
  // Who holds as much, or less, is theirs: the 400 is about the password.
  for (const [as, user] of [
    ['weak', 'clerk'],
    ['adm', 'mgr'],
    ['adm', 'weak'],
  ] as const)
    expect((await act(app, as, idOf(user)))[0]).not.toBe(401)
})

test.each(ACTS)('nor %s to a user who sees other rows', async (_, act) => {
  await using app = await startAdministrators()
  const south = { Attributes: { Region: 'south' } }
  expect(told(await put(app, 'adm', idOf('clerk'), south))).toEqual(DONE)
  expect(await act(app, 'weak', idOf('clerk'))).toEqual(DENIED)
  expect((await act(app, 'adm', idOf('clerk')))[0]).not.toBe(401)
})

test('an address that stays, another name and a lock are within reach', async () => {
  await using app = await startAdministrators()
  const id = idOf('adm')
  expect(told(await put(app, 'sys', id, { Email: 'Adm@example.test' }))).toEqual(DONE)
  const same = { Email: 'adm@EXAMPLE.test', DisplayName: 'The admin' }
  expect(told(await put(app, 'weak', id, same))).toEqual(DONE)
  expect(told(await put(app, 'weak', id, { Email: null }))).toEqual(DONE)
  expect(told(await post(app, 'weak', `/${id}/lock`))).toEqual(DONE)
})

describe('attributes by which an Admin sees fewer rows', () => {
  test('are given with their own value only, to users old and new', async () => {
    await using app = await startAdministrators()
    const give = (as: string, Region: string) =>
      put(app, as, idOf('clerk'), { Attributes: { Region, Phone: Region } })
    const make = (as: string, UserName: string, Region: string) =>
      post(app, as, '', {
        UserName,
        Attributes: { Region },
        Roles: [{ Role: 'Clerk', CompanyId: ONE }],
      })
    expect(told(await give('weak', 'south'))).toEqual(DENIED)
    expect(told(await make('weak', 'eve', 'south'))).toEqual(DENIED)
    expect(told(await give('weak', 'north'))).toEqual(DONE)
    expect(told(await make('weak', 'eve', 'north'))).toEqual(DONE)
    expect(told(await give('adm', 'south'))).toEqual(DONE)
    expect(told(await make('adm', 'ira', 'south'))).toEqual(DONE)
    // What was so before stays, and may go.
    const kept = { Attributes: { Region: 'south', Phone: '7' } }
    expect(told(await put(app, 'weak', idOf('clerk'), kept))).toEqual(DONE)
    expect(told(await put(app, 'weak', idOf('clerk'), { Attributes: {} }))).toEqual(DONE)
  })

  test('have an end, at the creation as well', async () => {
    await using app = await startAdministrators()
    const Attributes = { Phone: 'x'.repeat(1001) }
    for (const answer of [
      await post(app, 'adm', '', { UserName: 'eve', Attributes }),
      await put(app, 'adm', idOf('clerk'), { Attributes }),
    ]) {
      expect(answer.status).toBe(400)
      expect(answer.body.fieldErrors).toHaveProperty('Attributes')
    }
  })
})

test('while acting as an Admin nothing of the body is looked at', async () => {
  await using app = await startAdministrators()
  const started = await app.fetch<{ data: { AccessToken: string } }>(
    '/api/v1/impersonation/start',
    { as: 'sys', body: { UserId: idOf('adm'), Reason: 'A test', Minutes: 5 } },
  )
  const headers = { Authorization: `Bearer ${started.body.data.AccessToken}` }
  const body = { UserName: 'eve', Password: 'weak' }
  const path = '/api/v1/svc/auth/users'
  expect((await app.fetch(path, { headers, body })).status).toBe(401)
  const change = { headers, body: { Password: 'weak' }, method: 'PUT' }
  expect((await app.fetch(`${path}/${idOf('clerk')}`, change)).status).toBe(401)
})
