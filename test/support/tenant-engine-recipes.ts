/** Recipes of the sweep for the model catalog, the explorer, the procedures and the sequences. */
import type { Keys, Recipe } from './tenant-keys.ts'
import { VIEW_NAMES } from './tenant-model.ts'
import type { Call } from './tenant-world.ts'

const SVC = '/api/v1/svc'

const forPeople = (calls: (keys: Keys) => Call[]): Recipe => ({
  as: [['clerk', 'boss', 'nobody']],
  calls,
})
const refused = (calls: (keys: Keys) => Call[]): Recipe => ({
  ...forPeople(calls),
  isRefused: true,
})

const forObjects = (calls: (keys: Keys) => Call[]): Recipe => ({
  as: [['nobody', 'clerk'], ['system']],
  calls,
})

const DEFINITIONS = `${SVC}/report-designer/definitions`
const NO_HASH = '0'.repeat(32)
const DRAFT = { DefinitionXml: '<Report Name="Overview"/>', Notes: 'mine' }

const ofReport = (method: string, more: string, body?: object): Recipe =>
  forPeople(() => [{ path: `${DEFINITIONS}/overview${more}`, method, ...(body && { body }) }])
const readReport = (more: string): Recipe => ({ ...ofReport('GET', more), isRead: true })
const refusedReport = (method: string, more: string, body?: object): Recipe => ({
  ...ofReport(method, more, body),
  isRefused: true,
})

/** The designer: the people of the sweep may look at definitions, which no company owns. */
const DESIGNER: Record<string, Recipe> = Object.fromEntries(
  Object.entries({
    'GET ': { ...forPeople(() => [{ path: DEFINITIONS }]), isRead: true },
    'GET /:key': readReport(''),
    'POST /save': refused(() => [{ path: `${DEFINITIONS}/save`, body: DRAFT }]),
    'POST /:key/validate': refusedReport('POST', '/validate', DRAFT),
    'POST /:key/publish': refusedReport('POST', '/publish'),
    'GET /:key/versions': readReport('/versions'),
    'GET /:key/versions/:versionHash': refusedReport('GET', `/versions/${NO_HASH}`),
    'GET /:key/versions/:versionHash/diff/:otherHash': refusedReport(
      'GET',
      `/versions/${NO_HASH}/diff/${NO_HASH}`,
    ),
    'GET /:key/draft': readReport('/draft'),
    'POST /:key/draft': refusedReport('POST', '/draft', DRAFT),
    'DELETE /:key/draft': refusedReport('DELETE', '/draft'),
    'GET /:key/draft/structure': refusedReport('GET', '/draft/structure'),
    'POST /:key/draft/data': refusedReport('POST', '/draft/data', {}),
  }).map(([route, recipe]) => {
    const [method, path] = route.split(' ')
    return [`${method} ${DEFINITIONS}${path}`, recipe]
  }),
)

const questions = ({ id, text }: Keys): string[] => [
  ...VIEW_NAMES.map((name) => `show all ${name}`),
  'number of bills per client',
  'sum of total of bills by client area',
  'clients by owner',
  `clients called "${text}"`,
  `bills of "${text}"`,
  `client ${id}`,
  'who changed the clients?',
  'what can I ask?',
  'what may I do?',
]

