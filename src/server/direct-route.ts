/**
 * Direct routes, which the pipeline answers itself, by what they declare: their handlers take
 * parameters of the path and a JSON body alone, and give a `Response`. Elysia would make a stream
 * of the body and walk through it twice more (src/server/README.md, Decisions).
 */
import { Kind, type TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { getSchemaValidator, ValidationError } from 'elysia'
import { matchNames } from './case-insensitive-body.ts'
import type { RouteCall } from './route-call.ts'
import type { Route } from './route.ts'

/** In a route's `detail`: see above. */
export const DIRECT = { 'x-direct': true } as const

/** A direct route; the schema of its body is compiled at its first use. */
export class DirectRoute {
  readonly #route: Route
  readonly #schemas: { body: TSchema; params: TSchema | undefined }
  #body: Check | undefined
  #params: Check | undefined

  /** @throws Error for a route that declares more than it may. */
  constructor(route: Route) {
    const { params, body, query } = route.declaration
    if (query || !body) throw new Error(`The route ${route.path} cannot be direct`)
    this.#route = route
    this.#schemas = { body, params }
  }

  /** Spells the members of a body as the schema does; true where it fits already, as it is. */
  match(body: object): boolean {
    this.#body ??= new Check('body', this.#schemas.body)
    if (this.#body.fits(body)) return true
    matchNames(this.#schemas.body, body)
    return false
  }

  /**
   * Answers a call behind its gate, whose body is matched: `fits` is the result of `match`.
   * @throws ValidationError for values that do not fit the schemas
   */
  async answer(call: RouteCall, fits: boolean): Promise<Response> {
    const { before, handler, path } = this.#route
    if (before) await before(call)
    if (this.#schemas.params) {
      this.#params ??= new Check('params', this.#schemas.params)
      if (!this.#params.fits(call.params)) this.#params.require(call.params)
    }
    this.#body ??= new Check('body', this.#schemas.body)
    if (!fits) call.body = this.#body.require(call.body)
    const response = await handler(call)
    if (!(response instanceof Response)) throw new Error(`${path} gives no Response`)
    return response
  }
}

type Validator = ReturnType<typeof getSchemaValidator<TSchema>>

/** One check for what fits as it is, and Elysia's own validator for the rest. */
class Check {
  readonly #type: 'body' | 'params'
  readonly #schema: TSchema
  readonly #isClosed: { Check(value: unknown): boolean } | undefined
  #validator: Validator | undefined

  constructor(type: 'body' | 'params', schema: TSchema) {
    this.#type = type
    this.#schema = schema
    const closed = closeObjects(schema)
    this.#isClosed = closed && TypeCompiler.Compile(closed)
  }

  /** Returns true for a value that fits and has no member that the schema does not know. */
  fits(value: unknown): boolean {
    return this.#isClosed?.Check(value) ?? false
  }

  /** The value without members that the schema does not know. @throws ValidationError */
  require(value: unknown): unknown {
    this.#validator ??= getSchemaValidator(this.#schema, { normalize: 'typebox' })
    const clean: unknown = this.#validator.Clean?.(value) ?? value
    if (!this.#validator.Check(clean))
      throw new ValidationError(this.#type, this.#validator, clean, false)
    return clean
  }
}

const LEAVES = new Set(['String', 'Integer', 'Number', 'Boolean', 'Null', 'Literal', 'Unknown'])

/**
 * The schema, whose objects take no further members; undefined where it has a kind of which it is
 * not known that such a value stays as it is when it is cleaned.
 */
function closeObjects(schema: TSchema): TSchema | undefined {
  const kind = schema[Kind]
  if (LEAVES.has(kind)) return schema
  if (schema.additionalProperties !== undefined) return undefined
  switch (kind) {
    case 'Object':
      return closeMembers(schema, 'properties')
    case 'Record':
      return closeMembers(schema, 'patternProperties')
    case 'Array': {
      const items = closeObjects(schema.items as TSchema)
      return items && ({ ...schema, items } as TSchema)
    }
    case 'Union': {
      const anyOf = (schema.anyOf as TSchema[]).map(closeObjects)
      return anyOf.every((part) => part !== undefined)
        ? ({ ...schema, anyOf } as TSchema)
        : undefined
    }
    default:
      return undefined
  }
}

function closeMembers(
  schema: TSchema,
  name: 'properties' | 'patternProperties',
): TSchema | undefined {
  const members: Record<string, TSchema> = {}
  for (const [key, part] of Object.entries(schema[name] as Record<string, TSchema>)) {
    const closed = closeObjects(part)
    if (!closed) return undefined
    members[key] = closed
  }
  return { ...schema, [name]: members, additionalProperties: false } as TSchema
}
