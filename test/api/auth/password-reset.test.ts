/** Forgotten passwords: the link in the mail, what it does once, and what it tells nobody. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  addUser,
  type IdentityServer,
  PASSWORD,
  type Signed,
  startIdentity,
} from '../../support/identity.ts'
import { tokenIn, waitForOutbox } from '../../support/outbox.ts'

const AUTH = '/api/v1/auth'
const NEW = 'seven birds over the hill'

/** Resets are asked for often here; the limits have a test of their own. */
const LOOSE = { 'Svc:Reset:UserAttempts': '1000', 'Svc:Reset:AddressAttempts': '10000' }

let server: IdentityServer

beforeAll(async () => {
  server = await startIdentity(LOOSE)
})
afterAll(async () => server[Symbol.asyncDispose]())

const forgot = (UserName: string, headers?: Record<string, string>, own = server) =>
  own.post(`${AUTH}/password/forgot`, { UserName }, undefined, headers)
const reset = (Token: string, NewPassword = NEW, own = server) =>
  own.post(`${AUTH}/password/reset`, { Token, NewPassword })
const me = (token: string) => server.get(`${AUTH}/me`, token)
const refresh = (RefreshToken: string) => server.post(`${AUTH}/refresh`, { RefreshToken })
const login = (UserName: string, Password: string) =>
  server.post(`${AUTH}/login`, { UserName, Password })

let users = 0

/** A user of their own, with an address. */
async function addReachable(
  language?: string,
): Promise<{ userName: string; email: string; id: number }> {
  users += 1
  const user = { userName: `reader${users}`, email: `reader${users}@example.test` }
  const id = await addUser(server.context, { ...user, language, companies: ['NORTH'] })
  return { ...user, id }
}

/** The newest mail, once all have left. */
const lastMail = async (own = server) => (await waitForOutbox(own.context)).at(-1)

async function askFor(userName: string, headers?: Record<string, string>): Promise<string> {
  // What earlier tests have caused leaves first.
  await lastMail()
  expect((await forgot(userName, headers)).status).toBe(200)
  return tokenIn(await lastMail())
}

describe('a forgotten password', () => {
  test('the mail’s link sets a new one, by name and by mail address', async () => {
    const { userName, email } = await addReachable()
    for (const [name, password] of [
      [userName.toUpperCase(), 'seven birds over the hill'],
      [email.toUpperCase(), 'eight boats under a bridge'],
    ] as const) {
      const token = await askFor(name)
      expect(await lastMail()).toContain(`To: ${userName} <${email}>`)
      const answer = await reset(token, password)
      expect(answer).toMatchObject({ status: 200, body: { success: true, data: null } })
      expect((await login(userName, PASSWORD)).status).toBe(401)
      expect((await login(userName, password)).status).toBe(200)
    }
    expect(await lastMail()).toContain('Your password was changed')
  })

  test('the mail is told in the language of the user, as text and as HTML', async () => {
    const { userName } = await addReachable('de')
    await askFor(userName, { 'Accept-Language': 'en' })
    const mail = (await lastMail()) ?? ''
    expect(mail).toContain(`Für ${userName} wurde ein neues Kennwort angefordert.`)
    expect(mail).toContain('Subject: Neues Kennwort setzen')
    expect(mail).toContain('Content-Type: text/plain')
    const [, shown] = /<a href="([^"]+)">\1<\/a>/.exec(mail) ?? []
    expect(shown).toBe(`http://127.0.0.1:8080/reset-password?token=${tokenIn(mail)}`)
  })

  test('a password that is not good enough leaves the link as it is', async () => {
    const { userName } = await addReachable()
    const token = await askFor(userName)
    expect(await reset(token, 'short')).toMatchObject({
      status: 400,
      body: { fieldErrors: { NewPassword: expect.any(String) } },
    })
    expect((await reset(token, '1234567890')).status).toBe(400)
    expect((await reset(token, 'x'.repeat(1025))).status).toBe(400)
    expect((await reset(token)).status).toBe(200)
  })

  test('a one-time password is no reason to change it again', async () => {
    const { userName, id } = await addReachable()
    const sql = 'UPDATE svc_users SET MustChangePassword = 1 WHERE Id = @id'
    await server.context.store.write((tx) => tx.run(sql, { id }), {
      company: 'all',
      because: 'a test',
    })
    await reset(await askFor(userName))
    const signed = await server.signIn(userName, NEW)
    expect(signed.MustChangePassword).toBeUndefined()
  })
})

