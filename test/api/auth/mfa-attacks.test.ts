/** Published vulnerabilities of second factors (design, attacks): each is tried here. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rotateKeys } from '../../../src/access/sessions/keys.ts'
import { enrol, type Enrolled } from '../../support/authenticator.ts'
import {
  addUser,
  type Answer,
  type IdentityServer,
  type Signed,
  startIdentity,
} from '../../support/identity.ts'

const AUTH = '/api/v1/auth'
const WINDOW_MS = 15 * 60_000
let server: IdentityServer

beforeAll(async () => {
  // A proxy that passes on whatever its client pretends.
  server = await startIdentity({ 'Svc:Http:TrustedProxies': '127.0.0.1' })
})
afterAll(async () => server[Symbol.asyncDispose]())

async function enrolNew(userName: string, own = server): Promise<Enrolled> {
  await addUser(own.context, { userName, companies: ['NORTH'] })
  return enrol(own, userName)
}

const statuses = (answers: Answer[]): number[] => answers.map(({ status }) => status).sort()

/** Five wrong codes over three fresh challenges, each from another pretended address. */
async function failFive(user: Enrolled): Promise<string[]> {
  const challenges = [await user.challenge(), await user.challenge(), await user.challenge()]
  for (const at of [0, 1, 2, 3, 4]) {
    const answer = await user.verify(challenges[at % 3] ?? '', user.wrong(), {
      'X-Forwarded-For': `203.0.113.${at}`,
    })
    expect(answer).toMatchObject({ status: 401, body: { code: 'MFA_CODE_INVALID' } })
  }
  return challenges
}

describe('Liferay CVE-2025-43798, Dovecot CVE-2026-27855: a code is taken once', () => {
  test('not in a second sign-in within its 30 seconds', async () => {
    const user = await enrolNew('liferay')
    const [one, two] = [await user.challenge(), await user.challenge()]
    const code = user.code()
    expect((await user.verify(one, code)).status).toBe(200)
    expect((await user.verify(two, code)).status).toBe(401)
  })

  test('not by ten at once, over one challenge or over ten', async () => {
    const user = await enrolNew('parallel')
    const one = await user.challenge()
    const same = Array.from({ length: 10 }, () => user.verify(one, user.code()))
    expect(statuses(await Promise.all(same))).toEqual([200, ...Array<number>(9).fill(401)])
    server.clock.pass(60_000)
    const many = await Promise.all(Array.from({ length: 10 }, () => user.challenge()))
    const each = many.map((challenge) => user.verify(challenge, user.code()))
    expect(statuses(await Promise.all(each))).toEqual([200, ...Array<number>(9).fill(401)])
    server.clock.pass(60_000)
    expect((await user.verify(await user.challenge(), user.code())).status).toBe(200)
  })

  test('ten at once with one recovery code are one', async () => {
    const user = await enrolNew('recovering')
    const many = await Promise.all(Array.from({ length: 10 }, () => user.challenge()))
    const [code = ''] = user.recovery
    const each = many.map((challenge) => user.verify(challenge, code))
    expect(statuses(await Promise.all(each))).toEqual([200, ...Array<number>(9).fill(401)])
  })

  test('an app code and a recovery code at once meet one challenge once', async () => {
    const user = await enrolNew('both')
    const challenge = await user.challenge()
    const codes = [user.code(), user.recovery[0] ?? '']
    const answers = await Promise.all(codes.map((code) => user.verify(challenge, code)))
    expect(statuses(answers)).toEqual([200, 401])
  })

  test('the code of the step before one that was taken is too old', async () => {
    const user = await enrolNew('dovecot')
    const [one, two, three] = [
      await user.challenge(),
      await user.challenge(),
      await user.challenge(),
    ]
    expect((await user.verify(one, user.code())).status).toBe(200)
    expect((await user.verify(two, user.code(-1))).status).toBe(401)
    expect((await user.verify(three, user.code(1))).status).toBe(200)
  })

  test('the code that confirmed the factor signs nobody in', async () => {
    await addUser(server.context, { userName: 'confirmed', companies: ['NORTH'] })
    const user = await enrol(server, 'confirmed')
    server.clock.pass(-60_000)
    expect((await user.verify(await user.challenge(), user.code())).status).toBe(401)
    server.clock.pass(60_000)
  })

  test('a clock that goes back lets no step be used again, nor does a restart', async () => {
    await using own = await startIdentity()
    const user = await enrolNew('clock', own)
    const code = user.code()
    expect((await user.verify(await user.challenge(), code)).status).toBe(200)
    await own.restart()
    expect((await user.verify(await user.challenge(), code)).status).toBe(401)
    own.clock.pass(-3600_000)
    expect((await user.verify(await user.challenge(), user.code())).status).toBe(401)
    const [recovery = ''] = user.recovery
    expect((await user.verify(await user.challenge(), recovery)).status).toBe(200)
    own.clock.pass(3600_000 + 60_000)
    expect((await user.verify(await user.challenge(), user.code())).status).toBe(200)
  })

  test('a step of a clock that was a year ahead refuses no code of the right one', async () => {
    await using own = await startIdentity()
    const user = await enrolNew('ahead', own)
    own.clock.pass(400 * 24 * 3600_000)
    expect((await user.verify(await user.challenge(), user.code())).status).toBe(200)
    own.clock.pass(-400 * 24 * 3600_000 + 60_000)
    const code = user.code()
    expect((await user.verify(await user.challenge(), code)).status).toBe(200)
    expect((await user.verify(await user.challenge(), code)).status).toBe(401)
  })
})

