/**
 * Direct routes, which the pipeline answers itself, by what they declare: their handlers take
 * parameters of the path and a JSON body alone, and give a `Response`. Elysia would make a stream
 * of the body and walk through it twice more (src/server/README.md, Decisions).
 */
import { Kind, type TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { getSchemaValidator, ValidationError } from 'elysia'
import { matchNames } from './case-insensitive-body.ts'

/** In a route's `detail`: see above. */
export const DIRECT = { 'x-direct': true } as const

/** Context of the handler and hooks of a direct route. */
interface DirectContext {
  request: Request
  /** The path that it is declared with. */
  route: string
  params: Readonly<Record<string, string>>
  body: unknown
}

type Step = (context: DirectContext) => unknown

/** An entry of Elysia's route list, in the parts that are read. */
export interface DeclaredRoute {
  method: string
  path: string
  handler?: unknown
  hooks: {
    body?: unknown
    params?: unknown
    query?: unknown
    headers?: unknown
    cookie?: unknown
    transform?: unknown
    beforeHandle?: unknown
    afterHandle?: unknown
    mapResponse?: unknown
    detail?: unknown
  }
}

/** Returns true when a route's `detail` marks it as direct. */
export const isDirect = (detail: unknown): boolean =>
  typeof detail === 'object' && detail !== null && Reflect.get(detail, 'x-direct') === true

/** Declarations that a direct route may not have. */
const FOREIGN = [
  ...['query', 'headers', 'cookie'],
  ...['beforeHandle', 'afterHandle', 'mapResponse'],
] as const

/** A direct route; the schema of its body is compiled at its first use. */
export class DirectRoute {
  readonly #path: string
  readonly #steps: readonly Step[]
  readonly #handler: Step
  readonly #schemas: { body: TSchema; params: TSchema | undefined }
  #body: Check | undefined
  #params: Check | undefined

  /** @throws Error for a route that declares more than it may. */
  constructor({ path, handler, hooks }: DeclaredRoute) {
    const foreign = FOREIGN.filter((name) => hooks[name as keyof typeof hooks] !== undefined)
    if (foreign.length > 0 || typeof handler !== 'function' || !isSchema(hooks.body))
      throw new Error(`The route ${path} cannot be direct: ${foreign.join()}`)
    this.#path = path
    this.#handler = handler as Step
    this.#steps = listSteps(hooks.transform)
    this.#schemas = {
      body: hooks.body,
      params: isSchema(hooks.params) ? hooks.params : undefined,
    }
  }

  /** Spells the members of a body as the schema does; true where it fits already, as it is. */
  match(body: object): boolean {
    this.#body ??= new Check('body', this.#schemas.body)
    if (this.#body.fits(body)) return true
    matchNames(this.#schemas.body, body)
    return false
  }

  /**
   * Runs hooks and handler, with a matched body: `fits` is the result of `match`.
   * @throws ValidationError for values that do not fit the schemas
   */
  async answer(
    request: Request,
    params: Readonly<Record<string, string>>,
    { body, fits }: { body: object; fits: boolean },
  ): Promise<Response> {
    const context: DirectContext = { request, route: this.#path, params, body }
    for (const step of this.#steps) {
      const done = step(context)
      if (done instanceof Promise) await done
    }
    if (this.#schemas.params) {
      this.#params ??= new Check('params', this.#schemas.params)
      if (!this.#params.fits(params)) this.#params.require(params)
    }
    this.#body ??= new Check('body', this.#schemas.body)
    if (!fits) context.body = this.#body.require(body)
    const response = await this.#handler(context)
    if (!(response instanceof Response)) throw new Error(`${this.#path} gives no Response`)
    return response
  }
}

const isSchema = (value: unknown): value is TSchema => typeof value === 'object' && value !== null

/** Hooks as Elysia keeps them: a function, a function in a container, or a list of these. */
const listSteps = (hooks: unknown): Step[] =>
  (Array.isArray(hooks) ? hooks : [hooks]).flatMap((hook: unknown): Step[] => {
    const step: unknown = typeof hook === 'object' && hook !== null ? Reflect.get(hook, 'fn') : hook
    return typeof step === 'function' ? [step as Step] : []
  })

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
