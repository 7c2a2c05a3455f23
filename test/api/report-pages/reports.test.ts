/**
 * Report pages (src/server/README.md, Reports): structure without SQL, data under the report's own
 * resource, each dataset once and all of one state.
 */
import { describe, expect, test } from 'bun:test'
import { type CallOptions, startApp, type TestApp } from '../../support/app.ts'
import type { Refusal } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const CANARY = 'canary_of_the_query'

const manyWidgets = Array.from(
  { length: 100 },
  (_, at) => `<Widget Name="W${at}" Kind="Kpi" DataSet="All"/>`,
).join('')

const MODEL = `<Model>
<Entity Name="Item" Table="items" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="Price" Type="Decimal" Scale="2"/>
  <Column Name="IsOpen" Type="Boolean"/>
  <Column Name="Day" Type="Date"/><Column Name="At" Type="DateTime"/>
</Entity>
<ObjectView Name="Items" Entity="Item"/>
<Report Name="Stock" Slug="stock-page" Label="Stock">
  <Filters>
    <Filter Name="Name" Type="Text"/>
    <Filter Name="Least" Type="Decimal" Scale="2" Default="0" Min="0"/>
    <Filter Name="Kind" Type="Text"><Option Value="a" Label="A"/></Filter>
  </Filters>
  <DataSets>
    <DataSet Name="Rows"><Sql>SELECT *, Price * 2 AS Twice, NULL AS Blank FROM items WHERE 'canary_of_the_query' &lt;&gt; '' AND (@Name IS NULL OR Name = @Name) AND coalesce(Price, 0) &gt;= @Least ORDER BY Id DESC</Sql></DataSet>
    <DataSet Name="First" Mode="Single"><Sql>SELECT Region, Name FROM items ORDER BY Id</Sql></DataSet>
    <DataSet Name="Total"><Sql>SELECT count(*) AS N FROM items</Sql></DataSet>
    <DataSet Name="Secret"><Sql>SELECT Name FROM items</Sql></DataSet><DataSet Name="Unplaced"><Sql>SELECT Name FROM items</Sql></DataSet>
  </DataSets>
  <Widgets>
    <Widget Name="Table" Kind="Table" DataSet="Rows"><Series Column="Price" Unit="EUR"/></Widget>
    <Widget Name="Again" Kind="Bar" DataSet="Rows"/>
    <Widget Name="One" Kind="Kpi" DataSet="First"/><Widget Name="Count" Kind="Kpi" DataSet="Total"/>
    <Widget Name="Chiefs" Kind="Table" DataSet="Secret" AllowedRoles="Chief"/>
    <Widget Name="Nowhere" Kind="Table" DataSet="Unplaced"/>
    <Widget Name="Grid" Kind="View" View="Items"/>
  </Widgets>
  <Layout>
    <Row><Cell Widget="Table" Span="8"/><Cell Widget="Again"/></Row>
    <Row><Cell Widget="One"/><Cell Widget="Count"/><Cell Widget="Chiefs"/><Cell Widget="Grid"/></Row>
  </Layout>
</Report>
<Report Name="Period">
  <Filters>
    <Filter Name="From" Type="Date" Required="true"/>
    <Filter Name="To" Type="Date" Required="true" Default="@Today"/>
    <Filter Name="Since" Type="DateTime"/>
  </Filters>
  <DataSets><DataSet Name="Bound"><Sql>SELECT @From AS A, @From_End AS B, @To AS C, @To_End AS D, @Since AS E</Sql></DataSet></DataSets>
  <Widgets><Widget Name="Bound" Kind="Table" DataSet="Bound"/></Widgets>
</Report>
<Report Name="Wide">
  <DataSets><DataSet Name="All"><Sql>SELECT count(*) AS N FROM items</Sql></DataSet></DataSets>
  <Widgets>${manyWidgets}</Widgets>
</Report>
<Rbac>
  <Role Name="Clerk"><Grant Resource="Stock" Verbs="List"/><Grant Resource="Period" Verbs="List"/><Grant Resource="Wide" Verbs="List"/></Role>
  <Role Name="Chief"><Grant Resource="Stock" Verbs="List"/></Role>
  <Role Name="North"><Grant Resource="Stock" Verbs="List"/><RowFilter Resource="Stock">Region = 'north'</RowFilter></Role>
  <Role Name="Viewer"><Grant Resource="Stock" Verbs="View"/></Role>
</Rbac>
<Texts Language="de"><Text Of="Stock">Bestand</Text></Texts>
</Model>`

const ITEMS: TestApplication = {
  files: [{ name: 'items.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    root: 'System in ONE TWO',
    ana: 'Clerk@ONE',
    max: 'Chief@ONE',
    nor: 'North@ONE',
    two: 'North@ONE Clerk@ONE',
    vic: 'Viewer@ONE',
    cy: 'Clerk@TWO in TWO',
    dee: '',
  }),
}

