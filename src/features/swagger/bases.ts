/** Schemas that have all members of another one, written as that one and what they add. */
import type { DocumentSchema } from './components.ts'

type Schemas = Readonly<Record<string, DocumentSchema>>

/** An object by its members alone, each as text. */
interface Shape {
  name: string
  members: ReadonlyMap<string, string>
}

/** The fewest bytes of shared members for which a base is worth its name, and the indirection. */
const BYTES_MIN = 150
const PLAIN: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'description', 'examples'],
])

/**
 * Returns the schemas, each that has all members of another one with `allOf` in their place. What
 * fits one fits the other, and no chain of bases leads back to itself.
 */
export function shareBases(schemas: Schemas): Record<string, DocumentSchema> {
  const shapes = Object.entries(schemas)
    .flatMap(([name, schema]) => listShape(name, schema))
    .sort(byReach)
  const worthy = shapes.filter(({ members }) => weigh(members) >= BYTES_MIN)
  const bases = new Map<string, Shape>()
  const isSame = ({ name, members }: Shape): boolean =>
    bases.get(name)?.members.size === members.size
  for (const [at, shape] of worthy.entries()) {
    const base = worthy.slice(0, at).findLast((other) => hasAllOf(shape, other) && !isSame(other))
    if (base) bases.set(shape.name, base)
  }
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const base = bases.get(name)
      return [name, base ? extend(schema, base) : schema]
    }),
  )
}

function listShape(name: string, schema: DocumentSchema): Shape[] {
  const { properties = {}, required = [] } = schema
  const isPlain = schema.type === 'object' && Object.keys(schema).every((word) => PLAIN.has(word))
  // A page draws the fields of a form from the form's own members.
  const isForm = Object.values(properties).some((part) => part['format'] === 'binary')
  if (!isPlain || isForm) return []
  const members = Object.entries(properties).map(
    ([member, part]) => [member, `${required.includes(member)} ${JSON.stringify(part)}`] as const,
  )
  return [{ name, members: new Map(members) }]
}

/** Bytes that members take where they are written. */
const weigh = (members: Shape['members']): number =>
  [...members].reduce((sum, [name, part]) => sum + name.length + part.length, 0)

/** Bases first: those of fewer members; of equal ones the shorter name is the more general one. */
const byReach = (one: Shape, other: Shape): number =>
  one.members.size - other.members.size ||
  one.name.length - other.name.length ||
  (one.name < other.name ? -1 : 1)

function hasAllOf({ members }: Shape, base: Shape): boolean {
  for (const [member, part] of base.members) if (members.get(member) !== part) return false
  return true
}

function extend(schema: DocumentSchema, { name, members }: Shape): DocumentSchema {
  const { properties = {}, required = [], ...rest } = schema
  const own = Object.entries(properties).filter(([member]) => !members.has(member))
  const ownRequired = required.filter((member) => !members.has(member))
  return {
    ...rest,
    allOf: [{ $ref: `#/components/schemas/${name}` }],
    ...(own.length > 0 && { properties: Object.fromEntries(own) }),
    ...(ownRequired.length > 0 && { required: ownRequired }),
  }
}
