/** Refused refresh tokens, by their session. */
import { describe, expect, test } from 'bun:test'
import { type IdentityServer, type Signed, startIdentity } from '../../support/identity.ts'

const AUTH = '/api/v1/auth'

describe('the throttle of refresh tokens', () => {
  const offer = (own: IdentityServer, RefreshToken: string, from?: string) =>
    own.post(
      `${AUTH}/refresh`,
      { RefreshToken },
      undefined,
      from === undefined ? {} : { 'X-Forwarded-For': from },
    )

  test('300 tokens of nobody hold up nobody at the address that they come from', async () => {
    await using own = await startIdentity({ 'Svc:Refresh:SessionFailures': '1' })
    const { RefreshToken } = await own.signIn('ana')
    for (let at = 0; at < 300; at += 1) expect((await offer(own, `guess ${at}`)).status).toBe(401)
    expect((await offer(own, RefreshToken)).status).toBe(200)
    const rows = await own.context.state.all({
      sql: "SELECT * FROM svc_throttles WHERE Subject LIKE 'refresh%'",
      args: {},
      runs: 'inline',
    })
    expect(rows).toEqual([])
  })

  test('refuses the tokens of a session after too many, and no others', async () => {
    await using own = await startIdentity({
      'Svc:Refresh:SessionFailures': '2',
      'Svc:Http:TrustedProxies': '127.0.0.1',
    })
    const [ended, live] = [await own.signIn('ana'), await own.signIn('ana')]
    await own.post(`${AUTH}/logout`, {}, ended.AccessToken)
    for (const from of ['198.51.100.1', '198.51.100.2'])
      expect((await offer(own, ended.RefreshToken, from)).status).toBe(401)
    await own.restart()
    const refused = await offer(own, ended.RefreshToken, '198.51.100.3')
    expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } })
    expect(refused.headers.get('Retry-After')).toBe('900')
    expect((await offer(own, live.RefreshToken, '198.51.100.1')).status).toBe(200)
    const { RefreshToken } = await own.signIn('bo')
    expect((await offer(own, RefreshToken, '198.51.100.1')).status).toBe(200)
  })

  test('counts none that was taken', async () => {
    await using own = await startIdentity({ 'Svc:Refresh:SessionFailures': '1' })
    let { RefreshToken } = await own.signIn('ana')
    for (let round = 1; round <= 5; round += 1) {
      const answer = await offer(own, RefreshToken)
      expect(answer.status).toBe(200)
      RefreshToken = (answer.body.data as Signed).RefreshToken
    }
  })
})
