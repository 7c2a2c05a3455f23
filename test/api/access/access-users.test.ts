/** Users as they are administered: read, created, given roles. */
import { describe, expect, test } from 'bun:test'
import { idOf, ONE, TWO } from '../../support/administrators.ts'
import { TEST_PASSWORD } from '../../support/template.ts'
import {
  auditOf,
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
  type Told,
  type User,
} from '../../support/user-calls.ts'

describe('reading users', () => {
  test('an Admin sees those of their companies, System every one', async () => {
    await using app = await startAdministrators()
    expect(await listNames(app, 'sys')).toEqual([
      'adm',
      'both',
      'clerk',
      'far',
      'mgr',
      'none',
      'sys',
      'weak',
      'wide',
    ])
    expect(await listNames(app, 'adm')).not.toContain('far')
    expect(await listNames(app, 'adm')).toContain('both')
    expect(told(await call(app, 'adm', `/${idOf('far')}`))).toEqual(MISSING)
    expect(told(await call(app, 'adm', '/999'))).toEqual(MISSING)
    for (const as of ['clerk', 'mgr', 'none']) expect(told(await call(app, as, ''))).toEqual(DENIED)
  })

  test('what of a user is another company’s is not shown', async () => {
    await using app = await startAdministrators()
    const { body } = await call(app, 'adm', `/${idOf('both')}`)
    expect(body.data.Roles).toEqual([{ Role: 'Clerk', CompanyId: null }])
    expect(body.data.Companies).toEqual([{ Id: ONE, Code: 'ONE', Name: 'ONE' } as never])
    const { text } = await call(app, 'sys', `/${idOf('both')}`)
    expect(text).toContain('"Looker"')
    expect(text).not.toMatch(/PasswordHash|argon2/)
  })

  test('search, role, company, active and pages narrow', async () => {
    await using app = await startAdministrators()
    expect(await listNames(app, 'sys', '?search=LE')).toEqual(['clerk'])
    expect(await listNames(app, 'sys', '?search=%25')).toEqual([])
    expect(await listNames(app, 'sys', `?role=Clerk&company=${TWO}`)).toEqual(['both', 'far'])
    expect(await listNames(app, 'adm', '?role=Looker')).toEqual([])
    expect(await listNames(app, 'sys', '?active=false')).toEqual([])
    const { body } = await call<{ Rows: User[]; Pagination: object }>(
      app,
      'sys',
      '?page=2&pageSize=4',
    )
    expect(body.data.Rows.map(({ UserName }) => UserName)).toEqual(['mgr', 'none', 'sys', 'weak'])
    expect(body.data.Pagination).toEqual({
      Page: 2,
      PageSize: 4,
      TotalRows: 9,
      TotalPages: 3,
      TotalIsExact: true,
      HasNext: true,
    })
  })
})

