/** `Svc:Mfa:RequiredRoles`: roles that nobody uses without a second factor. */
import { expect, test } from 'bun:test'
import { codeAt } from '../../support/authenticator.ts'
import { PASSWORD, type Signed, startIdentity } from '../../support/identity.ts'

const AUTH = '/api/v1/auth'

test('opens nothing but the setting up, until it is confirmed', async () => {
  await using own = await startIdentity({ 'Svc:Mfa:RequiredRoles': 'Auditor, manager' })
  const { body } = await own.post(`${AUTH}/login`, {
    UserName: 'ana',
    Password: PASSWORD,
    CompanyId: 2,
  })
  const signed = body.data as Signed & { MfaSetupRequired?: true }
  expect(signed.MfaSetupRequired).toBe(true)
  const token = signed.AccessToken
  for (const path of ['/api/v1/svc/navbar', '/api/v1/svc/object/label'])
    expect(await own.get(path, token)).toMatchObject({
      status: 401,
      body: { code: 'MFA_SETUP_REQUIRED' },
    })
  const change = { Password: PASSWORD, NewPassword: 'seven birds over the hill' }
  for (const step of ['password/change', 'mfa/disable'])
    expect((await own.post(`${AUTH}/${step}`, { ...change, Code: '1' }, token)).body.code).toBe(
      'MFA_SETUP_REQUIRED',
    )
  expect((await own.get(`${AUTH}/me`, token)).status).toBe(200)
  const setup = await own.post(`${AUTH}/mfa/setup`, { Password: PASSWORD }, token)
  const { Secret } = setup.body.data as { Secret: string }
  const Code = codeAt(Secret, own.clock.now())
  expect((await own.post(`${AUTH}/mfa/confirm`, { Code }, token)).status).toBe(200)
  expect((await own.post(`${AUTH}/password/change`, change, token)).status).toBe(200)
  expect((await own.get('/api/v1/svc/navbar', token)).status).toBe(200)
})

test('asks only where the role is held', async () => {
  await using own = await startIdentity({ 'Svc:Mfa:RequiredRoles': 'Manager' })
  const body = { UserName: 'ana', Password: PASSWORD, CompanyId: 1 }
  const { body: north } = await own.post(`${AUTH}/login`, body)
  expect(north.data).not.toHaveProperty('MfaSetupRequired')
  const { body: bo } = await own.post(`${AUTH}/login`, { ...body, UserName: 'bo' })
  expect(bo.data).not.toHaveProperty('MfaSetupRequired')
})

test('a sign-out is open to whoever has to set up', async () => {
  await using own = await startIdentity({ 'Svc:Mfa:RequiredRoles': 'System' })
  const { AccessToken } = await own.signIn('root')
  expect((await own.post(`${AUTH}/logout`, {}, AccessToken)).status).toBe(200)
})