const queries = ({ id, text, company }: Keys): object[] => [
  ...VIEW_NAMES.map((ObjectName) => ({ ObjectName })),
  ...VIEW_NAMES.map((ObjectName) => ({ ObjectName, Aggregates: [{ Function: 'count' }] })),
  {
    ObjectName: 'Bills',
    GroupBy: ['ClientId', 'Status', 'IssuedAt:month'],
    Aggregates: [
      { Field: 'Total', Function: 'sum' },
      { Field: 'Total', Function: 'avg' },
      { Field: 'Text', Function: 'max' },
      { Field: 'Grand', Function: 'sum' },
    ],
    Sort: [{ Field: 'ClientId__Label' }, { Field: 'sum_Total', Direction: 'desc' }],
  },
  { ObjectName: 'Bills', GroupBy: ['ClientId__Label', 'Owner', 'Roles'] },
  { ObjectName: 'Bills', Filters: [{ Field: 'ClientId', Value: id }], GroupBy: ['Status'] },
  {
    ObjectName: 'Bills',
    GroupBy: ['ClientId.Name', 'ClientId.AreaId.ParentId', 'ClientId.OwnerId.DisplayName'],
    Aggregates: [{ Field: 'ClientId.AreaId', Function: 'countDistinct' }],
  },
  {
    ObjectName: 'BillLines',
    Fields: ['BillId.ClientId', 'BillId.ClientId.Name', 'BillId.ClientId.AreaId.Name'],
    Filters: [{ Field: 'BillId.ClientId.Name', Operator: 'isNotNull' }],
    Sort: [{ Field: 'BillId.ClientId.AreaId__Label' }],
  },
  { ObjectName: 'Clients', SearchText: text, Fields: ['Name', 'AreaId', 'Tags'] },
  { ObjectName: 'Clients', Parameters: { CompanyId: company }, GroupBy: ['OwnerId'] },
]

const printed = (key: string, parameters: Record<string, unknown>): string => {
  const texts = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ])
  return `/report/${key}?${new URLSearchParams(Object.fromEntries(texts)).toString()}`
}

/** The same as jobs: those that a sweep of calls may have waiting. */
const listEnqueued = ({ id, text, company }: Keys): Call[] =>
  (
    [
      ['list', { object: 'Bills', filters: [{ Field: 'ClientId', Operator: 'eq', Value: id }] }],
      ['list', { object: 'Clients', search: text, parameters: { CompanyId: company } }],
      ['record', { object: 'Bills', Id: id }],
      ['page', { report: 'Overview', ClientId: id, CompanyId: company }],
      [text, { object: 'Bills' }],
    ] as const
  ).map(([key, Parameters]) => ({
    path: `/report/${key}`,
    method: 'POST',
    body: { Format: 'json', Parameters, Background: true },
  }))

/** Files of code-defined reports, by keys of records and of companies. */
const listPrinted = ({ id, text, company }: Keys): string[] => [
  ...VIEW_NAMES.map((object) => printed('list', { object, format: 'json' })),
  printed('list', { object: 'Bills', format: 'csv', group: 'ClientId', totals: 'Total' }),
  printed('list', { object: 'Clients', format: 'csv', search: text }),
  printed('list', { object: 'Clients', format: 'json', parameters: { CompanyId: company } }),
  printed('list', {
    object: 'Bills',
    format: 'csv',
    fields: 'ClientId,ClientId__Label,Owner,Roles',
    filters: [{ Field: 'ClientId', Operator: 'eq', Value: id }],
  }),
  ...['Bills', 'Clients'].map((object) => printed('record', { object, Id: id, format: 'json' })),
  printed('record', { object: 'Bills', Id: id, format: 'csv' }),
  printed('page', { report: 'Overview', format: 'json', Id: id }),
  printed('page', { report: 'Overview', format: 'xlsx', ClientId: id, CompanyId: company }),
  printed(text, { object: 'Bills' }),
]