interface Data {
  Name: string
  RequiredFilterMissing: boolean
  DataSets: Record<
    string,
    {
      Columns: { Name: string; ClrType: string }[]
      Rows: Record<string, string | null>[]
      Error?: string
      Truncated?: string
    }
  >
  AccessibleWidgets: string[]
}

const BASE = '/api/v1/svc/reports'

async function start(options: { clock?: { now: () => Date }; rows?: string } = {}) {
  const app = await startApp({
    application: ITEMS,
    settings: options.rows === undefined ? {} : { 'Svc:Reports:MaxRows': options.rows },
    ...(options.clock && { clock: options.clock }),
  })
  await app.store.write(
    (tx) =>
      tx.run(
        `INSERT INTO items (CompanyId, Name, Region, Price, IsOpen, Day, At) VALUES
          (1, 'bolt', 'north', 1.5, 1, '2026-03-29', '2026-03-29T12:00:00.000Z'),
          (1, 'nut', 'south', 2, 0, NULL, NULL), (2, 'gear', 'north', 9, 1, NULL, NULL)`,
      ),
    { company: 'all', because: 'a test' },
  )
  // Tokens are verified once: what a call reads from then on is its own.
  for (const as of ['ana', 'dee', 'vic']) await app.fetch(`${BASE}/Stock`, { as })
  return app
}

async function load(app: TestApp, as: string, key: string, body: unknown = {}): Promise<Data> {
  const answer = await app.fetch<{ data: Data }>(`${BASE}/${key}/data`, { as, body })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data
}

describe('the structure', () => {
  test('is the same for every caller, has no query text, and runs no SQL', async () => {
    await using app = await start()
    const { reads } = app.store.counters
    const answer = await app.fetch<{ data: Record<string, unknown> }>(`${BASE}/stock-page`, {
      as: 'dee',
    })
    expect(answer.status).toBe(200)
    expect(answer.text).not.toContain(CANARY)
    expect(answer.text).not.toMatch(/SELECT/i)
    expect(answer.body.data).toMatchObject({
      Name: 'Stock',
      Slug: 'stock-page',
      Label: 'Stock',
      Filters: [{ Name: 'Name' }, { Name: 'Least', Default: { Value: '0' } }, { Name: 'Kind' }],
      Layout: [
        [
          { Widget: 'Table', Span: 8 },
          { Widget: 'Again', Span: null },
        ],
        [{ Widget: 'One' }, { Widget: 'Count' }, { Widget: 'Chiefs' }, { Widget: 'Grid' }],
      ],
    })
    expect(answer.body.data.DataSets).toContainEqual({ Name: 'First', Mode: 'Single' })
    const tag = answer.headers.get('etag') ?? ''
    const again = await app.fetch(`${BASE}/Stock`, {
      as: 'ana',
      headers: { 'If-None-Match': tag },
    })
    expect(again.status).toBe(304)
    const german = await app.fetch<{ data: { Label: string } }>(`${BASE}/STOCK`, {
      as: 'ana',
      headers: { 'If-None-Match': tag, 'Accept-Language': 'de' },
    })
    expect(german.body.data.Label).toBe('Bestand')
    expect(app.store.counters.reads).toBe(reads)
  })
})

