/** Prints of report pages: their filters, single rows and tables, under the report's own gate. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { compileTexts } from '../../support/compile-text.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const REPORT = `<Report Name="Turnover" Label="Turnover">
  <Filters>
    <Filter Name="From" Type="Date" Required="true"/>
    <Filter Name="Region" Type="Text"><Option Value="n" Label="North"/><Option Value="s"/></Filter>
  </Filters>
  <DataSets>
    <DataSet Name="Figures" Mode="Single"><Sql>SELECT count(*) AS Sales, sum(Amount) AS Total FROM sales WHERE SoldOn &gt;= @From AND (@Region IS NULL OR Region = @Region)</Sql></DataSet>
    <DataSet Name="Secret" Mode="Single"><Sql>SELECT max(Amount) AS Biggest FROM sales</Sql></DataSet>
    <DataSet Name="Rows"><Sql>SELECT Region, Title, Amount FROM sales WHERE SoldOn &gt;= @From AND (@Region IS NULL OR Region = @Region) ORDER BY Title</Sql></DataSet>
    <DataSet Name="Unread"><Sql>SELECT Title FROM sales</Sql></DataSet>
  </DataSets>
  <Widgets>
    <Widget Name="Total" Kind="Kpi" DataSet="Figures"><Series Column="Total"/></Widget>
    <Widget Name="Top" Kind="Kpi" DataSet="Secret" AllowedRoles="Boss"><Series Column="Biggest"/></Widget>
    <Widget Name="List" Kind="Table" DataSet="Rows"><Series Column="Title"/><Series Column="Amount"/></Widget>
  </Widgets>
</Report>`

const CHOSEN = `<Report Name="Chosen" Label="Chosen">
  <Filters><Filter Name="DataSet" Type="Text"/></Filters>
  <DataSets><DataSet Name="Rows"><Sql>SELECT Title FROM sales WHERE Title = @DataSet</Sql></DataSet></DataSets>
  <Widgets><Widget Name="List" Kind="Table" DataSet="Rows"><Series Column="Title"/></Widget></Widgets>
</Report>`

const PRINT = `<Print Name="Statement" Report="turnover" Title="Turnover from {From}">
  <Heading Text="Turnover of {CompanyName}"/>
  <Text Text="Region {Region}, {Sales} sales"/>
  <Text Text="Biggest {Biggest}"/>
  <Lines Detail="Rows" Group="Region" Empty="Nothing sold">
    <Column Name="Title"/><Column Name="Amount" Sum="true"/>
  </Lines>
  <Totals><Total Field="Total"/></Totals>
</Print>`

const MODEL = `<Model>
<Entity Name="Sale" Table="sales" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text"/>
  <Column Name="Region" Type="Text"><Option Value="n" Label="North"/><Option Value="s" Label="South"/></Column>
  <Column Name="SoldOn" Type="Date"/>
  <Column Name="Amount" Type="Decimal" Scale="2" Unit="EUR"/>
</Entity>
<ObjectView Name="Sales" Entity="Sale"/>
<Rbac>
  <Role Name="Boss">
    <Grant Resource="Turnover" Verbs="View List Export"/>
    <Grant Resource="Chosen" Verbs="View List Export"/>
  </Role>
  <Role Name="Clerk">
    <Grant Resource="Turnover" Verbs="View List Export"/>
    <RowFilter Resource="Turnover" DataSet="Rows">Region = 'n'</RowFilter>
  </Role>
  <Role Name="Looker"><Grant Resource="Turnover" Verbs="View List"/></Role>
</Rbac>
`

const APPLICATION: TestApplication = {
  files: [{ name: 'turnover.xml', body: `${MODEL}${REPORT}${CHOSEN}${PRINT}</Model>` }],
  ...makePeople('ONE TWO', {
    boss: 'Boss',
    clerk: 'Clerk',
    looker: 'Looker',
    other: 'Boss in TWO',
  }),
}

interface Shown {
  DataSets: Record<string, { Rows: Record<string, unknown>[] }>
}

let app: TestApp
beforeAll(async () => {
  app = await startSales()
})
afterAll(() => app[Symbol.asyncDispose]())

async function startSales(settings: Record<string, string> = {}): Promise<TestApp> {
  const app = await startApp({ application: APPLICATION, settings })
  const rows = [
    [1, 'b', 'n', '2026-02-01', 20.5],
    [1, 'a', 's', '2026-02-02', 10],
    [1, 'c', 'n', '2026-03-01', 0.25],
    [1, 'old', 'n', '2025-01-01', 99],
    [2, 'theirs', 'n', '2026-02-01', 1000],
  ]
  for (const [c, t, r, d, a] of rows)
    await app.store.write(
      (tx) =>
        tx.run(
          `INSERT INTO sales (CompanyId, Title, Region, SoldOn, Amount)
            VALUES (@c, @t, @r, @d, @a)`,
          { c: c ?? null, t: t ?? null, r: r ?? null, d: d ?? null, a: a ?? null },
        ),
      { company: 'all', because: 'a test' },
    )
  return app
}

const ask = (as: string, more = '') =>
  app.fetch<Shown>(`/report/statement?format=json&From=2026-01-01${more}`, { as })

const rowsOf = ({ DataSets }: Shown, table: string) => DataSets[table]?.Rows ?? []

describe('a print of a report', () => {
  test('shows filters, single rows and tables of the report', async () => {
    const { status, body } = await ask('boss')
    expect(status).toBe(200)
    expect(rowsOf(body, 'Turnover')).toEqual([
      { Sales: 3, Total: 30.75, Biggest: 99, From: '2026-01-01', Region: null },
    ])
    expect(rowsOf(body, 'Rows')).toEqual([
      { Title: 'a', Amount: 10 },
      { Title: 'b', Amount: 20.5 },
      { Title: 'c', Amount: 0.25 },
    ])
  })

  test('is held to filters, row filters, allowed roles and the company', async () => {
    const north = await ask('boss', '&Region=n')
    expect(rowsOf(north.body, 'Rows')).toHaveLength(2)
    const clerk = await ask('clerk')
    expect(rowsOf(clerk.body, 'Turnover')).toEqual([
      { From: '2026-01-01', Region: null, Sales: 3, Total: 30.75 },
    ])
    expect(rowsOf(clerk.body, 'Rows').map(({ Title }) => Title)).toEqual(['b', 'c'])
    expect(rowsOf((await ask('other')).body, 'Rows')).toEqual([{ Title: 'theirs', Amount: 1000 }])
  })

  test('is listed and made for whoever may List and Export the report', async () => {
    const listed = await app.fetch<{ data: { Key: string }[] }>('/report', { as: 'looker' })
    expect(listed.body.data.map(({ Key }) => Key)).not.toContain('statement')
    expect((await ask('looker')).status).toBe(401)
    const own = await app.fetch<{ data: { Key: string }[] }>('/report', { as: 'clerk' })
    expect(own.body.data.map(({ Key }) => Key)).toContain('statement')
  })

  test('needs its required filters, by their labels', async () => {
    const { status, body } = await app.fetch<{ fieldErrors: object }>(
      '/report/statement?format=json',
      { as: 'boss' },
    )
    expect([status, body.fieldErrors]).toEqual([400, { From: 'From is required' }])
  })

  test('has rows of a group together, and is refused where rows are missing', async () => {
    await using few = await startSales({ 'Svc:Reports:MaxRows': '4' })
    const sell = (title: string) =>
      few.store.write(
        (tx) =>
          tx.run(
            `INSERT INTO sales (CompanyId, Title, Region, SoldOn, Amount)
              VALUES (1, @title, 's', '2026-04-01', 1)`,
            { title },
          ),
        { company: 'all', because: 'a test' },
      )
    await sell('d')
    const path = '/report/statement?format=json&From=2026-01-01'
    const whole = await few.fetch<Shown>(path, { as: 'boss' })
    const titles = rowsOf(whole.body, 'Rows').map(({ Title }) => Title)
    expect(titles).toEqual(['a', 'd', 'b', 'c'])
    await sell('e')
    const { status, body } = await few.fetch<{ code: string }>(path, { as: 'boss' })
    expect([status, body.code]).toEqual([400, 'REPORT_INCOMPLETE'])
  })

  test('is drawn', async () => {
    const { status, text } = await app.fetch('/report/statement?From=2026-01-01', { as: 'boss' })
    expect([status, text.slice(0, 5)]).toEqual([200, '%PDF-'])
  })
})

test('a filter that is called as a parameter of the printed page is the filter', async () => {
  const path = '/report/page?report=chosen&format=csv&dataset=b'
  const { status, text } = await app.fetch(path, { as: 'boss' })
  expect([status, text.replace('\uFEFF', '').trim().split(/\r?\n/)]).toEqual([200, ['Title', 'b']])
})

describe('a print of a report is refused', () => {
  const faultOf = async (print: string): Promise<string> => {
    const files = { 'turnover.xml': `${MODEL}${REPORT}${print}</Model>` }
    return (await compileTexts(files)).faults.join('\n')
  }

  test('for a report, a column or a dataset that is not there, with the nearest name', async () => {
    expect(await faultOf('<Print Name="P" Report="turnovr"/>')).toContain('There is no Report')
    expect(
      await faultOf('<Print Name="P" Report="turnover"><Text Text="{Totl}"/></Print>'),
    ).toMatch(/\{Totl\} is not known here.*Total/)
    const lines = (name: string) =>
      `<Print Name="P" Report="turnover"><Lines Detail="${name}"><Column Name="Title"/></Lines></Print>`
    expect(await faultOf(lines('Row'))).toMatch(/reads a DataSet Row of Rows.*Rows/)
    expect(await faultOf(lines('Unread'))).toContain('reads a DataSet Unread of Rows')
  })

  test('of a view and a report, or of neither', async () => {
    const message = 'A Print needs either a View or a Report'
    expect(await faultOf('<Print Name="P" Report="turnover" View="Sales"/>')).toContain(message)
    expect(await faultOf('<Print Name="P"/>')).toContain(message)
  })
})