describe('creating users', () => {
  test('with a one-time password that is told once and stands nowhere', async () => {
    await using app = await startAdministrators()
    const { body } = await post(app, 'adm', '', {
      UserName: 'eve',
      Email: 'Eve@Example.test',
      Roles: [{ Role: 'Looker', CompanyId: ONE }],
      Attributes: { Region: 'north' },
      TimeZone: 'europe/berlin',
      Language: 'de-AT',
    })
    const { OneTimePassword = '', ...user } = body.data
    expect(OneTimePassword).toMatch(/^[\w-]{16}$/)
    expect(user).toMatchObject({
      UserName: 'eve',
      Email: 'eve@example.test',
      MustChangePassword: true,
      TimeZone: 'Europe/Berlin',
      Language: 'de-AT',
      Roles: [{ Role: 'Looker', CompanyId: ONE }],
      Companies: [{ Code: 'ONE' }],
      Attributes: { Region: 'north' },
    })
    const again = await call(app, 'adm', `/${user.Id}`)
    expect(again.text).not.toContain(OneTimePassword)
    expect(JSON.stringify(await auditOf(app, user.Id))).not.toContain(OneTimePassword)
    expect(app.log.join()).not.toContain(OneTimePassword)
  })

  test('without companies in the caller’s own; with a password as it is given', async () => {
    await using app = await startAdministrators()
    const { body } = await post(app, 'adm', '', { UserName: 'ina', Password: TEST_PASSWORD })
    expect(body.data).toMatchObject({ Companies: [{ Code: 'ONE' }], MustChangePassword: false })
    expect(body.data.OneTimePassword).toBeUndefined()
    const wrong = await post(app, 'adm', '', { UserName: 'ira', Language: 'German, please' })
    expect(wrong.body.fieldErrors).toHaveProperty('Language')
    const weak = await post(app, 'adm', '', { UserName: 'ira', Password: 'short' })
    expect(weak.body.fieldErrors).toHaveProperty('Password')
  })

  test.each([
    ['System', { Roles: [{ Role: 'System', CompanyId: null }] }],
    ['System in a company', { Roles: [{ Role: 'System', CompanyId: ONE }] }],
    ['a role in all companies', { Roles: [{ Role: 'Looker' }] }],
  ])('an Admin of a company never hands out %s', async (_, body) => {
    await using app = await startAdministrators()
    expect(told(await post(app, 'adm', '', { UserName: 'eve', ...body }))).toEqual(DENIED)
    expect(await listNames(app, 'sys', '?search=eve')).toEqual([])
  })

  test('nor do they reach another company, as if it were not there', async () => {
    await using app = await startAdministrators()
    for (const Companies of [[TWO], [ONE, TWO], [99]])
      expect(told(await post(app, 'adm', '', { UserName: 'eve', Companies }))).toEqual(MISSING)
    const Roles = [{ Role: 'Looker', CompanyId: TWO }]
    expect(told(await post(app, 'adm', '', { UserName: 'eve', Roles }))).toEqual(MISSING)
    expect(told(await post(app, 'wide', '', { UserName: 'eve', Roles }))).toEqual(DONE)
  })

  test('CVE-2026-44166: a name or mailbox that is taken is 409 in any spelling', async () => {
    await using app = await startAdministrators()
    const first = { UserName: 'eve', Email: 'eve@münchen.test', Companies: [TWO] }
    expect(told(await post(app, 'sys', '', first))).toEqual(DONE)
    const taken = [
      { UserName: 'EVE' },
      { UserName: 'ｅｖｅ' },
      { UserName: 'x', Email: 'EVE@MÜNCHEN.test' },
      { UserName: 'x', Email: 'eve+invited@münchen.test' },
      { UserName: 'x', Email: 'eve@xn--mnchen-3ya.test' },
    ]
    for (const body of taken) {
      const answer = await post(app, 'adm', '', body)
      expect([body, ...told(answer)]).toEqual([body, 409, 'CONFLICT'])
      expect(answer.body.error).toBe('This user name or email address is already taken')
      expect(told(await put(app, 'adm', idOf('clerk'), body))).toEqual([409, 'CONFLICT'])
    }
    const other = { UserName: 'x', Email: '+eve@münchen.test' }
    expect(told(await post(app, 'adm', '', other))).toEqual(DONE)
    for (const Email of [
      'ana@example.com>',
      'Ana <ana@example.com>',
      'a@x.test, b@x.test',
      'a@b@c',
    ])
      expect((await post(app, 'adm', '', { UserName: 'no', Email })).body.fieldErrors).toEqual({
        Email: 'This is not an email address',
      })
  })
})

