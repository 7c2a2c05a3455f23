/**
 * The object explorer (src/server/README.md, Objects): what there is, and what nobody gets out of a
 * query.
 */
import { describe, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { EXPLORER, SALES, startSales, sum } from '../../support/explored-sales.ts'
import type { Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'

describe('what is not the caller’s', () => {
  const UNKNOWN = { status: 400, code: 'UNKNOWN_FIELD' }
  const PLACES: [string, (field: string) => Row][] = [
    ['Fields', (field) => ({ Fields: [field] })],
    ['Filters', (field) => ({ Filters: [{ Field: field, Operator: 'isNotNull' }] })],
    ['GroupBy', (field) => ({ GroupBy: [field] })],
    ['a part', (field) => ({ GroupBy: [`${field}:day`] })],
    ['count', (field) => ({ Aggregates: [{ Field: field, Function: 'count' }] })],
    ['sum', (field) => ({ Aggregates: [sum(field)] })],
    ['max', (field) => ({ Aggregates: [{ Field: field, Function: 'max' }] })],
    ['Sort', (field) => ({ Sort: [{ Field: field }] })],
    ['Sort of groups', (field) => ({ GroupBy: ['State'], Sort: [{ Field: field }] })],
  ]

  test.each(PLACES)('a hidden field in %s reads like one that is not there', async (_, place) => {
    await using sales = await startSales()
    const told = async (field: string) => {
      const { status, body } = await sales.ask(place(field), 'rep')
      return { status, code: body.code, error: body.error.replace(field, '<field>') }
    }
    const missing = await told('NoSuch')
    expect(missing).toMatchObject(UNKNOWN)
    for (const field of ['Cost', 'ClientId', 'ClientId__Label', 'Inner', 'rowid', 'Cost;--'])
      expect({ field, ...(await told(field)) }).toEqual({ field, ...missing })
  })

  test('rows that a filter hides are in no group and no sum', async () => {
    await using sales = await startSales()
    const request = {
      GroupBy: ['Region'],
      Aggregates: [{ Function: 'count' }, sum('Amount'), { Field: 'Pieces', Function: 'min' }],
    }
    const { Rows } = await sales.query(request, 'rep')
    expect(Rows).toEqual([{ Region: 'north', count: 2, N: 0.3, min_Pieces: 3 }])
    const { text } = await sales.ask({}, 'rep')
    expect(text).not.toMatch(/canary|south|777/)
  })

  test('is refused: the verb is List', async () => {
    await using sales = await startSales()
    for (const as of ['vi', 'dee']) {
      for (const body of [{ ObjectName: 'Sales' }, { ObjectName: 'Sales', Fields: ['NoSuch'] }]) {
        const answer = await sales.app.fetch(`${EXPLORER}/query`, { as, body })
        expect({ as, status: answer.status }).toEqual({ as, status: 401 })
      }
      const one = await sales.app.fetch(`${EXPLORER}/objects/Sales`, { as })
      expect(one).toMatchObject({ status: 401, body: { code: 'PERMISSION_DENIED' } })
    }
    const unknown = await sales.app.fetch(`${EXPLORER}/query`, {
      as: 'ana',
      body: { ObjectName: 'x' },
    })
    expect(unknown.status).toBe(404)
  })
})

test.each([
  [{ Limit: 0 }],
  [{ Limit: 10_001 }],
  [{ Aggregates: [{ Function: 'median', Field: 'Amount' }] }],
  [{ Aggregates: [{ Function: 'sum' }] }],
  [{ Aggregates: [{ Function: 'sum', Field: 'Region' }] }],
  [{ Aggregates: [{ Function: 'max', Field: 'Data' }] }],
  [{ Aggregates: [{ ...sum('Amount', '__proto__') }] }],
  [{ Aggregates: [{ ...sum('Amount', 'a"; DROP TABLE sales; --') }] }],
  [{ Aggregates: [sum('Amount'), sum('Cost')] }],
  [{ GroupBy: ['Data'] }],
  [{ GroupBy: ['Region:day'] }],
  [{ GroupBy: ['Day:hour'] }],
  [{ GroupBy: ['Region'], Fields: ['Region'] }],
  [{ GroupBy: ['Region', 'region'] }],
  [{ GroupBy: Array.from({ length: 11 }, () => 'Region') }],
  [{ GroupBy: ['Region'], Sort: [{ Field: 'Region', Direction: 'ASC,(SELECT 1)' }] }],
  [{ Filters: [{ Field: 'Day', Operator: '=1 OR 1=1' }] }],
])('%j is refused', async (request) => {
  await using sales = await startSales()
  const { status, body } = await sales.ask(request)
  expect({ status, success: body.success }).toEqual({ status: 400, success: false })
})

test('more bytes than an answer may hold are refused', async () => {
  await using sales = await startSales({ 'Svc:Results:MaxBytes': '1KB' })
  const refused = await sales.ask({})
  expect(refused).toMatchObject({ status: 400, body: { code: 'RESULT_TOO_LARGE' } })
  expect((await sales.query({ Fields: ['Id'] })).Rows).toHaveLength(5)
})

test('the tree holds what the caller may list, by entity', async () => {
  await using sales = await startSales()
  const tree = async (as: string) =>
    (await sales.app.fetch<{ data: (Row & { Children: Row[] })[] }>(`${EXPLORER}/objects`, { as }))
      .body.data
  const names = (nodes: (Row & { Children: Row[] })[]) =>
    nodes.map(({ Kind, Label, Children }) => [Kind, Label, Children.map(({ Slug }) => Slug)])
  expect(names(await tree('ana'))).toEqual([
    ['Entity', 'Client', ['clients']],
    ['Object', 'Months', []],
    ['Entity', 'Sale', ['all-sales', 'sales']],
  ])
  expect(names(await tree('rep'))).toEqual([['Entity', 'Sale', ['sales']]])
  expect(await tree('dee')).toEqual([])
})

const OPENABLE = `<Model>
<ObjectView Name="Ask" Entity="Client" ViewType="Form"/>
<ObjectView Name="Guide" Entity="Client" ViewType="Wizard">
  <Step Name="Who"><Field Name="Name"/></Step>
</ObjectView>
<StoredProcedure Name="Tidy" Mode="Read"><Sql Result="R">SELECT 1 AS One</Sql></StoredProcedure>
<Report Name="Overview"><DataSets><DataSet Name="All"><Sql>SELECT Id FROM sales</Sql></DataSet></DataSets></Report>
<Workflow Name="Closing" Object="Sales" StateField="Region">
  <States><State Name="north" Kind="Initial"/><State Name="south" Kind="Final"/></States>
  <Transitions><Transition From="north" To="south" Action="Close"/></Transitions>
</Workflow>
<Rbac Name="More">
  <Role Name="Helper">
    <Grant Resource="Ask" Verbs="View"/><Grant Resource="Guide" Verbs="Create"/>
    <Grant Resource="Sales" Verbs="View List" Capabilities="Execute"/>
    <Grant Resource="Tidy" Capabilities="Execute"/><Grant Resource="Overview" Verbs="List"/>
  </Role>
</Rbac>
</Model>`

test('with all the tree holds whatever the caller may open, with their rights on it', async () => {
  const files = [...SALES.files, { name: 'more.xml', body: OPENABLE }]
  const users = [...SALES.users, ...makePeople('ONE', { hal: 'Helper@ONE' }).users]
  await using app = await startApp({ application: { ...SALES, files, users } })
  type Node = Row & { Children: Node[] }
  const list = async (as: string, query: string) => {
    const answer = await app.fetch<{ data: Node[] }>(`${EXPLORER}/objects${query}`, { as })
    return answer.body.data
  }
  const flat = (nodes: Node[]): unknown[] =>
    nodes.flatMap(({ Kind, Name, Slug, Label, Verbs, Capabilities, Children }) => [
      [Kind, Name, Slug, Label, Verbs, Capabilities],
      ...flat(Children),
    ])
  expect(flat(await list('hal', '?all=true'))).toEqual([
    ['Entity', 'Client', null, 'Client', [], []],
    ['Object', 'Ask', 'ask', 'Ask', ['View'], []],
    ['Workflow', 'Closing', 'closing', 'Closing', ['View', 'List'], ['Execute']],
    ['Wizard', 'Guide', 'guide', 'Guide', ['Create'], []],
    ['Report', 'Overview', 'overview', 'Overview', ['List'], []],
    ['Entity', 'Sale', null, 'Sale', [], []],
    ['Object', 'Sales', 'sales', 'Sales', ['View', 'List'], ['Execute']],
    ['Procedure', 'Tidy', null, 'Tidy', [], ['Execute']],
  ])
  expect(flat(await list('hal', ''))).toEqual([
    ['Entity', 'Sale', null, 'Sale', [], []],
    ['Object', 'Sales', 'sales', 'Sales', ['View', 'List'], ['Execute']],
  ])
  expect(flat(await list('vi', ''))).toEqual([])
  expect(flat(await list('vi', '?all=true'))).toEqual([
    ['Workflow', 'Closing', 'closing', 'Closing', ['View'], []],
    ['Entity', 'Sale', null, 'Sale', [], []],
    ['Object', 'Sales', 'sales', 'Sales', ['View'], []],
  ])
  expect(await list('dee', '?all=true')).toEqual([])
})

test('an object tells its fields, relations and uses, as far as the caller may', async () => {
  await using sales = await startSales()
  const describe_ = async (as: string, name: string) =>
    (
      await sales.app.fetch<{
        data: {
          Fields: Row[]
          Relations: { To: Row[]; From: Row[] }
          UsedBy: Record<string, Row[]>
        }
      }>(`${EXPLORER}/objects/${name}`, { as })
    ).body.data
  const own = await describe_('ana', 'sales')
  expect(own.Relations.To).toEqual([
    { Field: 'ClientId', Entity: 'Client', Objects: [{ Object: 'Clients', Label: 'Clients' }] },
  ])
  expect(own.UsedBy.Details).toEqual([{ Object: 'AllSales', Label: 'Every sale', Detail: 'Peers' }])
  const clients = await describe_('ana', 'Clients')
  expect(clients.Relations.From.map(({ Object: name, Field }) => [name, Field])).toEqual([
    ['Sales', 'ClientId'],
    ['AllSales', 'ClientId'],
  ])
  const hidden = await describe_('rep', 'Sales')
  const names = hidden.Fields.map(({ Name }) => Name)
  expect(names).not.toContain('Cost')
  expect(names).not.toContain('ClientId')
  expect(names).not.toContain('Inner')
  expect(hidden.Relations).toEqual({ To: [], From: [] })
  expect(hidden.UsedBy.Details).toEqual([])
  const amount = hidden.Fields.find(({ Name }) => Name === 'Amount')
  const functions = ['count', 'countDistinct', 'sum', 'avg', 'min', 'max', 'share']
  expect(amount?.Aggregates).toEqual(functions)
})
