/** Examples of answers, made from their schemas: of the right shape, with values as they come. */
import type { Components, DocumentSchema } from './components.ts'

/** Values of members by name; others get a value of their type. A data table. */
const BY_NAME: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['AccessToken', 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiIyIn0.c2lnbmVk'],
  ['RefreshToken', 'Y0Xw8m3lq1Zt8vWn0bVxYf6bM5ZpKZb5Qh7xJxGx7aK'],
  ['ExpiresIn', 900],
  ['RefreshExpiresIn', 1_209_600],
  ['UserName', 'ana'],
  ['DisplayName', 'Sales manager'],
  ['Email', 'ana@example.com'],
  ['Code', 'NORTH'],
  ['Name', 'North Trading'],
  ['Label', 'Orders'],
  ['TimeZone', 'Europe/Berlin'],
  ['Role', 'SalesManager'],
  ['Roles', ['SalesManager']],
  ['Resource', 'orders'],
  ['Object', 'orders'],
  ['Verb', 'View'],
  ['Verbs', ['View', 'List']],
  ['Principal', 'role:SalesManager'],
  ['Scope', 'Company'],
  ['Version', 'Company.0b1c2d3e4f5a69788796a5b4c3d2e1f00f1e2d3c'],
  ['State', 'granted'],
  ['Kind', 'Role'],
  ['Id', 1],
  ['Page', 1],
  ['PageSize', 50],
  ['ChallengeId', 'q1Zt8vWn0bVxYf6bM5ZpKZb5Qh7xJxGx7aKc2mPd4sE'],
  ['Secret', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
  ['OtpAuthUri', 'otpauth://totp/Application%20Engine:ana?secret=JBSWY3DPEHPK3PXP'],
  ['QrSvg', '<svg xmlns="http://www.w3.org/2000/svg"></svg>'],
  ['RecoveryCodes', ['7QKX-2M4T-9RWD-HV6N']],
  ['OneTimePassword', 'QgsG6tewZ4ydVfRD'],
  ['Client', 'Mozilla/5.0'],
  ['Address', '198.51.100.7'],
  ['TraceId', '4bf92f3577b34da6a3ce929d0e0e4736'],
  ['Offset', '+01:00'],
  ['Source', 'object/submit'],
  ['Entity', 'Order'],
  ['Action', 'update'],
  ['Field', 'Status'],
  ['Company', 'NORTH'],
  ['CompanyId', 1],
  ['VerbsGained', ['Export']],
  ['VerbsLost', []],
  ['RowsBefore', 5],
  ['RowsAfter', 12],
  ['Omitted', 0],
  ['Capabilities', ['Approve']],
  ['Ignored', []],
])
/** Names of members that are usually null. */
const MOSTLY_NULL: ReadonlySet<string> = new Set(['Impersonator', 'Next', 'NextCursor'])
const INSTANT = '2026-01-05T08:00:00.000Z'

/** An example of a schema: its own where it has one, else made of its parts. */
export function sampleOf(components: Components, schema: DocumentSchema, name = ''): unknown {
  const { const: only, examples, enum: values, anyOf, allOf, ...rest } = components.resolve(schema)
  if (only !== undefined) return only
  if (examples?.[0] !== undefined) return examples[0]
  const { items, additionalProperties, properties } = rest
  const type = typeof rest.type === 'object' ? sampleType(rest.type, name) : rest.type
  if (anyOf?.[0]) {
    const isNull = MOSTLY_NULL.has(name) && anyOf.some((part) => part.type === 'null')
    return isNull ? null : sampleOf(components, anyOf[0], name)
  }
  if (allOf) {
    const parts = allOf.map((part) => sampleOf(components, part, name) as object)
    return Object.assign({}, ...parts) as unknown
  }
  const known = BY_NAME.get(name)
  if (known !== undefined && fits(known, type, items) && isListed(known, values)) return known
  if (values) return type === 'null' ? null : values[0]
  if (type === 'array')
    return items && rest['maxItems'] !== 0 ? [sampleOf(components, items, name)] : []
  if (type !== 'object') return sampleValue(type, rest, name)
  if (!properties && typeof additionalProperties === 'object') return {}
  return sampleMembers(components, rest)
}

const sampleType = (types: readonly string[], name: string): string | undefined =>
  MOSTLY_NULL.has(name) && types.includes('null') ? 'null' : types[0]

const isListed = (value: unknown, values: readonly unknown[] | undefined): boolean =>
  values === undefined || values.includes(value)

/** Samples the members of a schema, without optional ones. */
const sampleMembers = (
  components: Components,
  { properties = {}, required = [] }: DocumentSchema,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name))
      .map(([name, part]) => [name, sampleOf(components, part, name)]),
  )

function sampleValue(type: string | undefined, schema: DocumentSchema, name: string): unknown {
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
