/** A server of its own on a fresh data folder, with two companies and the people of the tests. */
import { join } from 'node:path'
import { createLog } from '../../src/kernel/log.ts'
import { hashPassword } from '../../src/access/passwords/password.ts'
import { openContext, type OpenContext } from '../../src/server/open-context.ts'
import { configure, createApp, listen } from '../../src/app.ts'
import { temporaryFolder } from './executable.ts'
import { makePeople, type SavedUser, savePeople } from './people.ts'
import { copyTemplate, findTemplate } from './template.ts'

export const PASSWORD = 'nine stones under a bridge'
export const KNOWN_ROLES = ['Clerk', 'Manager']

/** A clock that stands until it is moved. */
export class TestClock {
  #at = Date.now()

  now(): Date {
    return new Date(this.#at)
  }

  /** Moves on by so many milliseconds. */
  pass(ms: number): void {
    this.#at += ms
  }
}

export interface Answer {
  status: number
  body: {
    success: boolean
    code?: string
    error?: string
    traceId?: string
    fieldErrors?: Record<string, string>
    data?: unknown
  }
  headers: Headers
}

/** The result of a sign-in, as far as tests look at it. */
export interface Signed {
  AccessToken: string
  RefreshToken: string
  User: { Id: number; UserName: string; Roles: string[]; Company: { Id: number; Code: string } }
  MustChangePassword?: boolean
}

export interface IdentityServer extends AsyncDisposable {
  readonly context: OpenContext
  readonly clock: TestClock
  readonly url: string
  get(path: string, token?: string, headers?: Record<string, string>): Promise<Answer>
  post(
    path: string,
    body: object,
    token?: string,
    headers?: Record<string, string>,
  ): Promise<Answer>
  put(path: string, body: object, token?: string): Promise<Answer>
  /** DELETE. */
  remove(path: string, token?: string): Promise<Answer>
  /** Signs in and fails the test when that is refused. */
  signIn(userName: string, password?: string): Promise<Signed>
  /** Closes all and opens it again on the same folder, as after a crash. */
  restart(): Promise<void>
}

let hash: Promise<string> | undefined

/** Makes a user with `PASSWORD`; roles as `Clerk` or `Clerk@NORTH`. */
export async function addUser(
  context: OpenContext,
  user: Partial<SavedUser> & { userName: string },
  roles: readonly string[] = [],
): Promise<number> {
  const [id] = await addPeople(context, [], [{ companies: [], ...user, roles }])
  if (id === undefined) throw new Error(`${user.userName} has no id`)
  return id
}

async function addPeople(
  context: OpenContext,
  companies: readonly string[],
  users: readonly SavedUser[],
): Promise<number[]> {
  const passwordHash = await (hash ??= hashPassword(PASSWORD))
  const nameCompany = (code: string): string => code.toLowerCase()
  const options = { passwordHash, knownRoles: KNOWN_ROLES, nameCompany }
  return savePeople(context, { companies, users }, options)
}

/** Made once a process: every server begins with a copy. */
const PEOPLE = {
  base: { files: [], companies: [], users: [] },
  fill: async (context: OpenContext) => {
    const { companies, users } = makePeople('NORTH SOUTH', {
      Ana: ['Clerk@NORTH Manager@SOUTH', { Region: 'N' }],
      bo: '',
      nowhere: 'in',
    })
    await addPeople(context, companies, [])
    await addUser(context, { userName: 'root', email: 'root@example.test' }, ['System'])
    await addPeople(context, [], users)
  },
}

function openClient(
  url: () => string,
): Pick<IdentityServer, 'get' | 'post' | 'put' | 'remove' | 'signIn'> {
  const send = async (path: string, init: RequestInit, token?: string): Promise<Answer> => {
    const headers = { ...init.headers, ...(token && { Authorization: `Bearer ${token}` }) }
    const response = await fetch(`${url()}${path}`, { ...init, headers })
    const body = (await response.json()) as Answer['body']
    return { status: response.status, body, headers: response.headers }
  }
  const type = { 'Content-Type': 'application/json' }
  const post: IdentityServer['post'] = (path, body, token, headers) => {
    const init = { method: 'POST', body: JSON.stringify(body), headers: { ...type, ...headers } }
    return send(path, init, token)
  }
  return {
    post,
    put: (path, body, token) =>
      send(path, { method: 'PUT', body: JSON.stringify(body), headers: type }, token),
    remove: (path, token) => send(path, { method: 'DELETE' }, token),
    get: (path, token, headers) => send(path, { headers }, token),
    signIn: async (userName, password = PASSWORD) => {
      const { body } = await post('/api/v1/auth/login', { UserName: userName, Password: password })
      if (!body.success) throw new Error(`${userName} cannot sign in: ${body.error}`)
      return body.data as Signed
    },
  }
}

/** Starts the server; `flags` are settings. */
export async function startIdentity(flags: Record<string, string> = {}): Promise<IdentityServer> {
  const home = temporaryFolder()
  const folder = join(home.path, 'data')
  copyTemplate(await findTemplate(PEOPLE), folder)
  const settings = configure({
    dataFolder: folder,
    env: {},
    flags: { 'Svc:Log:Requests': 'false', ...flags },
  })
  const clock = new TestClock()
  const log = createLog(clock, () => undefined)
  const open = async () => {
    const context = await openContext({ folder, settings, clock, log })
    const port = await listen(context, createApp(context), { host: '127.0.0.1', port: 0 })
    return { context, url: `http://127.0.0.1:${port}` }
  }
  let running = await open()
  const close = async (): Promise<void> => {
    await running.context.listeners.stop(true)
    await running.context.close()
  }
  const client = openClient(() => running.url)
  return {
    clock,
    get context() {
      return running.context
    },
    get url() {
      return running.url
    },
    ...client,
    restart: async () => {
      await close()
      running = await open()
    },
    [Symbol.asyncDispose]: async () => {
      await close()
      home[Symbol.dispose]()
    },
  }
}
