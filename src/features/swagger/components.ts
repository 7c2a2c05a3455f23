/**
 * Schemas as the document has them: TypeBox's in the words of OpenAPI 3.1, those with a name once,
 * under `components.schemas`.
 */
import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from '@sinclair/typebox'
import { findName, findShown } from '../../kernel/schema.ts'

/** A JSON Schema (2020-12) as the document has it. */
export interface DocumentSchema {
  $ref?: string
  type?: string | readonly string[]
  description?: string
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  examples?: readonly unknown[]
  anyOf?: readonly DocumentSchema[]
  allOf?: readonly DocumentSchema[]
  properties?: Readonly<Record<string, DocumentSchema>>
  required?: readonly string[]
  additionalProperties?: DocumentSchema | boolean
  items?: DocumentSchema
  prefixItems?: readonly DocumentSchema[]
  [keyword: string]: unknown
}

/** A schema of TypeBox, in the parts that are read. */
interface Source {
  $ref?: string
  type?: string
  const?: unknown
  anyOf?: readonly TSchema[]
  allOf?: readonly TSchema[]
  properties?: Readonly<Record<string, TSchema>>
  patternProperties?: Readonly<Record<string, TSchema>>
  additionalProperties?: TSchema | boolean
  items?: TSchema | readonly TSchema[]
  minItems?: number
  description?: string
  [keyword: string]: unknown
}

const COMPONENTS = '#/components/schemas/'
const SIMPLE: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean'])
const NULL = { type: 'null' } as const

/** Schemas under `components.schemas`, gathered as they are planned. */
export class Components {
  readonly #schemas = new Map<string, DocumentSchema>()
  readonly #examples = new Map<string, readonly unknown[]>()
  /** A schema that many routes share is planned once. */
  readonly #known = new Map<TSchema, DocumentSchema>()

  /** By name, in the order of names. */
  get schemas(): Record<string, DocumentSchema> {
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1)))
  }

  /** Shows an example with a schema that has a name; one that is there already stays. */
  show({ $ref = '' }: DocumentSchema, example: unknown): void {
    const name = $ref.slice(COMPONENTS.length)
    const found = this.#schemas.get(name)
    if (found && !found.examples) this.#schemas.set(name, { ...found, examples: [example] })
  }

  /** The schema that a reference leads to, or the schema itself. */
  resolve(schema: DocumentSchema): DocumentSchema {
    const name = schema.$ref?.startsWith(COMPONENTS) ? schema.$ref.slice(COMPONENTS.length) : ''
    const found = this.#schemas.get(name)
    if (!found) return schema
    const examples = this.#examples.get(name)
    return examples ? { ...found, examples } : found
  }

  /**
   * A schema as the document shows it: a reference where it has a name.
   * @throws Error where two schemas have one name and differ.
   */
  plan(schema: TSchema): DocumentSchema {
    const known = this.#known.get(schema)
    if (known) return known
    const planned = this.#plan(schema)
    this.#known.set(schema, planned)
    return planned
  }

  #plan(schema: TSchema): DocumentSchema {
    const name = findName(schema)
    const source = { ...schema, ...findShown(schema) } as Source
    if (name === undefined) return this.#write(source)
    const { examples, ...written } = this.#write(source)
    if (examples) this.#examples.set(name, examples)
    const first = this.#schemas.get(name)
    const { description, ...rest } = written
    if (first && !isDeepStrictEqual(rest, withoutWords(first)))
      throw new Error(`Two schemas are named ${name}`)
    if (first?.description === undefined)
      this.#schemas.set(name, { ...written, ...(first?.examples && { examples: first.examples }) })
    const $ref = COMPONENTS + name
    const isOther = first?.description !== undefined && description !== first.description
    return isOther && description !== undefined ? { $ref, description } : { $ref }
  }

  #write(source: Source): DocumentSchema {
    const { $ref, anyOf, allOf, properties, patternProperties, items, ...rest } = source
    const { additionalProperties, additionalItems: _, ...plain } = rest
    const said = withoutExtensions(plain)
    if ($ref !== undefined) return { ...said, $ref: COMPONENTS + $ref }
    if (anyOf) return this.#writeChoice(anyOf, said)
    if (allOf) return { allOf: allOf.map((part) => this.plan(part)), ...withoutType(said) }
    if (isList(items)) return this.#writeTuple(items, said)
    const values = patternProperties ? Object.values(patternProperties)[0] : additionalProperties
    return {
      ...said,
      // Clients with 32 bits would else take ids and sizes for small ones.
      ...(said.type === 'integer' && { format: 'int64' }),
      ...(properties && { properties: mapValues(properties, (part) => this.plan(part)) }),
      ...(items && { items: this.plan(items) }),
      // A boolean is left out: Elysia notes one in a schema at its first use, so in some only.
      ...(typeof values === 'object' && { additionalProperties: this.plan(values) }),
    }
  }

  /** Writes the entries one by one, and what they are together, which older tools read. */
  #writeTuple(parts: readonly TSchema[], said: DocumentSchema): DocumentSchema {
    const prefixItems = parts.map((part) => this.plan(part))
    const kinds = prefixItems.filter(
      (part, at) => prefixItems.findIndex((other) => isDeepStrictEqual(other, part)) === at,
    )
    const [only] = kinds
    const items = only && kinds.length === 1 ? only : { anyOf: kinds }
    return { ...said, prefixItems, items }
  }

  /** Writes a choice: literals as an enumeration, one schema or null as that or null. */
  #writeChoice(parts: readonly TSchema[], said: DocumentSchema): DocumentSchema {
    const others = parts.filter((part) => part['type'] !== 'null')
    const isNullable = others.length < parts.length
    const texts = others.map((part) => part['const'] as unknown)
    const only: DocumentSchema | undefined = texts.every((text) => typeof text === 'string')
      ? { type: 'string', enum: texts }
      : others[0] && others.length === 1
        ? this.plan(others[0])
        : undefined
    if (only) return { ...(isNullable ? orNullOf(only) : only), ...said }
    return { anyOf: parts.map((part) => this.plan(part)), ...said }
  }
}

/** Adds null, as client generators know it: in a list of simple types, else in a choice. */
function orNullOf(schema: DocumentSchema): DocumentSchema {
  const { type, const: only, enum: values, ...rest } = schema
  if (!SIMPLE.has(type) || schema.$ref !== undefined) return { anyOf: [schema, NULL] }
  const allowed = only === undefined ? values : [only]
  return { ...rest, type: [type as string, 'null'], ...(allowed && { enum: [...allowed, null] }) }
}

const isList = (items: Source['items']): items is readonly TSchema[] => Array.isArray(items)

const mapValues = <T, R>(
  of: Readonly<Record<string, T>>,
  map: (value: T) => R,
): Record<string, R> =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [name, map(value)]))

/** The schema without what is said and shown of it. */
const withoutWords = ({ description: _, examples: __, ...rest }: DocumentSchema): DocumentSchema =>
  rest
const withoutType = ({ type: _, ...rest }: DocumentSchema): DocumentSchema => rest

/** Removes notes of TypeBox and Elysia, and names that only a folder of schemas has. */
const withoutExtensions = ({ $id: _, ...rest }: Source): DocumentSchema =>
  Object.fromEntries(
    Object.entries(rest).filter(([name, value]) => value !== undefined && !name.startsWith('x-')),
  ) as DocumentSchema
