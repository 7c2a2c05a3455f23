/** Rotating refresh tokens (RFC 9700, section 4.14.2) and the sign-in throttle. */
import { describe, expect, test } from 'bun:test'
import { toNetwork } from '../../../src/access/throttle.ts'
import {
  type IdentityServer,
  PASSWORD,
  type Signed,
  startIdentity,
} from '../../support/identity.ts'

const AUTH = '/api/v1/auth'
const GRACE_MS = 10_000

const refresh = (server: IdentityServer, token: string) =>
  server.post(`${AUTH}/refresh`, { RefreshToken: token })

async function next(server: IdentityServer, token: string): Promise<Signed> {
  const { status, body } = await refresh(server, token)
  expect(status).toBe(200)
  return body.data as Signed
}

const me = (server: IdentityServer, token: string) => server.get(`${AUTH}/me`, token)

describe('refresh tokens', () => {
  test('give a new pair, and the session goes on under it', async () => {
    await using server = await startIdentity()
    const first = await server.signIn('ana')
    const second = await next(server, first.RefreshToken)
    expect(second.RefreshToken).not.toBe(first.RefreshToken)
    expect(second.AccessToken).not.toBe(first.AccessToken)
    expect((await me(server, second.AccessToken)).status).toBe(200)
    const third = await next(server, second.RefreshToken)
    expect((await me(server, third.AccessToken)).status).toBe(200)
  })

  test('OAuth refresh reuse: a used one offered later ends the whole family', async () => {
    await using server = await startIdentity()
    const first = await server.signIn('ana')
    const second = await next(server, first.RefreshToken)
    server.clock.pass(GRACE_MS + 1)
    expect(await refresh(server, first.RefreshToken)).toMatchObject({
      status: 401,
      body: { code: 'REFRESH_INVALID' },
    })
    expect((await refresh(server, second.RefreshToken)).status).toBe(401)
    expect((await me(server, second.AccessToken)).status).toBe(401)
    expect((await me(server, first.AccessToken)).status).toBe(401)
  })

  test('within 10 seconds a repeat gets the same pair', async () => {
    await using server = await startIdentity()
    const { RefreshToken } = await server.signIn('ana')
    const pair = await next(server, RefreshToken)
    server.clock.pass(GRACE_MS - 1)
    expect(await next(server, RefreshToken)).toEqual(pair)
    expect((await me(server, pair.AccessToken)).status).toBe(200)
  })

  test('20 parallel uses of one token give one new pair, the same for all', async () => {
    await using server = await startIdentity()
    const { RefreshToken } = await server.signIn('ana')
    const pairs = await Promise.all(Array.from({ length: 20 }, () => next(server, RefreshToken)))
    expect(new Set(pairs.map((pair) => pair.RefreshToken)).size).toBe(1)
    expect(new Set(pairs.map((pair) => pair.AccessToken)).size).toBe(1)
    const count = await server.context.state.text({
      sql: 'SELECT count(*) FROM svc_refresh_tokens WHERE UsedAt IS NULL',
      args: {},
      runs: 'inline',
    })
    expect(count).toBe('1')
  })

  test('a repeat after a restart gets the same successor: never two valid ones', async () => {
    await using server = await startIdentity()
    const { RefreshToken } = await server.signIn('ana')
    const pair = await next(server, RefreshToken)
    await server.restart()
    const repeated = await next(server, RefreshToken)
    expect(repeated.RefreshToken).toBe(pair.RefreshToken)
  })

  test('a repeat after the sign-out gets nothing', async () => {
    await using server = await startIdentity()
    const { RefreshToken } = await server.signIn('ana')
    const pair = await next(server, RefreshToken)
    await server.post(`${AUTH}/logout`, {}, pair.AccessToken)
    expect((await refresh(server, RefreshToken)).status).toBe(401)
  })

  test('expire after 14 days, each from its own issue', async () => {
    await using server = await startIdentity()
    const day = 24 * 3_600_000
    const first = await server.signIn('ana')
    server.clock.pass(13 * day)
    const second = await next(server, first.RefreshToken)
    server.clock.pass(13 * day)
    const third = await next(server, second.RefreshToken)
    server.clock.pass(14 * day)
    expect((await refresh(server, third.RefreshToken)).status).toBe(401)
  })

  test('are not in the file in a readable form', async () => {
    await using server = await startIdentity()
    const { RefreshToken } = await server.signIn('ana')
    const rows = await server.context.state.all({
      sql: 'SELECT * FROM svc_refresh_tokens',
      args: {},
      runs: 'inline',
    })
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(RefreshToken)
  })

  test('what expired is swept', async () => {
    await using server = await startIdentity()
    await server.signIn('ana')
    server.clock.pass(15 * 24 * 3_600_000)
    await server.signIn('bo')
    const sql = 'SELECT count(*) FROM svc_refresh_tokens'
    expect(await server.context.state.text({ sql, args: {}, runs: 'inline' })).toBe('1')
  })
})

