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
  /** It is within an entry of a list, whose own lists and parts that may be null are left out. */
  isNested: boolean
}

const NO_MEMBER: Member = { name: '', owner: '', isNested: false }

/**
 * Shows an example with the schema of what an envelope is around: of one entry where that is a
 * list. Readers of the document make the rest of the answer from it, as often as it is answered.
 * False where the schema has no place for one.
 */
export function showSample(components: Components, schema: DocumentSchema): boolean {
  const { type, items, properties = {} } = components.resolve(schema)
  if (type === 'null' || type === 'boolean') return true
  const { success, data } = properties
  if (success?.const === true && data) return showSample(components, data)
  if (items) return showSample(components, items)
  if (schema.$ref === undefined) return false
  const parts = Object.values(properties)
  if (parts.length > 0 && parts.every((part) => part.$ref ?? part.items?.$ref))
    return parts.map((part) => showSample(components, part)).every(Boolean)
  components.show(schema, sampleOf(components, schema))
  return true
}

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
  const { isNested } = member
  return sampleMembers(components, rest, { owner: nameOf(schema), isNested })
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
  const isBlank =
    member.isNested || MOSTLY_NULL.has(member.name) || isUnknown(components.resolve(first), member)
  if (isBlank && parts.some((part) => part.type === 'null')) return null
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
  { items, minItems, maxItems }: DocumentSchema,
  member: Member,
): unknown[] {
  const isBlank = member.isNested && minItems === undefined
  if (!items || maxItems === 0 || isBlank || isUnknown(components.resolve(items), member)) return []
  return [sampleOf(components, items, { ...member, isNested: true })]
}

/** Samples the members of a schema, without optional ones. */
const sampleMembers = (
  components: Components,
  { properties = {}, required = [] }: DocumentSchema,
  of: Omit<Member, 'name'>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name))
      .map(([name, part]) => [name, sampleOf(components, part, { ...of, name })]),
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