describe('the data', () => {
  test('is text or null in each cell, with the types of the columns', async () => {
    await using app = await start()
    const data = await load(app, 'ana', 'Stock')
    expect(data.RequiredFilterMissing).toBe(false)
    const { Columns = [], Rows = [] } = data.DataSets.Rows ?? {}
    expect(Object.fromEntries(Columns.map((each) => [each.Name, each.ClrType]))).toEqual({
      Id: 'System.Int64',
      CompanyId: 'System.Int64',
      Name: 'System.String',
      Region: 'System.String',
      Price: 'System.Decimal',
      IsOpen: 'System.Boolean',
      Day: 'System.DateOnly',
      At: 'System.DateTime',
      Twice: 'System.Decimal',
      Blank: 'System.String',
    })
    expect(Rows.map((row) => row.Name)).toEqual(['nut', 'bolt'])
    expect(Rows[1]).toEqual({
      Id: '1',
      CompanyId: '1',
      Name: 'bolt',
      Region: 'north',
      Price: '1.5',
      IsOpen: 'true',
      Day: '2026-03-29',
      At: '2026-03-29T12:00:00.000Z',
      Twice: '3.0',
      Blank: null,
    })
    expect(data.DataSets.First?.Rows).toEqual([{ Region: 'north', Name: 'bolt' }])
  })

  test('is of the visible widgets, and of the caller’s company', async () => {
    await using app = await start()
    const ana = await load(app, 'ana', 'Stock')
    expect(ana.AccessibleWidgets).toEqual(['Table', 'Again', 'One', 'Count', 'Grid'])
    expect(Object.keys(ana.DataSets)).toEqual(['Rows', 'First', 'Total'])
    const max = await load(app, 'max', 'Stock')
    expect(max.AccessibleWidgets).toContain('Chiefs')
    expect(Object.keys(max.DataSets)).toEqual(['Rows', 'First', 'Total', 'Secret'])
    const root = await load(app, 'root', 'Stock')
    expect(root.DataSets.Total?.Rows).toEqual([{ N: '2' }])
    const all = await load(app, 'root', 'Stock', { AllCompanies: true })
    expect(all.DataSets.Total?.Rows).toEqual([{ N: '3' }])
    const own = await load(app, 'ana', 'Stock', { AllCompanies: true })
    expect(own.DataSets.Total?.Rows).toEqual([{ N: '2' }])
    const named = { Arguments: { Name: 'gear', CurrentCompanyId: '2', Chiefs: 'x' } }
    expect((await load(app, 'ana', 'Stock', named)).DataSets.Rows?.Rows).toEqual([])
  })

  test('is held by row filters, which fail closed', async () => {
    await using app = await start()
    const nor = await load(app, 'nor', 'Stock')
    expect(nor.DataSets.Rows?.Rows.map((row) => row.Name)).toEqual(['bolt'])
    expect(nor.DataSets.First?.Rows).toEqual([{ Region: 'north', Name: 'bolt' }])
    expect(nor.DataSets.Total).toEqual({
      Columns: [{ Name: 'N', ClrType: 'System.String' }],
      Rows: [],
      Error: 'A row filter of your roles cannot be applied to this dataset',
    })
    const two = await load(app, 'two', 'Stock')
    expect(two.DataSets.Total?.Rows).toEqual([{ N: '2' }])
  })

  test('says what it leaves out', async () => {
    await using app = await start({ rows: '1' })
    const { DataSets } = await load(app, 'ana', 'Stock')
    expect(DataSets.Rows?.Rows.map((row) => row.Name)).toEqual(['nut'])
    expect(DataSets.Rows?.Truncated).toContain('first 1 rows')
    expect(DataSets.First?.Truncated).toBeUndefined()
  })

  test('runs a dataset once for a hundred widgets, and not at all from the cache', async () => {
    await using app = await start()
    const countReads = async () => {
      const before = app.store.counters.reads
      const { DataSets, AccessibleWidgets } = await load(app, 'ana', 'Wide')
      expect(AccessibleWidgets).toHaveLength(100)
      expect(DataSets.All?.Rows).toEqual([{ N: '2' }])
      return app.store.counters.reads - before
    }
    expect(await countReads()).toBe(1)
    expect(await countReads()).toBe(1)
    expect(await countReads()).toBe(0)
    await app.store.write((tx) => tx.run(`UPDATE items SET Price = 3`), {
      company: 'all',
      because: 'a test',
    })
    expect(await countReads()).toBe(1)
  })

  test('runs no dataset twice for one answer once the tables move', async () => {
    await using app = await start()
    const write = (): Promise<number> =>
      app.store.write((tx) => tx.run(`UPDATE items SET Price = Price + 1`), {
        company: 'all',
        because: 'a test',
      })
    const loads = 20
    const { reads } = app.store.counters
    const startedAt = performance.now()
    for (let at = 0; at < loads; at++) {
      const Arguments = { Name: `none ${at}` }
      const [{ DataSets }] = await Promise.all([load(app, 'ana', 'Stock', { Arguments }), write()])
      expect(Object.keys(DataSets)).toHaveLength(3)
    }
    // Three datasets and one read of the write each; side by side, in vain, once a second.
    const inVain = 3 * (1 + Math.floor((performance.now() - startedAt) / 1000))
    expect(app.store.counters.reads - reads).toBeLessThanOrEqual(loads * 4 + inVain)
  })

  test('is of one state while others write', async () => {
    await using app = await start()
    let isOver = false
    const writing = (async () => {
      while (!isOver)
        await app.store.write(
          (tx) => tx.run(`INSERT INTO items (CompanyId, Name, Price) VALUES (1, 'more', 1)`),
          { company: 'all', because: 'a test' },
        )
    })()
    for (let at = 0; at < 30; at++) {
      const { DataSets } = await load(app, 'ana', 'Stock')
      expect(String(DataSets.Rows?.Rows.length)).toBe(DataSets.Total?.Rows[0]?.N ?? '')
    }
    isOver = true
    await writing
  })
})

