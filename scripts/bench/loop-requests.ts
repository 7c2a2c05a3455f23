/** Requests of `bench loop` that a schema alone does not tell of: names and files of the demo. */
import { JSON_VALUES_MAX } from '../../src/kernel/limits.ts'
import type { LargeRequest } from './loop-bodies.ts'

const OBJECTS = '/api/v1/svc/object'

/** A little under the bound. */
const VALUES = JSON_VALUES_MAX - 1000

const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: Math.floor(count) }, (_, at) => make(at))

/** Members that an object does not know, and some within two letters of `Reference`. */
const strangers = (count: number, letters: string): object =>
  Object.fromEntries(many(count, (at) => [letters + at.toString(36), at]))

const LINES = many(VALUES / 4, (at) => ({ ProductId: 1 + (at % 20), Quantity: 1 + at, Note: 'x' }))

const filters = (Value: unknown): object => ({
  Filters: [{ Field: 'Status', Operator: 'in', Value }],
})

/** Each with what its body is full of. */
const BODIES: readonly [path: string, of: string, body: object][] = [
  ...['submit', 'execute-row-action', 'delete-row'].flatMap((name): [string, string, object][] => {
    const target = { FormName: 'orders', ObjectName: 'orders', ActionName: 'Approve' }
    return [
      [name, 'unknown fields', { ...target, Parameters: strangers(VALUES, 'Field') }],
      [name, 'misspelt fields', { ...target, Parameters: strangers(VALUES, 'Referenc') }],
    ]
  }),
  [
    'submit',
    'details',
    { FormName: 'orders', Parameters: {}, Details: { Lines: { Upsert: LINES } } },
  ],
  [
    'submit',
    'deleted details',
    {
      FormName: 'orders',
      Parameters: { Id: 400 },
      Details: { Lines: { Delete: many(VALUES / 2, (Id) => ({ Id })) } },
    },
  ],
  [
    'execute-row-action',
    'selected rows',
    {
      ObjectName: 'orders',
      ActionName: 'ApproveSelected',
      Rows: many(VALUES / 2, (at) => ({ Id: at + 1 })),
    },
  ],
  ['orders/table', 'list of a filter', filters(many(VALUES, (at) => `new ${at}`))],
  ['orders/table', 'filters', { Filters: many(VALUES / 4, () => filters('new')) }],
  ['export-data', 'list of a filter', { ObjectName: 'orders', ...filters(many(VALUES, String)) }],
  ['export-data', 'fields', { ObjectName: 'orders', Fields: many(VALUES, (at) => `Field${at}`) }],
]

const PRODUCT = { Sku: 'L-1', Name: 'Large', Group: 'Hand tools', Price: 1, Cost: 1 }

/** Files of an import: many rows, one row of many members, and one list. */
const FILES: Readonly<Record<string, () => string>> = {
  'rows.jsonl': () =>
    many(VALUES, (at) => JSON.stringify({ ...PRODUCT, Sku: `L-${at}` })).join('\n'),
  'members.jsonl': () => JSON.stringify({ ...PRODUCT, ...strangers(VALUES, 'Field') }),
  'numerals.jsonl': () =>
    JSON.stringify({ ...PRODUCT, List: '@' }).replace(
      '"@"',
      `[${many(VALUES, (at) => `9007199254740${9931 + 2 * at}`).join()}]`,
    ),
}

function planFile(name: string, text: string): FormData {
  const form = new FormData()
  for (const [member, value] of [
    ['objectName', 'products'],
    ['mode', 'upsert'],
    ['keyFields', 'Sku'],
    ['onError', 'skip'],
    ['dryRun', 'true'],
  ] as const)
    form.set(member, value)
  form.set('file', new Blob([text]), name)
  return form
}

/** A message of MCP that calls a tool with these arguments. */
const toolCall = (name: string, args: object): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
})

const MESSAGES: readonly [of: string, body: object][] = [
  ['unknown arguments', toolCall('query', strangers(VALUES, 'Argument'))],
  ['misspelt arguments', toolCall('query', strangers(VALUES, 'Object'))],
  [
    'filters',
    toolCall('query', { Object: 'orders', Filters: many(VALUES / 4, () => filters('new')) }),
  ],
  ['unknown members', { ...toolCall('describe', {}), ...strangers(VALUES, 'Member') }],
]

const REPORT = '/api/v1/svc/report-designer/definitions/save'

const DATA = '<DataSets><DataSet Name="All"><Sql>SELECT 1 AS N</Sql></DataSet></DataSets>'

const WIDGETS = many(
  40_000,
  (at) => `<Widget Name="W${at}" Kind="Kpi" DataSet="All" Value="N"/>`,
).join('')

/** Yields these requests of the routes whose path holds `named`. */
export function* listNamedRequests(named: string): Generator<LargeRequest> {
  const is = (route: string): boolean => route.includes(named)
  const post = (route: string, of: string, body: object): LargeRequest => ({
    method: 'POST',
    path: route,
    route,
    of,
    body: JSON.stringify(body),
  })
  for (const [path, of, body] of BODIES)
    if (is(`${OBJECTS}/${path}`)) yield post(`${OBJECTS}/${path}`, of, body)
  if (is('/api/v1/mcp')) for (const [of, body] of MESSAGES) yield post('/api/v1/mcp', of, body)
  if (is(REPORT))
    yield post(REPORT, 'widgets', {
      DefinitionXml: `<Report Name="Large">${DATA}<Widgets>${WIDGETS}</Widgets></Report>`,
    })
  const route = `${OBJECTS}/import-data`
  if (is(route))
    for (const [of, make] of Object.entries(FILES))
      yield { ...post(route, of, {}), body: planFile(of, make()) }
}
