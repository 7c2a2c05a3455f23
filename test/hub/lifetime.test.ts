/**
 * Directus GHSA-56p6-qw3c-fq2g, CWE-1385: a connection ends with the session and the rights that it
 * was opened with, and with nothing else.
 */
import { expect, test } from 'bun:test'
import { HubConnectionState } from '@microsoft/signalr'
import { rolesGate } from '../../src/server/gate.ts'
import { ADMINISTRATORS, idOf, ONE, TWO } from '../support/administrators.ts'
import { echoHub, newEchoLog } from '../support/echo-hub.ts'
import { closingOf, connect, type HubServer, startHubs } from '../support/hubs.ts'
import { TestClock } from '../support/identity.ts'
import { TEST_PASSWORD } from '../support/template.ts'

const USERS = '/api/v1/svc/auth/users'
const AUTH = '/api/v1/auth'

interface Signed {
  AccessToken: string
  RefreshToken: string
}

interface MadeKey {
  Id: number
  Key: string
}

async function start() {
  const log = newEchoLog()
  const clock = new TestClock()
  const hubs = [echoHub(log), echoHub(log, { name: 'clerks', gate: rolesGate('Clerk') })]
  const settings = { 'Svc:Tokens:RefreshLifetime': '2h' }
  const options = { application: ADMINISTRATORS, settings, hubs, clock, withoutLoops: true }
  return { log, clock, server: await startHubs(options) }
}

async function post<T>(server: HubServer, path: string, body: object, token?: string): Promise<T> {
  const headers = token !== undefined && { headers: { Authorization: `Bearer ${token}` } }
  const answer = await server.fetch<{ data: T }>(path, { body, ...headers })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`)
  return answer.body.data
}

const signIn = (server: HubServer, UserName: string): Promise<Signed> =>
  post(server, `${AUTH}/login`, { UserName, Password: TEST_PASSWORD, CompanyId: ONE })

/** A connection, and what was done to end it. */
interface Ending {
  how: string
  hub: 'echo' | 'clerks'
  /** Gives the token that the connection is opened with. */
  open: (server: HubServer) => Promise<{ token: string; end: (clock: TestClock) => unknown }>
  /** The messages to the client. */
  told: string
}

const asSys = (server: HubServer, path: string, method: string, body?: object) => async () => {
  const answer = await server.fetch(path, { as: 'sys', method, ...(body && { body }) })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`)
}

/** An ending that is done to the user `clerk` by an administrator. */
const done = (how: string, hub: Ending['hub'], told: string, end: Parameters<typeof asSys>[1]) => ({
  how,
  hub,
  told,
  open: async (server: HubServer) => {
    const [method = '', path = '', body] = end.split(' ')
    const { AccessToken: token } = await signIn(server, 'clerk')
    const given = body === undefined ? undefined : (JSON.parse(body) as object)
    return { token, end: asSys(server, `${USERS}/${idOf('clerk')}${path}`, method, given) }
  },
})

const HAS_ENDED = 'The session has ended. Please sign in again.'

async function actAs(server: HubServer) {
  const own = await signIn(server, 'sys')
  const body = { UserId: idOf('clerk'), Reason: 'a test', Minutes: 10 }
  const path = '/api/v1/impersonation/start'
  const acting = await post<Signed>(server, path, body, own.AccessToken)
  return { own: own.AccessToken, token: acting.AccessToken }
}

const ENDINGS: Ending[] = [
  {
    how: 'a logout',
    hub: 'echo',
    told: HAS_ENDED,
    open: async (server) => {
      const { AccessToken: token, RefreshToken } = await signIn(server, 'clerk')
      return { token, end: () => post(server, `${AUTH}/logout`, { RefreshToken }, token) }
    },
  },
  {
    how: 'a logout of all sessions, from another one',
    hub: 'echo',
    told: HAS_ENDED,
    open: async (server) => {
      const [one, other] = [await signIn(server, 'clerk'), await signIn(server, 'clerk')]
      const end = () => post(server, `${AUTH}/logout`, { All: true }, other.AccessToken)
      return { token: one.AccessToken, end }
    },
  },
  {
    how: 'a new password',
    hub: 'echo',
    told: HAS_ENDED,
    open: async (server) => {
      const [one, other] = [await signIn(server, 'clerk'), await signIn(server, 'clerk')]
      const body = { Password: TEST_PASSWORD, NewPassword: 'nine stones under a bridge' }
      const end = () => post(server, `${AUTH}/password/change`, body, other.AccessToken)
      return { token: one.AccessToken, end }
    },
  },
  {
    how: 'a switch to another company',
    hub: 'echo',
    told: HAS_ENDED,
    open: async (server) => {
      const { AccessToken: token } = await signIn(server, 'both')
      const path = '/api/v1/svc/company/switch'
      return { token, end: () => post(server, path, { CompanyId: TWO }, token) }
    },
  },
  {
    how: 'the end of an impersonation',
    hub: 'echo',
    told: HAS_ENDED,
    open: async (server) => {
      const { token } = await actAs(server)
      return { token, end: () => post(server, '/api/v1/impersonation/stop', {}, token) }
    },
  },
  {
    how: 'the logout of the impersonator',
    hub: 'echo',
    told: HAS_ENDED,
    open: async (server) => {
      const { own, token } = await actAs(server)
      return { token, end: () => post(server, `${AUTH}/logout`, {}, own) }
    },
  },
  {
    how: 'the last minute of an impersonation',
    hub: 'echo',
    told: HAS_ENDED,
    open: async (server) => {
      const { token } = await actAs(server)
      return { token, end: (clock) => clock.pass(10 * 60_000) }
    },
  },
  {
    how: 'the time of a session that nobody refreshed',
    hub: 'echo',
    told: HAS_ENDED,
    open: async (server) => {
      const { AccessToken: token } = await signIn(server, 'clerk')
      return { token, end: (clock) => clock.pass(2 * 60 * 60_000) }
    },
  },
  {
    how: 'the revocation of an API key',
    hub: 'clerks',
    told: 'The API key is no longer valid',
    open: async (server) => {
      const { AccessToken: own } = await signIn(server, 'clerk')
      const key = { Name: 'Hub', Roles: ['Clerk'], Companies: [ONE] }
      const made = await post<MadeKey>(server, `${AUTH}/api-keys`, key, own)
      const headers = { Authorization: `Bearer ${own}` }
      const path = `${AUTH}/api-keys/${made.Id}`
      return { token: made.Key, end: () => server.fetch(path, { method: 'DELETE', headers }) }
    },
  },
  done('a lock', 'echo', HAS_ENDED, 'POST /lock {}'),
  done('leaving the company', 'echo', HAS_ENDED, `DELETE /companies/${ONE}`),
  done(
    'the loss of the role that the hub is for',
    ...(['clerks', 'You are not allowed to do this'] as const),
    `DELETE /roles {"Role":"Clerk","CompanyId":${ONE}}`,
  ),
  done('a password reset', 'echo', HAS_ENDED, 'POST /reset-password {}'),
]

