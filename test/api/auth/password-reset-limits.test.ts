/** Requests for a new password reveal nothing, and are limited in number. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { NOBODY } from '../../../src/access/passwords/password-reset.ts'
import { addUser, type Answer, type IdentityServer, startIdentity } from '../../support/identity.ts'
import { waitForOutbox } from '../../support/outbox.ts'

const AUTH = '/api/v1/auth'
const NEW = 'seven birds over the hill'

/** Resets are asked for often here; the limits have tests of their own. */
const LOOSE = { 'Svc:Reset:UserAttempts': '1000', 'Svc:Reset:AddressAttempts': '10000' }

let server: IdentityServer

beforeAll(async () => {
  server = await startIdentity(LOOSE)
})
afterAll(async () => server[Symbol.asyncDispose]())

const forgot = (UserName: string, own = server) => own.post(`${AUTH}/password/forgot`, { UserName })
const reset = (Token: string, own = server) =>
  own.post(`${AUTH}/password/reset`, { Token, NewPassword: NEW })

/** The parts of an answer that another may differ in, but for the trace id. */
const comparable = ({ status, body, headers }: Answer) => {
  const { traceId, ...rest } = body
  const { 'x-trace-id': id, date, ...others } = Object.fromEntries(headers)
  return { status, body: rest, headers: others, has: [traceId === undefined, id !== undefined] }
}

describe('NocoDB CVE-2026-28358, CVE-2022-22120: nobody learns who exists', () => {
  test('the answers of forgot are the same for every name', async () => {
    const [userName, email] = ['reader', 'reader@example.test']
    await addUser(server.context, { userName, email, companies: ['NORTH'] })
    const known = comparable(await forgot(userName))
    for (const name of [email, 'bo', 'nobody', 'no-such@example.test', '', "' OR 1=1 --"])
      expect(comparable(await forgot(name))).toEqual(known)
  })

  test('after the answer the same is done for a name that nobody has', async () => {
    const rows = async () => {
      await server.context.mailer.idle()
      const sql = 'SELECT count(*) AS Count FROM svc_password_resets'
      const row = await server.context.state.get({ sql, args: {}, runs: 'inline' })
      return Number(row?.['Count'])
    }
    const mails = (await waitForOutbox(server.context)).length
    const before = await rows()
    for (const name of ['bo', 'nobody', 'nowhere']) await forgot(name)
    expect(await rows()).toBe(before + 3)
    expect(await waitForOutbox(server.context)).toHaveLength(mails)
  })

  test('the link of nobody opens for nobody', async () => {
    const token = await server.context.identity.resets.open(NOBODY)
    expect(await reset(token)).toMatchObject({ status: 400, body: { code: 'RESET_INVALID' } })
  })

  test.each(['root', 'nobody', 'nobody@example.test'])(
    '%s may be asked for so often, then 429 with Retry-After, across a restart',
    async (name) => {
      await using own = await startIdentity({ 'Svc:Reset:UserAttempts': '2' })
      for (let at = 0; at < 2; at += 1) expect((await forgot(name, own)).status).toBe(200)
      await own.restart()
      const refused = await forgot(name.toUpperCase(), own)
      expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } })
      expect(refused.headers.get('Retry-After')).toBe('3600')
      own.clock.pass(3_600_000)
      expect((await forgot(name, own)).status).toBe(200)
    },
  )

  test('a user gets no more mails for being asked for by two names', async () => {
    await using own = await startIdentity({ 'Svc:Reset:UserAttempts': '2' })
    for (const name of ['root', 'root@example.test', 'root', 'root@example.test'])
      expect((await forgot(name, own)).status).toBe(200)
    expect(await waitForOutbox(own.context)).toHaveLength(2)
  })

  test('an address may ask, and try links, so often', async () => {
    await using own = await startIdentity({ 'Svc:Reset:AddressAttempts': '4' })
    await forgot('one', own)
    await forgot('two', own)
    expect((await reset('no token', own)).status).toBe(400)
    expect((await reset('none either', own)).status).toBe(400)
    expect((await reset('a third', own)).status).toBe(429)
    expect((await forgot('three', own)).status).toBe(429)
  })
})
