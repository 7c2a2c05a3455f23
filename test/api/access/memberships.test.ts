/** Memberships: who leaves a company is out of it at once, and nothing of before comes back. */
import { expect, test } from 'bun:test'
import { type IdentityServer, type Signed, startIdentity } from '../../support/identity.ts'

const companiesOf = (userId: number) => `/api/v1/svc/auth/users/${userId}/companies`

const switchTo = async (server: IdentityServer, token: string, CompanyId: number) =>
  (await server.post('/api/v1/svc/company/switch', { CompanyId }, token)).body.data as Signed

test('who is taken out of a company is out of it at once, System too', async () => {
  await using server = await startIdentity()
  const north = await server.signIn('root')
  const ana = await switchTo(server, (await server.signIn('Ana')).AccessToken, 2)
  const root = await switchTo(server, (await server.signIn('root')).AccessToken, 2)
  for (const { User, AccessToken, RefreshToken } of [ana, root]) {
    const path = companiesOf(User.Id)
    expect((await server.remove(`${path}/2`, north.AccessToken)).status).toBe(200)
    const refused = await server.get('/api/v1/auth/me', AccessToken)
    expect([refused.status, refused.body.code]).toEqual([401, 'SESSION_ENDED'])
    // It has ended, and does not wait for its user to come back.
    const over = await server.post('/api/v1/auth/refresh', { RefreshToken })
    expect([over.status, over.body.code]).toEqual([401, 'REFRESH_INVALID'])
    // Back in, the sessions of before are not there.
    const joined = await server.post(path, { CompanyId: 2 }, north.AccessToken)
    expect(joined.status).toBe(200)
    expect((await server.get('/api/v1/auth/me', AccessToken)).status).toBe(401)
    expect((await server.post('/api/v1/auth/refresh', { RefreshToken })).status).toBe(401)
  }
  expect((await server.get('/api/v1/auth/me', north.AccessToken)).status).toBe(200)
  // Nor are the roles.
  const again = await switchTo(server, (await server.signIn('Ana')).AccessToken, 2)
  expect(again.User.Roles).toEqual([])
})

test('nobody takes the last System user out of their last company', async () => {
  await using server = await startIdentity()
  const { AccessToken, User } = await server.signIn('root')
  await server.remove(`${companiesOf(User.Id)}/2`, AccessToken)
  const last = await server.remove(`${companiesOf(User.Id)}/1`, AccessToken)
  expect([last.status, last.body.error]).toEqual([
    409,
    'At least one user must still be able to act as System',
  ])
  expect((await server.get('/api/v1/auth/me', AccessToken)).status).toBe(200)
})

test.each([
  ['user', 99, 1],
  ['company', 2, 99],
])('a membership of an unknown %s is a 404', async (_, userId, CompanyId) => {
  await using server = await startIdentity()
  const { AccessToken } = await server.signIn('root')
  const path = companiesOf(userId)
  expect((await server.post(path, { CompanyId }, AccessToken)).status).toBe(404)
  expect((await server.remove(`${path}/${CompanyId}`, AccessToken)).status).toBe(404)
})
