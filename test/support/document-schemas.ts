/** Answers held against the OpenAPI document, by a validator of JSON Schema that is not ours. */
import addFormats from 'ajv-formats'
import Ajv2020 from 'ajv/dist/2020'
import type { DocumentSchema } from '../../src/features/swagger/components.ts'
import type { OpenApiDocument } from '../../src/features/swagger/document.ts'
import type { MediaType, Operation } from '../../src/features/swagger/parts.ts'

/** A part of the document in the place of a reference to it; any other part as it is. */
export function resolvePart<T extends { $ref?: string }>(document: object, part: T): T {
  if (part.$ref === undefined) return part
  return part.$ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document) as T
}

/** An operation with its place; its parameters include those that its path has for all. */
export interface DocumentedOperation {
  /** `GET /path`. */
  route: string
  method: string
  path: string
  operation: Operation
}

/** All operations of the document. */
export const listOperations = ({ paths }: OpenApiDocument): DocumentedOperation[] =>
  Object.entries(paths).flatMap(([path, { parameters = [], ...operations }]) =>
    Object.entries(operations).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      operation: { ...operation, parameters: [...parameters, ...(operation.parameters ?? [])] },
    })),
  )

/**
 * The example of an answer's body as readers of the document make it: its own, or that of its
 * schema; without one, of the parts of that.
 */
export const exampleOf = (document: object, { example, schema }: MediaType = {}): unknown =>
  example ?? sampleOf(document, schema ?? {})

function sampleOf(document: object, schema: DocumentSchema): unknown {
  const { examples, const: only, items, properties, type } = resolvePart(document, schema)
  if (examples?.[0] !== undefined) return examples[0]
  if (only !== undefined) return only
  if (items) return [sampleOf(document, items)]
  if (type === 'boolean') return true
  if (!properties) return null
  const members = Object.entries(properties)
  return Object.fromEntries(members.map(([name, part]) => [name, sampleOf(document, part)]))
}

type Properties = Readonly<Record<string, DocumentSchema>>

/** A schema with the members of those that it has all of, beside its own. */
function whole(document: object, schema: DocumentSchema): DocumentSchema {
  const { allOf, ...own } = schema
  if (!allOf || own.type !== 'object') return schema
  const parts = [...allOf.map((part) => whole(document, resolvePart(document, part))), own]
  return {
    ...own,
    properties: Object.assign({}, ...parts.map((part) => part.properties)) as Properties,
    required: parts.flatMap(({ required = [] }) => required),
  }
}

/** The document whose schemas have all of their members in one place. */
function withWholeSchemas(document: OpenApiDocument): OpenApiDocument {
  const { schemas, ...others } = document['components'] as {
    schemas: Record<string, DocumentSchema>
  }
  const written = Object.entries(schemas).map(([name, each]) => [name, whole(document, each)])
  return { ...document, components: { ...others, schemas: Object.fromEntries(written) } }
}

/** Every object of the document as one that has no other members than those it declares. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const parts = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, closed(part)]),
  )
  const isObject = parts['type'] === 'object' && 'properties' in parts
  return isObject && !('additionalProperties' in parts)
    ? { ...parts, additionalProperties: false }
    : parts
}

const pointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** The described part of an answer: its JSON, by where the document describes it. */
export interface Documented {
  path: string
  method: string
  status: string
}

/** Says what is wrong with bodies by the document, in which members are missing or too many. */
export class DocumentSchemas {
  readonly #ajv = new Ajv2020({ allErrors: true, strict: false })
  readonly #operations: ReadonlyMap<string, Operation>

  constructor(document: OpenApiDocument) {
    this.#operations = new Map(
      listOperations(document).map(({ route, operation }) => [route, operation]),
    )
    addFormats(this.#ajv)
    this.#ajv.addFormat('binary', true)
    this.#ajv.addSchema(closed(withWholeSchemas(document)) as object, 'document')
  }

  /** Faults of an answer, in the words of the validator; empty where it fits. */
  findAnswerFaults({ path, method, status }: Documented, body: unknown): string[] {
    const route = `${method.toUpperCase()} ${path}`
    const answers = this.#operations.get(route)?.responses ?? {}
    const told = status in answers ? status : 'default'
    const place =
      answers[told]?.$ref ?? `#/paths/${pointer(path)}/${method.toLowerCase()}/responses/${told}`
    return this.#findFaults(`document${place}/content/application~1json/schema`, body)
  }

  /** The same of a request. */
  findBodyFaults({ path, method }: Omit<Documented, 'status'>, body: unknown): string[] {
    const place = `#/paths/${pointer(path)}/${method.toLowerCase()}/requestBody`
    return this.#findFaults(`document${place}/content/application~1json/schema`, body)
  }

  #findFaults(reference: string, body: unknown): string[] {
    const validate = this.#ajv.getSchema(reference.replace(/[{}]/g, encodeURIComponent))
    if (!validate) return [`${reference} does not exist`]
    if (validate(body)) return []
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${instancePath || '/'} ${message ?? ''} ${JSON.stringify(params)}`,
    )
  }
}
