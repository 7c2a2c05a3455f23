/**
 * Links and cookies that work without a token in the header, and what ends them: the list is in
 * `src/access/README.md`. Links of task mails: `workflow-links.test.ts`.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { enrol } from '../../support/authenticator.ts'
import { GATES } from '../../support/gates.ts'
import { addUser, type Answer, type IdentityServer, startIdentity } from '../../support/identity.ts'

const AUTH = '/api/v1/auth'
const USERS = '/api/v1/svc/auth/users'
let server: IdentityServer
let root: string
beforeAll(async () => {
  server = await startIdentity({ 'Svc:SignIn:AddressFailures': '1000' })
  root = (await server.signIn('root')).AccessToken
})
afterAll(() => server[Symbol.asyncDispose]())

test('these routes ask for no token, and no other one does', () => {
  const open = Object.entries(GATES).flatMap(([route, gate]) => (gate === 'open' ? [route] : []))
  const holdsSecret = open.filter((route) => route.startsWith('POST ')).sort()
  expect(holdsSecret).toEqual([
    'POST /api/v1/auth/login',
    'POST /api/v1/auth/mfa/challenge',
    'POST /api/v1/auth/mfa/verify',
    'POST /api/v1/auth/password/forgot',
    'POST /api/v1/auth/password/reset',
    'POST /api/v1/auth/refresh',
    'POST /api/v1/svc/workflow/link/describe',
    'POST /api/v1/svc/workflow/link/use',
  ])
  // What anybody may read is the same for everybody.
  const others = open.filter((route) => !route.startsWith('POST '))
  expect(others.filter((route) => !/^GET \/(?:health|swagger)\b/.test(route))).toEqual([
    'GET /api/v1/auth/jwks',
    'GET /api/v1/auth/methods',
    'GET /api/v1/auth/logo',
  ])
})

/** A user with a second factor, and all that is open for them before something ends it. */
async function open(userName: string) {
  const id = await addUser(server.context, {
    userName,
    email: `${userName}@example.test`,
    companies: ['NORTH'],
  })
  const user = await enrol(server, userName)
  const waiting = await user.challenge()
  const signed = (await user.verify(await user.challenge(), user.code())).body.data as {
    AccessToken: string
    RefreshToken: string
  }
  const Token = await server.context.identity.resets.open(id)
  server.clock.pass(60_000)
  return {
    id,
    openers: {
      'an access token in a query': () =>
        server.post(
          `/api/v1/hubs/notifications/negotiate?access_token=${signed.AccessToken}`,
          {},
        ) as Promise<Answer>,
      'a refresh token': () =>
        server.post(`${AUTH}/refresh`, { RefreshToken: signed.RefreshToken }),
      'a sign-in that waits for its code': () => user.verify(waiting, user.code()),
      'a reset link': () =>
        server.post(`${AUTH}/password/reset`, { Token, NewPassword: 'eleven boats by a lake' }),
    },
  }
}

test('all of it opens while nothing has ended it', async () => {
  const { openers } = await open('open')
  const statuses: Record<string, number> = {}
  for (const [name, use] of Object.entries(openers)) statuses[name] = (await use()).status
  expect(statuses).toEqual({
    'an access token in a query': 200,
    'a refresh token': 200,
    'a sign-in that waits for its code': 200,
    'a reset link': 200,
  })
})

for (const [what, ...changes] of [
  ['a lock, also one that is over', 'lock', 'unlock'],
  ['another password', 'reset-password'],
] as const)
  test(`none of it outlives ${what}`, async () => {
    const { id, openers } = await open(`user${changes.length}`)
    for (const change of changes)
      expect((await server.post(`${USERS}/${id}/${change}`, {}, root)).status).toBe(200)
    const refusals: Record<string, unknown> = {}
    for (const [name, use] of Object.entries(openers)) {
      const { status, body } = await use()
      refusals[name] = [status, body.code]
    }
    expect(refusals).toEqual({
      'an access token in a query': [401, 'SESSION_ENDED'],
      'a refresh token': [401, 'REFRESH_INVALID'],
      'a sign-in that waits for its code': [401, 'MFA_CHALLENGE_INVALID'],
      'a reset link': [400, 'RESET_INVALID'],
    })
  })
