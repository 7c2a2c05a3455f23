/** Parameters of tools as models and MCP clients see them: JSON Schema that refuses what we do. */
import type { TSchema } from '@sinclair/typebox'
import { findName, findShown } from '../../kernel/schema.ts'

/** A JSON Schema (2020-12) of a tool's arguments, complete in itself. */
interface ToolSchema {
  type: 'object'
  [keyword: string]: unknown
}

/** Keywords whose value is a map of schemas. */
const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties'])

/**
 * The schema of a tool with the words of its enumerations, closed to members that it does not
 * know. A named schema that is met more than once, or contains itself, is in `$defs`: models are
 * sent each of them once.
 */
export function toToolSchema(parameters: TSchema): ToolSchema {
  const counting = new SchemaWriter(() => true)
  counting.write(parameters)
  const writer = new SchemaWriter((name) => (counting.met.get(name) ?? 0) > 1)
  const written = writer.write(parameters)
  return {
    ...written,
    type: 'object',
    ...(writer.defs.size > 0 && { $defs: Object.fromEntries(writer.defs) }),
  }
}

/** Writes schemas; those whose names are apart once, under `$defs`. */
class SchemaWriter {
  /** How often each name was met. */
  readonly met = new Map<string, number>()
  readonly defs = new Map<string, Record<string, unknown>>()
  readonly #isApart: (name: string) => boolean

  constructor(isApart: (name: string) => boolean) {
    this.#isApart = isApart
  }

  write(schema: TSchema): Record<string, unknown> {
    const name = findName(schema)
    if (name === undefined) return this.#writeKeywords(schema)
    this.#meet(name)
    if (!this.#isApart(name)) return this.#writeKeywords(schema)
    // A description is of its place, also for clients that look up no reference.
    if (!this.defs.has(name)) {
      this.defs.set(name, {})
      const { description: _, ...definition } = this.#writeKeywords(schema)
      this.defs.set(name, definition)
    }
    const { description } = { ...schema, ...findShown(schema) }
    return { ...refer(name), ...(description !== undefined && { description }) }
  }

  #meet(name: string): void {
    this.met.set(name, (this.met.get(name) ?? 0) + 1)
  }

  #writeKeywords(schema: TSchema): Record<string, unknown> {
    if (typeof schema.$ref === 'string') {
      this.#meet(schema.$ref)
      return refer(schema.$ref)
    }
    const keywords = Object.entries({ ...schema, ...findShown(schema) })
    const written = keywords.map(([keyword, value]): [string, unknown] => [
      keyword,
      MAPS.has(keyword) ? this.#writeMap(value as Record<string, TSchema>) : this.#write(value),
    ])
    const closed = 'properties' in schema ? { additionalProperties: false } : {}
    return { ...Object.fromEntries(written), ...closed }
  }

  #writeMap(schemas: Readonly<Record<string, TSchema>>): Record<string, unknown> {
    const written = Object.entries(schemas).map(([name, of]) => [name, this.write(of)] as const)
    return Object.fromEntries(written)
  }

  /** Writes what a keyword has: one schema, a list of them, or a plain value. */
  #write(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each: unknown) => this.#write(each))
    return typeof value === 'object' && value !== null ? this.write(value as TSchema) : value
  }
}

const refer = (name: string): { $ref: string } => ({ $ref: `#/$defs/${name}` })
