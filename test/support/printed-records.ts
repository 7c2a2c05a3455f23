/** Records, a report page and people who see more or less of them, to be printed. */
import { type AppOptions, startApp, type TestApp } from './app.ts'
import type { Refusal } from './objects.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const MODEL = `<Model>
<Entity Name="Client" Table="clients" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Region" Type="Text"/>
</Entity>
<Entity Name="Bill" Table="bills" Display="Number" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Number" Type="Text" Required="true"/>
  <Column Name="ClientId" References="Client"/>
  <Column Name="Status" Type="Text"><Option Value="new" Label="New"/><Option Value="paid" Label="Paid in full"/></Column>
  <Column Name="Total" Type="Decimal" Scale="2" Format="#,##0.00" Unit="EUR"/>
  <Column Name="Margin" Type="Decimal" Scale="2"/>
  <Column Name="Day" Type="Date"/>
</Entity>
<Entity Name="BillLine" Table="bill_lines" Display="Text" Company="CompanyId">
  <Column Name="BillId" References="Bill" Key="true" OnDelete="Cascade"/>
  <Column Name="LineNo" Type="Integer" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Text" Type="Text"/>
  <Column Name="Amount" Type="Decimal" Scale="2"/>
</Entity>
<ObjectView Name="Clients" Entity="Client"><Preset Name="South" Where="Region = 'south'"/></ObjectView>
<ObjectView Name="Bills" Entity="Bill" Sort="Number">
  <Section Label="What it is"><Field Name="Number"/><Field Name="ClientId"/></Section>
  <Detail Name="Lines" View="BillLines" Parent="BillId=Id" Label="Lines of it"/>
</ObjectView>
<ObjectView Name="BillLines" Entity="BillLine"/>
<Report Name="Turnover" Label="Turnover of all">
  <Filters>
    <Filter Name="Status" Type="Text"><Option Value="new" Label="New"/><Option Value="paid" Label="Paid in full"/></Filter>
    <Filter Name="From" Type="Date" Required="true"/>
    <Filter Name="Client" Type="Integer"><Lookup View="Clients"/></Filter>
  </Filters>
  <DataSets>
    <DataSet Name="Sum" Mode="Single"><Sql>SELECT sum(Total) AS Total, sum(Total) / 2 AS Half FROM bills WHERE Day &gt;= @From AND (@Status IS NULL OR Status = @Status)</Sql></DataSet>
    <DataSet Name="Rows"><Sql>SELECT Status, Number, Total, Region FROM bills LEFT JOIN clients ON clients.Id = ClientId WHERE Day &gt;= @From ORDER BY Status, Number</Sql></DataSet>
    <DataSet Name="Secret"><Sql>SELECT sum(Margin) AS Margin FROM bills</Sql></DataSet>
  </DataSets>
  <Widgets>
    <Widget Name="All" Label="All of it" Kind="Kpi" DataSet="Sum"><Series Column="Total" Format="#,##0.00" Unit="EUR"/><Compare Column="Half" Label="Half"/></Widget>
    <Widget Name="Chart" Kind="Bar" DataSet="Rows" Category="Number" Stacked="true"><Series Column="Total"/><Series Column="Total" Label="Course" Kind="Line" Axis="Secondary"/></Widget>
    <Widget Name="Table" Label="Each bill" Kind="Table" DataSet="Rows"><Group Column="Status" Break="true"/><Series Column="Number"/><Series Column="Total" Function="sum" Format="#,##0.00"/><Format Column="Total" When="Total lt 5" Tone="bad"/></Widget>
    <Widget Name="Pivot" Label="By region" Kind="Pivot" DataSet="Rows" Totals="true"><Group Column="Region" On="Rows"/><Group Column="Status" On="Columns"/><Series Column="Total" Function="sum"/></Widget>
    <Widget Name="Chiefs" Kind="Kpi" DataSet="Secret" AllowedRoles="Chief"/>
    <Widget Name="Words" Kind="Text" Text="From {From}: {Status}"/>
    <Widget Name="Grid" Label="The clients" Kind="View" View="Clients" With="Region='north'"/>
    <Widget Name="Others" Label="Other clients" Kind="View" View="Clients" Preset="south"/>
  </Widgets>
