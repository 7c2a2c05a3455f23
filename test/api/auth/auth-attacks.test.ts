/** Published vulnerabilities of tokens and sign-in (design, attacks): each is tried here. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rotateKeys } from '../../../src/access/sessions/keys.ts'
import { findUser } from '../../../src/access/users/users.ts'
import { forgeTokens, type Loot } from '../../support/forged-tokens.ts'
import {
  addUser,
  type Answer,
  type IdentityServer,
  KNOWN_ROLES,
  PASSWORD,
  type Signed,
  startIdentity,
} from '../../support/identity.ts'

const AUTH = '/api/v1/auth'
const ALL = { company: 'all', because: 'a test' } as const
let server: IdentityServer

beforeAll(async () => {
  server = await startIdentity()
})
afterAll(async () => server[Symbol.asyncDispose]())

const me = (token: string) => server.get(`${AUTH}/me`, token)
const refresh = (token: string) => server.post(`${AUTH}/refresh`, { RefreshToken: token })

/** An answer without what differs between any two. */
const comparable = ({ status, body }: Answer) => ({ status, body: { ...body, traceId: '' } })

describe('tokens', () => {
  test('node-jsonwebtoken#69, CVE-2018-0114, CVE-2025-65945: no forgery opens a door', async () => {
    let visits = 0
    using listener = Bun.serve({
      port: 0,
      fetch: () => {
        visits += 1
        return new Response('{}')
      },
    })
    const { AccessToken } = await server.signIn('ana')
    const { body } = await server.get(`${AUTH}/jwks`)
    const [jwk] = (body.data as { keys: (Loot['jwk'] & { kid: string })[] }).keys
    if (!jwk) throw new Error('There is no public key')
    const loot = { token: AccessToken, kid: jwk.kid, jwk, listener: String(listener.url) }
    const tokens = forgeTokens(loot).filter(({ token }) => token.length < 8000)
    for (const { name, token } of tokens) {
      const { status, body: answer } = await server.get('/api/v1/svc/navbar', token)
      expect([name, status, answer.success, answer.code]).toEqual([
        name,
        401,
        false,
        'TOKEN_INVALID',
      ])
    }
    expect(tokens.length).toBeGreaterThan(60)
    expect(visits).toBe(0)
    expect((await me(AccessToken)).status).toBe(200)
  })

  test('ASVS 9.2.2: a token is good for its own purpose only', async () => {
    const { AccessToken, RefreshToken } = await server.signIn('ana')
    expect((await me(RefreshToken)).status).toBe(401)
    expect((await refresh(AccessToken)).status).toBe(401)
    expect((await me(AccessToken)).status).toBe(200)
  })

  test('an expired token is told apart from a false one', async () => {
    const { AccessToken } = await server.signIn('ana')
    server.clock.pass(15 * 60_000 + 1000)
    expect(await me(AccessToken)).toMatchObject({ status: 401, body: { code: 'TOKEN_EXPIRED' } })
  })

  test('Budibase CVE-2026-31816: a public path elsewhere in the address is none', async () => {
    for (const path of [
      '/api/v1/auth/me?/api/v1/auth/login',
      '/api/v1/auth/me?x=/auth/jwks',
      '/api/v1/auth/me;/api/v1/auth/login',
      '//api/v1/auth/login/../me',
      '/api/v1/auth/me/',
      '/API/v1/auth/me',
      '/api/v1/auth/%6de',
      '/api/v1/auth/login/../me',
    ])
      expect([path, (await server.get(path)).status]).toEqual([path, 401])
  })
})

describe('key rotation', () => {
  test('the old key verifies until its tokens are gone, and no longer', async () => {
    await using own = await startIdentity()
    const old = await own.signIn('ana')
    const options = { clock: own.clock, accessLifetime: 15 * 60_000 }
    await rotateKeys(own.context.store, options)
    await own.restart()
    const fresh = await own.signIn('ana')
    expect((await own.get(`${AUTH}/me`, old.AccessToken)).status).toBe(200)
    expect((await own.get(`${AUTH}/me`, fresh.AccessToken)).status).toBe(200)
    const { body } = await own.get(`${AUTH}/jwks`)
    expect((body.data as { keys: unknown[] }).keys).toHaveLength(2)
    own.clock.pass(15 * 60_000 + 1000)
    await rotateKeys(own.context.store, options)
    await own.restart()
    expect((await own.get(`${AUTH}/jwks`)).body.data).toMatchObject({ keys: [{}, {}] })
  })

  test('a retired key has lost its private half; a removed one verifies nothing', async () => {
    await using own = await startIdentity()
    const { AccessToken } = await own.signIn('ana')
    const { kid } = own.context.keys
    await rotateKeys(own.context.store, { clock: own.clock, accessLifetime: 15 * 60_000 })
    const args = { kid }
    const sql = 'SELECT PrivateJwk, IsCurrent FROM svc_keys WHERE Kid = @kid'
    const row = await own.context.store.get({ sql, args, runs: 'inline' })
    expect(row).toMatchObject({ PrivateJwk: '', IsCurrent: 0 })
    await own.context.store.write(
      (tx) => tx.run('DELETE FROM svc_keys WHERE Kid = @kid', args),
      ALL,
    )
    await own.restart()
    expect((await own.get(`${AUTH}/me`, AccessToken)).status).toBe(401)
  })

  test('a restart keeps keys and sessions', async () => {
    await using own = await startIdentity()
    const { AccessToken, RefreshToken } = await own.signIn('ana')
    await own.restart()
    expect((await own.get(`${AUTH}/me`, AccessToken)).status).toBe(200)
    const answer = await own.post(`${AUTH}/refresh`, { RefreshToken })
    expect(answer.status).toBe(200)
  })
})

