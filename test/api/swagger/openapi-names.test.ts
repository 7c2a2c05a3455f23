import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { named, oneOf, orNull, shownAs } from '../../../src/kernel/schema.ts'
import { shareBases } from '../../../src/features/swagger/bases.ts'
import { Components, type DocumentSchema } from '../../../src/features/swagger/components.ts'
import type { OpenApiDocument } from '../../../src/features/swagger/document.ts'
import { startApp } from '../../support/app.ts'
import { exampleOf, listOperations, resolvePart } from '../../support/document-schemas.ts'

interface Found {
  place: string
  schema: DocumentSchema
}

/** Whatever stands in the document, with where it stands; examples are no part of it. */
function* walk(value: unknown, place: string): Iterable<Found> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield { place, schema: value as DocumentSchema }
  for (const [name, part] of Object.entries(value))
    if (name !== 'example' && name !== 'examples') yield* walk(part, `${place}/${name}`)
}

await using app = await startApp()
const { body: document } = await app.fetch<OpenApiDocument>('/swagger/json')
const { schemas } = document['components'] as { schemas: Record<string, DocumentSchema> }
const everything = [...walk(document, '#')]
const operations = listOperations(document)

describe('the types of the document', () => {
  test('each object with members has a name', () => {
    const anonymous = everything.filter(
      ({ place, schema }) =>
        typeof schema.properties === 'object' &&
        schema.type === 'object' &&
        !/^#\/components\/schemas\/\w+$/.test(place),
    )
    expect(anonymous.map(({ place }) => place)).toEqual([])
  })

  test('each name is one that a person would write, and is used', () => {
    const names = Object.keys(schemas)
    expect(names.filter((name) => !/^[A-Z][A-Za-z]+$/.test(name))).toEqual([])
    const used = new Set(everything.map(({ schema }) => schema.$ref))
    const unused = names.filter((name) => !used.has(`#/components/schemas/${name}`))
    expect(unused).toEqual([])
  })

  test('are those of the specification and of the contract', () => {
    const wanted = [
      ...['TableRequest', 'Filter', 'FilterGroup', 'FilterOperator', 'SortField', 'TableResult'],
      ...['Pagination', 'Permissions', 'FormRequest', 'FormResult', 'SubmitRequest'],
      ...['DeleteRowRequest', 'ExecuteRowActionRequest', 'ObjectActionResult', 'DispatchEnvelope'],
      ...['ExportTableRequest', 'ImportTableRequest', 'FieldDataSetRequest', 'FileUploadResult'],
      ...['SequenceNumberRequest', 'MetadataResult', 'MetadataField', 'MetadataRowAction'],
      ...['ObjectDescriptor', 'ReportDataResult', 'DataSet', 'ReportSaveRequest', 'Script'],
      ...['ReportSaveResult', 'Tokens', 'CallerUser', 'Me', 'Session', 'Notification', 'Job'],
      ...['WorkflowInstance', 'WorkflowTask', 'WizardRun', 'Company', 'AccessMatrix'],
      ...['ErrorEnvelope', 'ValidationEnvelope', 'ConflictEnvelope', 'TableResultEnvelope'],
    ]
    expect(wanted.filter((name) => !(name in schemas))).toEqual([])
  })

  test('nothing that is known is left open', () => {
    const TYPED = ['type', '$ref', 'anyOf', 'allOf', 'const', 'enum']
    const open = everything.filter(
      ({ place, schema }) =>
        /\/(?:schema|items|properties\/[^/]+|anyOf\/\d+)$/.test(place) &&
        !place.endsWith('/properties') &&
        !place.startsWith('#/components/schemas/JsonValue/') &&
        !TYPED.some((keyword) => keyword in schema),
    )
    expect(open.map(({ place }) => place)).toEqual([])
  })

  test('what may be null is said as OpenAPI 3.1 has it', () => {
    const old = everything.filter(({ schema }) => 'nullable' in schema)
    expect(old).toEqual([])
    expect(schemas['Pagination']?.properties?.['NextCursor']).toEqual({ type: ['string', 'null'] })
    expect(schemas['CallerUser']?.properties?.['Impersonator']).toEqual({
      anyOf: [{ $ref: '#/components/schemas/Impersonator' }, { type: 'null' }],
    })
  })

  test('words and formats are told', () => {
    expect(schemas['FilterOperator']?.enum).toContain('startsWith')
    expect(schemas['CountMode']?.enum).toEqual(['exact', 'bounded', 'none'])
    expect(schemas['SortField']?.properties?.['Direction']?.enum).toEqual(['asc', 'desc'])
    expect(schemas['Session']?.properties?.['LastUsedAt']?.['format']).toBe('date-time')
    expect(schemas['Job']?.properties?.['Id']?.['format']).toBe('int64')
  })
})

