import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import {
  addUser,
  type IdentityServer,
  PASSWORD,
  type Signed,
  startIdentity,
} from '../../support/identity.ts'

const AUTH = '/api/v1/auth'
let server: IdentityServer

beforeAll(async () => {
  server = await startIdentity()
})
afterAll(async () => server[Symbol.asyncDispose]())

const login = (body: object) => server.post(`${AUTH}/login`, body)

describe('login', () => {
  test('gives tokens and tells who signed in, where', async () => {
    const { status, body } = await login({ UserName: 'Ana', Password: PASSWORD })
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      data: {
        AccessToken: expect.any(String),
        TokenType: 'Bearer',
        ExpiresIn: 900,
        RefreshToken: expect.stringMatching(/^[\w-]{43}$/),
        RefreshExpiresIn: 14 * 24 * 3600,
        User: {
          Id: expect.any(Number),
          UserName: 'Ana',
          DisplayName: 'Ana',
          Email: null,
          Roles: ['Clerk'],
          Company: { Id: 1, Code: 'NORTH', Name: 'north' },
          TimeZone: 'UTC',
          Language: null,
          Impersonator: null,
        },
      },
    })
  })

  test.each(['ana', 'ANA', 'Ａｎａ'])(
    '%s is Ana: case and Unicode form make no difference',
    async (name) => {
      const { body } = await login({ username: name, PASSWORD: PASSWORD })
      expect(body).toMatchObject({ success: true, data: { User: { UserName: 'Ana' } } })
    },
  )

  const NORTH = { companies: ['NORTH'] }
  describe('by a mail address', () => {
    beforeAll(async () => {
      await addUser(server.context, { ...NORTH, userName: 'mia', email: 'Mia@Example.Test' })
      await addUser(server.context, {
        userName: ' blank\u200b',
        email: ' blank@example.test ',
        ...NORTH,
      })
    })

    test.each([
      ['mia@example.test', 'mia'],
      [' MIA@EXAMPLE.test\n', 'mia'],
      ['mia ', 'mia'],
      ['\u00a0Blank', 'blank'],
      ['blank@example.test', 'blank'],
    ])('%j is %s', async (name, userName) => {
      const { body } = await login({ UserName: name, Password: PASSWORD })
      expect(body).toMatchObject({ success: true, data: { User: { UserName: userName } } })
    })

    test('an address that nobody has is refused as a wrong password is', async () => {
      const told = async (UserName: string) => {
        const { status, body } = await login({ UserName, Password: 'not the password' })
        return { status, ...body, traceId: '' }
      }
      expect(await told('nobody@example.test')).toEqual(await told('mia@example.test'))
    })

    test('a name wins over an address that is the same', async () => {
      const { store } = server.context
      const id = await addUser(server.context, { ...NORTH, userName: 'two' })
      // No door makes such a pair: a database of before may have one.
      await store.write(
        (tx) =>
          tx.run("UPDATE svc_users SET UserNameKey = 'mia@example.test' WHERE Id = @id", { id }),
        { company: 'all', because: 'a test' },
      )
      const { body } = await login({ UserName: 'mia@example.test', Password: PASSWORD })
      expect(body).toMatchObject({ data: { User: { UserName: 'two' } } })
    })

    test('an address that two users have is that of neither', async () => {
      const ids = [
        await addUser(server.context, { userName: 'twin1' }),
        await addUser(server.context, { userName: 'twin2' }),
      ]
      await server.context.store.write(
        (tx) =>
          tx.run("UPDATE svc_users SET Email = 'twins@example.test' WHERE Id IN (@one, @other)", {
            one: ids[0] ?? 0,
            other: ids[1] ?? 0,
          }),
        { company: 'all', because: 'a test' },
      )
      const { body } = await login({ UserName: 'twins@example.test', Password: PASSWORD })
      expect(body).toMatchObject({ success: false, code: 'SIGN_IN_FAILED' })
    })

    test('name and address count to one throttle', async () => {
      await addUser(server.context, { userName: 'tess', email: 'tess@example.test' })
      const names = ['tess', 'tess@example.test', ' TESS ', 'Tess@Example.test']
      for (let at = 0; at < 10; at++)
        await login({ UserName: names[at % names.length], Password: 'not the password' })
      for (const UserName of names)
        expect((await login({ UserName, Password: PASSWORD })).status).toBe(429)
    })
  })

  test('goes to the company asked for, and back to it the next time', async () => {
    const there = await login({ UserName: 'ana', Password: PASSWORD, CompanyId: 2 })
    expect(there.body.data).toMatchObject({
      User: { Roles: ['Manager'], Company: { Code: 'SOUTH' } },
    })
    const again = await login({ UserName: 'ana', Password: PASSWORD, CompanyId: null })
    expect(again.body.data).toMatchObject({ User: { Company: { Code: 'SOUTH' } } })
    await login({ UserName: 'ana', Password: PASSWORD, CompanyId: 1 })
  })

  test.each([2, 999])(
    'company %d, which is not the user’s, is refused after the password',
    async (id) => {
      const { status, body } = await login({ UserName: 'bo', Password: PASSWORD, CompanyId: id })
      expect(status).toBe(401)
      expect(body).toMatchObject({
        code: 'PERMISSION_DENIED',
        error: 'This user does not belong to that company',
      })
      const wrong = await login({ UserName: 'bo', Password: 'not the password', CompanyId: id })
      expect(wrong.body.code).toBe('SIGN_IN_FAILED')
    },
  )

  test('a user of no company hears why, once the password was right', async () => {
    const right = await login({ UserName: 'nowhere', Password: PASSWORD })
    expect(right.body).toMatchObject({
      code: 'PERMISSION_DENIED',
      error: expect.stringMatching('does not belong to any company'),
    })
    const wrong = await login({ UserName: 'nowhere', Password: 'not the password' })
    expect(wrong.body.code).toBe('SIGN_IN_FAILED')
  })

  test('what else a body says of roles and companies is ignored', async () => {
    const body = {
      UserName: 'bo',
      Password: PASSWORD,
      Roles: ['System'],
      isSystem: true,
      UserId: 1,
    }
    expect((await login(body)).body.data).toMatchObject({ User: { UserName: 'bo', Roles: [] } })
  })

  test.each([
    [{}, 'UserName'],
    [{ UserName: 'ana' }, 'Password'],
    [{ UserName: 'ana', Password: 7 }, 'Password'],
    [{ UserName: 'ana', Password: PASSWORD, CompanyId: '1' }, 'CompanyId'],
  ])('%j is 400 and names %s', async (body, member) => {
    const answer = await login(body)
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.body.fieldErrors ?? {})).toContain(member)
  })
})