</Report>
<Print Name="Slip" View="Bills" Title="Slip {Number}"><Fields Names="Number Total"/></Print>
<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Clients" Verbs="View List Export"/>
    <Grant Resource="Bills" Verbs="View List Create Export"/>
    <Grant Resource="BillLines" Verbs="View List Create Export"/>
    <Grant Resource="Turnover" Verbs="List Export"/>
  </Role>
  <Role Name="Blind">
    <Grant Resource="Clients" Verbs="View List Export"/><Grant Resource="Turnover" Verbs="List Export"/>
    <Grant Resource="Bills" Verbs="View"/>
    <FieldRule Resource="Clients" Field="Region" Access="Hidden"/>
    <FieldRule Resource="Bills" Field="Number" Access="Hidden"/>
  </Role>
  <Role Name="Chief"><Grant Resource="Turnover" Verbs="List Export"/></Role>
  <Role Name="Viewer"><Grant Resource="Bills" Verbs="View"/><Grant Resource="Turnover" Verbs="List"/></Role>
  <Role Name="North">
    <Grant Resource="Bills" Verbs="View List Export"/><Grant Resource="Turnover" Verbs="List Export"/>
    <RowFilter Resource="Bills">Status = 'paid'</RowFilter>
    <RowFilter Resource="Turnover" DataSet="Rows">Region = 'north'</RowFilter>
    <FieldRule Resource="Bills" Field="Total" Access="Hidden"/>
  </Role>
</Rbac>
<Texts Language="de">
  <Text Of="Turnover">Umsatz / Übersicht</Text>
  <Text Of="Slip">Beleg</Text>
  <Text Of="Slip.Title">Beleg {Number}</Text>
  <Text Of="Bills">Rechnungen: größte</Text>
  <Text Of="Bill.Status.paid">Ganz bezahlt</Text>
</Texts>
</Model>`

const PRINTED_RECORDS: TestApplication = {
  files: [{ name: 'gallery.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    sys: 'System in ONE TWO',
    clerk: 'Clerk',
    chief: 'Chief',
    blind: 'Blind',
    viewer: 'Viewer',
    north: 'North',
    other: 'Clerk in TWO',
    nobody: '',
  }),
}

/** Bills: B1 and B3 are paid and of the north, B2 is new; B9 is of the other company. */
const SEEDS = [
  `INSERT INTO clients (Id, CompanyId, Name, Region) VALUES (1, 1, 'Ærø', 'north'), (2, 1, 'Bay', 'south'), (9, 2, 'canary', 'north')`,
  `INSERT INTO bills (Id, CompanyId, Number, ClientId, Status, Total, Margin, Day) VALUES
    (1, 1, 'B1', 1, 'paid', 1234.5, 77777, '2026-03-01'), (2, 1, 'B2', 2, 'new', 2.25, 1, '2026-03-02'),
    (3, 1, 'B3', 1, 'paid', 10, 1, '2026-03-03'), (9, 2, 'canary', 9, 'paid', 5, 5, '2026-03-03')`,
  `INSERT INTO bill_lines (BillId, LineNo, CompanyId, Text, Amount) VALUES (1, 1, 1, 'first', 1200), (1, 2, 1, 'second', 34.5), (9, 1, 2, 'canary', 5)`,
]

export interface PrintedRecords extends AsyncDisposable {
  app: TestApp
  get: <T = unknown>(
    as: string,
    key: string,
    query?: Record<string, string>,
    language?: string,
  ) => Promise<Made<T>>
  /** A report as the bytes of its file. */
  file: (as: string, key: string, query?: Record<string, string>) => Promise<Uint8Array>
}

/** An answer of a report; its body where it is JSON. */
export interface Made<T> {
  status: number
  headers: Headers
  text: string
  body: Refusal & { data: unknown } & T
}

/** The records are there; nobody has printed any yet. */
export async function startPrintedRecords(options: AppOptions = {}): Promise<PrintedRecords> {
  const app = await startApp({ application: PRINTED_RECORDS, ...options })
  await app.store.write(
    async (tx) => {
      for (const sql of SEEDS) await tx.silently(() => tx.run(sql))
    },
    { company: 'all', because: 'a test' },
  )
  return {
    app,
    get: (as, key, query = {}, language = 'en') =>
      app.fetch(`/report/${key}?${new URLSearchParams(query).toString()}`, {
        as,
        headers: { 'Accept-Language': language },
      }),
    file: async (as, key, query = {}) => {
      const url = `http://127.0.0.1/report/${key}?${new URLSearchParams(query).toString()}`
      const headers = { Authorization: `Bearer ${app.tokens[as]}` }
      const answer = await app.handle(new Request(url, { headers }))
      return new Uint8Array(await answer.arrayBuffer())
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}
