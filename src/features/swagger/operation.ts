/** One operation of the document: completed from its method, its path and its `x-example`. */
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
  { 'x-example': example, 'x-idempotent': isIdempotent, ...operation }: Operation,
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
