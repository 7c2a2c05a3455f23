import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import type { OpenApiDocument } from '../../../src/features/swagger/document.ts'
import type { Answer, Operation, Parameter } from '../../../src/features/swagger/parts.ts'
import { listAreas, listRoutes } from '../../../src/app.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import {
  DocumentSchemas,
  exampleOf,
  listOperations,
  resolvePart,
} from '../../support/document-schemas.ts'

await using shared = await startApp()
const { body: document } = await shared.fetch<OpenApiDocument>('/swagger/json')
const operations = listOperations(document)
const documented = new DocumentSchemas(document)

/** Declared answers of each route, as the server holds it to them. */
const answerSchemas = new Map(
  listRoutes(shared.context).map(({ method, path, declaration: { response } }) => [
    `${method} ${path.replace(/:(\w+)\??/g, '{$1}')}`,
    response,
  ]),
)

/** Every `$ref` of the document. */
function* findReferences(value: unknown): Iterable<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (name === '$ref' && typeof member === 'string') yield member
    else yield* findReferences(member)
  }
}

/** An answer of an operation, which others may have too. */
const answerOf = ({ responses }: Operation, status: string): Answer =>
  resolvePart(document, responses?.[status] ?? {})

const parametersOf = ({ parameters = [] }: Operation): Parameter[] =>
  parameters.map((parameter) => resolvePart(document, parameter))

/** The examples of an answer in JSON: one, or one for each status that it stands for. */
function listExamples(operation: Operation, status: string): unknown[] {
  const { example, examples = {} } = answerOf(operation, status).content?.['application/json'] ?? {}
  const others = Object.values(examples).map(({ value }) => value)
  return example === undefined ? others : [example, ...others]
}

