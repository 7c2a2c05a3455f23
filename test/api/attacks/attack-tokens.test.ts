/** Rows of the table of attacks on tokens and sessions that no other test bears the name of. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { saveActive } from '../../../src/access/users/users.ts'
import {
  addUser,
  type Answer,
  type IdentityServer,
  type Signed,
  startIdentity,
} from '../../support/identity.ts'

const AUTH = '/api/v1/auth'
const HOME = { 'X-Forwarded-For': '198.51.100.7' }
let server: IdentityServer

beforeAll(async () => {
  server = await startIdentity({ 'Svc:Http:TrustedProxies': '127.0.0.1' })
})
afterAll(async () => server[Symbol.asyncDispose]())

const me = (token: string) => server.get(`${AUTH}/me`, token)

async function actAsAna(from: Record<string, string>): Promise<{ own: Signed; acting: Signed }> {
  const own = await server.signIn('root')
  const ana = (await server.signIn('ana')).User.Id
  const body = { UserId: ana, Reason: 'A test', Minutes: 10 }
  const answer = await server.post('/api/v1/impersonation/start', body, own.AccessToken, from)
  return { own, acting: answer.body.data as Signed }
}

const stop = (token: string, from: Record<string, string>) =>
  server.post('/api/v1/impersonation/stop', {}, token, from)

describe('StudioCMS GHSA-667w-mmh7-mrr4: a stolen token of an impersonation', () => {
  test('ends it from another network, but does not become one of System', async () => {
    const { own, acting } = await actAsAna(HOME)
    const stolen = await stop(acting.AccessToken, { 'X-Forwarded-For': '203.0.113.9' })
    expect(stolen).toMatchObject({ status: 401, body: { code: 'IMPERSONATION_ENDED' } })
    expect(stolen.body.data).toBeUndefined()
    for (const from of [HOME, { 'X-Forwarded-For': '203.0.113.9' }])
      expect((await stop(acting.AccessToken, from)).status).toBe(401)
    expect((await me(own.AccessToken)).status).toBe(200)
    const { RefreshToken } = own
    expect((await server.post(`${AUTH}/refresh`, { RefreshToken })).status).toBe(200)
  })

  test('goes no other way round it: not by a switch, not by a refresh', async () => {
    const elsewhere = { 'X-Forwarded-For': '203.0.113.9' }
    const { acting } = await actAsAna(HOME)
    const CompanyId = acting.User.Company.Id === 1 ? 2 : 1
    const path = '/api/v1/svc/company/switch'
    const moved = await server.post(path, { CompanyId }, acting.AccessToken, elsewhere)
    const { RefreshToken } = moved.body.data as Signed
    const next = await server.post(`${AUTH}/refresh`, { RefreshToken }, undefined, elsewhere)
    const token = (next.body.data as Signed).AccessToken
    expect((await stop(token, elsewhere)).body.code).toBe('IMPERSONATION_ENDED')
  })

  test('within one network of IPv6 it is the same', async () => {
    const { acting } = await actAsAna({ 'X-Forwarded-For': '2001:db8:1:2::5' })
    const answer = await stop(acting.AccessToken, { 'X-Forwarded-For': '2001:db8:1:2:9::1' })
    expect(answer.status).toBe(200)
  })

  test('gives tokens of the session that began it, which end with that session', async () => {
    const { own, acting } = await actAsAna(HOME)
    const back = (await stop(acting.AccessToken, HOME)).body.data as Signed
    expect((await me(back.AccessToken)).status).toBe(200)
    await server.post(`${AUTH}/logout`, {}, own.AccessToken)
    expect((await me(back.AccessToken)).status).toBe(401)
    const { RefreshToken } = back
    expect((await server.post(`${AUTH}/refresh`, { RefreshToken })).status).toBe(401)
  })
})

describe('NocoDB CVE-2026-28358, CVE-2022-22120: nothing but the trace id differs', () => {
  const comparable = ({ status, body, headers }: Answer) => {
    const { 'x-trace-id': id, date, ...others } = Object.fromEntries(headers)
    return { status, body: { ...body, traceId: id === undefined }, headers: others }
  }
  const login = async (UserName: string, from = '198.51.100.1') =>
    comparable(
      await server.post(`${AUTH}/login`, { UserName, Password: 'not it' }, undefined, {
        'X-Forwarded-For': from,
      }),
    )

  test('between a known, a locked and an unknown user, headers included', async () => {
    await addUser(server.context, { userName: 'shut', companies: ['NORTH'] })
    const actor = { now: server.clock.now(), source: 'test' }
    const lock = server.context.store.write((tx) => saveActive(tx, 'shut', false, actor), {
      company: 'all',
      because: 'a test',
    })
    await lock
    const unknown = await login('nobody at all')
    for (const name of ['bo', 'shut', 'nowhere', 'root@example.test'])
      expect(await login(name)).toEqual(unknown)
  })

  test('between the throttles of a known and an unknown user, in any spelling', async () => {
    await addUser(server.context, { userName: 'tried', companies: ['NORTH'] })
    const answers = []
    for (const spellings of [
      ['tried', 'TRIED', 'ｔｒｉｅｄ', 'Tried'],
      ['fancy', 'FANCY', 'ｆａｎｃｙ', 'Fancy'],
    ]) {
      const told = []
      for (let at = 0; at < 12; at += 1)
        told.push(await login(spellings[at % 4] ?? '', `192.0.2.${at}`))
      answers.push(told)
    }
    expect(answers[0]).toEqual(answers[1] ?? [])
    expect(answers[0]?.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429, 429])
  })

  test('between links that were never made and challenges that never were', async () => {
    const reset = (Token: string) =>
      server.post(`${AUTH}/password/reset`, { Token, NewPassword: 'seven birds over the hill' })
    const used = await server.context.identity.resets.open((await server.signIn('bo')).User.Id)
    expect((await reset(used)).status).toBe(200)
    expect(comparable(await reset(used))).toEqual(comparable(await reset('never made')))
  })
})

describe('NocoDB CVE-2026-28361, Payload CVE-2026-25574: by its id, without owning it', () => {
  test('nobody ends a session of another user, by its id or its refresh token', async () => {
    const ana = await server.signIn('ana')
    const other = await server.signIn('root')
    const [, payload = ''] = ana.AccessToken.split('.')
    const { sid } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sid: string }
    const theirs = await server.remove(`${AUTH}/sessions/${sid}`, other.AccessToken)
    const nobodys = await server.remove(
      `${AUTH}/sessions/${'x'.repeat(sid.length)}`,
      other.AccessToken,
    )
    expect([theirs.status, theirs.body.error]).toEqual([404, nobodys.body.error])
    const { RefreshToken } = ana
    await server.post(`${AUTH}/logout`, { RefreshToken }, other.AccessToken)
    expect((await me(ana.AccessToken)).status).toBe(200)
    expect((await me(other.AccessToken)).status).toBe(401)
  })
})
