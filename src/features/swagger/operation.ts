/** One operation of the document: completed from its method, its path and its `detail`. */
import type { TSchema } from '@sinclair/typebox'
import type { Gate } from '../../server/gate.ts'
import type { Components, DocumentSchema } from './components.ts'
import { type AnswerHeader, referToHeaders, REQUEST_HEADERS } from './headers.ts'
import type { Answer, MediaType, Operation, Parameter } from './parts.ts'
import { planRefusal, type RefusalName } from './refusals.ts'
import { sampleOf, showSample } from './sample.ts'

const JSON_TYPE = 'application/json'

/** A route's declarations: its `detail`, its parameters and its schemas. */
export interface DescribedRoute {
  method: string
  path: string
  isPublic: boolean
  gate: Gate
  /** Parameters with TypeBox schemas, and all other members of the `detail`. */
  operation: Operation
  body?: TSchema | undefined
  /** Schema of the answer 200. */
  answer?: TSchema | undefined
}

/** Refusals with members of their own; `default` stands for all others. */
const BY_STATUS: Readonly<Record<string, RefusalName>> = {
  '400': 'Invalid',
  '403': 'ForeignOrigin',
  '409': 'Conflict',
  default: 'Refused',
}

/** Returns true for probes of supervisors, which have no caller. */
const isProbe = ({ path }: DescribedRoute): boolean => path.startsWith('/health/')

/** Returns the keys of refusals of an operation: statuses of a shape of their own, and the rest. */
function planStatuses(route: DescribedRoute): string[] {
  const { method, operation } = route
  if (isProbe(route)) return ['default']
  const changes = method !== 'get' && operation['x-safe'] !== true
  const takesBody = route.body !== undefined || operation.requestBody !== undefined
  const own = (operation['x-refusals'] ?? {}) as OwnRefusals
  return [
    // Where only a header can be wrong, the 400 of it is among the others.
    ...(takesBody || operation.parameters?.length || own['400'] ? ['400'] : []),
    ...(own['403'] ? ['403'] : []),
    ...(changes ? ['409'] : []),
    'default',
  ]
}

function planBody(components: Components, { operation, body }: DescribedRoute): Operation {
  const { requestBody, 'x-example': own } = operation
  if (requestBody) {
    const planned = Object.entries(requestBody.content).map(([type, { schema, ...media }]) => [
      type,
      { ...media, ...(schema && { schema: components.plan(schema as TSchema) }) },
    ])
    return { requestBody: { ...requestBody, content: Object.fromEntries(planned) } }
  }
  if (!body) return {}
  const schema = components.plan(body)
  const { required = [], examples } = components.resolve(schema)
  const example = own ?? examples?.[0]
  const media = { schema, ...(example !== undefined && { example }) }
  return { requestBody: { required: required.length > 0, content: { [JSON_TYPE]: media } } }
}

/** The headers that a success has beside those of every answer, which the document tells once. */
function planHeaders({ operation }: DescribedRoute) {
  const names: AnswerHeader[] = [
    ...(operation['x-tagged'] === true ? ['ETag' as const] : []),
    ...(operation['x-idempotent'] === true ? ['Idempotency-Replayed' as const] : []),
  ]
  return names.length > 0 ? { headers: referToHeaders(...names) } : {}
}

const FILE_HEADERS: Readonly<Record<string, readonly AnswerHeader[]>> = {
  '200': ['Content-Disposition'],
  '206': ['Content-Disposition', 'Content-Range'],
}

/** Files say more of themselves than JSON: their name, and where ranges are answered, their tag. */
function planFileHeaders(status: string, responses: Record<string, Answer>) {
  const isKept = '206' in responses
  return referToHeaders(
    ...(FILE_HEADERS[status] ?? []),
    ...(isKept ? (['ETag', 'Accept-Ranges'] as const) : []),
  )
}

/** The media of an answer; its example stands with the schema of its payload where that may. */
const planMedia = (components: Components, schema: DocumentSchema): MediaType =>
  showSample(components, schema) ? { schema } : { schema, example: sampleOf(components, schema) }

