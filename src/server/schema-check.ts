/** The check of values by a schema, compiled at its first use. */
import { Kind, type TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { getSchemaValidator } from 'elysia'
import type { Failure } from '../kernel/failure.ts'
import { refuseUnfit } from './unfit.ts'

type Validator = ReturnType<typeof getSchemaValidator<TSchema>>

/** One check for what fits as it is, and Elysia's own validator for the rest. */
export class SchemaCheck {
  readonly #schema: TSchema
  #isClosed: { Check(value: unknown): boolean } | false | undefined
  #validator: Validator | undefined

  constructor(schema: TSchema) {
    this.#schema = schema
  }

  /** Returns true for a value that fits and has no member that the schema does not know. */
  fits(value: unknown): boolean {
    if (this.#isClosed === undefined) {
      const closed = closeObjects(this.#schema)
      this.#isClosed = closed ? TypeCompiler.Compile(closed) : false
    }
    return this.#isClosed ? this.#isClosed.Check(value) : false
  }

  /** The value without members that the schema does not know. @throws validation */
  require(value: unknown): unknown {
    const validator = this.#open()
    const clean: unknown = validator.Clean?.(value) ?? value
    if (!validator.Check(clean)) throw refuseUnfit(validator.Errors(clean))
    return clean
  }

  /**
   * Returns the refusal of a value that does not fit, undefined for one that does, with unknown
   * members or without. Elysia would write the whole value into its error.
   */
  refuse(value: unknown): Failure | undefined {
    const validator = this.#open()
    return validator.Check(value) ? undefined : refuseUnfit(validator.Errors(value))
  }

  #open(): Validator {
    return (this.#validator ??= getSchemaValidator(this.#schema, { normalize: 'typebox' }))
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
