/** What the sweep asks of the model catalog, the explorer, the procedures and the sequences. */
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
  { ObjectName: 'Clients', SearchText: text, Fields: ['Name', 'AreaId', 'Tags'] },
  { ObjectName: 'Clients', Parameters: { CompanyId: company }, GroupBy: ['OwnerId'] },
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
