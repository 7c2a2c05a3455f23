/** Answers held against the OpenAPI document, by a validator of JSON Schema that is not ours. */
import addFormats from 'ajv-formats'
import Ajv2020 from 'ajv/dist/2020'
import type { OpenApiDocument } from '../../src/features/swagger/document.ts'

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
  readonly #document: OpenApiDocument

  constructor(document: OpenApiDocument) {
    this.#document = document
    addFormats(this.#ajv)
    this.#ajv.addFormat('binary', true)
    this.#ajv.addSchema(closed(document) as object, 'document')
  }

  /** Faults of an answer, in the words of the validator; empty where it fits. */
  findAnswerFaults({ path, method, status }: Documented, body: unknown): string[] {
    const answer = this.#document.paths[path]?.[method.toLowerCase()]?.responses?.[status]
    const place =
      answer?.$ref ?? `#/paths/${pointer(path)}/${method.toLowerCase()}/responses/${status}`
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
