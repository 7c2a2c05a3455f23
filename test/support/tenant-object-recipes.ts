/** Recipes of the sweep for the object API: every view in every way that names a record. */
import type { Keys, Recipe } from './tenant-keys.ts'
import { VIEW_NAMES } from './tenant-model.ts'
import type { Call } from './tenant-world.ts'

const BASE = '/api/v1/svc/object'

const COMMENTS = '/api/v1/svc/comments'

/** Views whose entities take comments: of one company, and of all. */
const COMMENTED = ['Bills', 'Countries']

const forObjects = (calls: (keys: Keys) => Call[]): Recipe => ({
  as: [['nobody', 'clerk'], ['system']],
  calls,
})
const reads = (calls: (keys: Keys) => Call[]): Recipe => ({ ...forObjects(calls), isRead: true })

/** The key of a view's record. */
function keyOf(view: string, { id, text, user, company }: Keys): Record<string, unknown> {
  const named: Record<string, Record<string, unknown>> = {
    Countries: { Code: 'AT' },
    Slots: { Code: text },
    BillLines: { BillId: id, LineNo: 1 },
    Totals: { Key: 1 },
    People: { Id: user },
    Firms: { Key: company },
  }
  return named[view] ?? { Id: id }
}

const post = (path: string, body: object): Call => ({ path, body })
const object = (path: string, body: object): Call => post(`${BASE}${path}`, body)

function tableRequests(view: string, keys: Keys): object[] {
  const key = keyOf(view, keys)
  const byKey = Object.entries(key).map(([Field, Value]) => ({ Field, Operator: 'eq', Value }))
  return [
    {},
    { AllCompanies: view !== 'Bills' ? false : undefined, PageSize: 1, CountMode: 'bounded' },
    { SearchText: keys.text },
    { SearchText: keys.text.slice(0, 3) },
    { Filters: byKey },
    { Filters: byKey.map((each) => ({ ...each, Operator: 'ne' })) },
    { Filters: { Logic: 'or', Filters: byKey } },
    { Filters: byKey.map(({ Field, Value }) => ({ Field, Operator: 'in', Value: [Value] })) },
    { Parameters: { ...key, Other: keys.id, CompanyId: keys.company, CurrentCompanyId: 1 } },
    { Sort: Object.keys(key).map((Field) => ({ Field, Direction: 'desc' })), Page: 1 },
  ]
}

const MORE_TABLES = ({ id, text, company }: Keys): Call[] => [
  object('/Bills/table', { Preset: 'Large' }),
  object('/Bills/table', { Filters: [{ Field: 'ClientId', Operator: 'eq', Value: id }] }),
  object('/Bills/table', { Filters: [{ Field: 'Client', Operator: 'contains', Value: text }] }),
  object('/Bills/table', { Filters: [{ Field: 'Total', Operator: 'gt', Value: 20 }] }),
  object('/Bills/table', { Fields: ['ClientId', 'Roles', 'Grand', 'Status'] }),
  object('/BillLines/table', { Parameters: { BillId: id } }),
  object('/Clients/table', { Filters: [{ Field: 'CompanyId', Operator: 'eq', Value: company }] }),
  object('/Areas/table', { Filters: [{ Field: 'ParentId', Operator: 'eq', Value: id }] }),
]

const formRequests = (mode: 'form' | 'view') => (keys: Keys) =>
  VIEW_NAMES.flatMap((view) => [
    object(`/${view}/${mode}`, { Parameters: keyOf(view, keys) }),
    object(`/${view}/${mode}`, { Parameters: { ...keyOf(view, keys), Other: keys.id } }),
    object(`/${view}/${mode}`, { Parameters: { CompanyId: keys.company, ClientId: keys.id } }),
  ])

const submit = (FormName: string, Parameters: object, more: object = {}): Call =>
  object('/submit', { FormName, Parameters, ...more })

