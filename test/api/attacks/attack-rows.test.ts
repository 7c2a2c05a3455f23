/** Rows of the table of attacks on authorization that no other test bears the name of. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Gate } from '../../../src/server/gate.ts'
import { listRoutes } from '../../../src/app.ts'
import { PUBLIC_ROUTES } from '../../support/gates.ts'
import { refusal, startAttackedRecords, type Table } from '../../support/objects.ts'

let vault: Awaited<ReturnType<typeof startAttackedRecords>>
beforeAll(async () => {
  vault = await startAttackedRecords()
})
afterAll(() => vault[Symbol.asyncDispose]())

interface Route {
  method: string
  path: string
  gate: Gate
}

const listAsked = (): Route[] =>
  listRoutes(vault.app.context)
    .map(({ method, path, gate }) => ({
      method,
      path: path.replace(/:name|:objectName/g, 'Items').replace(/:\w+|\*/g, '1'),
      gate,
      route: `${method} ${path}`,
    }))
    .filter(({ route }) => !PUBLIC_ROUTES.has(route))

const BODY = { FormName: 'Items', ObjectName: 'Items', ActionName: 'Seal' }

const send = (
  { method, path }: Pick<Route, 'method' | 'path'>,
  as?: string,
  headers: Record<string, string> = {},
) =>
  vault.app.fetch<{ code?: string; success?: boolean }>(path, {
    method,
    headers,
    ...(as !== undefined && { as }),
    ...(method !== 'GET' && { body: BODY }),
  })

describe('Budibase CVE-2026-31816: no token, and a public path somewhere in the address', () => {
  test.each([
    ['in the query', (path: string) => `${path}?/api/v1/auth/login`],
    ['as a value', (path: string) => `${path}?x=/auth/login&path=/health/live`],
    ['as a parameter of the path', (path: string) => `${path};/api/v1/auth/login`],
    ['after two slashes', (path: string) => `/${path}`],
    ['behind encoded dots', (path: string) => `/health/live/%2e%2e/%2e%2e${path}`],
    ['behind dots', (path: string) => `/api/v1/auth/login/../../../..${path}`],
    ['with a slash at its end', (path: string) => `${path}/`],
    ['in upper case', (path: string) => path.toUpperCase()],
    ['encoded', (path: string) => path.replace('v1', '%761')],
  ])('%s: every route refuses', async (_, disguise) => {
    const wrong: unknown[] = []
    for (const route of listAsked()) {
      const { status } = await send({ ...route, path: disguise(route.path) })
      if (status !== 401 && status !== 404) wrong.push([route.method, route.path, status])
    }
    expect(wrong).toEqual([])
  })

  test.each([
    { 'X-HTTP-Method-Override': 'OPTIONS' },
    { 'X-Original-URL': '/health/live', 'X-Rewrite-URL': '/health/live' },
    { 'X-Forwarded-Prefix': '/api/v1/auth/login', 'X-Forwarded-Path': '/swagger' },
    { Cookie: 'token=x; Authorization=x', 'X-Api-Key': 'x' },
  ])('%p: every route refuses', async (headers) => {
    for (const route of listAsked())
      expect([route.path, (await send(route, undefined, headers as never)).status]).toEqual([
        route.path,
        401,
      ])
  })
})

describe('Budibase CVE-2026-48151, puck CVE-2026-39397: no route without a guard', () => {
  test('every route declares a gate, and none that needs a token serves without one', async () => {
    const routes = listAsked()
    expect(routes.length).toBeGreaterThan(60)
    for (const route of routes) {
      expect([route.path, route.gate?.kind]).not.toEqual([route.path, undefined])
      expect([route.path, route.gate?.kind]).not.toEqual([route.path, 'open'])
      const { status, body } = await send(route)
      expect([route.path, status, body.code]).toEqual([route.path, 401, 'UNAUTHENTICATED'])
    }
  })

  test('whoever has no role is denied by every gate that asks for a right', async () => {
    for (const route of listAsked()) {
      if (!route.gate || ['open', 'authenticated', 'named'].includes(route.gate.kind)) continue
      const { status, body } = await send(route, 'nobody')
      expect([route.path, status, body.code]).toEqual([route.path, 401, 'PERMISSION_DENIED'])
    }
  })
})