test.each(ENDINGS)('ends with $how', async ({ hub, open, told }) => {
  const { server, clock, log } = await start()
  await using _server = server
  const { token, end } = await open(server)
  const client = await connect(server.client(hub, token))
  const other = await connect(server.client('echo', 'far'))
  const closed = closingOf(client)
  await end(clock)
  await server.context.hubs.sweep()
  expect((await closed)?.message).toContain(told)
  expect(client.state).toBe(HubConnectionState.Disconnected)
  const [opened = ''] = log.events
  expect(log.events).toContain(opened.replace('open', 'close'))
  // Nobody else is disturbed.
  expect(await other.invoke<{ name: string }>('Who')).toMatchObject({ name: 'far' })
})

test('a call that comes before the sweep is not run either', async () => {
  const { server } = await start()
  await using _server = server
  const { AccessToken } = await signIn(server, 'clerk')
  const client = await connect(server.client('echo', AccessToken))
  await post(server, `${AUTH}/logout`, {}, AccessToken)
  const failed = await client.invoke('Who').catch((error: Error) => error.message)
  expect(failed).toContain(HAS_ENDED)
})

test('an answer that is there after the session has ended is told to nobody', async () => {
  const { server, log } = await start()
  await using _server = server
  const { AccessToken } = await signIn(server, 'clerk')
  const client = await connect(server.client('echo', AccessToken))
  const answer = client.invoke('Wait', 'door').catch((error: Error) => error.message)
  while (!log.gates.has('door')) await Bun.sleep(1)
  await post(server, `${AUTH}/logout`, {}, AccessToken)
  log.gates.get('door')?.()
  expect(await answer).toContain(HAS_ENDED)
})

test('a stream ends with the session', async () => {
  const { server, log } = await start()
  await using _server = server
  const { AccessToken } = await signIn(server, 'clerk')
  const client = await connect(server.client('echo', AccessToken))
  const ended = new Promise<string>((resolve) => {
    const subscriber = { next: () => {}, complete: () => resolve('complete') }
    const error = (thrown: Error): void => resolve(thrown.message)
    client.stream('Count', 1e9).subscribe({ ...subscriber, error })
  })
  await client.invoke('Nothing')
  await post(server, `${AUTH}/logout`, {}, AccessToken)
  expect(await ended).toContain(HAS_ENDED)
  while (!log.events.includes('counting was cancelled')) await Bun.sleep(1)
})

test('goes on when the token has expired, and when other rights came and went', async () => {
  const { server, clock, log } = await start()
  await using _server = server
  const { AccessToken, RefreshToken } = await signIn(server, 'clerk')
  const client = await connect(server.client('echo', AccessToken))
  clock.pass(30 * 60_000)
  await server.context.hubs.sweep()
  expect(await client.invoke<{ name: string }>('Who')).toMatchObject({ name: 'clerk' })
  const { AccessToken: next } = await post<Signed>(server, `${AUTH}/refresh`, { RefreshToken })
  const path = `${USERS}/${idOf('clerk')}/roles`
  const body = { Role: 'Clerk', CompanyId: ONE }
  const sys = (await signIn(server, 'sys')).AccessToken
  const headers = { Authorization: `Bearer ${sys}` }
  expect((await server.fetch(path, { method: 'DELETE', body, headers })).status).toBe(200)
  await server.context.hubs.sweep()
  expect(log.events).toContain('change clerk')
  // The refreshed session lives on beyond its first end.
  clock.pass(115 * 60_000)
  await server.context.hubs.sweep()
  expect(client.state).toBe(HubConnectionState.Connected)
  expect(next).not.toBe(AccessToken)
})

test('a caller who must first set up a second factor is let in to no hub', async () => {
  const hubs = [echoHub(newEchoLog())]
  const settings = { 'Svc:Mfa:RequiredRoles': 'Clerk' }
  await using server = await startHubs({ application: ADMINISTRATORS, settings, hubs })
  const { AccessToken } = await signIn(server, 'clerk')
  const failed = await server
    .client('echo', AccessToken, { skipsNegotiation: true })
    .start()
    .catch((error: Error) => error)
  expect(failed).toBeInstanceOf(Error)
  const headers = { Authorization: `Bearer ${AccessToken}` }
  const refused = await server.fetch<{ code: string }>('/api/v1/hubs/notifications', {
    headers,
  })
  expect(refused).toMatchObject({ status: 401, body: { code: 'MFA_SETUP_REQUIRED' } })
})