test('a second factor stays in force: the new password alone opens nothing', async () => {
  const { userName, id } = await addReachable()
  const at = server.clock.now().toISOString()
  const sql = `INSERT INTO svc_mfa (UserId, Secret, CreatedAt, ConfirmedAt)
    VALUES (@id, 'sealed', @at, @at)`
  await server.context.store.write((tx) => tx.run(sql, { id, at }), {
    company: 'all',
    because: 'a test',
  })
  const answer = await reset(await askFor(userName))
  expect(answer.body).toEqual({ success: true, data: null })
  const { body } = await login(userName, NEW)
  expect(body.data).toMatchObject({ MfaRequired: true, ChallengeId: expect.any(String) })
  expect(body.data).not.toHaveProperty('AccessToken')
})

describe('reset poisoning: the link', () => {
  test.each([
    ['Host', 'evil.example'],
    ['X-Forwarded-Host', 'evil.example'],
    ['X-Forwarded-Proto', 'evil'],
    ['Forwarded', 'host=evil.example'],
    ['Origin', 'https://evil.example'],
    ['Referer', 'https://evil.example/'],
  ])('has the configured base whatever %s says', async (name, value) => {
    await using own = await startIdentity({
      ...LOOSE,
      'Svc:Mail:BaseUrl': 'https://app.example.test/desk/',
      'Svc:Mail:ResetPath': '/new-password',
    })
    expect((await forgot('root', { [name]: value }, own)).status).toBe(200)
    const mail = (await lastMail(own)) ?? ''
    expect(mail).toContain('https://app.example.test/desk/new-password?token=')
    expect(mail).not.toContain('evil')
  })

  test('is used once, also by many at the same time', async () => {
    const { userName } = await addReachable()
    const token = await askFor(userName)
    const answers = await Promise.all(
      ['one', 'two', 'three', 'four'].map((word) => reset(token, `${word} boats under a bridge`)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
    expect(await reset(token)).toMatchObject({ status: 400, body: { code: 'RESET_INVALID' } })
  })

  test('is over after 30 minutes', async () => {
    const { userName } = await addReachable()
    const token = await askFor(userName)
    server.clock.pass(30 * 60_000)
    // Whatever the password is like.
    for (const password of ['weak', NEW])
      expect(await reset(token, password)).toMatchObject({
        status: 400,
        body: { code: 'RESET_INVALID' },
      })
    const other = await askFor(userName)
    server.clock.pass(30 * 60_000 - 1000)
    expect((await reset(other)).status).toBe(200)
  })

  test('is stored hashed: nothing at rest gives its token', async () => {
    const { userName } = await addReachable()
    const token = await askFor(userName)
    const sql = 'SELECT * FROM svc_password_resets'
    const rows = await server.context.state.all({ sql, args: {}, runs: 'inline' })
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(token)
    const outbox = 'SELECT * FROM svc_outbox'
    const handed = await server.context.store.all({ sql: outbox, args: {}, runs: 'inline' })
    expect(JSON.stringify(handed)).not.toContain(token)
  })

  test('of a user with another password, or who was locked since, is over', async () => {
    const { userName } = await addReachable()
    const [one, other] = [await askFor(userName), await askFor(userName)]
    expect((await reset(one)).status).toBe(200)
    expect((await reset(other)).status).toBe(400)
    const changed = await addReachable()
    const token = await askFor(changed.userName)
    const { AccessToken } = await server.signIn(changed.userName)
    const body = { Password: PASSWORD, NewPassword: NEW }
    await server.post(`${AUTH}/password/change`, body, AccessToken)
    expect((await reset(token)).status).toBe(400)
    const locked = await addReachable()
    const last = await askFor(locked.userName)
    const sql = 'UPDATE svc_users SET Active = 0 WHERE Id = @id'
    await server.context.store.write((tx) => tx.run(sql, { id: locked.id }), {
      company: 'all',
      because: 'a test',
    })
    expect((await reset(last)).status).toBe(400)
  })

  test('that went to an address which is the user’s no longer is over', async () => {
    const { userName, id } = await addReachable()
    const token = await askFor(userName)
    server.clock.pass(1000)
    const root = await server.signIn('root')
    const response = await fetch(`${server.url}/api/v1/svc/auth/users/${id}`, {
      method: 'PUT',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${root.AccessToken}`,
      },
      body: JSON.stringify({ Email: 'elsewhere@example.test' }),
    })
    expect(response.status).toBe(200)
    expect(await reset(token)).toMatchObject({ status: 400, body: { code: 'RESET_INVALID' } })
  })
})

describe('a new password ends what the old one began', () => {
  test.each([
    ['Strapi CVE-2026-22706', {}],
    ['NocoDB GHSA-g72g-r7m4-9x4g', { DeviceId: 'x', All: false, KeepSessions: true }],
  ])('%s: all three sessions, access and refresh', async (_, more) => {
    const { userName } = await addReachable()
    const signed: Signed[] = []
    for (let at = 0; at < 3; at += 1) signed.push(await server.signIn(userName))
    for (const { AccessToken } of signed) expect((await me(AccessToken)).status).toBe(200)
    const body = { Token: await askFor(userName), NewPassword: NEW, ...more }
    expect((await server.post(`${AUTH}/password/reset`, body)).status).toBe(200)
    for (const { AccessToken, RefreshToken } of signed) {
      expect((await me(AccessToken)).status).toBe(401)
      expect((await refresh(RefreshToken)).status).toBe(401)
    }
  })

  test('a change by its user leaves the session that asked, and is told by mail', async () => {
    const { userName } = await addReachable()
    const [one, other] = [await server.signIn(userName), await server.signIn(userName)]
    const body = { Password: PASSWORD, NewPassword: NEW }
    await server.post(`${AUTH}/password/change`, body, one.AccessToken)
    expect((await me(one.AccessToken)).status).toBe(200)
    expect((await me(other.AccessToken)).status).toBe(401)
    expect((await refresh(other.RefreshToken)).status).toBe(401)
    const mail = await lastMail()
    expect(mail).toContain(`The password of ${userName} was changed`)
    expect(mail).not.toContain(NEW)
  })
})

test('of two changes at once by the same password one is made', async () => {
  const { userName } = await addReachable()
  const sessions = [await server.signIn(userName), await server.signIn(userName)]
  const words = ['seven birds over the hill', 'eight boats on the river']
  const answers = await Promise.all(
    sessions.map(({ AccessToken }, at) =>
      server.post(
        `${AUTH}/password/change`,
        { Password: PASSWORD, NewPassword: words[at] },
        AccessToken,
      ),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const signed = await Promise.all(words.map((word) => login(userName, word)))
  expect(signed.map(({ status }) => status)).toEqual(
    answers.map(({ status }) => (status === 200 ? 200 : 401)),
  )
})

test('ASVS 9.2.2: the token of a link is no bearer token, nor the other way round', async () => {
  const { userName } = await addReachable()
  const token = await askFor(userName)
  expect((await me(token)).status).toBe(401)
  expect((await refresh(token)).status).toBe(401)
  const { AccessToken, RefreshToken } = await server.signIn(userName)
  for (const other of [AccessToken.slice(0, 1024), RefreshToken])
    expect(await reset(other)).toMatchObject({ status: 400, body: { code: 'RESET_INVALID' } })
})