describe('Vaultwarden CVE-2026-27801, Nagios CVE-2025-60424, AIL CVE-2026-56450: guesses', () => {
  test('six wrong codes over three challenges: then even the right one is refused', async () => {
    const user = await enrolNew('vaultwarden')
    const challenges = await failFive(user)
    expect((await user.verify(challenges[0] ?? '', user.wrong())).status).toBe(401)
    for (const challenge of challenges)
      expect((await user.verify(challenge, user.code())).status).toBe(401)
    const fresh = await user.verify(await user.challenge(), user.code())
    expect(fresh).toMatchObject({ status: 401, body: { code: 'MFA_LOCKED' } })
    expect(Number(fresh.headers.get('Retry-After'))).toBeGreaterThan(0)
    const [recovery = ''] = user.recovery
    expect((await user.verify(await user.challenge(), recovery)).status).toBe(401)
    server.clock.pass(WINDOW_MS)
    for (const challenge of challenges)
      expect((await user.verify(challenge, user.code())).status).toBe(401)
    expect((await user.verify(await user.challenge(), user.code())).status).toBe(200)
  })

  test('challenges that wait longer than the lock are dead after it', async () => {
    await using own = await startIdentity({ 'Svc:Mfa:ChallengeLifetime': '1h' })
    const user = await enrolNew('patient', own)
    const challenges = await failFive(user)
    own.clock.pass(WINDOW_MS)
    for (const challenge of challenges)
      expect(await user.verify(challenge, user.code())).toMatchObject({
        status: 401,
        body: { code: 'MFA_CHALLENGE_INVALID' },
      })
    expect((await user.verify(await user.challenge(), user.code())).status).toBe(200)
  })

  test('the counter outlives a restart', async () => {
    await using own = await startIdentity()
    const user = await enrolNew('nagios', own)
    await failFive(user)
    await own.restart()
    expect((await user.verify(await user.challenge(), user.code())).status).toBe(401)
  })

  test('a right password resets nothing; a right code does', async () => {
    const user = await enrolNew('ail')
    for (const _ of [1, 2, 3, 4]) {
      expect((await user.verify(await user.challenge(), user.wrong())).status).toBe(401)
      await user.login()
    }
    expect((await user.verify(await user.challenge(), user.code())).status).toBe(200)
    server.clock.pass(60_000)
    await failFive(user)
    for (const _ of [1, 2, 3]) await user.login()
    expect((await user.verify(await user.challenge(), user.code())).status).toBe(401)
  })

  test('guesses at once do not pass the limit', async () => {
    const user = await enrolNew('storm')
    const many = await Promise.all(Array.from({ length: 20 }, () => user.challenge()))
    const answers = await Promise.all(many.map((each) => user.verify(each, user.wrong())))
    const judged = answers.filter(({ body }) => body.code === 'MFA_CODE_INVALID')
    expect(statuses(answers)).toEqual(Array<number>(20).fill(401))
    expect(judged.length).toBeLessThanOrEqual(5)
  })

  test('one challenge takes five wrong codes, whatever was right elsewhere', async () => {
    const user = await enrolNew('one')
    const challenge = await user.challenge()
    for (const _ of [1, 2, 3, 4]) await user.verify(challenge, user.wrong())
    expect((await user.verify(await user.challenge(), user.code())).status).toBe(200)
    await user.verify(challenge, user.wrong())
    expect(await user.verify(challenge, user.code(1))).toMatchObject({
      status: 401,
      body: { code: 'MFA_CHALLENGE_INVALID' },
    })
  })

  test('others are not locked with the user', async () => {
    const [guessed, other] = [await enrolNew('guessed'), await enrolNew('bystander')]
    await failFive(guessed)
    expect((await other.verify(await other.challenge(), other.code())).status).toBe(200)
  })

  test('an address that fails for many users waits, with 429', async () => {
    await using own = await startIdentity({ 'Svc:Mfa:AddressFailures': '6' })
    const [one, two] = [await enrolNew('one', own), await enrolNew('two', own)]
    for (const _ of [1, 2, 3, 4]) await one.verify(await one.challenge(), one.wrong())
    for (const _ of [1, 2]) await two.verify(await two.challenge(), two.wrong())
    const refused = await two.verify(await two.challenge(), two.code())
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0)
  })
})

