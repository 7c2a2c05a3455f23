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
 * know; a schema that contains itself is in `$defs`.
 */
export function toToolSchema(parameters: TSchema): ToolSchema {
  const flat = new SchemaWriter(new Set())
  flat.write(parameters)
  const writer = new SchemaWriter(flat.referred)
  const written = writer.write(parameters)
  return {
    ...written,
    type: 'object',
    ...(writer.defs.size > 0 && { $defs: Object.fromEntries(writer.defs) }),
  }
}

/** Writes schemas; those whose names are `apart` once, under `$defs`. */
class SchemaWriter {
  /** Names that references lead to. */
  readonly referred = new Set<string>()
  readonly defs = new Map<string, Record<string, unknown>>()
  readonly #apart: ReadonlySet<string>

  constructor(apart: ReadonlySet<string>) {
    this.#apart = apart
  }

  write(schema: TSchema): Record<string, unknown> {
    const name = findName(schema)
    if (name === undefined || !this.#apart.has(name)) return this.#writeKeywords(schema)
    if (!this.defs.has(name)) {
      this.defs.set(name, {})
      this.defs.set(name, this.#writeKeywords(schema))
    }
    return refer(name)
  }

  #writeKeywords(schema: TSchema): Record<string, unknown> {
    if (typeof schema.$ref === 'string') {
      this.referred.add(schema.$ref)
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
