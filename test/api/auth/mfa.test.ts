/** Second factors over HTTP: set up, confirmed, asked for, disabled. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { deleteMfa } from '../../../src/access/mfa/mfa.ts'
import { type Challenge, codeAt, enrol } from '../../support/authenticator.ts'
import {
  addUser,
  type IdentityServer,
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

const addClerk = (userName: string) =>
  addUser(server.context, { userName, companies: ['NORTH', 'SOUTH'] })
const me = (token: string) => server.get(`${AUTH}/me`, token)

async function auditOf(own: IdentityServer, userId: number) {
  const sql = 'SELECT * FROM svc_audit WHERE Entity = @e AND RecordKey = @k ORDER BY Id'
  const args = { e: 'svc_users', k: JSON.stringify([userId]) }
  return own.context.store.all({ sql, args, runs: 'inline' })
}

describe('setting up', () => {
  test('gives the secret, its address and a QR code that loads nothing', async () => {
    await addClerk('setup')
    const { AccessToken } = await server.signIn('setup')
    const { status, body } = await server.post(
      `${AUTH}/mfa/setup`,
      { Password: PASSWORD },
      AccessToken,
    )
    const setup = body.data as { Secret: string; OtpAuthUri: string; QrSvg: string }
    expect(status).toBe(200)
    expect(Object.keys(setup)).toEqual(['Secret', 'OtpAuthUri', 'QrSvg'])
    expect(setup.Secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(setup.OtpAuthUri).toStartWith('otpauth://totp/Application%20Engine:setup?')
    expect(setup.OtpAuthUri).toContain(`secret=${setup.Secret}`)
    expect(setup.QrSvg).toMatch(/^<svg [^]*<\/svg>$/)
    expect(setup.QrSvg).not.toMatch(/<script|href|url\(/)
  })

  test('asks for nothing before it is confirmed, and a new secret takes the place', async () => {
    await addClerk('twice')
    const { AccessToken } = await server.signIn('twice')
    const secrets: string[] = []
    for (const _ of [1, 2]) {
      const { body } = await server.post(`${AUTH}/mfa/setup`, { Password: PASSWORD }, AccessToken)
      secrets.push((body.data as { Secret: string }).Secret)
    }
    expect((await server.signIn('twice')).AccessToken).toBeString()
    const [old = '', present = ''] = secrets
    const confirm = (secret: string) =>
      server.post(`${AUTH}/mfa/confirm`, { Code: codeAt(secret, server.clock.now()) }, AccessToken)
    expect(await confirm(old)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', fieldErrors: { Code: 'The code is wrong' } },
    })
    const { status, body } = await confirm(present)
    expect(status).toBe(200)
    expect((body.data as { RecoveryCodes: string[] }).RecoveryCodes).toHaveLength(10)
  })

  test('asks for the password: a token alone sets nothing up', async () => {
    const id = await addClerk('stolen')
    const { AccessToken } = await server.signIn('stolen')
    const setUp = (body: object) => server.post(`${AUTH}/mfa/setup`, body, AccessToken)
    for (const body of [{}, { Password: 'another pass phrase' }]) {
      const { status, body: told } = await setUp(body)
      expect([status, Object.keys(told.fieldErrors ?? {})]).toEqual([400, ['Password']])
    }
    expect((await auditOf(server, id)).map(({ Action }) => Action)).toEqual(['create'])
    expect((await setUp({ Password: PASSWORD })).status).toBe(200)
  })

  test('a user begins 20 in a quarter of an hour, so that the audit log stays of use', async () => {
    await using own = await startIdentity({ 'Svc:Mfa:UserSetups': '2' })
    const { AccessToken } = await own.signIn('ana')
    const setUp = (token = AccessToken) =>
      own.post(`${AUTH}/mfa/setup`, { Password: PASSWORD }, token)
    for (const status of [200, 200, 429]) expect((await setUp()).status).toBe(status)
    const { AccessToken: other } = await own.signIn('bo')
    const next = await own.post(`${AUTH}/mfa/setup`, { Password: PASSWORD }, other)
    expect(next.status).toBe(200)
    own.clock.pass(15 * 60_000)
    expect((await setUp((await own.signIn('ana')).AccessToken)).status).toBe(200)
  })

  test('needs a token; without a secret there is nothing to confirm or disable', async () => {
    for (const step of ['setup', 'confirm', 'disable'])
      expect((await server.post(`${AUTH}/mfa/${step}`, { Code: '1', Password: 'x' })).status).toBe(
        401,
      )
    await addClerk('without')
    const { AccessToken } = await server.signIn('without')
    const body = { Code: '123456', Password: PASSWORD }
    for (const step of ['confirm', 'disable'])
      expect(await server.post(`${AUTH}/mfa/${step}`, body, AccessToken)).toMatchObject({
        status: 409,
        body: { code: 'MFA_NOT_SET_UP' },
      })
  })

  test('a confirmed factor is not replaced by a stolen session; other sessions end', async () => {
    await addClerk('kept')
    const other = await server.signIn('kept')
    const { signed, code } = await enrol(server, 'kept')
    expect((await me(other.AccessToken)).status).toBe(401)
    expect((await me(signed.AccessToken)).body.data).toMatchObject({ MfaEnabled: true })
    for (const [step, body] of [
      ['setup', { Password: PASSWORD }],
      ['confirm', { Code: code() }],
    ] as const)
      expect(await server.post(`${AUTH}/mfa/${step}`, body, signed.AccessToken)).toMatchObject({
        status: 409,
        body: { code: 'MFA_ENABLED' },
      })
  })

  test('the secret and the codes are at rest nowhere as they are, nor in the audit', async () => {
    await addClerk('secret')
    const { secret, recovery, signed } = await enrol(server, 'secret')
    const rows = [
      ...(await server.context.store.all({
        sql: 'SELECT * FROM svc_mfa',
        args: {},
        runs: 'inline',
      })),
      ...(await server.context.store.all({
        sql: 'SELECT * FROM svc_recovery_codes',
        args: {},
        runs: 'inline',
      })),
      ...(await auditOf(server, signed.User.Id)),
    ]
    const text = JSON.stringify(rows)
    for (const each of [secret, ...recovery, ...recovery.map((code) => code.replaceAll('-', ''))])
      expect(text).not.toContain(each)
    const actions = (await auditOf(server, signed.User.Id)).map(({ Action }) => Action)
    expect(actions).toEqual(['create', 'mfa-setup', 'mfa-confirm'])
  })
})

describe('signing in', () => {
  test('a challenge takes the place of the tokens, and a code of the app meets it', async () => {
    await addClerk('app')
    const app = await enrol(server, 'app')
    const login = await app.login()
    const challenge = login.body.data as Challenge
    expect(login.status).toBe(200)
    expect(challenge).toEqual({
      MfaRequired: true,
      ChallengeId: expect.stringMatching(/^[\w-]{43}$/),
      Methods: ['totp', 'recovery'],
      ExpiresIn: 300,
    })
    const { ChallengeId } = challenge
    const chosen = await server.post(`${AUTH}/mfa/challenge`, { ChallengeId, Method: 'totp' })
    expect(chosen).toMatchObject({
      status: 200,
      body: { data: { ChallengeId, Method: 'totp', ExpiresIn: 300 } },
    })
    const verified = await app.verify(ChallengeId, app.code())
    const tokens = verified.body.data as Signed
    expect(verified.status).toBe(200)
    expect(tokens.User).toMatchObject({ UserName: 'app' })
    expect((await me(tokens.AccessToken)).status).toBe(200)
    expect((await app.verify(ChallengeId, app.code(1))).status).toBe(401)
  })

  test('keeps the company that the sign-in asked for', async () => {
    await addClerk('south')
    const south = await enrol(server, 'south')
    const body = { UserName: 'south', Password: PASSWORD, CompanyId: 2 }
    const login = await server.post(`${AUTH}/login`, body)
    const { ChallengeId } = login.body.data as Challenge
    const { body: verified } = await south.verify(ChallengeId, south.code())
    expect((verified.data as Signed).User.Company).toMatchObject({ Id: 2, Code: 'SOUTH' })
  })

  test('each recovery code stands for the app once, however it is typed', async () => {
    await addClerk('lost')
    const lost = await enrol(server, 'lost')
    const [first = '', second = ''] = lost.recovery
    expect((await lost.verify(await lost.challenge(), first)).status).toBe(200)
    expect((await lost.verify(await lost.challenge(), first)).status).toBe(401)
    const typed = second.toLowerCase().replaceAll('-', ' ')
    expect((await lost.verify(await lost.challenge(), typed)).status).toBe(200)
    const last = (await auditOf(server, lost.signed.User.Id)).at(-1)
    expect(last).toMatchObject({
      Action: 'mfa-recovery-code',
      Changes: '{"RecoveryCodesLeft":[9,8]}',
    })
  })

  test('a recovery code is its own user’s only', async () => {
    await addClerk('own')
    await addClerk('foreign')
    const own = await enrol(server, 'own')
    const foreign = await enrol(server, 'foreign')
    const [code = ''] = foreign.recovery
    expect((await own.verify(await own.challenge(), code)).status).toBe(401)
    expect((await foreign.verify(await foreign.challenge(), code)).status).toBe(200)
  })

  test('a challenge does not outlive its time, nor the password that opened it', async () => {
    await addClerk('late')
    const late = await enrol(server, 'late')
    const expired = await late.challenge()
    server.clock.pass(5 * 60_000)
    expect(await late.verify(expired, late.code())).toMatchObject({
      status: 401,
      body: { code: 'MFA_CHALLENGE_INVALID' },
    })
    const open = await late.challenge()
    const [code = ''] = late.recovery
    const { body } = await late.verify(await late.challenge(), code)
    const change = { Password: PASSWORD, NewPassword: 'seven birds over the hill' }
    const { AccessToken } = body.data as Signed
    const changed = await server.post(`${AUTH}/password/change`, change, AccessToken)
    expect(changed.status).toBe(200)
    expect((await late.verify(open, late.code(1))).status).toBe(401)
  })

  test('an unknown challenge is a challenge that is over', async () => {
    for (const ChallengeId of ['', 'x', 'x'.repeat(256), '__proto__'])
      for (const step of ['challenge', 'verify'])
        expect(
          await server.post(`${AUTH}/mfa/${step}`, { ChallengeId, Method: 'totp', Code: '123456' }),
        ).toMatchObject({ status: 401, body: { code: 'MFA_CHALLENGE_INVALID' } })
    const body = { ChallengeId: 'x', Method: 'sms' }
    expect((await server.post(`${AUTH}/mfa/challenge`, body)).status).toBe(400)
  })
})

describe('disabling', () => {
  test('asks for the password and a code, and is audited', async () => {
    await addClerk('off')
    const off = await enrol(server, 'off')
    const disable = (body: object) =>
      server.post(`${AUTH}/mfa/disable`, body, off.signed.AccessToken)
    expect((await disable({ Password: 'not it', Code: off.code() })).body.fieldErrors).toEqual({
      Password: 'The password is wrong',
    })
    expect((await disable({ Password: PASSWORD, Code: off.wrong() })).body.fieldErrors).toEqual({
      Code: 'The code is wrong',
    })
    expect((await disable({ Password: PASSWORD, Code: off.code() })).status).toBe(200)
    expect((await me(off.signed.AccessToken)).body.data).toMatchObject({ MfaEnabled: false })
    expect((await server.signIn('off')).AccessToken).toBeString()
    expect((await auditOf(server, off.signed.User.Id)).at(-1)).toMatchObject({
      Action: 'mfa-disable',
      Source: 'auth/mfa/disable',
      Changes: '{"MfaEnabled":[true,false]}',
    })
  })

  test('guesses at it are throttled as at the sign-in', async () => {
    await addClerk('guessed')
    const guessed = await enrol(server, 'guessed')
    const disable = (Code: string) =>
      server.post(`${AUTH}/mfa/disable`, { Password: PASSWORD, Code }, guessed.signed.AccessToken)
    for (const _ of [1, 2, 3, 4, 5]) expect((await disable(guessed.wrong())).status).toBe(400)
    const refused = await disable(guessed.code())
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0)
  })

  test('a factor that somebody else took away asks for nothing; its challenges end', async () => {
    await addClerk('rescued')
    const rescued = await enrol(server, 'rescued')
    const open = await rescued.challenge()
    const { store, clock, callers } = server.context
    const actor = { now: clock.now(), source: 'test', userId: 1 }
    const { Id } = rescued.signed.User
    expect(await store.write((tx) => deleteMfa(tx, Id, 'mfa-reset', actor), ALL)).toBe(true)
    expect(await store.write((tx) => deleteMfa(tx, Id, 'mfa-reset', actor), ALL)).toBe(false)
    callers.forgetUser(Id)
    expect((await rescued.verify(open, rescued.code())).status).toBe(401)
    expect((await server.signIn('rescued')).AccessToken).toBeString()
    expect((await auditOf(server, Id)).at(-1)).toMatchObject({ Action: 'mfa-reset', UserId: 1 })
  })
})