function planSuccesses(components: Components, route: DescribedRoute): Record<string, Answer> {
  const { operation, answer } = route
  const { responses } = operation
  if (responses)
    return Object.fromEntries(
      Object.entries(responses)
        .filter(([status]) => status < '400')
        .map(([status, of]) => [status, { ...of, headers: planFileHeaders(status, responses) }]),
    )
  const headers = planHeaders(route)
  const schema = answer && components.plan(answer)
  const media = schema && planMedia(components, schema)
  const { description = 'Done' } = (answer ?? {}) as { description?: string }
  const unchanged = { description: 'The client has this answer, by its ETag', ...headers }
  const empty = Object.entries((operation['x-empty'] ?? {}) as Readonly<Record<string, string>>)
  return {
    '200': { description, ...headers, ...(media && { content: { [JSON_TYPE]: media } }) },
    ...Object.fromEntries(empty.map(([status, of]) => [status, { description: of, ...headers }])),
    ...(operation['x-tagged'] === true && { '304': unchanged }),
  }
}

/** Own refusals of a route's `detail`, by status. */
type OwnRefusals = Readonly<Record<string, TSchema | undefined>>

function planAnswers(components: Components, route: DescribedRoute): Record<string, Answer> {
  const answers = planSuccesses(components, route)
  const own = (route.operation['x-refusals'] ?? {}) as OwnRefusals
  for (const status of planStatuses(route)) {
    const name = BY_STATUS[status]
    const schema = own[status]
    if (schema && name && name !== 'Refused')
      answers[status] = planRefusal(components, name, schema)
    else if (name) answers[status] = { $ref: `#/components/responses/${name}` }
  }
  return answers
}

function planParameters(components: Components, route: DescribedRoute): Parameter[] {
  const { operation, path, isPublic } = route
  const own = (operation.parameters ?? []).map(({ schema, examples, required, ...parameter }) => ({
    ...parameter,
    ...((required || parameter.in === 'path') && { required: true }),
    ...(schema && { schema: components.plan(schema as TSchema) }),
    // One that may be left out has none: a page would send it.
    ...((required || parameter.in === 'path') &&
      examples?.[0] !== undefined && { example: examples[0] }),
  }))
  const refer = (name: string): Parameter => ({ $ref: `#/components/parameters/${name}` })
  const isTagged = operation['x-tagged'] === true || operation.responses?.['206'] !== undefined
  const tags = isTagged ? [refer('Tag')] : []
  if (!path.startsWith('/api/')) return [...own, ...tags]
  const shared = isPublic ? ['Language'] : Object.keys(REQUEST_HEADERS)
  if (operation['x-idempotent'] === true) shared.unshift('Key')
  return [...own, ...tags, ...shared.map(refer)]
}

/** Members of a `detail` that are for the server, or are planned again. */
const NOT_SHOWN: ReadonlySet<string> = new Set([
  ...['x-example', 'x-idempotent', 'x-tagged', 'x-refusals', 'x-empty', 'x-direct'],
  'x-invalid',
  'x-values',
  ...['parameters', 'requestBody', 'responses', 'x-gate'],
])

/**
 * The gate in the parts that programs read: roles, or a right on what. Without one it is what the
 * security of the operation says, or the description.
 */
function planGate({ kind, ...told }: Gate): { 'x-gate'?: object } {
  const isSaid = kind === 'named' || Object.keys(told).length === 0
  return isSaid ? {} : { 'x-gate': told }
}

/** The operation with its parameters, body, every answer and its security. */
export function planOperation(components: Components, route: DescribedRoute): Operation {
  const said = Object.entries(route.operation).filter(([name]) => !NOT_SHOWN.has(name))
  return {
    ...Object.fromEntries(said),
    ...planGate(route.gate),
    parameters: planParameters(components, route),
    ...planBody(components, route),
    responses: planAnswers(components, route),
    ...(route.isPublic && { security: [] }),
  }
}