test('the document is the same after routes have answered', async () => {
  await using app = await startApp()
  const settled = [
    { path: '/api/v1/auth/me' },
    { path: '/api/v1/auth/sessions' },
    { path: '/api/v1/svc/timezone', method: 'PUT', body: { TimeZone: 'Europe/Berlin' } },
    { path: '/api/v1/svc/object/orders/table', method: 'POST', body: {} },
    { path: '/api/v1/auth/password/forgot', method: 'POST', body: { UserName: 'nobody' } },
  ]
  for (const { path, ...call } of settled)
    expect((await app.fetch(path, { as: 'ana', ...call })).status).toBe(200)
  const { status, body } = await app.fetch('/swagger/json')
  expect(status).toBe(200)
  expect(body).toEqual(document)
})

describe('the size of the document', () => {
  test('is at most 1,950 bytes for each operation', () => {
    const bytes = Buffer.byteLength(JSON.stringify(document))
    expect(bytes / operations.length).toBeLessThan(1950)
  })

  test('has no answer twice that its schema names, nor a parameter that its words name', () => {
    const answers = operations.flatMap(({ operation }) => Object.values(operation.responses ?? {}))
    const named = answers.filter(({ content }) => content?.['application/json']?.schema?.$ref)
    const texts = named.map((answer) => JSON.stringify(answer))
    expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([])
    const { parameters } = document['components'] as { parameters: Record<string, object> }
    expect(parameters).toMatchObject({
      UserId: { name: 'userId', in: 'path' },
      ReportKey: { name: 'key', in: 'path' },
    })
  })

  test('has what extends another schema without its members', () => {
    expect(schemas['JobDescription']).toMatchObject({
      type: 'object',
      allOf: [{ $ref: '#/components/schemas/Job' }],
    })
    expect(schemas['JobDescription']?.properties).not.toHaveProperty('Queue')
    expect(schemas['JobDescription']?.required).not.toContain('Queue')
  })
})

test('a schema is the base of those that have all of its members, and may have them so', () => {
  const members = ['A', 'B', 'C', 'D', 'E', 'F', 'G']
  const make = (names: readonly string[], required: readonly string[]): DocumentSchema => ({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required,
  })
  const [plain, longer] = [make(members, ['A']), make([...members, 'H'], ['A', 'H'])]
  const [loose, few] = [make([...members, 'H'], []), make(['A', 'B'], ['A'])]
  const $ref = '#/components/schemas/Plain'
  const same = { type: 'object', allOf: [{ $ref }] }
  const added = { properties: { H: { type: 'string' } }, required: ['H'] }
  const schemas = { Longer: longer, EqualOne: plain, Plain: plain, Loose: loose, Few: few }
  expect(shareBases(schemas)).toEqual({
    Longer: { ...same, ...added },
    EqualOne: same,
    Plain: plain,
    Loose: loose,
    Few: few,
  })
})

