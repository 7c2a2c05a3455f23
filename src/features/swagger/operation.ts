/** One operation of the document: completed from its method, its path and its `x-example`. */
import { answerHeaders, REQUEST_HEADERS } from './headers.ts'
import type { RefusalName } from './refusals.ts'

const JSON_TYPE = 'application/json'

interface MediaType {
  schema?: { required?: string[]; examples?: unknown[]; [member: string]: unknown }
  example?: unknown
}

/** A parameter of the operation's own, or the name of one that many have. */
interface Parameter {
  $ref?: string
  name?: string
  in?: string
  required?: boolean
  examples?: unknown[]
  schema?: unknown
  [member: string]: unknown
}

interface Answer {
  $ref?: string
  description?: string
  content?: Record<string, MediaType>
  [member: string]: unknown
}

export interface Operation {
  operationId?: string
  summary?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, MediaType> }
  responses?: Record<string, Answer>
  security?: Record<string, string[]>[]
  [member: string]: unknown
}

/** What an operation is completed by. */
export interface OperationFacts {
  method: string
  path: string
  isPublic: boolean
  /** Whether its query, its path or its body can be wrong. */
  takesArguments: boolean
}

const BY_STATUS: Record<string, RefusalName> = {
  '400': 'Invalid',
  '401': 'Unauthorized',
  '404': 'NotFound',
  '409': 'Conflict',
  '413': 'TooLarge',
  '429': 'TooMany',
  '500': 'Internal',
}

