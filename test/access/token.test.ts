import { beforeAll, describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import {
  ACCESS_TOKEN_TYPE,
  type AccessClaims,
  planClaims,
  verifyToken,
} from '../../src/access/sessions/token.ts'
import { forgeTokens, signPss, signRsa } from '../support/forged-tokens.ts'

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
const now = new Date('2026-11-21T12:00:00Z')
const policy = { issuer: 'here', audience: 'us', accessLifetime: 900_000 }
const header = { alg: 'RS256', kid: 'k1', typ: ACCESS_TOKEN_TYPE }
const iat = now.getTime() / 1000
const claims: AccessClaims & { iat: number } = {
  ...planClaims({ id: 's1', userId: 7, userName: 'ana', companyId: 2, roles: ['Clerk'] }, policy, {
    id: 't1',
    now,
  }),
  iat,
}

let publicKey: CryptoKey

beforeAll(async () => {
  publicKey = await crypto.subtle.importKey(
    'jwk',
    pair.publicKey.export({ format: 'jwk' }),
    { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
    false,
    ['verify'],
  )
})

const keys = { findPublic: (kid: string) => (kid === 'k1' ? publicKey : undefined) }
const verify = (token: string, at = now) => verifyToken(token, keys, policy, at)
const signed = (more: object, headerMore: object = {}) =>
  signRsa({ ...header, ...headerMore }, { ...claims, ...more }, pair.privateKey, 'sha256')

const codeOf = (token: string, at = now): Promise<unknown> =>
  verify(token, at).then(
    () => 'accepted',
    (thrown: { code?: string }) => thrown.code,
  )

describe('access tokens', () => {
  test('a true one proves user, company, session and expiry', async () => {
    expect(await verify(signed({}))).toEqual({
      userId: 7,
      companyId: 2,
      sessionId: 's1',
      expiresAt: now.getTime() + policy.accessLifetime,
    })
  })

  test('expires by the clock', async () => {
    const token = signed({})
    expect(await codeOf(token, new Date(now.getTime() + policy.accessLifetime - 1000))).toBe(
      'accepted',
    )
    expect(await codeOf(token, new Date(now.getTime() + policy.accessLifetime))).toBe(
      'TOKEN_EXPIRED',
    )
  })

  test.each([
    ['another issuer', { iss: 'there' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'them' }],
    ['no audience', { aud: undefined }],
    ['no expiry', { exp: undefined }],
    ['an expiry as text', { exp: '99999999999' }],
    ['no time of issue', { iat: undefined }],
    ['no subject', { sub: undefined }],
    ['a subject that is no id', { sub: '7 OR 1=1' }],
    ['a subject that is a number', { sub: 7 }],
    ['subject 0', { sub: '0' }],
    ['no company', { cid: undefined }],
    ['a company as text', { cid: '2' }],
    ['no session', { sid: undefined }],
    ['valid from later', { nbf: iat + 3600 }],
  ])('our own signature with %s is refused', async (_, more) => {
    expect(await codeOf(signed(more))).toBe('TOKEN_INVALID')
  })

  test.each([
    ['of another type', { typ: 'JWT' }],
    ['without a type', { typ: undefined }],
    ['without a kid', { kid: undefined }],
    ['of an unknown kid', { kid: 'k2' }],
    ['that says RS512', { alg: 'RS512' }],
  ])('our own signature on a token %s is refused', async (_, more) => {
    expect(await codeOf(signed({}, more))).toBe('TOKEN_INVALID')
  })

  test('our own key used for PS256 is refused', async () => {
    const token = signPss({ ...header, alg: 'PS256' }, { ...claims }, pair.privateKey)
    expect(await codeOf(token)).toBe('TOKEN_INVALID')
  })

  test('node-jsonwebtoken#69, CVE-2018-0114, CVE-2025-65945: no forgery passes', async () => {
    const { n = '', e = '' } = pair.publicKey.export({ format: 'jwk' })
    const loot = { token: signed({}), kid: 'k1', jwk: { kty: 'RSA', n, e } }
    const forged = forgeTokens({ ...loot, listener: 'http://127.0.0.1:9' })
    for (const { name, token } of forged)
      expect([name, await codeOf(token)]).toEqual([name, 'TOKEN_INVALID'])
    expect(forged.length).toBeGreaterThan(60)
  })

  test('roles inform, and only so many of them', () => {
    const roles = Array.from({ length: 80 }, (_, at) => `R${at}`)
    const session = { id: 's1', userId: 7, userName: 'ana', companyId: 2, roles }
    expect(planClaims(session, policy, { id: 't1', now }).roles).toHaveLength(50)
  })
})
