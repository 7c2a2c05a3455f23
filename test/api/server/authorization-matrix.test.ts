/**
 * Every route of the app against everyone who may call. The first table says who may
 * (src/server/README.md, Gates); it is compared with the app's routes both ways, so that a route
 * which is forgotten here, or declares no gate, fails. The second test asks each route as each
 * caller and holds the answers against the gates.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { findUser } from '../../../src/access/users/users.ts'
import type { Gate } from '../../../src/server/gate.ts'
import { issueTokens } from '../../../src/server/tokens.ts'
import { listRoutes } from '../../../src/app.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { writeExtensions } from '../../support/extensions.ts'
import { GATES, PUBLIC_ROUTES } from '../../support/gates.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Note" Table="notes" Display="Text" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Text" Type="Text" Required="true"/>
</Entity>
<ObjectView Name="Notes" Entity="Note">
  <RowAction Name="Close" Capability="Close"><Sql>UPDATE notes SET Text = 'x' WHERE Id = @Id</Sql></RowAction>
</ObjectView>
<ObjectView Name="Fill" ViewType="Wizard" Resource="Notes"><Step Name="First"><Field Name="Text"/></Step><Finish><Dispatch Type="refreshTable"/></Finish></ObjectView>
<Report Name="Board"><DataSets><DataSet Name="All"><Sql>SELECT count(*) AS N FROM notes</Sql></DataSet></DataSets><Widgets><Widget Name="All" Kind="Kpi" DataSet="All"/></Widgets></Report>
<StoredProcedure Name="Tally" Mode="Read"><Sql Result="All">SELECT count(*) AS N FROM notes</Sql></StoredProcedure>
<Rbac>
  <Capability Name="Close"/>
  <Role Name="Clerk">
    <Grant Resource="Notes" Verbs="View List Create Update Export Import" Capabilities="Close"/>
    <Grant Resource="Tally" Capabilities="Execute"/>
    <Grant Resource="Board" Verbs="List"/>
    <Grant Resource="Echo" Capabilities="Execute"/>
  </Role>
  <Role Name="Reader"><Grant Resource="Notes" Verbs="View List"/><Grant Resource="Board" Verbs="List"/></Role>
</Rbac>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'notes.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    system: 'System in ONE TWO',
    admin: 'Admin',
    manager: 'AccessManager',
    clerk: 'Clerk@ONE',
    stranger: 'Clerk@TWO in TWO',
    reader: 'Reader',
    nobody: '',
  }),
}

const SCRIPT = `export default (engine) => {
  engine.script({ Name: 'Echo', run: () => 'done' })
}
`

const CLERK = ['View', 'List', 'Create', 'Update', 'Export', 'Import', 'Close', 'Execute']

/** Rights on the one object of the application and what goes with it, by who asks. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  clerk: CLERK,
  stranger: CLERK,
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
  gate: Gate
}

let app: TestApp
let routes: readonly Route[] = []

beforeAll(async () => {
  app = await startApp({ application: APPLICATION })
  writeExtensions(app.folder, { 'echo.ts': SCRIPT })
  routes = listRoutes(app.context)
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

/** True when the gate lets the caller pass; undefined where the feature has more to say. */
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
  if (gate.kind === 'resource') return false
  const right = NAMED[path]
  return right === undefined ? undefined : rights.includes(right)
}

/** Rights that features check by the names in a request, as the requests here name them. */
const NAMED: Readonly<Record<string, string>> = {
  '/api/v1/svc/rpc/:name': 'Execute',
  '/api/v1/svc/reports/:key/data': 'List',
  '/report/:key': 'Export',
  '/api/v1/svc/execute-script': 'Execute',
  '/api/v1/svc/object/execute-row-action': 'Close',
  '/api/v1/svc/object/import-data': 'Import',
  '/api/v1/svc/object/import-preview': 'Import',
  '/api/v1/svc/handlers/:name/export': 'Export',
  '/api/v1/svc/handlers/:name/import': 'Import',
  '/api/v1/svc/wizard/:name/start': 'Create',
  '/api/v1/svc/wizard/:name/form': 'Create',
  '/api/v1/svc/timeline': 'View',
  '/api/v1/svc/comments': 'View',
  '/api/v1/svc/comments/follow': 'View',
}

const FLOW = '/api/v1/svc/workflow'

