/**
 * Calls of a client in a morning, in the types that are generated from the OpenAPI document: no
 * cast, no type of its own. test/api/swagger/generated-client.test.ts checks its types and runs it.
 */
import type { components, paths } from 'generated-client'
import createClient from 'openapi-fetch'

type Schemas = components['schemas']
type Filter = Schemas['Filter']
type Send = (request: Request) => Promise<Response>

/** The address is never asked: requests go where `send` takes them. */
const baseUrl = 'http://journey.example'

const openClient = (send: Send) => createClient<paths>({ baseUrl, fetch: send })
type Client = ReturnType<typeof openClient>

/** The answer to a call; says by whose code it was refused. */
function require<T>(answer: { data?: T; error?: Schemas['ErrorEnvelope'] }): T {
  if (answer.data !== undefined) return answer.data
  throw new Error(`${answer.error?.code ?? 'no answer'}: ${answer.error?.error ?? ''}`)
}

async function signIn(client: Client, UserName: string, Password: string): Promise<string> {
  const body = { UserName, Password }
  const { data } = require(await client.POST('/api/v1/auth/login', { body }))
  if ('MfaRequired' in data) throw new Error(`A second factor: ${data.Methods.join()}`)
  const { AccessToken, User } = data
  client.use({
    onRequest: ({ request }) => request.headers.set('Authorization', `Bearer ${AccessToken}`),
  })
  return User.Company.Code
}

/** Texts of the fields that a grid shows, and what stands in its form besides. */
async function readMetadata(client: Client) {
  const params = { path: { name: 'orders' } }
  const { data } = require(await client.GET('/api/v1/svc/object/{name}/metadata', { params }))
  const shown = data.Fields.filter((field) => !field.Hidden && field.In.includes('Grid'))
  const texts = shown.filter((field) => field.Type === 'Text')
  const actions = data.RowActions.map(({ Name, For, Parameters }) => ({
    Name,
    For,
    asks: Parameters.map((parameter) => parameter.Label),
  }))
  return { keys: data.Keys, texts: texts.map(({ Name }) => Name), actions, view: data.ViewType }
}

async function loadOrders(client: Client, Filters: (Filter | Schemas['FilterGroup'])[]) {
  const body: Schemas['TableRequest'] = {
    Filters,
    Sort: [{ Field: 'Id', Direction: 'desc' }],
    PageSize: 5,
    CountMode: 'bounded',
  }
  const params = { path: { name: 'orders' } }
  const { data } = require(await client.POST('/api/v1/svc/object/{name}/table', { params, body }))
  const { Rows, Pagination, Permissions } = data
  const ids = Rows.flatMap(({ Id }) => (typeof Id === 'number' ? [Id] : []))
  return { ids, total: Pagination.TotalRows ?? 0, mayUpdate: Permissions.Update }
}

const NEW_OF_NORTH: (Filter | Schemas['FilterGroup'])[] = [
  { Field: 'Status', Operator: 'in', Value: ['new', 'approved'] },
  {
    Logic: 'or',
    Filters: [
      { Field: 'Number', Operator: 'startsWith', Value: 'SO-' },
      { Field: 'OrderedAt', Operator: 'ge', Value: 'lastMonth' },
    ],
  },
]

/** Saves a record twice with one stamp: the second time somebody was faster. */
async function saveTwice(client: Client, Id: number) {
  const params = { path: { name: 'orders' }, header: { 'X-TimeZone': 'Europe/Berlin' } }
  const body = { Parameters: { Id } }
  const form = require(await client.POST('/api/v1/svc/object/{name}/form', { params, body }))
  const { RowVersion = null } = form.data.Values
  const save = (Reference: string, key: string) =>
    client.POST('/api/v1/svc/object/submit', {
      params: { header: { 'Idempotency-Key': key } },
      body: { FormName: 'orders', Parameters: { Id, Reference, RowVersion } },
    })
  const first = await save('PO 1', 'first')
  const saved = require(first).data
  const again = await save('PO 1', 'first')
  const { error, response } = await save('PO 2', 'second')
  return {
    action: saved.Action,
    refreshes: saved.Dispatch.map(({ Type }) => Type),
    replayed: again.response.headers.get('Idempotency-Replayed'),
    status: response.status,
    code: error?.code,
    changed: error && 'conflict' in error ? error.conflict?.ChangedFields : undefined,
  }
}

async function approve(client: Client, Id: number): Promise<string> {
  const Parameters = { Id, Remark: 'Checked' }
  const body = { ObjectName: 'orders', ActionName: 'Approve', Parameters }
  return require(await client.POST('/api/v1/svc/object/execute-row-action', { body })).data.Action
}

async function exportOrders(client: Client): Promise<string> {
  const body: Schemas['ExportTableRequest'] = {
    ObjectName: 'orders',
    Format: 'csv',
    Filters: { Logic: 'and', Filters: [{ Field: 'Status', Value: 'new' }] },
    Fields: ['Number', 'Status'],
  }
  const { data } = require(await client.POST('/api/v1/svc/object/export-data', { body }))
  if (!data.File) throw new Error('No file was made')
  const params = { path: { fileName: data.File.FileName } }
  const file = await client.GET('/api/v1/svc/object/export-file/{fileName}', {
    params,
    parseAs: 'text',
  })
  return `${data.File.Rows} ${file.data?.split('\r\n')[0] ?? ''}`
}

async function readReport(client: Client) {
  const params = { path: { key: 'SalesOverview' } }
  const structure = require(await client.GET('/api/v1/svc/reports/{key}', { params })).data
  const body = { Arguments: { From: 'thisYear', To: 'today' } }
  const loaded = await client.POST('/api/v1/svc/reports/{key}/data', { params, body })
  const { DataSets, RequiredFilterMissing } = require(loaded).data
  const columns = Object.values(DataSets).flatMap(({ Columns }) =>
    Columns.map(({ Name, ClrType }) => `${Name}: ${ClrType}`),
  )
  return { kinds: structure.Widgets.map(({ Kind }) => Kind), columns, RequiredFilterMissing }
}

async function readNotifications(client: Client) {
  const params = { query: { unread: true, limit: 10 } }
  const { data: list } = require(await client.GET('/api/v1/notification', { params }))
  const { data: unread } = require(await client.GET('/api/v1/notification/unread-count'))
  return { titles: list.map(({ Title, Level }) => `${Level}: ${Title}`), unread: unread.Count }
}

/** A refusal is known by its code; what fields are at fault, by their names. */
async function failOnPurpose(client: Client) {
  const body: Schemas['SubmitRequest'] = { FormName: 'customers', Parameters: { Name: '' } }
  const { error, response } = await client.POST('/api/v1/svc/object/submit', { body })
  const faults = error && 'fieldErrors' in error ? Object.keys(error.fieldErrors ?? {}) : []
  return { status: response.status, code: error?.code, faults }
}

/** The whole way, by an account of the demo. */
export async function journey(send: Send, userName: string, password: string) {
  const client = openClient(send)
  const company = await signIn(client, userName, password)
  const metadata = await readMetadata(client)
  const orders = await loadOrders(client, NEW_OF_NORTH)
  const [first = 0] = orders.ids
  const { ids } = await loadOrders(client, [{ Field: 'Status', Operator: 'eq', Value: 'new' }])
  return {
    company,
    metadata,
    orders,
    saved: await saveTwice(client, first),
    approved: await approve(client, ids[0] ?? 0),
    exported: await exportOrders(client),
    report: await readReport(client),
    notifications: await readNotifications(client),
    refused: await failOnPurpose(client),
  }
}
