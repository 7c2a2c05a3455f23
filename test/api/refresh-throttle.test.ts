/** Refused refresh tokens, by user and by address. */
import { describe, expect, test } from 'bun:test'
import { startIdentity } from '../support/identity.ts'
import type { IdentityServer, Signed } from '../support/identity.ts'

const AUTH = '/api/v1/auth'

describe('the throttle of refresh tokens', () => {
  const offer = (own: IdentityServer, RefreshToken: string, from?: string) =>
    own.post(
      `${AUTH}/refresh`,
      { RefreshToken },
      undefined,
      from === undefined ? {} : { 'X-Forwarded-For': from },
    )

  test('refuses an address after too many guesses, across a restart', async () => {
    await using own = await startIdentity({ 'Svc:Refresh:AddressFailures': '3' })
    const { RefreshToken } = await own.signIn('ana')
    for (const guess of ['one', 'two', 'three']) expect((await offer(own, guess)).status).toBe(401)
    await own.restart()
    const refused = await offer(own, RefreshToken)
    expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } })
    expect(refused.headers.get('Retry-After')).toBe('900')
    own.clock.pass(900_000)
    expect((await offer(own, RefreshToken)).status).toBe(200)
  })

  test('refuses the tokens of a user after too many, from wherever they come', async () => {
    await using own = await startIdentity({
      'Svc:Refresh:UserFailures': '2',
      'Svc:Http:TrustedProxies': '127.0.0.1',
    })
    const [ended, live] = [await own.signIn('ana'), await own.signIn('ana')]
    await own.post(`${AUTH}/logout`, {}, ended.AccessToken)
    for (const from of ['198.51.100.1', '198.51.100.2'])
      expect((await offer(own, ended.RefreshToken, from)).status).toBe(401)
    expect((await offer(own, live.RefreshToken, '198.51.100.3')).status).toBe(429)
    const { RefreshToken } = await own.signIn('bo')
    expect((await offer(own, RefreshToken, '198.51.100.1')).status).toBe(200)
  })

  test('counts none that was taken', async () => {
    await using own = await startIdentity({ 'Svc:Refresh:UserFailures': '1' })
    let { RefreshToken } = await own.signIn('ana')
    for (let round = 1; round <= 5; round += 1) {
      const answer = await offer(own, RefreshToken)
      expect(answer.status).toBe(200)
      RefreshToken = (answer.body.data as Signed).RefreshToken
    }
  })
})