describe('tokens', () => {
  test('carry their claims under the kid of a public key', async () => {
    const { AccessToken, User } = await server.signIn('ana')
    const { body } = await server.get(`${AUTH}/jwks`)
    const keys = createLocalJWKSet(body as unknown as JSONWebKeySet)
    const { payload, protectedHeader } = await jwtVerify(AccessToken, keys, {
      algorithms: ['RS256'],
      issuer: 'application-engine',
      audience: 'application-engine',
      currentDate: server.clock.now(),
    })
    expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: server.context.keys.kid })
    expect(payload).toMatchObject({ sub: String(User.Id), name: 'Ana', cid: 1, roles: ['Clerk'] })
    expect(Object.keys(payload).sort()).toEqual([
      'aud',
      'cid',
      'exp',
      'iat',
      'iss',
      'jti',
      'name',
      'roles',
      'sid',
      'sub',
    ])
  })

  test('the public keys hold nothing private', async () => {
    const { body, status } = await server.get(`${AUTH}/jwks`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ success: true, data: { keys: [{ use: 'sig', alg: 'RS256' }] } })
    expect(Object.keys((body.data as { keys: object[] }).keys[0] ?? {}).sort()).toEqual([
      'alg',
      'e',
      'kid',
      'kty',
      'n',
      'use',
    ])
  })
})