describe('handing out roles', () => {
  const cases: [as: string, role: string, companyId: number | null, status: Told][] = [
    ['adm', 'Boss', ONE, DONE],
    ['adm', 'Looker', ONE, DONE],
    ['adm', 'Admin', ONE, DENIED],
    ['adm', 'AccessManager', ONE, DENIED],
    ['sys', 'Admin', ONE, DONE],
    ['adm', 'System', ONE, DENIED],
    ['adm', 'Looker', null, DENIED],
    ['adm', 'Boss', TWO, MISSING],
    ['weak', 'Boss', ONE, DENIED],
    ['weak', 'Looker', ONE, DENIED],
    ['weak', 'Narrow', ONE, DONE],
    ['weak', 'Clerk', ONE, DONE],
    ['wide', 'Boss', null, DENIED],
    ['sys', 'Boss', null, DONE],
    ['sys', 'System', null, DONE],
    ['sys', 'System', ONE, [400, 'VALIDATION_FAILED']],
    ['adm', 'Nothing', ONE, [400, 'VALIDATION_FAILED']],
  ]
  test.each(cases)('%s gives %s in %p: %p', async (as, Role, CompanyId, status) => {
    await using app = await startAdministrators()
    expect(told(await post(app, as, `/${idOf('none')}/roles`, { Role, CompanyId }))).toEqual(status)
    const before = await auditOf(app, idOf('none'))
    expect(before.length).toBe(status === DONE ? 2 : 1)
  })

  test('by PUT as well; roles of other companies stay as they are', async () => {
    await using app = await startAdministrators()
    const id = idOf('both')
    const clerk = { Role: 'Clerk', CompanyId: null }
    const more = { Roles: [clerk, { Role: 'Looker', CompanyId: ONE }] }
    expect(told(await put(app, 'adm', id, more))).toEqual(DONE)
    const { body } = await call(app, 'sys', `/${id}`)
    expect(body.data.Roles).toEqual([
      clerk,
      { Role: 'Looker', CompanyId: ONE },
      { Role: 'Looker', CompanyId: TWO },
    ])
    // What holds in all companies is not for an Admin of one.
    expect(told(await put(app, 'adm', id, { Roles: [] }))).toEqual(DENIED)
    expect(
      told(await put(app, 'weak', id, { Roles: [clerk, { Role: 'Boss', CompanyId: ONE }] })),
    ).toEqual(DENIED)
    expect((await call(app, 'sys', `/${id}`)).body.data.Roles.length).toBe(3)
  })

  test('only where the user belongs, and taken only where it is held', async () => {
    await using app = await startAdministrators()
    const far = await post(app, 'sys', `/${idOf('far')}/roles`, { Role: 'Boss', CompanyId: ONE })
    expect(far.status).toBe(400)
    const path = `/${idOf('clerk')}/roles`
    const clerkIn = (CompanyId: number | null) => ({ Role: 'Clerk', CompanyId })
    expect(told(await remove(app, 'adm', path, clerkIn(null)))).toEqual(DENIED)
    expect(told(await remove(app, 'sys', path, clerkIn(null)))).toEqual(MISSING)
    expect(told(await remove(app, 'adm', path, clerkIn(TWO)))).toEqual(MISSING)
    expect(told(await remove(app, 'adm', path, clerkIn(ONE)))).toEqual(DONE)
  })

  test('it holds at once, and so does its end', async () => {
    await using app = await startAdministrators()
    const table = () => app.fetch('/api/v1/svc/object/cases/table', { as: 'none', body: {} })
    const path = `/${idOf('none')}/roles`
    expect((await table()).status).toBe(401)
    await post(app, 'adm', path, { Role: 'Looker', CompanyId: ONE })
    expect((await table()).status).toBe(200)
    await remove(app, 'adm', path, { Role: 'Looker', CompanyId: ONE })
    expect((await table()).status).toBe(401)
    expect((await auditOf(app, idOf('none'))).slice(1)).toMatchObject([
      { Action: 'give role', Changes: '{"Role":[null,"Looker@ONE"]}' },
      { Action: 'take role', Changes: '{"Role":["Looker@ONE",null]}' },
    ])
  })

  test('who was an Admin a moment ago is none', async () => {
    await using app = await startAdministrators()
    await remove(app, 'sys', `/${idOf('adm')}/roles`, { Role: 'Admin', CompanyId: ONE })
    expect(told(await call(app, 'adm', ''))).toEqual(DENIED)
  })
})
