/** An application with a field of every type, to be carried into files and out of them. */
import { type AppOptions, startApp } from './app.ts'
import { data, Objects, type Row } from './objects.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const MODEL = `<Model>
<Entity Name="Kind" Table="kinds" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
</Entity>
<Entity Name="Thing" Table="things" Display="Code" Concurrency="Enabled" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Code" Type="Text" Required="true" Unique="true"/>
  <Column Name="Name" Type="Text" MaxLength="1000000" Label="Title"/>
  <Column Name="KindId" References="Kind"/>
  <Column Name="State" Type="Text" Default="new"><Option Value="new" Label="New"/><Option Value="done" Label="It is done"/></Column>
  <Column Name="Amount" Type="Decimal" Scale="2" Format="#,##0.00"/>
  <Column Name="Count" Type="Integer"/>
  <Column Name="Active" Type="Boolean"/>
  <Column Name="MadeOn" Type="Date" Format="dd.MM.yyyy"/>
  <Column Name="SeenAt" Type="DateTime"/>
  <Column Name="OpensAt" Type="Time"/>
  <Column Name="Tag" Type="Guid"/>
  <Column Name="Extra" Type="Json"/>
  <Column Name="Secret" Type="Text"/>
  <Column Name="Region" Type="Text" Default="north"/>
</Entity>
<Entity Name="ThingKind" Table="thing_kinds" Company="CompanyId">
  <Column Name="ThingId" References="Thing" Key="true" OnDelete="Cascade"/>
  <Column Name="KindId" References="Kind" Key="true" OnDelete="Cascade"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
</Entity>
<ObjectView Name="Kinds" Entity="Kind"/>
<ObjectView Name="Things" Entity="Thing" Sort="Code desc">
  <TableQuery>SELECT t.*, t.Amount * 2 AS Twice, t.Count * 4503599627370497 AS Huge FROM things t</TableQuery>
  <Field Name="Code" Searchable="true"/>
  <Field Name="Name" Searchable="true"/>
  <Field Name="Twice" Type="Decimal" Scale="2"/>
  <Field Name="Huge" Type="Integer"/>
  <Field Name="Secret" In="Grid Form View"/>
  <Field Name="Kinds" Label="All kinds" Multiple="true" Through="ThingKind" In="Grid Form View Export"/>
  <Preset Name="Done" Where="State = 'done'"/>
</ObjectView>
<ObjectView Name="Fixed" Entity="Thing" Resource="Fixed">
  <Field Name="Name" Label="Code"/>
</ObjectView>
<Rbac>
  <UserAttribute Name="Region"/>
  <Role Name="Lead">
    <Grant Resource="Things" Verbs="View List Create Update Delete Export Import"/>
    <Grant Resource="Fixed" Verbs="View List Export"/>
    <Grant Resource="Kinds" Verbs="View List Create Update Delete"/>
  </Role>
  <Role Name="Reader"><Grant Resource="Things" Verbs="View List"/></Role>
  <Role Name="Taker"><Grant Resource="Things" Verbs="Export"/></Role>
  <Role Name="Rep">
    <Grant Resource="Things" Verbs="View List Export"/>
    <RowFilter Resource="Things" Verbs="View List">Region = 'north'</RowFilter>
    <RowFilter Resource="Things" Verbs="Export">State = 'done'</RowFilter>
    <FieldRule Resource="Things" Field="Amount" Access="Hidden"/>
  </Role>
</Rbac>
</Model>`

export const EXPORTED_TYPES: TestApplication = {
  files: [{ name: 'yard.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    sys: 'System in ONE TWO',
    lead: 'Lead',
    mate: 'Lead',
    other: 'Lead in TWO',
    reader: 'Reader',
    taker: 'Taker',
    rep: 'Rep',
  }),
}

/** The answer of an export about its file. */
export interface MadeFile {
  FileName: string
  Url: string
  ContentType: string
  Size: number
  Rows: number
  Sha256: string
}

/** Calls of the application; exports are fetched by whoever made them. */
export class ExportedTypes extends Objects {
  export(as: string, request: Row) {
    return this.call<{ Action: string; File: MadeFile }>(as, '/export-data', {
      ObjectName: 'things',
      ...request,
    })
  }

  /** The file of an export that must succeed. */
  async made(as: string, request: Row): Promise<MadeFile> {
    return data(await this.export(as, request)).File
  }

  async bytes(as: string, request: Row): Promise<Uint8Array> {
    const { Url } = await this.made(as, request)
    return this.fetchBytes(as, Url)
  }

  async fetchBytes(as: string, url: string): Promise<Uint8Array> {
    const headers = { Authorization: `Bearer ${this.app.tokens[as]}` }
    const answer = await this.app.handle(new Request(`http://localhost${url}`, { headers }))
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`)
    return new Uint8Array(await answer.arrayBuffer())
  }

  /** Rows of an export as the wire has them. */
  async rows(as: string, request: Row = {}): Promise<Row[]> {
    const text = new TextDecoder().decode(await this.bytes(as, { Format: 'jsonl', ...request }))
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row)
  }

  /** Lines of a CSV export, without its mark. */
  async lines(as: string, request: Row = {}): Promise<string[]> {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    const text = decoder.decode(await this.bytes(as, { Format: 'csv', ...request }))
    if (!text.startsWith('\uFEFF')) throw new Error('The file has no byte order mark')
    return text.slice(1).split('\r\n').slice(0, -1)
  }
}

/** The application with two kinds in each company and no things. */
export async function startExportedTypes(options: AppOptions = {}): Promise<ExportedTypes> {
  const yard = new ExportedTypes(await startApp({ application: EXPORTED_TYPES, ...options }))
  for (const as of ['lead', 'other']) {
    for (const Name of ['Iron', 'Wood, dry']) await yard.save(as, 'Kinds', { Name })
  }
  return yard
}
