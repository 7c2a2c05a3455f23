/**
 * Every route of the app against everyone who may call. The first table says who may, by the
 * specification and the contract; it is compared with the app's routes both ways, so that a route
 * which is forgotten here, or declares no gate, fails. The second test asks each route as each
 * caller and holds the answers against the gates.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { findUser } from '../../src/access/users.ts'
import { createApp } from '../../src/app.ts'
import { findGate, type Gate } from '../../src/server/gate.ts'
import { issueTokens } from '../../src/server/tokens.ts'
import { PUBLIC_ROUTES } from '../../src/server/session.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { GATES } from '../support/gates.ts'
import type { TestApplication } from '../support/template.ts'

const MODEL = `<Model>
<Entity Name="Note" Table="notes" Display="Text" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Text" Type="Text" Required="true"/>
</Entity>
<ObjectView Name="Notes" Entity="Note">
  <RowAction Name="Close" Capability="Close"><Sql>UPDATE notes SET Text = 'x' WHERE Id = @Id</Sql></RowAction>
</ObjectView>
<Rbac>
  <Capability Name="Close"/>
  <Role Name="Clerk"><Grant Resource="Notes" Verbs="View List Create Update" Capabilities="Close"/></Role>
  <Role Name="Reader"><Grant Resource="Notes" Verbs="View List"/></Role>
</Rbac>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'notes.xml', body: MODEL }],
  companies: ['ONE', 'TWO'],
  users: [
    { userName: 'system', roles: ['System'], companies: ['ONE', 'TWO'] },
    { userName: 'admin', roles: ['Admin'], companies: ['ONE'] },
    { userName: 'manager', roles: ['AccessManager'], companies: ['ONE'] },
    { userName: 'clerk', roles: ['Clerk@ONE'], companies: ['ONE'] },
    { userName: 'stranger', roles: ['Clerk@TWO'], companies: ['TWO'] },
    { userName: 'reader', roles: ['Reader'], companies: ['ONE'] },
    { userName: 'nobody', roles: [], companies: ['ONE'] },
  ],
}

/** Rights on the one object of the application, by who asks. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  clerk: ['View', 'List', 'Create', 'Update', 'Close'],
  stranger: ['View', 'List', 'Create', 'Update', 'Close'],
  reader: ['View', 'List'],
}
const ROLES: Readonly<Record<string, string>> = {
  system: 'System',
  admin: 'Admin',
  manager: 'AccessManager',
}

const CALLERS = [
  'anonymous',
  'nobody',
  'reader',
  'clerk',
  'stranger',
  'admin',
  'manager',
  'system',
  'impersonated',
] as const
type CallerName = (typeof CALLERS)[number]

interface Route {
  method: string
  path: string
  gate: Gate | undefined
}

let app: TestApp
let routes: Route[] = []

beforeAll(async () => {
  app = await startApp({ application: APPLICATION })
  routes = createApp(app.context).routes.map(({ method, path, hooks }) => ({
    method,
    path,
    gate: findGate((hooks as { detail?: unknown }).detail),
  }))
})
afterAll(() => app[Symbol.asyncDispose]())

/** A gate in one line, as the table of gates has it. */
function toText(gate: Gate | undefined): string {
  if (!gate) return 'none'
  if (gate.kind === 'roles') return `roles ${gate.roles.join(' ')}`
  if (gate.kind === 'resource') return `${gate.right} on ${gate.resource}`
  if (gate.kind === 'object') {
    const verbs = gate.verbs.join(gate.needs === 'all' ? ' and ' : ' or ')
    return `${verbs} on the object in ${gate.in}`
  }
  return gate.kind === 'named' ? `named: ${gate.by}` : gate.kind
}

describe('the routes and the table of gates', () => {
  test('are the same, both ways', () => {
    const declared = routes.map(({ method, path, gate }) => [`${method} ${path}`, toText(gate)])
    expect(Object.fromEntries(declared)).toEqual(GATES)
  })

  test('open routes are those of the short public list', () => {
    const open = routes.filter(({ gate }) => gate?.kind === 'open')
    expect(open.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      [...PUBLIC_ROUTES].sort(),
    )
  })
})