export const ENGINE_RECIPES: Readonly<Record<string, Recipe>> = {
  'POST /api/v1/svc/object/sequence-number': forObjects(({ id, text, company }) =>
    [
      { SequenceName: 'BillNumber' },
      { SequenceName: 'BillNumber', Reserve: true },
      { SequenceName: 'BillNumber', Parameters: { CompanyId: company, Id: id, Text: text } },
      { FormName: 'Bills', FieldName: 'Number' },
      { FormName: 'Clients', FieldName: 'Code' },
    ].map((body) => ({ path: `${SVC}/object/sequence-number`, body })),
  ),
  'GET /api/v1/svc/object-explorer/objects': {
    ...forObjects(() => [{ path: `${SVC}/object-explorer/objects` }]),
    isRead: true,
  },
  'GET /api/v1/svc/object-explorer/objects/:name': {
    ...forObjects(() =>
      VIEW_NAMES.map((name) => ({ path: `${SVC}/object-explorer/objects/${name}` })),
    ),
    isRead: true,
  },
  'POST /api/v1/svc/object-explorer/query': {
    ...forObjects((keys) =>
      queries(keys).map((body) => ({ path: `${SVC}/object-explorer/query`, body })),
    ),
    isRead: true,
  },
  ...DESIGNER,
  'GET /api/v1/svc/reports/:key': {
    ...forObjects(() => [{ path: `${SVC}/reports/overview` }]),
    isRead: true,
  },
  'POST /api/v1/svc/reports/:key/data': {
    ...forObjects(({ id, company }) =>
      [
        {},
        { Arguments: { Id: String(id) } },
        { Arguments: { ClientId: String(id), CompanyId: String(company) } },
        { Arguments: { CurrentCompanyId: String(company) } },
      ].map((body) => ({ path: `${SVC}/reports/Overview/data`, body })),
    ),
    isRead: true,
  },
  'POST /api/v1/svc/assistant/query': {
    ...forObjects((keys) =>
      questions(keys).map((Question) => ({
        path: `${SVC}/assistant/query`,
        body: { Question },
      })),
    ),
  },
  'POST /api/v1/svc/assistant/complete': {
    ...forObjects((keys) =>
      ['', ...questions(keys)].flatMap((text) =>
        [text, text.slice(0, -2)].map((Text) => ({
          path: `${SVC}/assistant/complete`,
          body: { Text },
        })),
      ),
    ),
    isRead: true,
  },
  'POST /api/v1/mcp': forObjects((keys) =>
    [
      ['list_objects', {}],
      ...queries(keys).map((request) => ['query', request]),
      ...VIEW_NAMES.map((ObjectName) => ['describe', { ObjectName }]),
      ['report', { Name: 'overview', Arguments: { Id: String(keys.id) } }],
      ['propose', { Kind: 'delete', ObjectName: 'Clients', Keys: { Id: keys.id } }],
    ].map(([name, given]) => ({
      path: '/api/v1/mcp',
      headers: { Accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
    })),
  ),
  'GET /api/v1/svc/navbar': {
    ...forObjects(() => [{ path: `${SVC}/navbar` }]),
    isRead: true,
  },
  'GET /api/v1/svc/navbar/badges': {
    ...forObjects(({ id, company }) => [
      { path: `${SVC}/navbar/badges` },
      { path: `${SVC}/navbar/badges?CurrentCompanyId=${company}&Id=${id}` },
    ]),
    isRead: true,
  },
  'GET /report': { ...forObjects(() => [{ path: '/report' }]), isRead: true },
  'GET /report/:key': forObjects((keys) => listPrinted(keys).map((path) => ({ path }))),
  'POST /report/:key': forObjects(listEnqueued),
  'GET /api/v1/svc/rpc': { ...forObjects(() => [{ path: `${SVC}/rpc` }]), isRead: true },
  'GET /api/v1/svc/rpc/:name': {
    ...forObjects(() => ['Figures', 'Touch'].map((name) => ({ path: `${SVC}/rpc/${name}` }))),
    isRead: true,
  },
  'POST /api/v1/svc/rpc/:name': forObjects(({ id, company }) =>
    [
      { name: 'Figures' },
      { name: 'Figures', Parameters: { Id: id } },
      { name: 'Figures', Parameters: { ClientId: id } },
      { name: 'Figures', Parameters: { CompanyId: company, CurrentCompanyId: company } },
      { name: 'Touch', Parameters: { Id: id, CurrentCompanyId: company } },
    ].map(({ name, ...body }) => ({ path: `${SVC}/rpc/${name}`, body })),
  ),
  'GET /api/v1/svc/object/list': refused(() => [{ path: `${SVC}/object/list` }]),
  'GET /api/v1/svc/scripts': refused(() => [{ path: `${SVC}/scripts` }]),
  'GET /api/v1/svc/scripts/:name': refused(() => [{ path: `${SVC}/scripts/Bills` }]),
  'POST /api/v1/svc/scripts': refused(() => [
    { path: `${SVC}/scripts`, body: { Files: [{ FileName: 'a.xml', Body: '<Rbac/>' }] } },
  ]),
}