const submits = (keys: Keys): Call[] => [
  ...VIEW_NAMES.map((view) =>
    submit(view, { ...keyOf(view, keys), Name: 'new', Text: 'new', Note: 'new' }),
  ),
  submit('Clients', { Id: 501, Name: 'moved', CompanyId: keys.company }),
  submit('Clients', { Code: 'c1', Name: 'new', AreaId: keys.id }),
  submit('Clients', { Code: 'c2', Name: 'new', OwnerId: keys.user }),
  submit('Clients', { Code: 'c3', Name: 'new', Tags: [keys.id] }),
  submit('Clients', { Code: 'c4', Name: 'new', CompanyId: keys.company }),
  // Codes are unique in a company: that the other one has it changes nothing.
  submit('Clients', { Code: 'probe', Name: 'new' }),
  submit('Areas', { Name: 'new', ParentId: keys.id }),
  submit('Areas', { Id: 501, Name: 'new', ParentId: keys.id }),
  submit('Bills', { ClientId: keys.id, Text: 'new' }),
  submit('Bills', { ClientId: 501, Total: 5000 }),
  submit('Bills', { ClientId: 501, Total: 900, CompanyId: keys.company }),
  submit('Bills', { Id: 501 }, { Details: { Lines: { Upsert: [lineOf(keys)] } } }),
  submit('Bills', { Id: 501 }, { Details: { Lines: { Delete: [lineOf(keys)] } } }),
  submit('BillLines', { BillId: keys.id, LineNo: 9, Text: 'new' }, { IsNew: true }),
  submit('Authored', { Code: 'a1', Name: 'new' }),
]

const lineOf = ({ id }: Keys) => ({ BillId: id, LineNo: 1, Text: 'new' })

const many = (FormName: string, more: object): Call =>
  object('/submit-many', { FormName, OnError: 'skip', ...more })

/** By keys of both companies together, by filters, and by a token that is not the caller's. */
const bulkEdits = (keys: Keys): Call[] => [
  ...VIEW_NAMES.flatMap((view) => [
    many(view, {
      Keys: [keyOf(view, keys)],
      Parameters: { Name: 'all', Text: 'all', Note: 'all' },
    }),
    many(view, { Filters: [], Parameters: { Name: 'all', Text: 'all' }, DryRun: true }),
    many(view, { SearchText: keys.text, Parameters: { Name: 'all' }, DryRun: true }),
  ]),
  many('Clients', { Keys: [{ Id: 501 }], Parameters: { CompanyId: keys.company, Name: 'moved' } }),
  many('Clients', { Keys: [{ Id: 501 }, { Id: keys.id }], Parameters: { AreaId: keys.id } }),
  many('Clients', {
    Filters: [],
    Parameters: { Name: 'all' },
    Token: String(keys.importId),
  }),
]

/** Deletes of all records; those that others refer to come last. */
const deletes = (keys: Keys): Call[] =>
  [
    ...['Countries', 'Areas', 'Clients', 'Slots', 'Entries', 'BillLines', 'Bills', 'Authored'],
    ...['Tags', 'Areas', 'Totals', 'People', 'Firms'],
  ]
    .map((view) => ({ ObjectName: view, Parameters: keyOf(view, keys) }))
    .toSpliced(6, 0, { ObjectName: 'Bills', Parameters: { Id: 502 } })
    .map((body) => object('/delete-row', body))

const act = (ActionName: string, more: object): Call =>
  object('/execute-row-action', { ObjectName: 'Bills', ActionName, ...more })

const actions = ({ id }: Keys): Call[] => [
  act('Close', { Keys: [{ Id: id }], Parameters: { Why: 'x' } }),
  act('Close', { Keys: [{ Id: 501 }, { Id: id }] }),
  act('Close', { Parameters: { Id: id } }),
  act('Reach', { Parameters: { Id: id, Other: 501 } }),
  act('Reach', { Parameters: { Id: 502, Other: id } }),
  act('Wipe', {}),
]

const OPTIONS: readonly (readonly [form: string, field: string])[] = [
  ...(['AreaId', 'OwnerId', 'CountryCode', 'Tags', 'Remark', 'Credit'] as const).map(
    (field) => ['Clients', field] as const,
  ),
  ['Bills', 'ClientId'],
  ['Bills', 'Status'],
  ['Areas', 'ParentId'],
  ['BillLines', 'BillId'],
]

const dataset = (FormName: string, FieldName: string, more: object): Call =>
  object('/field-dataset', { FormName, FieldName, ...more })