describe('the document', () => {
  test('holds every route of the app but its own page, and no other', () => {
    const routes = listRoutes(shared.context)
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)\??/g, '{$1}')}`)
      .filter((route) => !route.startsWith('GET /swagger'))
    expect(operations.map(({ route }) => route).sort()).toEqual([...new Set(routes)].sort())
  })

  test('names each operation once', () => {
    const names = operations.map(({ operation }) => operation.operationId ?? '')
    expect(names.filter((name) => !/^[a-z][A-Za-z]+$/.test(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })

  test.each(operations)('$route has what a client needs', ({ operation, path, method, route }) => {
    expect(operation.summary).toBeString()
    expect(listAreas().map(({ name }) => name)).toContain(operation.tags?.[0] ?? '')
    const declared = parametersOf(operation).filter((parameter) => parameter.in === 'path')
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
    expect(declared.map(({ name }) => name).sort()).toEqual(inPath.sort())
    const done = answerOf(operation, '200')
    expect(done.description).toBeString()
    const [answered] = Object.entries(done.content ?? {})
    if (isFile(route)) expect(answered?.[0]).not.toBe('application/json')
    else expect(answered?.[0]).toBe('application/json')
    expect(answered?.[1].schema).toBeObject()
    expect(operation.responses?.['default']).toEqual({ $ref: '#/components/responses/Refused' })
    const takesBody = operation.requestBody !== undefined
    if (method !== 'GET' && takesBody)
      expect(Object.keys(operation.responses ?? {})).toContain('400')
    if (method !== 'GET' && operation['x-safe'] !== true)
      expect(Object.keys(operation.responses ?? {})).toContain('409')
    if (method !== 'GET' && operation.requestBody) {
      const [type, media] = Object.entries(operation.requestBody.content)[0] ?? []
      if (operation['x-body'] === 'multipart/form-data') expect(type).toBe('multipart/form-data')
      else expect(media?.example).toBeDefined()
      expect(media?.schema).toBeObject()
    }
  })

  test.each(operations)(
    '$route shows an answer of its own shape',
    ({ operation, route, path, method }) => {
      if (isFile(route)) return
      const media = answerOf(operation, '200').content?.['application/json']
      const schema = answerSchemas.get(route)
      if (!schema) throw new Error(`${route} declares no answer`)
      const example = exampleOf(document, media)
      const faults = [...Value.Errors(schema, example)].map((fault) => fault.path)
      expect([path, ...faults]).toEqual([path])
      expect(documented.findAnswerFaults({ path, method, status: '200' }, example)).toEqual([])
    },
  )

  test('shows refusals and requests of their own shape', () => {
    const faults = operations.flatMap(({ path, method, operation }) => {
      const body = operation.requestBody?.content['application/json']
      const refusals = Object.keys(operation.responses ?? {}).filter((status) => status >= '400')
      return [
        ...(body ? documented.findBodyFaults({ path, method }, body.example) : []),
        ...refusals.flatMap((status) => {
          const examples = listExamples(operation, status)
          const found = examples.length > 0 ? [] : [`${path} ${status} has no example`]
          const place = { path, method, status }
          return [...found, ...examples.flatMap((each) => documented.findAnswerFaults(place, each))]
        }),
      ]
    })
    expect(faults).toEqual([])
  })

  test('says once how a caller asks for a language and a time zone', () => {
    const headers = operations
      .flatMap(({ operation }) => operation.parameters ?? [])
      .filter((parameter) => resolvePart(document, parameter).in === 'header')
    const names = headers.map(({ $ref = '' }) => $ref.replace('#/components/parameters/', ''))
    expect([...new Set(names)].sort()).toEqual(['Key', 'Language', 'Tag', 'Zone'])
    const told = operations.flatMap(({ operation }) => Object.keys(answerOf(operation, '200')))
    expect(told).toContain('headers')
  })

  test('tells the gate of each operation', () => {
    const gates = new Map(
      listRoutes(shared.context).map(({ method, path, gate }) => [
        `${method} ${path.replace(/:(\w+)\??/g, '{$1}')}`,
        gate,
      ]),
    )
    const untold = operations.filter(({ route, operation }) => {
      const { kind, ...parts } = gates.get(route) ?? { kind: 'none' }
      if (kind === 'named') return !operation.description?.toString().includes('Gate: ')
      if (kind === 'open') return operation.security?.length !== 0
      const told = Object.keys(parts).length === 0 ? undefined : parts
      return operation.security !== undefined || !Bun.deepEquals(operation['x-gate'], told)
    })
    expect(untold.map(({ route }) => route)).toEqual([])
  })

  test('refers to nothing that is not there', () => {
    const lost = [...findReferences(document)].filter(
      ($ref) => resolvePart<{ $ref?: string }>(document, { $ref }) === undefined,
    )
    expect(lost).toEqual([])
  })

  test('asks for a token wherever the server does', async () => {
    const answers = await Promise.all(
      operations.map(async ({ path, method, operation }) => {
        const { status } = await shared.fetch(fillPath(path), { method })
        return { path, open: operation.security?.length === 0, refused: status === 401 }
      }),
    )
    expect(answers.filter(({ open, refused }) => !open && !refused)).toEqual([])
  })
})

const fillPath = (path: string): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameters = parametersOf(operations.find((each) => each.path === path)?.operation ?? {})
    return String(parameters.find((parameter) => parameter.name === name)?.['example'] ?? name)
  })

/** The parameters that a route needs in its query, by their examples. */
function fillQuery(operation: Operation): string {
  const needed = parametersOf(operation).filter((each) => each.in === 'query' && each['required'])
  const pairs = needed.map(({ name, example }) => [String(name), String(example)] as const)
  return pairs.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(pairs))}`
}

