/** One operation of the document: completed from its method, its path and the examples. */
import { EXAMPLES, PATH_EXAMPLES } from './examples.ts'
import { answerHeaders, REQUEST_HEADERS } from './headers.ts'
import type { RefusalName } from './refusals.ts'
import { sampleOf } from './sample.ts'

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
    ...(path.startsWith('/api/') || path.startsWith('/files/') ? ['404'] : []),
    ...(takesBody ? ['409', '413', '429'] : []),
    '500',
  ]
}

/** The server reads and writes JSON; other content types are what a route itself asks for. */
function onlyJson(content: Record<string, MediaType>): Record<string, MediaType> {
  const json = content[JSON_TYPE]
  return json ? { [JSON_TYPE]: json } : content
}

function completeBody(operation: Operation, key: string): Operation['requestBody'] {
  if (!operation.requestBody) return undefined
  const content = onlyJson(operation.requestBody.content)
  const media = content[JSON_TYPE]
  const example = EXAMPLES[key] ?? media?.schema?.examples?.[0]
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

/** What a path parameter is filled with: that of the route, else that of its name. */
const findExample = (path: string, name = ''): string | undefined =>
  PATH_EXAMPLES[`${path} ${name}`] ?? PATH_EXAMPLES[name]

function completeParameters(operation: Operation, facts: OperationFacts): Parameter[] {
  const own = (operation.parameters ?? []).map((parameter) => {
    const example = parameter.in === 'path' ? findExample(facts.path, parameter.name) : undefined
    return {
      ...parameter,
      ...(parameter.in === 'path' && { required: true }),
      ...(example !== undefined && { example }),
    }
  })
  if (!facts.path.startsWith('/api/')) return own
  const shared = facts.isPublic ? ['Accept-Language'] : Object.keys(REQUEST_HEADERS)
  return [...own, ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` }))]
}

/** The operation with its area, parameters, body, every answer and its security. */
export function completeOperation(operation: Operation, facts: OperationFacts): Operation {
  const requestBody = completeBody(operation, `${facts.method.toUpperCase()} ${facts.path}`)
  return {
    ...operation,
    parameters: completeParameters(operation, facts),
    ...(requestBody && { requestBody }),
    responses: completeAnswers(operation, facts),
    ...(facts.isPublic && { security: [] }),
  }
}