/** A token of a session of its own: some routes end the one that asks. */
async function signIn(caller: CallerName): Promise<string | undefined> {
  if (caller === 'anonymous') return undefined
  if (caller === 'impersonated') return impersonate()
  const { context } = app
  const user = await findUser(context.store, caller)
  const companyId = caller === 'stranger' ? 2 : 1
  const client = { client: undefined, address: 'none' }
  const session = { userId: user?.Id ?? 0, companyId, ...client }
  return (await issueTokens(context, await context.identity.sessions.open(session))).AccessToken
}

async function impersonate(): Promise<string> {
  const target = await findUser(app.store, 'clerk')
  const { body } = await app.fetch<{ data: { AccessToken: string } }>(
    '/api/v1/impersonation/start',
    {
      headers: { Authorization: `Bearer ${await signIn('system')}` },
      body: { UserId: target?.Id, Reason: 'The matrix', Minutes: 5 },
    },
  )
  return body.data.AccessToken
}

/** Whether the gate lets the caller pass; undefined where the feature has more to say. */
function mayPass({ gate, path }: Route, caller: CallerName): boolean | undefined {
  if (!gate) return undefined
  if (gate.kind === 'open') return true
  if (caller === 'anonymous') return false
  if (caller === 'system') return true
  const rights = RIGHTS[caller === 'impersonated' ? 'clerk' : caller] ?? []
  if (gate.kind === 'authenticated') return caller !== 'impersonated' || !isTheUsersOwn(path)
  if (gate.kind === 'roles') return gate.roles.includes(ROLES[caller] ?? '')
  if (gate.kind === 'object') {
    const has = (verb: string): boolean => rights.includes(verb)
    return gate.needs === 'all' ? gate.verbs.every(has) : gate.verbs.some(has)
  }
  return gate.kind === 'resource' ? false : undefined
}

/** What nobody does for another: refused to whoever acts as the user (contract, Identity). */
const isTheUsersOwn = (path: string): boolean => path === '/api/v1/auth/mfa/setup'

/** Codes of the 401 that says: not you. Others (a false password, a false code) are no gate's. */
const DENIALS: ReadonlySet<string | undefined> = new Set(['UNAUTHENTICATED', 'PERMISSION_DENIED'])

/** What stands in a path for a record that there is not: nothing is changed by asking. */
const IN_PATH: Readonly<Record<string, string>> = { name: 'Notes', objectName: 'Notes' }

const BODY = { FormName: 'Notes', ObjectName: 'Notes', ActionName: 'Close' }

async function isDenied({ method, path }: Route, caller: CallerName): Promise<boolean> {
  const token = await signIn(caller)
  const answer = await app.fetch<{ code?: string } | undefined>(
    path.replace(/:(\w+)|\*/g, (_, name: string | undefined) => IN_PATH[name ?? ''] ?? '999999'),
    {
      method,
      ...(method !== 'GET' && { body: BODY }),
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    },
  )
  expect(answer.status).not.toBe(500)
  return answer.status === 401 && DENIALS.has(answer.body?.code)
}

/** The action of the object asks for its capability. */
const ACTION_CALLERS: readonly CallerName[] = ['clerk', 'stranger', 'system', 'impersonated']

test.each(CALLERS)('%s passes the gates that are theirs, and no other', async (caller) => {
  const wrong: string[] = []
  for (const route of routes) {
    const { method, path } = route
    const expected = mayPass(route, caller)
    if (expected === undefined && !path.endsWith('/execute-row-action')) continue
    const passes = expected ?? ACTION_CALLERS.includes(caller)
    if ((await isDenied(route, caller)) === passes)
      wrong.push(`${method} ${path} ${passes ? 'refuses' : 'lets in'} ${caller}`)
  }
  expect(wrong).toEqual([])
})
