/**
 * The largest bodies that the routes of an OpenAPI document admit: each list, map and free member
 * of a body's schema filled to the bounds of a body, in values and in bytes.
 */
import { BODY_DEPTH_MAX, JSON_VALUES_MAX } from '../../src/kernel/limits.ts'

interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  const?: unknown
  enum?: unknown[]
  examples?: unknown[]
}

interface Operation {
  parameters?: { in?: string; name?: string; example?: unknown }[]
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> }
}

/** The OpenAPI document, in the parts that are read. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** One request with a large body. */
export interface LargeRequest {
  method: string
  path: string
  /** The route's path as the document has it. */
  route: string
  /** The content of its body. */
  of: string
  body: string | FormData
}

/** A little under the bound, so that the example beside it has room. */
const VALUES = JSON_VALUES_MAX - 1000
const TEXT_CHARACTERS = 8 * 1024 * 1024 - 4096
/** A text of an open route, or of a member that takes short ones, is refused at once. */
const DEEPEST = 5

const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: Math.floor(count) }, (_, at) => make(at))

const toMap = (count: number): object =>
  Object.fromEntries(many(count, (at) => [`Member${at}`, at]))

/** 17 digits, which no double holds. */
const NUMERALS = many(
  VALUES,
  (at) => `90071992547${(409_931 + 2 * at).toString().padStart(6, '0')}`,
)
const NUMERALS_MARK = '@numerals'

/** The value for any free place. */
const FREE: Readonly<Record<string, () => unknown>> = {
  numbers: () => many(VALUES, (at) => at),
  members: () => toMap(VALUES),
  numerals: () => NUMERALS_MARK,
  texts: () => many(VALUES, (at) => `a text of some length, number ${at}`),
  nested: () => many(VALUES / BODY_DEPTH_MAX, () => nest(BODY_DEPTH_MAX - 6)),
}

const nest = (depth: number): unknown => (depth === 0 ? 1 : [nest(depth - 1)])

const write = (body: unknown): string =>
  JSON.stringify(body).replace(`"${NUMERALS_MARK}"`, () => `[${NUMERALS.join(',')}]`)

const countValues = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, inner) => sum + countValues(inner), 1)
    : 1

/** Bodies that are full in one place, by the way to it and what fills it. */
type Filled = [of: string, body: unknown]

/** Plans the bodies of one document. */
class Bodies {
  readonly #schemas: Record<string, Schema>

  constructor({ components }: ApiDocument) {
    this.#schemas = components.schemas
  }

  /** Bodies of a route, each the example with one place of it filled. */
  list(schema: Schema, example: unknown): Filled[] {
    const base = isMap(example) ? example : {}
    const unknown = Object.entries(FREE).map(([name, make]): Filled => [
      `unknown ${name}`,
      { ...base, Unknown: make() },
    ])
    const misspelt: Filled[] = [
      ['unknown members, 900', { ...base, ...toMap(900), Unknown: many(VALUES - 900, (at) => at) }],
    ]
    return [...unknown, ...misspelt, ...this.#fill(schema, example, '', 0)]
  }

  #resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1)
    if (name !== undefined) return this.#resolve(this.#schemas[name] ?? {})
    const { allOf, properties = {}, ...rest } = schema
    if (!allOf) return schema
    const bases = allOf.map((part) => this.#resolve(part).properties)
    return { ...rest, properties: Object.assign({}, ...bases, properties) as typeof properties }
  }

  #fill(from: Schema, sample: unknown, name: string, depth: number): Filled[] {
    const schema = this.#resolve(from)
    if (depth > DEEPEST) return []
    if (schema.anyOf) return schema.anyOf.flatMap((form) => this.#fill(form, sample, name, depth))
    if (schema.properties) return this.#fillMembers(schema.properties, sample, name, depth)
    const rest = this.#rest(schema)
    if (rest) return this.#fillMap(rest, name, depth)
    if (schema.items) return this.#fillItems(schema.items, sample, name, depth)
    if (schema.type === undefined && schema.const === undefined && schema.enum === undefined)
      return Object.entries(FREE).map(([of, make]) => [`${name} ${of}`, make()])
    if ([schema.type].flat().includes('string'))
      return [[`${name} text`, 'x'.repeat(TEXT_CHARACTERS)]]
    return []
  }

  #fillMembers(
    properties: Record<string, Schema>,
    sample: unknown,
    name: string,
    depth: number,
  ): Filled[] {
    const base = isMap(sample) ? sample : {}
    return Object.entries(properties).flatMap(([key, part]) =>
      this.#fill(part, base[key], name === '' ? key : `${name}.${key}`, depth + 1).map(
        ([of, inner]): Filled => [of, { ...base, [key]: inner }],
      ),
    )
  }

  #fillMap(rest: Schema, name: string, depth: number): Filled[] {
    const value = this.#sample(rest, depth)
    const count = VALUES / countValues(value)
    const all = Object.fromEntries(many(count, (at) => [`Member${at}`, value]))
    const inner = this.#fill(rest, undefined, `${name}.*`, depth + 1)
    return [[`${name} members`, all], ...inner.map(([of, one]): Filled => [of, { Member: one }])]
  }

  #fillItems(items: Schema, sample: unknown, name: string, depth: number): Filled[] {
    const first: unknown = Array.isArray(sample) ? sample[0] : undefined
    const item = first ?? this.#sample(items, depth)
    const inner = this.#fill(items, first, `${name}[]`, depth + 1)
    const all = many(VALUES / countValues(item), () => item)
    return [[`${name} items`, all], ...inner.map(([of, one]): Filled => [of, [one]])]
  }

  #rest({ patternProperties, additionalProperties }: Schema): Schema | undefined {
    if (patternProperties) return Object.values(patternProperties)[0]
    return typeof additionalProperties === 'object' ? additionalProperties : undefined
  }

  /** The least value that fits. */
  #sample(from: Schema, depth: number): unknown {
    const schema = this.#resolve(from)
    if (schema.examples) return schema.examples[0]
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return schema.enum[0]
    if (schema.anyOf?.[0]) return this.#sample(schema.anyOf[0], depth)
    if (schema.properties && depth < DEEPEST)
      return Object.fromEntries(
        Object.entries(schema.properties)
          .slice(0, 2)
          .map(([key, part]) => [key, this.#sample(part, depth + 1)]),
      )
    const [type] = [schema.type].flat()
    if (type === 'array') return []
    if (type === 'object') return {}
    return type === 'string' ? 'text' : type === 'boolean' ? true : 1
  }
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Routes that end or change the session of those who ask: what comes after would be a 401. */
const OF_THE_SESSION = /\/auth\/logout|\/company\/switch|\/impersonation\//

/** Yields the largest JSON bodies of the routes whose path holds `named`, one at a time. */
export function* listLargeRequests(document: ApiDocument, named = ''): Generator<LargeRequest> {
  const bodies = new Bodies(document)
  for (const [route, methods] of Object.entries(document.paths)) {
    if (!route.includes(named) || OF_THE_SESSION.test(route)) continue
    for (const [method, { parameters = [], requestBody }] of Object.entries(methods)) {
      const json = requestBody?.content['application/json']
      if (!json) continue
      const path = route.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(String(parameters.find((each) => each.name === name)?.example ?? 1)),
      )
      for (const [of, body] of bodies.list(json.schema, json.example))
        yield { method: method.toUpperCase(), path, route, of, body: write(body) }
    }
  }
}