describe('the end of a session holds at once', () => {
  const logout = (body: object, token: string) => server.post(`${AUTH}/logout`, body, token)

  test('Payload CVE-2025-4643: after a sign-out neither token works', async () => {
    const one = await server.signIn('ana')
    const other = await server.signIn('ana')
    await me(one.AccessToken)
    expect((await logout({}, one.AccessToken)).body.data).toEqual({ SessionsEnded: 1 })
    expect(await me(one.AccessToken)).toMatchObject({
      status: 401,
      body: { code: 'SESSION_ENDED' },
    })
    expect((await refresh(one.RefreshToken)).status).toBe(401)
    expect((await me(other.AccessToken)).status).toBe(200)
  })

  test('a refresh token names the session to end, unless it is somebody else’s', async () => {
    const [one, other, foreign] = await signInEach(['ana', 'ana', 'bo'])
    await logout({ RefreshToken: other.RefreshToken }, one.AccessToken)
    expect((await me(other.AccessToken)).status).toBe(401)
    expect((await me(one.AccessToken)).status).toBe(200)
    await logout({ RefreshToken: foreign.RefreshToken }, one.AccessToken)
    expect((await me(foreign.AccessToken)).status).toBe(200)
    expect((await me(one.AccessToken)).status).toBe(401)
  })

  test('All ends every session of the user and no other', async () => {
    const [one, other, foreign] = await signInEach(['ana', 'ana', 'bo'])
    await logout({ All: true }, one.AccessToken)
    for (const signed of [one, other]) {
      expect((await me(signed.AccessToken)).status).toBe(401)
      expect((await refresh(signed.RefreshToken)).status).toBe(401)
    }
    expect((await me(foreign.AccessToken)).status).toBe(200)
  })

  test('Directus GHSA-56p6-qw3c-fq2g: a locked user is out, and cannot come back', async () => {
    await addUser(server.context, { userName: 'locked', companies: ['NORTH'] })
    const signed = await server.signIn('locked')
    expect((await me(signed.AccessToken)).status).toBe(200)
    const { AccessToken } = await server.signIn('root')
    const lock = `/api/v1/svc/auth/users/${signed.User.Id}/lock`
    expect((await server.post(lock, {}, AccessToken)).status).toBe(200)
    expect((await me(signed.AccessToken)).status).toBe(401)
    expect((await refresh(signed.RefreshToken)).status).toBe(401)
    const right = await server.post(`${AUTH}/login`, { UserName: 'locked', Password: PASSWORD })
    const wrong = await server.post(`${AUTH}/login`, { UserName: 'locked', Password: 'not it' })
    expect(comparable(right)).toEqual(comparable(wrong))
  })

  test('Strapi CVE-2026-22706: a new password ends all other sessions', async () => {
    await addUser(server.context, { userName: 'three', companies: ['NORTH'] })
    const [one, two, three] = await signInEach(['three', 'three', 'three'])
    const body = { Password: PASSWORD, NewPassword: 'seven birds over the hill' }
    await server.post(`${AUTH}/password/change`, body, one.AccessToken)
    for (const signed of [two, three]) {
      expect((await me(signed.AccessToken)).status).toBe(401)
      expect((await refresh(signed.RefreshToken)).status).toBe(401)
    }
    expect((await me(one.AccessToken)).status).toBe(200)
    const old = await server.post(`${AUTH}/login`, { UserName: 'three', Password: PASSWORD })
    expect(old.status).toBe(401)
  })

  test('Strapi CVE-2026-22706: so does one that an administrator gives', async () => {
    await addUser(server.context, { userName: 'rescued', companies: ['NORTH'] })
    const signed = await signInEach(['rescued', 'rescued', 'rescued'])
    const id = signed[0].User.Id
    const link = await server.context.identity.resets.open(id)
    const { AccessToken } = await server.signIn('root')
    server.clock.pass(1000)
    const users = '/api/v1/svc/auth/users'
    const { body } = await server.post(`${users}/${id}/reset-password`, {}, AccessToken)
    for (const each of signed) {
      expect((await me(each.AccessToken)).status).toBe(401)
      expect((await refresh(each.RefreshToken)).status).toBe(401)
    }
    const reset = { Token: link, NewPassword: 'seven birds over the hill' }
    expect((await server.post(`${AUTH}/password/reset`, reset)).status).toBe(400)
    const { OneTimePassword } = body.data as { OneTimePassword: string }
    const one = await server.signIn('rescued', OneTimePassword)
    expect(one.MustChangePassword).toBe(true)
    const given = { Password: 'eight boats on the river' }
    expect((await server.put(`${users}/${id}`, given, AccessToken)).status).toBe(200)
    expect((await me(one.AccessToken)).status).toBe(401)
    expect((await refresh(one.RefreshToken)).status).toBe(401)
  })

  test('GitHub ES CVE-2026-5845: without the membership there is no fallback to all', async () => {
    await addUser(server.context, { userName: 'moved', companies: ['NORTH', 'SOUTH'] })
    const signed = await server.signIn('moved')
    expect((await me(signed.AccessToken)).status).toBe(200)
    const { AccessToken } = await server.signIn('root')
    const left = `/api/v1/svc/auth/users/${signed.User.Id}/companies/${signed.User.Company.Id}`
    expect((await server.remove(left, AccessToken)).status).toBe(200)
    expect((await me(signed.AccessToken)).status).toBe(401)
    expect((await refresh(signed.RefreshToken)).status).toBe(401)
    // The other company is a sign-in away, and the only one left.
    const again = await server.signIn('moved')
    expect(again.User.Company.Code).toBe('SOUTH')
    const listed = await server.get('/api/v1/svc/company', again.AccessToken)
    expect(listed.body.data).toMatchObject([{ Code: 'SOUTH' }])
  })

  test('roles hold as they are now, not as the token says', async () => {
    await addUser(server.context, { userName: 'demoted' }, ['System', 'Clerk@NORTH'])
    const signed = await server.signIn('demoted')
    expect(signed.User.Roles).toEqual(['Clerk', 'System'])
    const sql = "DELETE FROM svc_user_roles WHERE UserId = @id AND Role = 'System'"
    await changeAccess(server, sql, signed.User.Id)
    expect((await me(signed.AccessToken)).body.data).toMatchObject({ Roles: ['Clerk'] })
  })
})

