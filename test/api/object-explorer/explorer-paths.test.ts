/** Queries of the explorer along references (src/server/README.md, Objects): `ClientId.Region`. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { startApp } from '../../support/app.ts'
import { EXPLORER, type Result } from '../../support/explored-sales.ts'
import type { Refusal, Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import { scaleCases } from '../../support/property.ts'
import type { TestApplication } from '../../support/template.ts'

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
  }),
}

interface World {
  areas: { name: string }[]
  clients: { company: number; area: number | null; kind: string | null; credit: number | null }[]
  sales: { company: number; client: number | null; amount: number | null }[]
}

const WORLD: World = {
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

async function start(world: World = WORLD) {
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

const COUNT = { Function: 'count', As: 'N' }
const SUM = { Function: 'sum', Field: 'Amount', As: 'Sum' }

describe('rows', () => {
  test('have the fields of what they refer to, named by the path, with labels', async () => {
    await using world = await start()
    const { Columns, Rows } = await world.query({
      Fields: ['Id', 'ClientId.Name', 'ClientId.AreaId', 'ClientId.areaid.name', 'ClientId.Credit'],
      Filters: [{ Field: 'ClientId.Kind', Value: 'a' }],
      Sort: [{ Field: 'ClientId.Credit', Direction: 'desc' }, { Field: 'Id' }],
    })
    expect(Columns.map(({ Name, Label, Type }) => [Name, Label, Type])).toEqual([
      ['Id', 'Id', 'Integer'],
      ['ClientId.Name', 'Client: Name', 'Text'],
      ['ClientId.AreaId', 'Client: Area', 'Integer'],
      ['ClientId.AreaId__Label', 'Client: Area', 'Text'],
      ['ClientId.AreaId.Name', 'Client: Area: Name', 'Text'],
      ['ClientId.Credit', 'Client: Credit', 'Decimal'],
    ])
    const row = (Id: number, name: string, [area, label]: [number, string], credit: unknown) => ({
      Id,
      'ClientId.Name': name,
      'ClientId.AreaId': area,
      'ClientId.AreaId__Label': label,
      'ClientId.AreaId.Name': label,
      'ClientId.Credit': credit,
    })
    expect(Rows).toEqual([
      row(1, 'c1', [1, 'north'], 10.5),
      row(2, 'c1', [1, 'north'], 10.5),
      row(5, 'c4', [2, 'south'], null),
    ])
  })

  test('are neither lost nor doubled, whatever the view behind the reference does', async () => {
    await using world = await start()
    const { Rows } = await world.query({ Fields: ['Id', 'ClientId.Twice', 'ClientId.Loud'] })
    expect(Rows.map((row) => [row.Id, row['ClientId.Twice'], row['ClientId.Loud']])).toEqual([
      ...[1, 2].map((id) => [id, 21, 'c1!']),
      [3, 0.2, 'c2!'],
      [5, null, 'c4!'],
      [6, null, null],
    ])
  })

  test('speak the caller’s language', async () => {
    await using world = await start()
    const { Columns } = await world.query({ Fields: ['ClientId.Name'] }, 'all', {
      'Accept-Language': 'de',
    })
    expect(Columns.map(({ Label }) => Label)).toEqual(['Kunde: Name'])
  })
})

describe('groups', () => {
  test('by what is referred to, with labels, months and sums of it', async () => {
    await using world = await start()
    const grouped = await world.query({
      GroupBy: ['ClientId.AreaId', 'ClientId.Kind'],
      Aggregates: [SUM, { Function: 'sum', Field: 'ClientId.Credit' }],
      Sort: [{ Field: 'Sum', Direction: 'desc' }],
    })
    expect(grouped.Rows).toEqual(
      [
        [null, null, null, null, 32, null],
        [2, 'south', 'a', 'Alpha', 16, null],
        [2, 'south', 'b', 'Beta', 4, 0.1],
        [1, 'north', 'a', 'Alpha', 3, 21],
      ].map(([area, name, kind, label, Sum, credit]) => ({
        'ClientId.AreaId': area,
        'ClientId.AreaId__Label': name,
        'ClientId.Kind': kind,
        'ClientId.Kind__Label': label,
        Sum,
        sum_ClientId_Credit: credit,
      })),
    )
    const months = await world.query({ GroupBy: ['ClientId.Since:month'], Aggregates: [COUNT] })
    expect(months.Rows.map((row) => [row['ClientId.Since:month'], row.N])).toEqual([
      [null, 1],
      ['2026-01', 3],
      ['2026-02', 1],
    ])
  })

  test('count what differs', async () => {
    await using world = await start()
    const { Rows, Columns } = await world.query({
      Aggregates: [
        { Function: 'countDistinct', Field: 'ClientId' },
        { Function: 'COUNTDISTINCT', Field: 'ClientId.AreaId.Name', As: 'Areas' },
        { Function: 'count', Field: 'ClientId' },
      ],
    })
    expect(Rows).toEqual([{ countDistinct_ClientId: 3, Areas: 2, count_ClientId: 4 }])
    expect(Columns.map(({ Type }) => Type)).toEqual(['Integer', 'Integer', 'Integer'])
  })
})

describe('what the caller may not see', () => {
  test('is nothing: other companies, row filters and masks of what is referred to', async () => {
    await using world = await start()
    const read = async (as: string, Fields: string[], more: Row = {}) => {
      const { Rows } = await world.query({ Fields: ['Id', ...Fields], ...more }, as)
      return Rows.map((row) => Fields.map((field) => row[field]).join())
    }
    const Fields = ['ClientId.Name', 'ClientId.AreaId.Name']
    const shown = [...Array<string>(2).fill('c1,north'), 'c2,south', 'c4,south', ',']
    expect(await read('all', Fields)).toEqual(shown)
    const some = [...Array<string>(2).fill('c1,north'), ',', 'c4,', ',']
    expect(await read('some', Fields)).toEqual(some)
    // Of the rows of one role the field is hidden, of those of the other it is not.
    expect(await read('both', ['ClientId.Name', 'ClientId.Secret'])).toEqual([
      ...Array<string>(2).fill('c1,'),
      ...['c2,c2', 'c4,', ','],
    ])
    const isSet = { Filters: [{ Field: 'ClientId.Name', Operator: 'isNotNull' }] }
    expect(await read('some', ['ClientId'], isSet)).toEqual(['1', '1', '4'])
    const root = { AllCompanies: true, Sort: [{ Field: 'ClientId.Name', Direction: 'desc' }] }
    expect(await read('root', ['ClientId.Name'], root)).toEqual([
      ...['c4', 'c3', 'c2', 'c1', 'c1', ''],
    ])
  })

  test.each([
    ['some', 'ClientId.Secret'],
    ['some', 'ClientId.Credit'],
    ['none', 'ClientId.Name'],
    ['all', 'ClientId.AreaId.Boss'],
    ['all', 'ClientId.Nothing'],
    ['all', 'Nothing.Name'],
    ['all', 'Amount.Name'],
    ['all', 'ClientId.AreaId.Id.Name'],
    ['all', 'ClientId.'],
    ['all', '.Name'],
    ['all', 'ClientId..Name'],
    ['all', `${'ClientId.'.repeat(200)}Name`],
  ])('of %s, %s reads as a field that is not there, wherever it is named', async (as, name) => {
    await using world = await start()
    const shown = name.slice(0, 80)
    for (const request of [
      { Fields: [name] },
      { GroupBy: [name] },
      { GroupBy: [`${name}:month`] },
      { Filters: [{ Field: name, Operator: 'isNull' }] },
      { Filters: { Logic: 'or', Filters: [{ Field: name, Value: 1 }] } },
      { Sort: [{ Field: name }] },
      { Aggregates: [{ Function: 'countDistinct', Field: name }] },
    ]) {
      const { status, body } = await world.ask(request, as)
      expect({ status, error: body.error, code: body.code }).toEqual({
        status: 400,
        error: `Unknown field '${shown}'`,
        code: 'UNKNOWN_FIELD',
      })
    }
  })

  test('more paths than a statement takes are refused', async () => {
    await using world = await start()
    const Fields = Array.from({ length: 41 }, (_, at) => `ClientId.Name${at}`)
    const { status, body } = await world.ask({ Fields })
    expect([status, body.error]).toEqual([
      ...[400, 'A query can use at most 40 fields of referenced records'],
    ])
  })
})

const area = fc.record({ name: fc.constantFrom('north', 'south', 'none') })
const worlds: fc.Arbitrary<World> = fc.record({
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

test('of random worlds: a path shows what listing the objects one by one shows', async () => {
  await fc.assert(
    fc.asyncProperty(spread, async ([made, numbers]) => {
      const pick = (at: number, count: number): number => ((numbers[at] ?? 0) % count) + 1
      const world: World = {
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
      await using started = await start(world)
      for (const as of ['all', 'some', 'both', 'none']) {
        const list = async (ObjectName: string): Promise<Map<unknown, Row>> => {
          const { status, body } = await started.ask({ ObjectName, Limit: 1000 }, as)
          if (status !== 200) return new Map()
          return new Map(body.data.Rows.map((row) => [row.Id, row]))
        }
        const areas = await list('Areas')
        const clients = await list('Clients')
        const sales = await list('Sales')
        const walked = [...sales.values()].map((sale) => {
          const client = clients.get(sale.ClientId)
          return { sale, client, area: areas.get(client?.AreaId) }
        })
        if (clients.size === 0) continue
        const Fields = ['Id', 'ClientId.Name', 'ClientId.Kind', 'ClientId.AreaId']
        const shown = await started.query({ Fields: [...Fields, 'ClientId.AreaId.Name'] }, as)
        expect(
          shown.Rows.map((row) => [...Fields, 'ClientId.AreaId.Name'].map((name) => row[name])),
        ).toEqual(
          walked.map(({ sale, client, area: found }) => [
            ...[sale.Id, client?.Name ?? null, client?.Kind ?? null, client?.AreaId ?? null],
            found?.Name ?? null,
          ]),
        )
        const grouped = await started.query(
          { GroupBy: ['ClientId.AreaId.Name'], Aggregates: [COUNT, SUM] },
          as,
        )
        const groups = Map.groupBy(walked, ({ area: found }) => found?.Name ?? null)
        expect(
          new Map(grouped.Rows.map((row) => [row['ClientId.AreaId.Name'], [row.N, row.Sum]])),
        ).toEqual(
          new Map(
            [...groups].map(([name, rows]) => {
              const amounts = rows.flatMap(({ sale }) => Number(sale.Amount ?? NaN) || [])
              const total = amounts.length > 0 ? amounts.reduce((a, b) => a + b, 0) : null
              return [name, [rows.length, total]]
            }),
          ),
        )
      }
    }),
    { numRuns: scaleCases(8) },
  )
})