describe('throttle', () => {
  const attempt = (server: IdentityServer, UserName: string, Password: string, from?: string) =>
    server.post(
      `${AUTH}/login`,
      { UserName, Password },
      undefined,
      from === undefined ? {} : { 'X-Forwarded-For': from },
    )

  const fewFailures = { 'Svc:SignIn:UserFailures': '3' }

  test.each(['ana', 'nobody'])(
    '%s is refused after too many failures, for a while',
    async (name) => {
      await using server = await startIdentity(fewFailures)
      for (let failure = 1; failure <= 3; failure += 1)
        expect((await attempt(server, name, 'not it')).status).toBe(401)
      const refused = await attempt(server, name.toUpperCase(), PASSWORD)
      expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } })
      expect(Number(refused.headers.get('Retry-After'))).toBe(900)
      server.clock.pass(15 * 60_000 - 1000)
      expect((await attempt(server, name, PASSWORD)).headers.get('Retry-After')).toBe('1')
      server.clock.pass(1000)
      expect((await attempt(server, name, PASSWORD)).status).toBe(name === 'ana' ? 200 : 401)
    },
  )

  test('Vaultwarden CVE-2026-27801: the counter survives a restart', async () => {
    await using server = await startIdentity(fewFailures)
    for (let failure = 1; failure <= 3; failure += 1) await attempt(server, 'ana', 'not it')
    await server.restart()
    expect((await attempt(server, 'ana', PASSWORD)).status).toBe(429)
  })

  test('a right password in time clears the failures', async () => {
    await using server = await startIdentity(fewFailures)
    for (let round = 1; round <= 2; round += 1) {
      for (let failure = 1; failure <= 2; failure += 1)
        expect((await attempt(server, 'ana', 'not it')).status).toBe(401)
      expect((await attempt(server, 'ana', PASSWORD)).status).toBe(200)
    }
  })

  test('parallel guesses do not pass the limit', async () => {
    await using server = await startIdentity({ ...fewFailures, 'Svc:SignIn:Concurrency': '8' })
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) => attempt(server, 'ana', `guess number ${at}`)),
    )
    const tried = answers.filter(({ status }) => status === 401)
    expect(tried).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(27)
  })

  test('an address is refused after too many failures, whoever it tries', async () => {
    await using server = await startIdentity({ 'Svc:SignIn:AddressFailures': '3' })
    for (const name of ['one', 'two', 'three']) await attempt(server, name, 'not it')
    expect((await attempt(server, 'ana', PASSWORD)).status).toBe(429)
  })

  test('X-Forwarded-For counts only from a trusted proxy', async () => {
    await using open = await startIdentity({ 'Svc:SignIn:AddressFailures': '3' })
    for (const host of [1, 2, 3]) await attempt(open, `u${host}`, 'not it', `198.51.100.${host}`)
    expect((await attempt(open, 'ana', PASSWORD, '198.51.100.4')).status).toBe(429)

    await using behind = await startIdentity({
      'Svc:SignIn:AddressFailures': '3',
      'Svc:Http:TrustedProxies': '127.0.0.1',
    })
    for (const host of [1, 2, 3])
      await attempt(behind, `u${host}`, 'not it', `203.0.113.${host}, 198.51.100.1`)
    expect((await attempt(behind, 'ana', PASSWORD, '203.0.113.9, 198.51.100.1')).status).toBe(429)
    expect((await attempt(behind, 'ana', PASSWORD, '198.51.100.2')).status).toBe(200)
  })

  test('guesses at the present password count as well', async () => {
    await using server = await startIdentity(fewFailures)
    const { AccessToken } = await server.signIn('ana')
    const guess = { Password: 'not it', NewPassword: 'seven birds over the hill' }
    const change = () => server.post(`${AUTH}/password/change`, guess, AccessToken)
    for (let failure = 1; failure <= 3; failure += 1) expect((await change()).status).toBe(400)
    expect((await change()).status).toBe(429)
  })

  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['a:b:c:d:e:f:1:2::9:9', 'a:b:c:d::/64'],
  ])('%s is counted as %s', (address, network) => {
    expect(toNetwork(address)).toBe(network)
  })
})