describe('the planner', () => {
  const Point = named('Point', Type.Object({ X: Type.Integer() }))

  test('lifts a schema with a name once, however it is used', () => {
    const components = new Components()
    const $ref = '#/components/schemas/Point'
    expect(components.plan(Point)).toEqual({ $ref })
    expect(components.plan(Type.Optional(Point))).toEqual({ $ref })
    expect(components.plan(orNull(Point))).toEqual({ anyOf: [{ $ref }, { type: 'null' }] })
    expect(components.plan(Type.Array(Point))).toEqual({ type: 'array', items: { $ref } })
    expect(components.schemas).toEqual({
      Point: {
        type: 'object',
        properties: { X: { type: 'integer', format: 'int64' } },
        required: ['X'],
      },
    })
  })

  test('refuses two different schemas of one name', () => {
    const components = new Components()
    components.plan(Point)
    const other = named('Point', Type.Object({ X: Type.String() }))
    expect(() => components.plan(other)).toThrow('Two schemas are named Point')
    expect(() => components.plan(named('Point', Type.Partial(Point)))).toThrow('Point')
  })

  test('keeps what is said of one use', () => {
    const components = new Components()
    components.plan({ ...Point, description: 'Somewhere' })
    const $ref = '#/components/schemas/Point'
    expect(components.plan({ ...Point, description: 'Where it begins' })).toEqual({
      $ref,
      description: 'Where it begins',
    })
  })

  test.each([
    [Type.Union([Type.Literal('a'), Type.Literal('b')]), { type: 'string', enum: ['a', 'b'] }],
    [orNull(oneOf(['a'])), { type: ['string', 'null'], enum: ['a', null] }],
    [orNull(Type.Literal(true)), { type: ['boolean', 'null'], enum: [true, null] }],
    [
      Type.Record(Type.String(), Type.Boolean()),
      { type: 'object', additionalProperties: { type: 'boolean' } },
    ],
    [
      Type.Tuple([Type.String(), Type.Boolean()]),
      {
        type: 'array',
        prefixItems: [{ type: 'string' }, { type: 'boolean' }],
        items: { anyOf: [{ type: 'string' }, { type: 'boolean' }] },
        minItems: 2,
        maxItems: 2,
      },
    ],
    [shownAs(Type.String(), { format: 'date' }), { type: 'string', format: 'date' }],
  ])('%j is shown as %j', (schema, shown) => {
    expect(new Components().plan(schema)).toEqual(shown)
  })
})

/** Each text of an example that is nothing but the name of its member, by its place. */
function* findMadeUp(value: unknown, place: string, name = ''): Iterable<string> {
  if (value === name || value === 'text') yield place
  if (typeof value !== 'object' || value === null) return
  for (const [member, part] of Object.entries(value))
    yield* findMadeUp(part, `${place}/${member}`, Array.isArray(value) ? name : member)
}

test('no example says nothing but the name of its member', () => {
  const madeUp = operations.flatMap(({ route, operation }) =>
    Object.entries(operation.responses ?? {}).flatMap(([status, answer]) => {
      const media = resolvePart(document, answer).content?.['application/json']
      const shown = [exampleOf(document, media), media?.examples]
      return [...findMadeUp(shown, `${route} ${status}`)]
    }),
  )
  expect(madeUp).toEqual([])
})

test('what is a number or a yes in an address is one in the document', () => {
  const addressed = operations.flatMap(({ operation: { parameters = [] } }) =>
    parameters
      .map((each) => resolvePart(document, each))
      .filter((each) => each.in === 'query' || each.in === 'path'),
  )
  const isDigits = ({ schema }: (typeof addressed)[number]) =>
    /^\^\(?\[\d-\d\]/.test(String((schema as DocumentSchema).pattern ?? ''))
  const isFlag = ({ description = '' }: (typeof addressed)[number]) => /\btrue\b/.test(description)
  expect(addressed.filter((each) => isDigits(each) || isFlag(each))).toEqual([])
  const type = (name: string) =>
    addressed
      .filter((each) => each.name === name)
      .map(({ schema }) => (schema as DocumentSchema).type)
  expect(new Set(type('page'))).toEqual(new Set(['integer']))
  expect(new Set(type('limit'))).toEqual(new Set(['integer']))
  expect(new Set(type('mine'))).toEqual(new Set(['boolean']))
})
