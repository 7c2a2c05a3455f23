/** Sums of Decimals, wherever they are shown: a binary float keeps 0.1 + 0.2 - 0.3 as 2.8e-17. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { writeExtensions } from '../../support/extensions.ts'
import type { Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const DUSTY = 'SELECT Shelf, sum(Amount) AS Sum, sum(Amount - 0.05 * Pieces) AS Less FROM goods'

const MODEL = `<Model>
<Entity Name="Good" Table="goods">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Shelf" Type="Text"/>
  <Column Name="Pieces" Type="Integer"/>
  <Column Name="Amount" Type="Decimal" Scale="2"/>
  <Column Name="Held" Type="Decimal" Scale="2"><Compute From="Good">SELECT sum(g.Amount) FROM goods g WHERE g.Shelf = @Shelf</Compute></Column>
  <Column Name="Other" Type="Text"><DataSet>SELECT 'k' AS Value, sum(Amount) AS Label, sum(Amount) AS More FROM goods</DataSet></Column>
</Entity>
<ObjectView Name="Goods" Entity="Good">
  <RowAction Name="Sum" Label="Sum" For="Row"><Sql Into="Sum">SELECT sum(Amount) AS Sum FROM goods</Sql><Dispatch Type="showAlert" Message="It is {Sum}"/></RowAction>
</ObjectView>
<ObjectView Name="Shelves" Entity="Good"><TableQuery>SELECT min(Id) AS Id, Shelf, sum(Amount) AS Sum, sum(Amount) AS Typed FROM goods GROUP BY Shelf</TableQuery>
  <Field Name="Typed" Type="Decimal" Scale="2"/></ObjectView>
<Report Name="Stock"><DataSets>
  <DataSet Name="Sums"><Sql>${DUSTY} GROUP BY Shelf UNION ALL SELECT 'all', sum(Amount), total(Amount) FROM goods</Sql></DataSet>
  <DataSet Name="Inner" Mode="Single"><Sql>WITH s AS (SELECT sum(Amount) AS Sum FROM goods) SELECT s.Sum + 0 AS Sum, s.Sum / 1e0 AS Quotient FROM s</Sql></DataSet></DataSets>
  <Widgets><Widget Name="Sums" Kind="Table" DataSet="Sums"><Series Column="Shelf"/><Series Column="Sum" Type="Decimal" Function="sum"/></Widget>
    <Widget Name="Inner" Kind="Table" DataSet="Inner"/></Widgets>
</Report>
<StoredProcedure Name="Sums" Mode="Read"><Sql Result="Sums">${DUSTY}</Sql></StoredProcedure>
<StoredProcedure Name="Write" Mode="Write"><Sql Result="Rows">UPDATE goods SET Pieces = Pieces WHERE Id = 1 RETURNING (SELECT sum(Amount) FROM goods) AS Sum, 'x' AS Shelf</Sql></StoredProcedure>
<Navbar Name="main"><Item Name="Here" Object="Goods"><Badge>SELECT sum(Amount) FROM goods</Badge></Item></Navbar>
<Rbac><Role Name="Keeper">
  <Grant Resource="Goods" Verbs="View List Create Update Export"/><Grant Resource="Shelves" Verbs="View List Export"/><Grant Resource="Stock" Verbs="View List Export"/>
  <Grant Resource="Sums" Capabilities="Execute"/><Grant Resource="Write" Capabilities="Execute"/><Grant Resource="Script" Capabilities="Execute"/>
</Role></Rbac>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'model.xml', body: MODEL }],
  ...makePeople('ONE', { ana: 'Keeper' }),
}

const SCRIPT = `export default (engine: Engine) => {
  engine.script({ Name: 'Script', run: ({ query }) => query('${DUSTY}') })
}`

let app: TestApp

beforeAll(async () => {
  app = await startApp({ application: APPLICATION })
  writeExtensions(app.folder, { 'sums.ts': SCRIPT })
  for (const Amount of [0.1, 0.2, -0.3])
    await ask('/api/v1/svc/object/submit', {
      FormName: 'Goods',
      Parameters: { Shelf: 'a', Pieces: 0, Amount },
    })
  // What is stored is not what is shown: the sum itself has a rest.
  const [row] = await app.store.all('SELECT sum(Amount) AS Sum FROM goods')
  expect(row?.['Sum']).not.toBe(0)
})
afterAll(() => app[Symbol.asyncDispose]())

async function ask<T>(path: string, body?: Record<string, unknown>): Promise<T> {
  const answer = await app.fetch<{ data: T }>(path, { as: 'ana', ...(body && { body }) })
  expect({ status: answer.status, text: answer.status === 200 ? '' : answer.text }).toEqual({
    status: 200,
    text: '',
  })
  return answer.body.data
}

const SUMS: readonly (readonly [string, () => Promise<unknown>, unknown])[] = [
  [
    'datasets',
    async () => {
      const { DataSets } = await ask<{ DataSets: Record<string, { Rows: Row[] }> }>(
        '/api/v1/svc/reports/Stock/data',
        { Arguments: {} },
      )
      return [DataSets['Sums']?.Rows, DataSets['Inner']?.Rows[0]?.['Sum']]
    },
    [
      [
        { Shelf: 'a', Sum: '0.0', Less: '0.0' },
        { Shelf: 'all', Sum: '0.0', Less: '0.0' },
      ],
      '0.0',
    ],
  ],
  [
    'a printed page with its total',
    async () => {
      const answer = await app.fetch('/api/v1/svc/report/page?report=Stock&format=json', {
        as: 'ana',
      })
      return /e-1\d/.test(answer.text)
    },
    false,
  ],
  [
    'result sets',
    () => ask<{ ResultSets: unknown }>('/api/v1/svc/rpc/Sums', {}).then((it) => it.ResultSets),
    expect.objectContaining({
      Sums: expect.objectContaining({ Rows: [{ Shelf: 'a', Sum: 0, Less: 0 }] }),
    }),
  ],
  [
    'what a statement that writes returns',
    () => ask<{ ResultSets: unknown }>('/api/v1/svc/rpc/Write', {}).then((it) => it.ResultSets),
    expect.objectContaining({ Rows: expect.objectContaining({ Rows: [{ Sum: 0, Shelf: 'x' }] }) }),
  ],
  [
    'a grid, and what is found by it',
    async () => {
      const table = (Filters: unknown[]) =>
        ask<{ Rows: Row[] }>('/api/v1/svc/object/Shelves/table', { Filters })
      const { Rows } = await table([])
      const found = await table([
        { Field: 'Sum', Operator: 'eq', Value: '0.0' },
        { Field: 'Typed', Operator: 'eq', Value: 0 },
      ])
      return [Rows.map(({ Sum, Typed }) => [Sum, Typed]), found.Rows.length]
    },
    [[['0.0', 0]], 1],
  ],
  [
    'the explorer',
    () =>
      ask<{ Rows: Row[] }>('/api/v1/svc/object-explorer/query', {
        ObjectName: 'Goods',
        Aggregates: [{ Field: 'Amount', Function: 'sum' }],
      }).then(({ Rows }) => Rows),
    [{ sum_Amount: 0 }],
  ],
  ['a badge', () => ask('/api/v1/svc/navbar/badges'), { Here: { Kind: 'Count', Value: 0 } }],
  [
    'options',
    () =>
      ask<{ Options: Row[] }>('/api/v1/svc/object/field-dataset', {
        FormName: 'Goods',
        FieldName: 'Other',
        Parameters: {},
      }),
    [expect.objectContaining({ Label: '0.0', More: '0.0' })],
  ],
  [
    'a computed column',
    () =>
      ask<{ Rows: Row[] }>('/api/v1/svc/object/Goods/table', {}).then(
        ({ Rows }) => Rows[0]?.['Held'],
      ),
    0,
  ],
  [
    'an extension',
    () => ask<{ Result: unknown }>('/api/v1/svc/execute-script', { Name: 'Script' }),
    expect.objectContaining({ Result: [{ Shelf: 'a', Sum: 0, Less: 0 }] }),
  ],
  [
    'a message',
    () =>
      ask<{ Dispatch: Row[] }>('/api/v1/svc/object/execute-row-action', {
        ObjectName: 'Goods',
        ActionName: 'Sum',
        Parameters: { Id: 1 },
      }).then(({ Dispatch }) => Dispatch[0]?.['Message']),
    'It is 0',
  ],
]

test.each(SUMS)('%s show no rest of a binary float', async (_, read, shown) => {
  expect(await read()).toEqual(shown)
})
