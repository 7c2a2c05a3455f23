/** An application of sales that the explorer is tried on. */
import { expect } from 'bun:test'
import { startApp, type TestApp } from './app.ts'
import type { Refusal, Row } from './objects.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const MODEL = `<Model>
<Entity Name="Client" Table="clients" Label="Client" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
</Entity>
<Entity Name="Sale" Table="sales" Label="Sale" Company="CompanyId" Period="At">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="ClientId" References="Client"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="State" Type="Integer"><Option Value="1" Label="Open"/><Option Value="2" Label="Closed"/></Column>
  <Column Name="Amount" Type="Decimal" Scale="2"/>
  <Column Name="Rate" Type="Decimal" Scale="4"/>
  <Column Name="Pieces" Type="Integer"/>
  <Column Name="Cost" Type="Decimal" Scale="2"/>
  <Column Name="Day" Type="Date"/>
  <Column Name="At" Type="DateTime"/>
  <Column Name="IsPaid" Type="Boolean"/>
  <Column Name="Data" Type="Json"/>
  <Column Name="Inner" Type="Text"/>
</Entity>
<ObjectView Name="Clients" Entity="Client"/>
<ObjectView Name="Sales" Entity="Sale" Sort="Id">
  <TableQuery>SELECT s.*, s.Amount * 0.1 AS Tax FROM sales s</TableQuery>
  <Field Name="Tax" Type="Decimal" Scale="3"/>
  <Field Name="Inner" In="None"/>
</ObjectView>
<ObjectView Name="AllSales" Slug="all-sales" Entity="Sale" Label="Every sale"><Detail Name="Peers" View="Sales" Parent="ClientId=ClientId"/></ObjectView>
<ObjectView Name="Endless"><TableQuery>WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS N FROM n</TableQuery></ObjectView>
<ObjectView Name="Months"><TableQuery>SELECT substr(Day, 1, 7) AS Month, sum(Amount) AS Amount FROM sales GROUP BY 1</TableQuery></ObjectView>
<Rbac>
  <Role Name="Manager">
    <Grant Resource="Clients" Verbs="View List"/>
    <Grant Resource="Sales" Verbs="View List Create"/>
    <Grant Resource="AllSales" Verbs="View List"/>
    <Grant Resource="Months" Verbs="View List"/>
  </Role>
  <Role Name="Rep">
    <Grant Resource="Sales" Verbs="View List"/>
    <RowFilter Resource="Sales">Region = 'north'</RowFilter>
    <FieldRule Resource="Sales" Field="Cost" Access="Hidden"/>
    <FieldRule Resource="Sales" Field="ClientId" Access="Hidden"/>
  </Role>
  <Role Name="Viewer"><Grant Resource="Sales" Verbs="View"/></Role>
</Rbac>
</Model>`

/** Sales of two companies. */
export const SALES: TestApplication = {
  files: [{ name: 'sales.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    root: 'System',
    ana: 'Manager@ONE',
    rep: 'Rep@ONE',
    vi: 'Viewer@ONE',
    dee: '',
  }),
}

/** A QueryResult. */
export interface Result {
  Columns: { Name: string; Label: string; Type: string; ClrType: string }[]
  Rows: Row[]
  HasMore: boolean
}

/** Where the explorer is. */
export const EXPLORER = '/api/v1/svc/object-explorer'

const ROWS = [
  [1, 1, 'north', 1, 0.1, 0.1234, 3, 7, '2026-01-31', '2026-01-31T23:30:00.000Z', 1, 'canary-1'],
  [1, 1, 'north', 2, 0.2, 0.0001, 4, 7, '2026-02-28', '2026-03-29T00:30:00.000Z', 0, 'canary-2'],
  [1, 2, 'south', 1, 10.1, 0.5, null, 7, '2026-04-01', '2026-03-29T22:30:00.000Z', 0, 'canary-3'],
  [1, 2, 'south', 9, -10.07, null, -5, 9, '2025-12-31', '2025-12-31T22:59:59.999Z', 1, null],
  [1, null, null, null, null, null, null, null, null, null, null, null],
  [2, 3, 'north', 1, 777.77, 1, 777, 777, '2026-01-01', '2026-01-01T00:00:00.000Z', 1, 'other'],
] as const

/** The application with its rows, and the calls of its tests. */
export async function startSales(settings: Record<string, string> = {}) {
  const app = await startApp({ application: SALES, settings })
  await app.store.write(
    async (tx) => {
      for (const [id, company, name] of [
        [1, 1, 'Zed'],
        [2, 1, 'Ann'],
        [3, 2, 'Foreign'],
      ] as const)
        await tx.run('INSERT INTO clients (Id, CompanyId, Name) VALUES (@id, @company, @name)', {
          id,
          company,
          name,
        })
      for (const cells of ROWS) {
        const names = cells.map((_, at) => `@c${at}`).join(', ')
        await tx.run(
          'INSERT INTO sales (CompanyId, ClientId, Region, State, Amount, Rate, Pieces, Cost, ' +
            `Day, At, IsPaid, "Inner") VALUES (${names})`,
          Object.fromEntries(cells.map((cell, at) => [`c${at}`, cell])),
        )
      }
    },
    { company: 'all', because: 'a test' },
  )
  return { app, ...open(app), [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

function open(app: TestApp) {
  const ask = (request: Row, as = 'ana', headers: Record<string, string> = {}) =>
    app.fetch<Refusal & { data: Result }>(`${EXPLORER}/query`, {
      as,
      headers,
      body: { ObjectName: 'Sales', ...request },
    })
  const query = async (request: Row, as?: string, headers?: Record<string, string>) => {
    const { status, text, body } = await ask(request, as, headers)
    expect({ status, text }).toMatchObject({ status: 200 })
    return body.data
  }
  return { ask, query }
}

/** A sum as a query asks for it. */
export const sum = (Field: string, As = 'N') => ({ Field, Function: 'sum', As })
