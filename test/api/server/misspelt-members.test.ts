/** A member that is nearly right is refused with the right name, where it would be ignored. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'

let app: TestApp

beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const OBJECT = '/api/v1/svc/object'
const EXPLORER = '/api/v1/svc/object-explorer/query'

const MISSPELT: readonly [path: string, body: object, written: string, meant: string][] = [
  [`${OBJECT}/orders/table`, { Filter: [] }, 'Filter', 'Filters'],
  [`${OBJECT}/orders/table`, { PageSise: 5 }, 'PageSise', 'PageSize'],
  [`${OBJECT}/orders/table`, { pagesizes: 5 }, 'pagesizes', 'PageSize'],
  [
    `${OBJECT}/orders/table`,
    { Sort: [{ Field: 'Id', Direktion: 'desc' }] },
    'Direktion',
    'Direction',
  ],
  [
    `${OBJECT}/orders/table`,
    { Filters: [{ Field: 'Id', Operater: 'gt', Value: 1 }] },
    'operater',
    'Operator',
  ],
  [`${OBJECT}/orders/table`, { Filters: { Logik: 'or', Filters: [] } }, 'logik', 'Logic'],
  [`${OBJECT}/orders/form`, { Parameter: { Id: 1 } }, 'Parameter', 'Parameters'],
  [`${OBJECT}/export-data`, { ObjectName: 'orders', Feilds: ['Id'] }, 'Feilds', 'Fields'],
  [
    `${OBJECT}/field-dataset`,
    { FormName: 'orders', FieldName: 'CustomerId', SearchTxt: 'a' },
    'SearchTxt',
    'SearchText',
  ],
  [
    EXPLORER,
    { ObjectName: 'orders', Groupby: ['Status'], Agregates: [] },
    'Agregates',
    'Aggregates',
  ],
  ['/api/v1/svc/reports/sales-overview/data', { Argument: {} }, 'Argument', 'Arguments'],
  ['/api/v1/svc/assistant/query', { Question: 'how many orders?', Befor: [] }, 'Befor', 'Before'],
]

test.each(MISSPELT)('%s %j', async (path, body, written, meant) => {
  const answer = await app.fetch(path, { as: 'ana', body })
  expect([answer.status, answer.body]).toMatchObject([
    400,
    {
      code: 'UNKNOWN_MEMBER',
      error: `Unknown member '${written}'. Did you mean ${meant}?`,
    },
  ])
})

test('others that are unknown are ignored, and what changes data takes any', async () => {
  const body = { Extra: 1, Search: 'x', Sorting: 'Id', PageSize: 1 }
  expect((await app.fetch(`${OBJECT}/orders/table`, { as: 'ana', body })).status).toBe(200)
})

test('more than 1,000 members that are unknown are refused', async () => {
  const list = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`extra${at}`, at]))
  const ask = (count: number) =>
    app.fetch(`${OBJECT}/orders/table`, { as: 'ana', body: { ...list(count), PageSize: 1 } })
  expect((await ask(1000)).status).toBe(200)
  const { status, body } = await ask(1001)
  expect([status, body]).toMatchObject([
    400,
    {
      code: 'UNKNOWN_MEMBER',
      error: 'The request has more than 1000 unknown members',
    },
  ])
})

test('who may not ask at all is told nothing of members', async () => {
  for (const [path, body] of [
    [`${OBJECT}/orders/table`, { Filter: [] }],
    [`${OBJECT}/export-data`, { ObjectName: 'orders', Feilds: [] }],
  ] as const) {
    expect((await app.fetch(path, { as: 'bo', body })).status).toBe(401)
  }
})

const mapOf = (members: number): object =>
  Object.fromEntries(Array.from({ length: members }, (_, at) => [`Member${at}`, at]))

const MAPS: readonly [path: string, toBody: (map: object) => object][] = [
  [`${OBJECT}/orders/table`, (Parameters) => ({ Parameters })],
  [`${OBJECT}/orders/form`, (Parameters) => ({ parameters: Parameters })],
  [`${OBJECT}/submit`, (Parameters) => ({ FormName: 'orders', Parameters })],
  [`${OBJECT}/submit`, (map) => ({ FormName: 'orders', Details: { Lines: { Upsert: [map] } } })],
  [
    `${OBJECT}/execute-row-action`,
    (map) => ({ ObjectName: 'orders', ActionName: 'x', Keys: [map] }),
  ],
  [`${OBJECT}/export-data`, (Parameters) => ({ ObjectName: 'orders', Parameters })],
  ['/api/v1/svc/rpc/SalesByRegion', (Parameters) => ({ Parameters })],
]

test.each(MAPS)(
  '%s: a map of more members than any view has fields is refused',
  async (path, to) => {
    const told = 'The request has a map of more than 10000 members'
    expect((await app.fetch(path, { as: 'ana', body: to(mapOf(10_001)) })).text).toContain(told)
    expect((await app.fetch(path, { as: 'ana', body: to(mapOf(10_000)) })).text).not.toContain(told)
  },
)

test('such a map tells nothing before the gate, and one value may have as many', async () => {
  const hidden = { FormName: 'products', Parameters: mapOf(10_001) }
  expect((await app.fetch(`${OBJECT}/submit`, { as: 'dee', body: hidden })).status).toBe(401)
  const body = { Parameters: { Name: mapOf(10_001) } }
  expect((await app.fetch(`${OBJECT}/orders/table`, { as: 'ana', body })).status).toBe(200)
})

const many = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)
const LONG = 'x'.repeat(64 * 1024 + 1)

const BEYOND: readonly [method: string, path: string, body: object, told: string][] = [
  [
    'POST',
    '/api/v1/auth/api-keys',
    { Name: 'x', Roles: many(10_000, 'Clerk') },
    'The body has more than 10000 values',
  ],
  ['POST', '/api/v1/mcp', { list: many(10_000, 1) }, 'The body has more than 10000 values'],
  [
    'POST',
    '/api/v1/auth/api-keys',
    { Name: 'x', Roles: many(9000, 'Clerk') },
    'Roles: Must be an array of at most 500 entries',
  ],
  [
    'POST',
    '/api/v1/auth/api-keys',
    { name: LONG, Roles: [] },
    'Name: Must be a string of at most 100 characters',
  ],
  [
    'POST',
    `${OBJECT}/orders/table`,
    { preset: LONG },
    'Preset: Must be a string of at most 65536 characters',
  ],
  [
    'PUT',
    '/api/v1/notifications/preferences',
    { Preferences: many(3000, { Kind: 'Report', Email: true }) },
    'Preferences: Must be an array of at most 1000 entries',
  ],
  [
    'POST',
    '/report/list',
    {
      Background: true,
      Parameters: {
        object: 'orders',
        ...Object.fromEntries(many(1000, 1).map((_, at) => [at, 1])),
      },
    },
    'Parameters: Must be an object of at most 1000 members',
  ],
]

test.each(BEYOND)('%s %s: no client has a use for as much', async (method, path, body, told) => {
  const answer = await app.fetch<{ error: string | object }>(path, { as: 'ana', method, body })
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(told)])
})

test('a document and a value of a field are as long as they are', async () => {
  const body = { DefinitionXml: `<!--${'x'.repeat(80_000)}-->` }
  const path = '/api/v1/svc/report-designer/definitions/sales-overview/validate'
  expect((await app.fetch(path, { as: 'ana', body })).status).toBe(200)
  const form = { FormName: 'products', Parameters: { Name: 'x'.repeat(80_000) } }
  const answer = await app.fetch(`${OBJECT}/submit`, { as: 'ana', body: form })
  expect(answer.body).toMatchObject({ fieldErrors: { Name: expect.stringContaining('longer') } })
})