/** Judged by what it names, of which there is none: `import-undo`, `wizard*`, `workflow*`. */
const OF_A_RECORD = [
  '/api/v1/svc/object/import-data/:importId/undo',
  '/api/v1/svc/wizard/runs/:id',
  ...['next', 'back', 'finish'].map((path) => `/api/v1/svc/wizard/runs/:id/${path}`),
  ...['', '/:id', '/:id/actions/:action', '/:id/cancel', '/:id/migrate'].map(
    (rest) => `${FLOW}/instances${rest}`,
  ),
  ...['claim', 'unclaim', 'delegate'].map((verb) => `${FLOW}/tasks/:id/${verb}`),
]

/**
 * Routes for the user alone, refused to a caller who acts as the user (src/server/README.md,
 * Identity).
 */
const isTheUsersOwn = (path: string): boolean =>
  path === '/api/v1/svc/settings/me/:key' ||
  /^\/api\/v1\/auth\/(?:mfa\/(?:setup|confirm|disable)|password\/change|api-keys(?:\/:id)?)$/.test(
    path,
  )

/** Codes of the 401 that says: not you. Others (a false password, a false code) are no gate's. */
const DENIALS: ReadonlySet<string | undefined> = new Set(['UNAUTHENTICATED', 'PERMISSION_DENIED'])

/** The path of a record that does not exist: the request changes nothing. */
function toPath(path: string): string {
  if (path === '/report/:key') return '/report/list?object=Notes&format=csv'
  const [, area = ''] = /\/(rpc|handlers|wizard)\//.exec(path) ?? []
  const name = { rpc: 'Tally', handlers: 'csv', wizard: 'Fill' }[area] ?? 'Notes'
  const named: Readonly<Record<string, string>> = { name, objectName: name, key: 'Board' }
  return path.replace(/:(\w+)|\*/g, (_, part: string | undefined) => named[part ?? ''] ?? '999999')
}

const NAMES = { FormName: 'Notes', ObjectName: 'Notes', ActionName: 'Close', Name: 'Echo' }
const BODY = { ...NAMES, Step: 'First' }

/** Bodies of routes that take another one than all others. */
const BODIES: Readonly<Record<string, object>> = {
  '/report/:key': { Parameters: { object: 'Notes' }, Background: true },
  '/api/v1/svc/timeline': { Object: 'Notes' },
  '/api/v1/svc/comments': { Object: 'Notes' },
  '/api/v1/svc/comments/follow': { Object: 'Notes' },
}

/** The body of a request, and its type where it is no form. */
function toBody({ method, path }: Route): {
  body?: string | FormData
  headers: Record<string, string>
} {
  if (method === 'GET') return { headers: {} }
  if (!/\/import(-data|-preview)?$/.test(path) || path.includes('rbac'))
    return {
      body: JSON.stringify(BODIES[path] ?? BODY),
      headers: { 'Content-Type': 'application/json' },
    }
  const form = new FormData()
  form.set('objectName', 'Notes')
  form.set('dryRun', 'true')
  form.set('file', new File(['Text\r\nhello\r\n'], 'notes.csv'))
  return { body: form, headers: {} }
}

async function ask(route: Route, caller: CallerName): Promise<Response> {
  const token = await signIn(caller)
  const { body, headers } = toBody(route)
  const request = new Request(`http://localhost${toPath(route.path)}`, {
    method: route.method,
    ...(body !== undefined && { body }),
    headers: { ...headers, ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
  })
  return app.handle(request)
}

async function isDenied(route: Route, caller: CallerName): Promise<boolean> {
  const answer = await ask(route, caller)
  const text = await answer.text()
  expect([route.path, answer.status]).not.toEqual([route.path, 500])
  if (answer.status !== 401) return false
  return DENIALS.has((JSON.parse(text) as { code?: string }).code)
}

test.each(CALLERS)('%s passes the gates that are theirs, and no other', async (caller) => {
  const wrong: string[] = []
  for (const route of routes) {
    const { method, path } = route
    const passes = mayPass(route, caller)
    if (passes === undefined) expect(OF_A_RECORD).toContain(path)
    else if ((await isDenied(route, caller)) === passes)
      wrong.push(`${method} ${path} ${passes ? 'refuses' : 'lets in'} ${caller}`)
  }
  expect(wrong).toEqual([])
})

test('what is judged by a name is there, so that a refusal is one of the gate', async () => {
  for (const route of routes) {
    if (route.gate?.kind !== 'named' || OF_A_RECORD.includes(route.path)) continue
    // The request names no record: past the gate that is a 400 where one is needed.
    const status = /\/(?:execute-row-action|timeline|comments|follow)$/.test(route.path) ? 400 : 200
    expect([route.path, (await ask(route, 'clerk')).status]).toEqual([route.path, status])
  }
})
