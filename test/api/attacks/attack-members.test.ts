/** Every member of every request with what it is not for: refused, never a server's failure. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { sampleCases } from '../../support/property.ts'

interface Schema {
  properties?: Record<string, Schema>
  anyOf?: Schema[]
  allOf?: Schema[]
  $ref?: string
}

interface Operation {
  requestBody?: { content: Record<string, { schema: Schema; example?: Record<string, unknown> }> }
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** The members of a body, whose schema stands under its name. */
function listMembers(
  document: Pick<Document, 'components'>,
  { $ref, properties, anyOf = [], allOf = [] }: Schema,
): string[] {
  const { schemas } = document.components
  const named = $ref === undefined ? undefined : schemas[$ref.split('/').at(-1) ?? '']
  return [
    ...(named ? listMembers(document, named) : []),
    ...Object.keys(properties ?? {}),
    ...[...anyOf, ...allOf].flatMap((part) => listMembers(document, part)),
  ]
}

const deep = (levels: number): unknown => {
  let value: unknown = null
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

const VALUES: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    2 ** 53,
    '',
    ' ',
    '%',
    "' OR 1=1--",
    '../../x',
    '\0',
    '\ud800',
  ],
  ...[
    'x'.repeat(5000),
    '__proto__',
    'constructor',
    'NaN',
    '2026-02-30',
    [],
    [null],
    [[]],
    [{}],
    {},
  ],
  ...[{ toString: 1 }, { toJSON: 1, length: 1e9 }, [{ toString: null }], deep(50)],
]

/** Of all values, which a longer run sends. */
const VALUES_A_MEMBER = 4

const startAt = <T>(list: readonly T[], at: number): T[] => {
  const first = at % list.length
  return [...list.slice(first), ...list.slice(0, first)]
}

test.each(['ana', 'root'])('no member of any request breaks the server: %s', async (as) => {
  await using app = await startApp()
  const { body: document } = await app.fetch<Document>('/swagger/json')
  const failures: string[] = []
  let [sent, nth] = [0, 0]
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { requestBody }] of Object.entries(methods)) {
      const json = requestBody?.content['application/json']
      if (!json || /logout|password|mfa/.test(path)) continue
      const members = new Set(listMembers(document, json.schema))
      const url = path.replaceAll(/\{(\w+)\}/g, 'orders')
      for (const member of members)
        // Each member has others than the one before it.
        for (const value of sampleCases(startAt(VALUES, nth++), VALUES_A_MEMBER)) {
          const body = { ...json.example, [member]: value }
          const { status } = await app.fetch(url, { as, method: method.toUpperCase(), body })
          sent++
          if (status >= 500 && status !== 503)
            failures.push(`${method} ${path} ${member}: ${JSON.stringify(value)?.slice(0, 60)}`)
        }
    }
  expect(failures).toEqual([])
  expect(sent).toBeGreaterThan(1000)
})