/** Routes that answer with the bytes of a file, or with text. */
const isFile = (route: string): boolean =>
  /^GET (?:\/metrics$|\/api\/v1\/auth\/logo$|\/files\/|.*\/export-file\/|.*\/backups\/|\/report\/\{)/.test(
    route,
  )

/** Gates of roles and of the engine's own resources are System's to pass. */
const isForAnyone = (operation: Operation): boolean => {
  const gate = (operation['x-gate'] ?? {}) as object
  return !('roles' in gate) && !('resource' in gate)
}

/** Examples of what is drawn at random, or of the moment, cannot be live ones. */
const NOT_LIVE = new Set([
  // The demo has none.
  'GET /api/v1/auth/logo',
  'POST /api/v1/svc/auth/board/apply',
  'POST /api/v1/auth/mfa/challenge',
  'POST /api/v1/auth/mfa/confirm',
  'POST /api/v1/auth/mfa/disable',
  'POST /api/v1/auth/mfa/verify',
  'POST /api/v1/auth/password/reset',
  'POST /api/v1/impersonation/stop',
  'POST /api/v1/auth/refresh',
  'DELETE /api/v1/auth/sessions/{id}',
  'DELETE /api/v1/auth/api-keys/{id}',
  // Files are known by ids that nobody can guess, and forms are no JSON.
  'GET /files/{path}',
  'GET /api/v1/svc/object/export-file/{fileName}',
  // The demo has no backup and no saved view.
  'PUT /api/v1/svc/comments/{id}',
  'DELETE /api/v1/svc/comments/{id}',
  'PUT /api/v1/svc/views/{id}',
  'DELETE /api/v1/svc/views/{id}',
  'GET /api/v1/svc/backups/{name}',
  'DELETE /api/v1/svc/backups/{name}',
  // Its parameters are those of the report that it names.
  'GET /report/{key}',
  'POST /api/v1/svc/object/upload',
  'POST /api/v1/svc/handlers/{name}/import',
  'POST /api/v1/svc/object/import-data',
  'POST /api/v1/svc/object/import-preview',
  'POST /api/v1/svc/object/import-data/{importId}/undo',
  'DELETE /api/v1/svc/object/upload/{uploadKey}',
  // A job is known by its number.
  'GET /api/v1/svc/object/import-data/{jobId}',
  'DELETE /api/v1/svc/object/import-data/{jobId}',
  'GET /api/v1/svc/object/submit-many/{jobId}',
  'DELETE /api/v1/svc/object/submit-many/{jobId}',
  'DELETE /api/v1/svc/jobs/mine/{id}',
  'GET /api/v1/hangfire/jobs/{id}',
  'DELETE /api/v1/hangfire/jobs/{id}',
  'POST /api/v1/hangfire/jobs/{id}/requeue',
  'POST /api/v1/hangfire/recurring/{name}/trigger',
  'POST /api/v1/hangfire/recurring/{name}/pause',
  'POST /api/v1/hangfire/recurring/{name}/resume',
  // A run is known by an id that nobody can guess.
  'GET /api/v1/svc/wizard/runs/{id}',
  'DELETE /api/v1/svc/wizard/runs/{id}',
  'POST /api/v1/svc/wizard/runs/{id}/next',
  'POST /api/v1/svc/wizard/runs/{id}/back',
  'POST /api/v1/svc/wizard/runs/{id}/finish',
  // Instances and tasks are known by numbers; examples name no record of the demo's.
  'POST /api/v1/svc/workflow/instances',
  'GET /api/v1/svc/workflow/instances/{id}',
  'POST /api/v1/svc/workflow/instances/{id}/actions/{action}',
  'POST /api/v1/svc/workflow/instances/{id}/cancel',
  'POST /api/v1/svc/workflow/instances/{id}/migrate',
  'POST /api/v1/svc/workflow/tasks/{id}/claim',
  'POST /api/v1/svc/workflow/tasks/{id}/unclaim',
  'POST /api/v1/svc/workflow/tasks/{id}/delegate',
  'POST /api/v1/svc/workflow/link/describe',
  'POST /api/v1/svc/workflow/link/use',
  // Push services are outside.
  'POST /api/v1/notification/{id}/read',
  'DELETE /api/v1/notification/{id}',
  'POST /api/v1/svc/webhooks',
  'PUT /api/v1/svc/webhooks/{id}',
  'DELETE /api/v1/svc/webhooks/{id}',
  'GET /api/v1/svc/webhooks/{id}/deliveries',
  'POST /api/v1/svc/webhooks/{id}/deliveries/{deliveryId}/replay',
  'POST /api/v1/svc/webhooks/{id}/test',
  'GET /api/v1/svc/hosted-services/{name}',
  'POST /api/v1/svc/hosted-services/{name}/start',
  'POST /api/v1/svc/hosted-services/{name}/stop',
  'POST /api/v1/svc/hosted-services/{name}/restart',
  'POST /api/v1/push-subscription',
  'DELETE /api/v1/push-subscription',
  // Whom records refer to is locked, and roles of the model are removed there.
  'DELETE /api/v1/svc/auth/users/{userId}',
  'DELETE /api/v1/svc/auth/roles/{role}',
  'POST /api/v1/svc/workflow/definitions/{key}/publish',
  'GET /api/v1/svc/workflow/definitions/{key}/versions/{versionHash}',
  'GET /api/v1/svc/workflow/definitions/{key}/versions/{versionHash}/diff/{otherHash}',
  // A draft is made before it is tried out, and a version is known by its hash.
  'POST /api/v1/svc/report-designer/definitions/{key}/publish',
  'GET /api/v1/svc/report-designer/definitions/{key}/draft/structure',
  'POST /api/v1/svc/report-designer/definitions/{key}/draft/data',
  'GET /api/v1/svc/report-designer/definitions/{key}/versions/{versionHash}',
  'GET /api/v1/svc/report-designer/definitions/{key}/versions/{versionHash}/diff/{otherHash}',
])

describe('the examples run against the demo', () => {
  let kept: TestApp
  beforeAll(async () => {
    kept = await startApp()
  })
  afterAll(() => kept[Symbol.asyncDispose]())

  const runnable = operations.filter(({ route }) => !NOT_LIVE.has(route))
  test.each(runnable)('$route', async ({ path, method, operation, route }) => {
    // What changes nothing needs no application of its own.
    await using own =
      method === 'GET' || operation['x-safe'] === true ? undefined : await startApp()
    const app = own ?? kept
    const body = operation.requestBody?.content['application/json']?.example
    const as = isForAnyone(operation) ? 'ana' : 'root'
    const answer = await app.fetch(fillPath(path) + fillQuery(operation), { as, method, body })
    expect({ status: answer.status, body: answer.text.slice(0, 300) }).toMatchObject({
      status: 200,
    })
    const faults = isFile(route)
      ? []
      : documented.findAnswerFaults({ path, method, status: '200' }, answer.body)
    expect(faults).toEqual([])
  })
})

describe('the page', () => {
  test('loads nothing from outside', async () => {
    const { status, text, headers } = await shared.fetch('/swagger')
    expect(status).toBe(200)
    expect(text).not.toMatch(/https?:\/\//)
    const policy = headers.get('Content-Security-Policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    for (const [, file] of text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect((await shared.fetch(`/${file}`)).status).toBe(200)
    }
  })

  test('is led to from its address with a slash at the end', async () => {
    const { status, headers } = await shared.fetch('/swagger/')
    expect([status, headers.get('Location')]).toEqual([308, '../swagger'])
  })

  test('is not there when it is switched off', async () => {
    await using app = await startApp({ settings: { 'Svc:Swagger:Enabled': 'false' } })
    for (const path of ['/swagger', '/swagger/json', '/swagger/swagger-ui.css']) {
      expect((await app.fetch(path)).status).toBe(404)
    }
  })
})

test('no header has an example: a page would send it with every call', () => {
  const components = document['components'] as { parameters: Record<string, object> }
  const parameters = Object.entries(components.parameters) as [string, Parameter][]
  const headers = parameters.filter(([, parameter]) => parameter.in === 'header')
  expect(headers.map(([, { name }]) => name)).toContain('Idempotency-Key')
  for (const [name, header] of headers)
    expect({ name, told: JSON.stringify(header) }).not.toMatchObject({
      told: expect.stringMatching(/"(?:example|examples|default|enum)":/),
    })
})
