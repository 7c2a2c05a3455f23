/** Examples of answers, made from their schemas: of the right shape, with values as they come. */

interface Schema {
  type?: string
  const?: unknown
  default?: unknown
  examples?: readonly unknown[]
  anyOf?: readonly Schema[]
  allOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
}

/** What members of these names hold; others get what their type has. A data table. */
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
])
/** What is seldom there, and null otherwise. */
const MOSTLY_NULL: ReadonlySet<string> = new Set(['Impersonator', 'Next', 'NextCursor'])
const INSTANT = '2026-01-05T08:00:00.000Z'
const INSTANT_NAME = /(?:^|[a-z])At$/

/** An example of a schema: its own where it has one, else made of its parts. */
export function sampleOf(schema: unknown, name = ''): unknown {
  const {
    type,
    const: only,
    examples,
    anyOf,
    allOf,
    properties,
    required,
    items,
  } = schema as Schema
  if (only !== undefined) return only
  if (examples?.[0] !== undefined) return examples[0]
  if (anyOf?.[0]) {
    const isNull = MOSTLY_NULL.has(name) && anyOf.some((part) => part.type === 'null')
    return isNull ? null : sampleOf(anyOf[0], name)
  }
  if (allOf) return Object.assign({}, ...allOf.map((part) => sampleOf(part, name))) as unknown
  const known = BY_NAME.get(name)
  if (known !== undefined && fits(known, type, items)) return known
  if (type === 'array') return items ? [sampleOf(items, name)] : []
  if (type === 'object') return sampleMembers(properties, required)
  return sampleValue(type, name)
}

/** Without those that may be left out. */
const sampleMembers = (
  properties: Schema['properties'] = {},
  required: readonly string[] = [],
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name))
      .map(([name, part]) => [name, sampleOf(part, name)]),
  )

function sampleValue(type: string | undefined, name: string): unknown {
  if (type === 'string') return INSTANT_NAME.test(name) ? INSTANT : name || 'text'
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  return null
}

const fits = (value: unknown, type: string | undefined, items: Schema | undefined): boolean =>
  Array.isArray(value)
    ? type === 'array' && items?.type === 'string'
    : typeof value === (type === 'integer' || type === 'number' ? 'number' : type)