describe('ASVS 9.2.2: a challenge is good for its own purpose only', () => {
  test('it opens no route, continues no session, and no token meets it', async () => {
    const user = await enrolNew('purpose')
    const challenge = await user.challenge()
    expect((await server.get(`${AUTH}/me`, challenge)).status).toBe(401)
    const refresh = { RefreshToken: challenge }
    expect((await server.post(`${AUTH}/refresh`, refresh)).status).toBe(401)
    const { AccessToken, RefreshToken } = user.signed as Signed
    for (const token of [AccessToken.slice(0, 256), RefreshToken])
      expect((await user.verify(token, user.code())).status).toBe(401)
    expect((await user.verify(challenge, user.code())).status).toBe(200)
  })
})

describe('accounts', () => {
  test('NocoDB CVE-2022-22120: without the password nobody learns of a factor', async () => {
    await enrolNew('hidden')
    const fail = async (UserName: string) => {
      const answer = await server.post(`${AUTH}/login`, { UserName, Password: 'not it' })
      return { status: answer.status, body: { ...answer.body, traceId: '' } }
    }
    expect(await fail('hidden')).toEqual(await fail('bo'))
    expect(await fail('hidden')).toEqual(await fail('nobody at all'))
  })

  test('a locked user’s challenge is over; rotated keys leave factors readable', async () => {
    await using own = await startIdentity()
    const user = await enrolNew('locked', own)
    const challenge = await user.challenge()
    const lock = 'UPDATE svc_users SET Active = @on WHERE Id = @id'
    const { store, clock } = own.context
    const set = (on: number) =>
      store.write((tx) => tx.run(lock, { on, id: user.signed.User.Id }), {
        company: 'all',
        because: 'a test',
      })
    await set(0)
    expect((await user.verify(challenge, user.code())).status).toBe(401)
    // Nor is there another one: the password is as good as a wrong one.
    expect(await user.login()).toMatchObject({ status: 401, body: { code: 'SIGN_IN_FAILED' } })
    await set(1)
    await rotateKeys(store, { clock, accessLifetime: 15 * 60_000 })
    await own.restart()
    const next = await user.verify(await user.challenge(), user.code(1))
    expect(next.status).toBe(200)
  })
})

describe('StudioCMS GHSA-667w-mmh7-mrr4: whoever acts as a user', () => {
  test('changes nothing of their second factor, and is asked for none', async () => {
    await using own = await startIdentity({ 'Svc:Mfa:RequiredRoles': 'Clerk' })
    const id = await addUser(own.context, { userName: 'acted' }, ['Clerk@NORTH'])
    const root = await own.signIn('root')
    const start = { UserId: id, Reason: 'A question of theirs', Minutes: 5 }
    const acting = await own.post('/api/v1/impersonation/start', start, root.AccessToken)
    const { AccessToken } = acting.body.data as Signed
    expect(acting.body.data).not.toHaveProperty('MfaSetupRequired')
    for (const step of ['setup', 'confirm', 'disable'])
      expect(
        await own.post(`${AUTH}/mfa/${step}`, { Password: 'x', Code: '123456' }, AccessToken),
      ).toMatchObject({ status: 401, body: { code: 'PERMISSION_DENIED' } })
    const sql = 'SELECT count(*) AS n FROM svc_mfa'
    expect(await own.context.store.get({ sql, args: {}, runs: 'inline' })).toEqual({ n: 0 })
  })
})