describe('accounts', () => {
  test('NocoDB CVE-2026-28358, CVE-2022-22120: unknown and known users fail alike', async () => {
    const fail = (UserName: string) =>
      server.post(`${AUTH}/login`, { UserName, Password: 'not it' })
    const known = await fail('bo')
    const unknown = await fail('nobody at all')
    expect(comparable(known)).toEqual(comparable(unknown))
    expect(known).toMatchObject({ status: 401, body: { code: 'SIGN_IN_FAILED' } })
  })

  test('PocketBase CVE-2026-44166: a name or address that is taken stays taken', async () => {
    for (const user of [
      { userName: 'ANA' },
      { userName: 'Ａｎａ' },
      { userName: 'second', email: 'Root@Example.Test' },
      { userName: 'second', email: 'ｒｏｏｔ@example.test' },
    ])
      await expect(addUser(server.context, user)).rejects.toMatchObject({ kind: 'conflict' })
    expect(await findUser(server.context.store, 'second')).toBeUndefined()
  })

  test('a role that no model declares is refused, and nothing of the user stays', async () => {
    await expect(addUser(server.context, { userName: 'x' }, ['Almighty'])).rejects.toMatchObject({
      kind: 'validation',
      message: expect.stringContaining(KNOWN_ROLES[0] ?? ''),
    })
    await expect(addUser(server.context, { userName: 'x' }, ['Clerk@EAST'])).rejects.toMatchObject({
      kind: 'notFound',
    })
    expect(await findUser(server.context.store, 'x')).toBeUndefined()
  })

  test('System holds everywhere or not at all', async () => {
    await expect(
      addUser(server.context, { userName: 'x' }, ['System@NORTH']),
    ).rejects.toMatchObject({ kind: 'validation' })
    expect(await findUser(server.context.store, 'x')).toBeUndefined()
  })

  test('Strapi CVE-2025-25298: a long password is refused and not repeated', async () => {
    for (const [times, status] of [
      [200_000, 413],
      [5000, 400],
    ] as const) {
      const Password = 'secret'.repeat(times)
      const answer = await server.post(`${AUTH}/login`, { UserName: 'ana', Password })
      expect(answer.status).toBe(status)
      expect(JSON.stringify(answer.body)).not.toContain('secret')
    }
  })
})

async function signInEach(names: [string, string, string]): Promise<[Signed, Signed, Signed]> {
  const [one, two, three] = names
  return [await server.signIn(one), await server.signIn(two), await server.signIn(three)]
}

async function changeAccess(own: IdentityServer, sql: string, id: number): Promise<void> {
  await own.context.store.write((tx) => tx.run(sql, { id }), ALL)
  own.context.callers.forgetUser(id)
}
