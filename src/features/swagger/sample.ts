/** Examples of answers, made from their schemas: of the right shape, with values as they come. */
import type { Components, DocumentSchema } from './components.ts'
import { SAMPLE_VALUES, SAMPLES_BY_SCHEMA } from './sample-values.ts'

/** Names of members that are usually null. */
const MOSTLY_NULL: ReadonlySet<string> = new Set(['Impersonator', 'Next', 'NextCursor'])
const INSTANT = '2026-01-05T08:00:00.000Z'

/** A member of a schema: by its own name, and by that of the schema where it has one. */
interface Member {
  name: string
  owner: string
}

const NO_MEMBER: Member = { name: '', owner: '' }

/**
 * An example of a schema: its own where it has one, else made of its parts. A text of which no
 * value is known is null where it may be, and its own name else.
 */
export function sampleOf(
  components: Components,
  schema: DocumentSchema,
  member: Member = NO_MEMBER,
): unknown {
  const { const: only, examples, enum: values, anyOf, allOf, ...rest } = components.resolve(schema)
  if (only !== undefined) return only
  if (examples?.[0] !== undefined) return examples[0]
  const { items, additionalProperties, properties } = rest
  const type = typeof rest.type === 'object' ? sampleType(rest.type, member) : rest.type
  if (anyOf?.[0]) return sampleChoice(components, anyOf, member)
  if (allOf) {
    const parts = allOf.map((part) => sampleOf(components, part, member) as object)
    return Object.assign({}, ...parts) as unknown
  }
  const known = findKnown(member)
  if (known !== undefined && fits(known, type, items) && isListed(known, values)) return known
  if (values) return type === 'null' ? null : values[0]
  if (type === 'array') return sampleList(components, rest, member)
  if (type !== 'object') return sampleValue(type, rest, member)
  if (!properties && typeof additionalProperties === 'object') return {}
  return sampleMembers(components, rest, nameOf(schema))
}

const findKnown = ({ name, owner }: Member): unknown =>
  SAMPLES_BY_SCHEMA[owner]?.[name] ?? SAMPLE_VALUES.get(name)

const nameOf = ({ $ref }: DocumentSchema): string => $ref?.split('/').at(-1) ?? ''

/** Samples the first of several schemas; null where that is usual, or nothing else is known. */
function sampleChoice(
  components: Components,
  parts: readonly DocumentSchema[],
  member: Member,
): unknown {
  const [first = {}] = parts
  const mayBeNull = parts.some((part) => part.type === 'null')
  if (mayBeNull && (MOSTLY_NULL.has(member.name) || isUnknown(components.resolve(first), member)))
    return null
  return sampleOf(components, first, member)
}

/** Checks for a text of which no value is known. */
const isUnknown = ({ type, format, examples, enum: values }: DocumentSchema, member: Member) =>
  type === 'string' && !format && !examples && !values && findKnown(member) === undefined

function sampleType(types: readonly string[], member: Member): string | undefined {
  const isNull = MOSTLY_NULL.has(member.name) || isUnknown({ type: types[0] }, member)
  return isNull && types.includes('null') ? 'null' : types[0]
}

const isListed = (value: unknown, values: readonly unknown[] | undefined): boolean =>
  values === undefined || values.includes(value)

/** A list of one entry; of none where its texts are not known. */
function sampleList(
  components: Components,
  { items, maxItems }: DocumentSchema,
  member: Member,
): unknown[] {
  if (!items || maxItems === 0 || isUnknown(components.resolve(items), member)) return []
  return [sampleOf(components, items, member)]
}

/** Samples the members of a schema, without optional ones. */
const sampleMembers = (
  components: Components,
  { properties = {}, required = [] }: DocumentSchema,
  owner: string,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name))
      .map(([name, part]) => [name, sampleOf(components, part, { name, owner })]),
  )

function sampleValue(type: string | undefined, schema: DocumentSchema, { name }: Member): unknown {
  if (schema['format'] === 'date-time') return INSTANT
  if (type === 'string') return name || 'text'
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  return null
}

const fits = (
  value: unknown,
  type: string | undefined,
  items: DocumentSchema | undefined,
): boolean =>
  Array.isArray(value)
    ? type === 'array' && items?.type === 'string'
    : typeof value === (type === 'integer' || type === 'number' ? 'number' : type)