describe('filters', () => {
  const call = (app: TestApp, Arguments: object, zone: string, as = 'ana') =>
    app.fetch<{ data: Data }>(`${BASE}/period/data`, {
      as,
      body: { Arguments },
      headers: { 'X-TimeZone': zone },
    })

  const bound = async (app: TestApp, Arguments: object, zone: string) =>
    (await call(app, Arguments, zone)).body.data.DataSets.Bound?.Rows[0]

  test('that are required and blank let nothing run', async () => {
    await using app = await start()
    for (const Arguments of [{}, { From: '' }, { From: '  ' }, { From: null }]) {
      const { reads } = app.store.counters
      const { body } = await call(app, Arguments, 'UTC')
      expect(body.data).toEqual({
        Name: 'Period',
        RequiredFilterMissing: true,
        DataSets: {},
        AccessibleWidgets: ['Bound'],
      })
      expect(app.store.counters.reads).toBe(reads)
    }
    const blank = await call(app, { From: '2026-01-01', To: ' ' }, 'UTC')
    expect(blank.body.data.RequiredFilterMissing).toBe(true)
  })

  test('end with the day in the caller’s zone, on the nights when clocks change', async () => {
    await using app = await start()
    const ends = async (From: string, zone: string) =>
      (await bound(app, { From, To: From }, zone))?.D
    expect(await ends('2026-03-28', 'Europe/Vienna')).toBe('2026-03-28T23:00:00.000Z')
    expect(await ends('2026-03-29', 'Europe/Vienna')).toBe('2026-03-29T22:00:00.000Z')
    expect(await ends('2026-10-24', 'Europe/Vienna')).toBe('2026-10-24T22:00:00.000Z')
    expect(await ends('2026-10-25', 'Europe/Vienna')).toBe('2026-10-25T23:00:00.000Z')
    // Midnight does not exist on the next day.
    expect(await ends('2026-09-05', 'America/Santiago')).toBe('2026-09-06T04:00:00.000Z')
    expect(await ends('9999-12-31', 'UTC')).toBe('9999-12-31T23:59:59.999Z')
  })

  test('take words for days, in the caller’s zone', async () => {
    const now = new Date(Date.now() + 60_000)
    now.setUTCHours(23, 30, 0, 0)
    await using app = await start({ clock: { now: () => now } })
    const day = now.toISOString().slice(0, 10)
    const next = Temporal.PlainDate.from(day).add({ days: 1 })
    expect((await bound(app, { From: 'today', To: 'today' }, 'UTC'))?.C).toBe(day)
    expect((await bound(app, { From: 'today' }, 'Asia/Tokyo'))?.C).toBe(next.toString())
    const month = await bound(
      app,
      { From: 'thisMonth', To: 'thisMonth', Since: 'thisYear' },
      'Asia/Tokyo',
    )
    expect(month?.A).toBe(next.with({ day: 1 }).toString())
    expect(month?.C).toBe(next.with({ day: next.daysInMonth }).toString())
    expect(month?.E).toBe(`${next.year - 1}-12-31T15:00:00.000Z`)
  })
})

describe('refusals come before any data', () => {
  const CASES: [string, string, CallOptions, number, string | undefined][] = [
    ['nobody', `${BASE}/Stock/data`, { body: {} }, 401, 'UNAUTHENTICATED'],
    ['no right', `${BASE}/Stock/data`, { as: 'dee', body: {} }, 401, 'PERMISSION_DENIED'],
    ['View alone', `${BASE}/Stock/data`, { as: 'vic', body: {} }, 401, 'PERMISSION_DENIED'],
    ['no such report', `${BASE}/Nothing/data`, { as: 'ana', body: {} }, 404, 'REPORT_NOT_FOUND'],
    ['no structure', `${BASE}/Nothing`, { as: 'ana' }, 404, 'REPORT_NOT_FOUND'],
    ['no token', `${BASE}/Stock`, {}, 401, 'UNAUTHENTICATED'],
    ['a list', `${BASE}/Stock/data`, { as: 'ana', body: { Arguments: [] } }, 400, undefined],
    [
      'a number',
      `${BASE}/Stock/data`,
      { as: 'ana', body: { Arguments: { Least: 1 } } },
      400,
      undefined,
    ],
  ]
  test.each(CASES)('%s', async (_, path, call, status, code) => {
    await using app = await start()
    const { reads } = app.store.counters
    const answer = await app.fetch<Refusal>(path, call)
    expect(answer.status).toBe(status)
    if (code !== undefined) expect(answer.body.code).toBe(code)
    expect(app.store.counters.reads).toBe(reads)
  })

  test('arguments that do not fit name their filters', async () => {
    await using app = await start()
    const { reads } = app.store.counters
    const asked = { Arguments: { Least: 'much', Kind: 'z', Name: 'ok' } }
    const path = `${BASE}/Stock/data`
    const { body, status } = await app.fetch<Refusal>(path, { as: 'ana', body: asked })
    expect(status).toBe(400)
    expect(Object.keys(body.fieldErrors ?? {})).toEqual(['Least', 'Kind'])
    expect(app.store.counters.reads).toBe(reads)
  })
})