/** Which refusals an operation may give, by status. */
function planRefusals({ method, path, isPublic, takesArguments }: OperationFacts): string[] {
  const takesBody = method !== 'get'
  return [
    ...(takesBody || takesArguments ? ['400'] : []),
    ...(isPublic && !takesBody ? [] : ['401']),
    ...(/^\/(?:api|files|report)\//.test(path) ? ['404'] : []),
    ...(takesBody ? ['409', '413', '429'] : []),
    '500',
  ]
}

/** The server reads and writes JSON; other content types are what a route itself asks for. */
function onlyJson(content: Record<string, MediaType>): Record<string, MediaType> {
  const json = content[JSON_TYPE]
  return json ? { [JSON_TYPE]: json } : content
}

function completeBody(operation: Operation, own: unknown): Operation['requestBody'] {
  if (!operation.requestBody) return undefined
  const content = onlyJson(operation.requestBody.content)
  const media = content[JSON_TYPE]
  const example = own ?? media?.schema?.examples?.[0]
  if (media && example !== undefined) media.example = example
  const [first] = Object.values(content)
  return { required: (first?.schema?.required?.length ?? 0) > 0, content }
}

function withExample(content: Record<string, MediaType>): Record<string, MediaType> {
  const media = content[JSON_TYPE]
  return media?.schema ? { [JSON_TYPE]: { ...media, example: sampleOf(media.schema) } } : content
}

function completeAnswers(operation: Operation, facts: OperationFacts): Record<string, Answer> {
  const answers: Record<string, Answer> = {}
  for (const [status, answer] of Object.entries(operation.responses ?? { '200': {} })) {
    answers[status] = {
      description: answer.description ?? 'Done',
      ...(facts.path.startsWith('/api/') && { headers: answerHeaders }),
      ...(answer.content && { content: withExample(onlyJson(answer.content)) }),
    }
  }
  for (const status of planRefusals(facts)) {
    const name = BY_STATUS[status]
    if (name) answers[status] = { $ref: `#/components/responses/${name}` }
  }
  return answers
}

function completeParameters(
  operation: Operation,
  facts: OperationFacts,
  isIdempotent: boolean,
): Parameter[] {
  const own = (operation.parameters ?? []).map((parameter) => {
    if (parameter.in !== 'path') return parameter
    const { examples, ...rest } = parameter
    return {
      ...{ ...rest, required: true },
      ...(examples?.[0] !== undefined && { example: examples[0] }),
    }
  })
  if (!facts.path.startsWith('/api/')) return own
  const shared = facts.isPublic ? ['Accept-Language'] : Object.keys(REQUEST_HEADERS)
  if (isIdempotent) shared.unshift('Idempotency-Key')
  return [...own, ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` }))]
}

/** The operation with its area, parameters, body, every answer and its security. */
export function completeOperation(
  { 'x-example': example, 'x-idempotent': isIdempotent, 'x-direct': _, ...operation }: Operation,
  facts: OperationFacts,
): Operation {
  const requestBody = completeBody(operation, example)
  return {
    ...operation,
    parameters: completeParameters(operation, facts, isIdempotent === true),
    ...(requestBody && { requestBody }),
    responses: completeAnswers(operation, facts),
    ...(facts.isPublic && { security: [] }),
  }
}

/** Examples of answers, made from their schemas: of the right shape, with values as they come. */

interface Schema {
  type?: string
  const?: unknown
  default?: unknown
  examples?: readonly unknown[]
  anyOf?: readonly Schema[]
  allOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
}

/** What members of these names hold; others get what their type has. A data table. */
const BY_NAME: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['AccessToken', 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiIyIn0.c2lnbmVk'],
  ['RefreshToken', 'Y0Xw8m3lq1Zt8vWn0bVxYf6bM5ZpKZb5Qh7xJxGx7aK'],
  ['ExpiresIn', 900],
  ['RefreshExpiresIn', 1_209_600],
  ['UserName', 'ana'],
  ['DisplayName', 'Sales manager'],
  ['Email', 'ana@example.com'],
  ['Code', 'NORTH'],
  ['Name', 'North Trading'],
  ['Label', 'Orders'],
  ['TimeZone', 'Europe/Berlin'],
  ['Role', 'SalesManager'],
  ['Roles', ['SalesManager']],
  ['Resource', 'orders'],
  ['Object', 'orders'],
  ['Verb', 'View'],
  ['Verbs', ['View', 'List']],
  ['Principal', 'role:SalesManager'],
  ['Scope', 'Company'],
  ['Version', 'Company.0b1c2d3e4f5a69788796a5b4c3d2e1f00f1e2d3c'],
  ['State', 'granted'],
  ['Kind', 'Role'],
  ['Id', 1],
  ['Page', 1],
  ['PageSize', 50],
  ['ChallengeId', 'q1Zt8vWn0bVxYf6bM5ZpKZb5Qh7xJxGx7aKc2mPd4sE'],
  ['Secret', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
  ['OtpAuthUri', 'otpauth://totp/Application%20Engine:ana?secret=JBSWY3DPEHPK3PXP'],
  ['QrSvg', '<svg xmlns="http://www.w3.org/2000/svg"></svg>'],
  ['RecoveryCodes', ['7QKX-2M4T-9RWD-HV6N']],
  ['OneTimePassword', 'QgsG6tewZ4ydVfRD'],
  ['Client', 'Mozilla/5.0'],
  ['Address', '198.51.100.7'],
  ['TraceId', '4bf92f3577b34da6a3ce929d0e0e4736'],
  ['Offset', '+01:00'],
  ['Source', 'object/submit'],
  ['Entity', 'Order'],
  ['Action', 'update'],
  ['Field', 'Status'],
  ['Company', 'NORTH'],
  ['CompanyId', 1],
  ['VerbsGained', ['Export']],
  ['VerbsLost', []],
  ['RowsBefore', 5],
  ['RowsAfter', 12],
  ['Omitted', 0],
])
/** What is seldom there, and null otherwise. */
const MOSTLY_NULL: ReadonlySet<string> = new Set(['Impersonator', 'Next', 'NextCursor'])
const INSTANT = '2026-01-05T08:00:00.000Z'
const INSTANT_NAME = /(?:^|[a-z])At$/

/** An example of a schema: its own where it has one, else made of its parts. */
function sampleOf(schema: unknown, name = ''): unknown {
  const {
    type,
    const: only,
    examples,
    anyOf,
    allOf,
    properties,
    required,
    items,
  } = schema as Schema
  if (only !== undefined) return only
  if (examples?.[0] !== undefined) return examples[0]
  if (anyOf?.[0]) {
    const isNull = MOSTLY_NULL.has(name) && anyOf.some((part) => part.type === 'null')
    return isNull ? null : sampleOf(anyOf[0], name)
  }
  if (allOf) return Object.assign({}, ...allOf.map((part) => sampleOf(part, name))) as unknown
  const known = BY_NAME.get(name)
  if (known !== undefined && fits(known, type, items)) return known
  if (type === 'array') return items ? [sampleOf(items, name)] : []
  if (type === 'object') return sampleMembers(properties, required)
  return sampleValue(type, name)
}

/** Without those that may be left out. */
const sampleMembers = (
  properties: Schema['properties'] = {},
  required: readonly string[] = [],
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name))
      .map(([name, part]) => [name, sampleOf(part, name)]),
  )

function sampleValue(type: string | undefined, name: string): unknown {
  if (type === 'string') return INSTANT_NAME.test(name) ? INSTANT : name || 'text'
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  return null
}

const fits = (value: unknown, type: string | undefined, items: Schema | undefined): boolean =>
  Array.isArray(value)
    ? type === 'array' && items?.type === 'string'
    : typeof value === (type === 'integer' || type === 'number' ? 'number' : type)
