/** Clients of areas and their sales, of two companies, for queries of the explorer. */
import { expect } from 'bun:test'
import fc from 'fast-check'
import { startApp } from './app.ts'
import { EXPLORER, type Result } from './explored-sales.ts'
import type { Refusal, Row } from './objects.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const MODEL = `<Model>
<Entity Name="Area" Table="areas" Label="Area" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Boss" Type="Text"/>
</Entity>
<Entity Name="Client" Table="clients" Label="Client" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="AreaId" References="Area"/>
  <Column Name="Kind" Type="Text">
    <Option Value="a" Label="Alpha"/><Option Value="b" Label="Beta"/>
  </Column>
  <Column Name="Credit" Type="Decimal" Scale="2"/>
  <Column Name="Since" Type="Date"/>
  <Column Name="Secret" Type="Text"/>
</Entity>
<Entity Name="Sale" Table="sales" Label="Sale" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="ClientId" References="Client"/>
  <Column Name="Amount" Type="Integer"/>
</Entity>
<ObjectView Name="Areas" Entity="Area"><Field Name="Boss" In="None"/></ObjectView>
<ObjectView Name="Clients" Entity="Client"/>
<ObjectView Name="Credits" Entity="Client" Label="Credits">
  <TableQuery>SELECT c.Id, c.Credit * 2 AS Twice,
    c.Name || '!' AS Loud FROM clients c CROSS JOIN areas a</TableQuery>
  <Field Name="Twice" Type="Decimal" Scale="2"/>
</ObjectView>
<ObjectView Name="Sales" Entity="Sale" Sort="Id"/>
<Rbac>
  <Role Name="All">
    <Grant Resource="Areas" Verbs="View List"/>
    <Grant Resource="Clients" Verbs="View List"/>
    <Grant Resource="Credits" Verbs="View List"/>
    <Grant Resource="Sales" Verbs="View List"/>
  </Role>
  <Role Name="Some">
    <Grant Resource="Areas" Verbs="View List"/>
    <Grant Resource="Clients" Verbs="View List"/>
    <Grant Resource="Sales" Verbs="View List"/>
    <RowFilter Resource="Clients">Kind = 'a'</RowFilter>
    <RowFilter Resource="Areas">Name LIKE 'n%'</RowFilter>
    <FieldRule Resource="Clients" Field="Secret" Access="Hidden"/>
    <FieldRule Resource="Clients" Field="Credit" Access="Hidden"/>
  </Role>
  <Role Name="Mask">
    <Grant Resource="Clients" Verbs="View List"/>
    <RowFilter Resource="Clients">Kind = 'b'</RowFilter>
  </Role>
  <Role Name="Blind">
    <Grant Resource="Clients" Verbs="View List"/>
    <Grant Resource="Sales" Verbs="View List"/>
    <FieldRule Resource="Sales" Field="ClientId" Access="Hidden"/>
  </Role>
  <Role Name="None"><Grant Resource="Sales" Verbs="View List"/></Role>
</Rbac>
<Texts Language="de"><Text Of="Sale.ClientId">Kunde</Text></Texts>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'paths.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    root: 'System',
    all: 'All@ONE',
    some: 'Some@ONE',
    both: 'Some@ONE Mask@ONE',
    none: 'None@ONE',
    blind: 'Blind@ONE',
  }),
}

interface ClientsWorld {
  areas: { name: string }[]
  clients: { company: number; area: number | null; kind: string | null; credit: number | null }[]
  sales: { company: number; client: number | null; amount: number | null }[]
}

const WORLD: ClientsWorld = {
  areas: [{ name: 'north' }, { name: 'south' }],
  clients: [
    { company: 1, area: 1, kind: 'a', credit: 10.5 },
    { company: 1, area: 2, kind: 'b', credit: 0.1 },
    { company: 2, area: 1, kind: 'a', credit: 7 },
    { company: 1, area: 2, kind: 'a', credit: null },
  ],
  sales: [
    { company: 1, client: 1, amount: 1 },
    { company: 1, client: 1, amount: 2 },
    { company: 1, client: 2, amount: 4 },
    { company: 2, client: 3, amount: 8 },
    { company: 1, client: 4, amount: 16 },
    { company: 1, client: null, amount: 32 },
  ],
}

/** The application with the rows of a world, and its query as one of the users. */
export async function startClients(world: ClientsWorld = WORLD) {
  const app = await startApp({ application: APPLICATION })
  await app.store.write(
    async (tx) => {
      for (const { name } of world.areas)
        await tx.run('INSERT INTO areas (Name, Boss) VALUES (@name, @name)', { name })
      for (const [at, { company, area, kind, credit }] of world.clients.entries())
        await tx.run(
          'INSERT INTO clients (CompanyId, Name, AreaId, Kind, Credit, Since, Secret) ' +
            'VALUES (@company, @name, @area, @kind, @credit, @since, @name)',
          { company, name: `c${at + 1}`, area, kind, credit, since: `2026-0${(at % 3) + 1}-05` },
        )
      for (const { company, client, amount } of world.sales)
        await tx.run(
          'INSERT INTO sales (CompanyId, ClientId, Amount) VALUES (@company, @client, @amount)',
          { company, client, amount },
        )
    },
    { company: 'all', because: 'a test' },
  )
  const ask = (request: Row, as = 'all', headers: Record<string, string> = {}) =>
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
  return { app, ask, query, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

export const COUNT = { Function: 'count', As: 'N' }
export const SUM = { Function: 'sum', Field: 'Amount', As: 'Sum' }
const area = fc.record({ name: fc.constantFrom('north', 'south', 'none') })
const worlds: fc.Arbitrary<ClientsWorld> = fc.record({
  areas: fc.array(area, { minLength: 1, maxLength: 3 }),
  clients: fc.array(
    fc.record({
      company: fc.constantFrom(1, 2),
      area: fc.constantFrom(null, 1),
      kind: fc.constantFrom('a', 'b', null),
      credit: fc.constantFrom(null, 0.1, 2.25, 1000),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  sales: fc.array(
    fc.record({
      company: fc.constantFrom(1, 1, 2),
      client: fc.constantFrom(null, 1),
      amount: fc.constantFrom(null, 1, 5),
    }),
    { maxLength: 20 },
  ),
})

const spread = fc.tuple(worlds, fc.array(fc.nat(), { minLength: 40, maxLength: 40 }))

/** Random worlds, whose references name records of their own company. */
export const CLIENT_WORLDS: fc.Arbitrary<ClientsWorld> = spread.map(([made, numbers]) => {
  const pick = (at: number, count: number): number => ((numbers[at] ?? 0) % count) + 1
  return {
    ...made,
    clients: made.clients.map((client, at) => ({
      ...client,
      area: client.area && pick(at, made.areas.length),
    })),
    sales: made.sales.map((sale, at) => {
      const client = sale.client && pick(10 + at, made.clients.length)
      const company = made.clients[(client ?? 0) - 1]?.company ?? sale.company
      return { ...sale, client, company }
    }),
  }
})