const datasets = (keys: Keys): Call[] => [
  ...OPTIONS.flatMap(([form, field]) => [
    dataset(form, field, {}),
    dataset(form, field, { SearchText: keys.text }),
    dataset(form, field, { Parameters: { ...keyOf(form, keys), [field]: keys.id } }),
    dataset(form, field, { Parameters: { AreaId: keys.id, OwnerId: keys.user } }),
    dataset(form, field, { Parameters: { AreaId: keys.id }, Default: true }),
  ]),
  dataset('Bills', 'Why', { ActionName: 'Close', Parameters: { Id: keys.id } }),
]

/** By route. */
export const OBJECT_RECIPES: Record<string, Recipe> = {
  'GET /api/v1/svc/object/:name/metadata': reads(() =>
    VIEW_NAMES.map((view) => ({ path: `${BASE}/${view}/metadata` })),
  ),
  'GET /api/v1/svc/object/label/:objectName': reads(() =>
    VIEW_NAMES.map((view) => ({ path: `${BASE}/label/${view}` })),
  ),
  'POST /api/v1/svc/object/:name/table': reads((keys) => [
    ...VIEW_NAMES.flatMap((view) =>
      tableRequests(view, keys).map((body) => object(`/${view}/table`, body)),
    ),
    ...MORE_TABLES(keys),
  ]),
  'POST /api/v1/svc/object/:name/form': reads(formRequests('form')),
  'POST /api/v1/svc/object/:name/view': reads(formRequests('view')),
  'POST /api/v1/svc/timeline': reads((keys) =>
    VIEW_NAMES.map((view) =>
      post('/api/v1/svc/timeline', { Object: view, Keys: keyOf(view, keys), Limit: 100 }),
    ),
  ),
  [`GET ${COMMENTS}`]: reads((keys) =>
    VIEW_NAMES.map((view) => {
      const key = encodeURIComponent(JSON.stringify(keyOf(view, keys)))
      return { path: `${COMMENTS}?object=${view}&keys=${key}` }
    }),
  ),
  [`POST ${COMMENTS}`]: forObjects((keys) =>
    COMMENTED.flatMap((view) => {
      const record = { Object: view, Keys: keyOf(view, keys), Text: 'Seen' }
      return [post(COMMENTS, record), post(COMMENTS, { ...record, Mentions: [keys.user] })]
    }),
  ),
  [`PUT ${COMMENTS}/:id`]: forObjects(({ id, user }) =>
    [id, id + 1].flatMap((each) => [
      { path: `${COMMENTS}/${each}`, method: 'PUT', body: { Text: 'Better' } },
      { path: `${COMMENTS}/${each}`, method: 'PUT', body: { Text: 'Told', Mentions: [user] } },
    ]),
  ),
  [`DELETE ${COMMENTS}/:id`]: forObjects(({ id }) =>
    [id, id + 1].map((each) => ({ path: `${COMMENTS}/${each}`, method: 'DELETE' })),
  ),
  ...Object.fromEntries(
    ['POST', 'DELETE'].map((method) => [
      `${method} ${COMMENTS}/follow`,
      forObjects((keys) =>
        COMMENTED.map((view) => ({
          path: `${COMMENTS}/follow`,
          method,
          body: { Object: view, Keys: keyOf(view, keys) },
        })),
      ),
    ]),
  ),
  'POST /api/v1/svc/object/submit': forObjects(submits),
  'POST /api/v1/svc/object/submit-many': forObjects(bulkEdits),
  'GET /api/v1/svc/object/submit-many/:jobId': {
    ...reads(() => [{ path: `${BASE}/submit-many/1` }]),
    isRefused: true,
  },
  'DELETE /api/v1/svc/object/submit-many/:jobId': {
    ...forObjects(() => [{ path: `${BASE}/submit-many/1`, method: 'DELETE' }]),
    isRefused: true,
  },
  'POST /api/v1/svc/object/delete-row': forObjects(deletes),
  'POST /api/v1/svc/object/execute-row-action': forObjects(actions),
  'POST /api/v1/svc/object/field-dataset': reads(datasets),
}
