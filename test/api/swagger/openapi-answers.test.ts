import { afterAll, describe, expect, test } from 'bun:test'
import type { OpenApiDocument } from '../../../src/features/swagger/document.ts'
import { startApp } from '../../support/app.ts'
import { DocumentSchemas, exampleOf, resolvePart } from '../../support/document-schemas.ts'
import { Imports } from '../../support/imports.ts'

/** For tests that change nothing. */
const app = await startApp()
afterAll(() => app[Symbol.asyncDispose]())
const { body: document } = await app.fetch<OpenApiDocument>('/swagger/json')
const schemas = new DocumentSchemas(document)
const { views, reports, procedures } = app.context.models.get()

/** Every definition of the demo as a client may fetch it, by the route that it is asked from. */
const definitions = [
  ...[...views.values()].map(({ name }) => ['/api/v1/svc/object/{name}/metadata', name] as const),
  ...[...reports.values()].map(({ name }) => ['/api/v1/svc/reports/{key}', name] as const),
  ...[...procedures.values()].map(({ name }) => ['/api/v1/svc/rpc/{name}', name] as const),
  ...[...views.values()]
    .filter(({ viewType }) => viewType === 'Grid')
    .map(({ name }) => ['/api/v1/svc/object-explorer/objects/{name}', name] as const),
  ...[...views.values()]
    .filter(({ viewType }) => viewType === 'Wizard')
    .map(({ name }) => ['/api/v1/svc/wizard/{name}', name] as const),
]

describe('definitions have the members that the document tells, and no others', () => {
  test.each(definitions)('%s of %s', async (path, name) => {
    const address = path.replace(/\{\w+\}/, name)
    const { status, body } = await app.fetch(address, { as: 'root' })
    const place = { path, method: 'GET', status: '200' }
    expect({ status, faults: schemas.findAnswerFaults(place, body) }).toEqual({
      status: 200,
      faults: [],
    })
  })
})

describe('answers have the formats that the document tells', () => {
  const RPC = { jsonrpc: '2.0', id: 1 }
  test.each([
    ['/api/v1/auth/sessions', 200, undefined],
    ['/api/v1/auth/mfa/setup', 200, { Password: 'ana-demo-password' }],
    ['/api/v1/mcp', 200, { ...RPC, method: 'tools/list' }],
    ['/api/v1/mcp', 200, { ...RPC, method: 'nothing' }],
    ['/api/v1/mcp', 400, { jsonrpc: '1.0' }],
    ['/api/v1/mcp', 400, [{ ...RPC, method: 'tools/list' }]],
  ])('%s: %d', async (path, status, body) => {
    await using app = await startApp()
    const method = body ? 'POST' : 'GET'
    const answer = await app.fetch(path, { as: 'ana', method, body })
    const place = { path, method, status: String(status) }
    const faults = schemas.findAnswerFaults(place, answer.body)
    expect({ status: answer.status, faults }).toEqual({ status, faults: [] })
  })

  test('a notification to MCP is 202 without a body', async () => {
    const body = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const { status, text } = await app.fetch('/api/v1/mcp', { as: 'ana', method: 'POST', body })
    expect([status, text]).toEqual([202, ''])
    const told = document.paths['/api/v1/mcp']?.['post']?.responses?.['202']
    expect(told?.description).toBeString()
    expect(told?.content).toBeUndefined()
  })
})

const STALE = { Id: 400, Reference: 'PO 1', RowVersion: '0' }
const UNKNOWN = { Field: 'Number', Operator: 'beginsWith' }

interface Refused {
  what: string
  status: number
  as: string
  path: string
  /** Without one it is a GET. */
  body?: object
}

const OBJECT = '/api/v1/svc/object'
const SCRIPTS = '/api/v1/svc/scripts'
const FAULTY = { Files: [{ FileName: 'a.xml', Body: '<A/>' }] }

const REFUSED: readonly Refused[] = [
  {
    what: 'an unknown operator',
    status: 400,
    as: 'ana',
    path: `${OBJECT}/{name}/table`,
    body: { Filters: [UNKNOWN] },
  },
  { what: 'a missing right', status: 401, as: 'ana', path: SCRIPTS },
  { what: 'a faulty model', status: 400, as: 'root', path: SCRIPTS, body: FAULTY },
  {
    what: 'a question without an answer',
    status: 400,
    as: 'ana',
    path: '/api/v1/svc/assistant/query',
    body: { Question: 'wxyz qrst' },
  },
  {
    what: 'a stale stamp',
    status: 409,
    as: 'ana',
    path: `${OBJECT}/submit`,
    body: { FormName: 'orders', Parameters: STALE },
  },
  {
    what: 'no such record',
    status: 404,
    as: 'ana',
    path: `${OBJECT}/{name}/form`,
    body: { Parameters: { Id: 999_999 } },
  },
]

describe('refusals have the members that the document tells', () => {
  test.each(REFUSED)('$what: $status', async ({ status, as, path, body }) => {
    const method = body ? 'POST' : 'GET'
    const answer = await app.fetch(path.replace('{name}', 'orders'), { as, method, body })
    const place = { path, method, status: String(status) }
    const faults = schemas.findAnswerFaults(place, answer.body)
    expect({ status: answer.status, faults }).toEqual({ status, faults: [] })
  })
})

/** Names of members, at any depth; of a list those of its first entry. */
function* listMembers(value: unknown, place = ''): Iterable<string> {
  const first: unknown = Array.isArray(value) ? value[0] : value
  if (typeof first !== 'object' || first === null) return
  for (const [name, part] of Object.entries(first)) {
    yield `${place}${name}`
    yield* listMembers(part, `${place}${name}.`)
  }
}

test('the examples of an import are taken by the demo', async () => {
  await using app = new Imports(await startApp())
  const path = '/api/v1/svc/object/import-data'
  const media = document.paths[path]?.['post']?.requestBody?.content['multipart/form-data']
  const examples = Object.values(media?.examples ?? {}).map(({ value }) => value as Form)
  expect(examples).toHaveLength(2)
  for (const { objectName, file, ...fields } of examples)
    expect(await app.take('root', { objectName, file, fields })).toMatchObject({ Inserted: 1 })
  const kept = 'SELECT Id, Code, CreatedAt, CreatedBy FROM customers WHERE Id = 90001'
  expect(await app.stored(kept)).toEqual([
    { Id: 90001, Code: 'K-0815', CreatedAt: '2011-03-01T08:00:00.000Z', CreatedBy: null },
  ])
})

type Form = Readonly<Record<string, string>> & { objectName: string; file: string }

describe('the examples of answers have members that the demo gives to the example request', () => {
  test.each([
    ['/api/v1/svc/object/{name}/table', 'orders'],
    ['/api/v1/svc/object/{name}/form', 'orders'],
    ['/api/v1/svc/object/submit', ''],
    ['/api/v1/svc/object/field-dataset', ''],
    ['/api/v1/svc/reports/{key}/data', 'SalesOverview'],
  ])('%s', async (path, name) => {
    await using app = await startApp()
    const { requestBody, responses } = document.paths[path]?.['post'] ?? {}
    const body = requestBody?.content['application/json']?.example as object
    const { content } = resolvePart(document, responses?.['200'] ?? {})
    const example = exampleOf(document, content?.['application/json'])
    const address = path.replace(/\{\w+\}/, name)
    const live = await app.fetch(address, { as: 'ana', method: 'POST', body })
    const given = new Set(listMembers(live.body))
    const shown = [...listMembers(example)]
    expect(shown.length).toBeGreaterThan(5)
    expect(shown.filter((member) => !given.has(member))).toEqual([])
  })
})