describe('Postgres RLS channels: errors and unique keys tell nothing of hidden rows', () => {
  test('a value that a hidden row holds is refused as one that a visible row holds', async () => {
    const answers = []
    for (const Code of ['north-1', 'south-1']) {
      const answer = await vault.submit('guest', 'Items', { Code, Region: 'north' })
      const { traceId, ...rest } = refusal(answer, 400)
      expect(traceId).toMatch(/^[0-9a-f]{32}$/)
      expect(JSON.stringify(rest)).not.toContain(Code)
      answers.push(JSON.stringify(rest))
    }
    expect(answers[0]).toEqual(answers[1] ?? '')
  })

  test('no count, page or permission moves with rows that are hidden', async () => {
    const tell = async (): Promise<Table[]> => [
      await vault.table('guest', 'Items', { CountMode: 'exact' }),
      await vault.table('guest', 'Items', { SearchText: 'hidden' }),
      await vault.table('guest', 'Items', {
        Filters: [{ Field: 'Name', Operator: 'contains', Value: 'hidden' }],
      }),
    ]
    const before = await tell()
    for (const at of [1, 2, 3])
      await vault.save('keeper', 'Items', {
        Code: `hidden-${at}`,
        Name: 'hidden',
        Region: 'south',
      })
    expect(await tell()).toEqual(before)
  })
})

describe('Directus GHSA-pmf4-v838-29hg: no privilege comes from a request', () => {
  const CLAIMS = {
    role: 'System',
    roles: ['System'],
    companyId: 2,
    CompanyId: 2,
    userId: 1,
    isSystem: true,
    admin: true,
  }
  const HEADERS = {
    'X-Role': 'System',
    'X-Company-Id': '2',
    'X-User-Id': '1',
    'X-Impersonate': '1',
    'X-Forwarded-User': 'root',
  }
  const ask = (path: string, body: object, headers = {}) =>
    vault.app.fetch<{ data: unknown }>(path, { as: 'guest', body, headers })

  test('members of a body and headers that claim one change nothing', async () => {
    const path = '/api/v1/svc/object/Items/table'
    const plain = await ask(path, {})
    const claimed = await ask(path, CLAIMS, HEADERS)
    expect(claimed.body.data).toEqual(plain.body.data)
    for (const route of listAsked().filter(({ gate }) => gate?.kind === 'roles')) {
      const { method } = route
      const init = { as: 'guest', method, headers: HEADERS }
      const withBody = method === 'GET' ? init : { ...init, body: CLAIMS }
      const { status } = await vault.app.fetch(`${route.path}?role=System&companyId=2`, withBody)
      expect([route.path, status]).toEqual([route.path, 401])
    }
  })
})

test('a capability reaches the rows of the role that grants it, no others', async () => {
  await using vault = await startAttackedRecords()
  const { Rows, Permissions } = await vault.table('regional', 'Items')
  expect(Permissions.Capabilities).toEqual(['Seal'])
  expect(Rows.map((row) => [row.Region, row.Permit__Seal])).toEqual([
    ['north', true],
    ['south', false],
  ])
  const [north, south] = Rows.map(({ Id }) => ({ Id }))
  expect((await vault.form('regional', 'Items', south)).Values.Permit__Seal).toBe(false)
  for (const action of ['Seal', 'Blank', 'Send'])
    refusal(await vault.act('regional', 'Items', action, south ?? {}), 404)
  refusal(await vault.act('regional', 'Items', 'Seal', {}, { Keys: [north, south] }), 404)
  const explain = async (keys: unknown) => {
    const users = await vault.stored("SELECT Id FROM svc_users WHERE UserName = 'regional'")
    const body = { UserId: users[0]?.Id, Object: 'Items', Verb: 'Seal', Keys: keys }
    const answer = await vault.app.fetch<{ data: { Decision: string } }>(
      '/api/v1/svc/auth/explain',
      { as: 'sys', body },
    )
    return answer.body.data.Decision
  }
  expect([await explain(north), await explain(south)]).toEqual(['allowed', 'notFound'])
  expect(await vault.stored('SELECT DISTINCT State FROM items')).toEqual([{ State: 'open' }])
})
