/** Mails to the owner of an account about what was done to it, whoever did it. */
import { expect, test } from 'bun:test'
import { systemScope } from '../../../src/store/store.ts'
import { enrol } from '../../support/authenticator.ts'
import { addUser, type IdentityServer, PASSWORD, startIdentity } from '../../support/identity.ts'
import { waitForOutbox } from '../../support/outbox.ts'

const AUTH = '/api/v1/auth'
const USERS = '/api/v1/svc/auth/users'

interface Told {
  to: string | undefined
  subject: string | undefined
  text: string
}

const toTold = (text: string): Told => ({
  to: /^To: .*<(.+)>/m.exec(text)?.[1],
  subject: /^Subject: (.*)$/m.exec(text)?.[1]?.trim(),
  text,
})

/** The mails since the last look. */
function watch(server: IdentityServer) {
  let seen = 0
  return async (): Promise<Told[]> => {
    const mails = await waitForOutbox(server.context)
    const fresh = mails.slice(seen).map(toTold)
    seen = mails.length
    return fresh.filter(({ subject }) => subject !== 'Sign-in from a new client')
  }
}

const subjects = (mails: readonly Told[]) => mails.map(({ to, subject }) => [to, subject])

test('the owner hears of each change of their second factor, and of no secret', async () => {
  await using server = await startIdentity()
  await addUser(server.context, {
    userName: 'rhea',
    email: 'rhea@example.test',
    companies: ['NORTH'],
  })
  const fresh = watch(server)
  const factor = await enrol(server, 'rhea')
  const confirmed = await fresh()
  expect(subjects(confirmed)).toEqual([['rhea@example.test', 'A second factor was set up']])
  const [recovery = ''] = factor.recovery
  expect((await factor.verify(await factor.challenge(), recovery)).status).toBe(200)
  const used = await fresh()
  expect(subjects(used)).toEqual([['rhea@example.test', 'A recovery code was used']])
  server.clock.pass(60_000)
  const { AccessToken } = (await factor.verify(await factor.challenge(), factor.code())).body
    .data as { AccessToken: string }
  server.clock.pass(60_000)
  const disable = { Password: PASSWORD, Code: factor.code() }
  const english = { 'Accept-Language': 'en' }
  await server.context.store.write(
    (tx) => tx.run("UPDATE svc_users SET Language = 'de' WHERE UserName = 'rhea'", {}),
    systemScope('a test'),
  )
  expect((await server.post(`${AUTH}/mfa/disable`, disable, AccessToken, english)).status).toBe(200)
  const removed = await fresh()
  expect(subjects(removed)).toEqual([['rhea@example.test', 'Ihr zweiter Faktor wurde entfernt']])
  const all = [...confirmed, ...used, ...removed].map(({ text }) => text).join('\n')
  for (const secret of [factor.secret, ...factor.recovery, PASSWORD])
    expect(all).not.toContain(secret)
})

test('the owner hears of what an administrator does, at the old and the new address', async () => {
  await using server = await startIdentity()
  const id = await addUser(server.context, {
    userName: 'rhea',
    email: 'rhea@example.test',
    companies: ['NORTH'],
  })
  await enrol(server, 'rhea')
  const fresh = watch(server)
  await fresh()
  const { AccessToken } = await server.signIn('root')
  const change = (path: string) => server.post(`${USERS}/${id}${path}`, {}, AccessToken)
  const save = (body: object) => server.put(`${USERS}/${id}`, body, AccessToken)
  expect(await change('/reset-mfa')).toMatchObject({ status: 200 })
  const [reset, ...none] = await fresh()
  expect(none).toEqual([])
  expect(reset).toMatchObject({
    to: 'rhea@example.test',
    subject: 'Your second factor was removed',
  })
  expect(reset?.text).toContain('An administrator of this application did this.')
  expect((await change('/reset-password')).status).toBe(200)
  expect(subjects(await fresh())).toEqual([['rhea@example.test', 'Your password was changed']])
  expect((await save({ Email: 'new@example.test' })).status).toBe(200)
  const moved = await fresh()
  expect(subjects(moved).sort()).toEqual([
    ['new@example.test', 'Your email address was changed'],
    ['rhea@example.test', 'Your email address was changed'],
  ])
  expect(moved.find(({ to }) => to === 'rhea@example.test')?.text).not.toContain('new@')
  expect((await save({ DisplayName: 'Rhea' })).status).toBe(200)
  expect(await fresh()).toEqual([])
})