describe('me', () => {
  test('tells who the token stands for', async () => {
    const { AccessToken, User } = await server.signIn('ana')
    const { body } = await server.get(`${AUTH}/me`, AccessToken)
    expect(body).toEqual({ success: true, data: { ...User, MfaEnabled: false } })
  })

  test('a token that was seen before costs no SQL', async () => {
    const { AccessToken } = await server.signIn('ana')
    await server.get(`${AUTH}/me`, AccessToken)
    const { store, state } = server.context
    const before = [store.counters.reads, store.counters.writes, state.counters.reads]
    await server.get(`${AUTH}/me`, AccessToken)
    expect([store.counters.reads, store.counters.writes, state.counters.reads]).toEqual(before)
  })

  test.each([
    ['no header', undefined],
    ['Basic', 'Basic YTpi'],
    ['two tokens', 'Bearer a.b.c d.e.f'],
    ['no token', 'Bearer '],
    ['nonsense', 'Bearer x'],
  ])('%s is 401 with WWW-Authenticate', async (_, header) => {
    const answer = await server.get(
      `${AUTH}/me`,
      undefined,
      header ? { Authorization: header } : {},
    )
    expect(answer.status).toBe(401)
    expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"')
    expect(answer.body).toMatchObject({ success: false, traceId: expect.any(String) })
  })
})

describe('one-time passwords', () => {
  test('open nothing but their own change', async () => {
    await addUser(server.context, {
      userName: 'newcomer',
      companies: ['NORTH'],
      mustChangePassword: true,
    })
    const signed = await server.signIn('newcomer')
    expect(signed.MustChangePassword).toBe(true)
    const closed = await server.get('/api/v1/svc/navbar', signed.AccessToken)
    expect(closed).toMatchObject({ status: 401, body: { code: 'PASSWORD_CHANGE_REQUIRED' } })
    expect((await server.get(`${AUTH}/me`, signed.AccessToken)).status).toBe(200)
    const change = { Password: PASSWORD, NewPassword: 'seven birds over the hill' }
    const changed = await server.post(`${AUTH}/password/change`, change, signed.AccessToken)
    expect(changed.body).toEqual({ success: true, data: null })
    expect((await server.get('/api/v1/svc/navbar', signed.AccessToken)).status).toBe(200)
    const again = await server.signIn('newcomer', change.NewPassword)
    expect(again.MustChangePassword).toBeUndefined()
  })
})

describe('password change', () => {
  const change = (signed: Signed, body: object) =>
    server.post(`${AUTH}/password/change`, body, signed.AccessToken)

  test.each([
    ['short', 'at least 10'],
    ['P4ssw0rd2026!', 'too common'],
    ['aaaaaaaaaaaa', 'repetition'],
    [PASSWORD, 'current one'],
  ])('%s is not good enough', async (password, reason) => {
    const signed = await server.signIn('ana')
    const answer = await change(signed, { Password: PASSWORD, NewPassword: password })
    expect(answer.status).toBe(400)
    expect(answer.body.fieldErrors).toEqual({ NewPassword: expect.stringContaining(reason) })
  })

  test('a wrong present password is a field error, and the session goes on', async () => {
    const signed = await server.signIn('ana')
    const body = { Password: 'not the password', NewPassword: 'seven birds over the hill' }
    const answer = await change(signed, body)
    expect(answer).toMatchObject({
      status: 400,
      body: { fieldErrors: { Password: expect.any(String) } },
    })
    expect((await server.get(`${AUTH}/me`, signed.AccessToken)).status).toBe(200)
  })

  test('is audited, without the password', async () => {
    await addUser(server.context, { userName: 'changer', companies: ['NORTH'] })
    const signed = await server.signIn('changer')
    await change(signed, { Password: PASSWORD, NewPassword: 'seven birds over the hill' })
    const row = await server.context.store.get({
      sql: `SELECT UserId, Action, Changes FROM svc_audit
            WHERE Entity = 'svc_users' AND Source = 'auth/password/change' AND UserId = @id`,
      args: { id: signed.User.Id },
      runs: 'inline',
    })
    expect(row).toMatchObject({ UserId: signed.User.Id, Action: 'password', Changes: '{}' })
  })
})

test('the header says RS256 and the type of access tokens', async () => {
  const { AccessToken } = await server.signIn('ana')
  expect(decodeProtectedHeader(AccessToken)).toMatchObject({ alg: 'RS256', typ: 'at+jwt' })
})
