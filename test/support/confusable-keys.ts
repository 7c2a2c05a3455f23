/** An application whose names, labels and keys are easily taken for one another. */
import { startApp } from './app.ts'
import type { MadeFile } from './exported-types.ts'
import { Imports } from './imports.ts'
import { data, type Row } from './objects.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const VERBS = 'View List Create Update Delete Import Export'

export const CONFUSABLE_KEYS: TestApplication = {
  files: [
    {
      name: 'samples.xml',
      body: `<Model>
<Entity Name="Town" Table="towns" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text"/>
  <Column Name="Near" Type="Boolean" Default="true"/>
</Entity>
<Entity Name="Maker" Table="makers" Display="Name">
  <Column Name="Code" Type="Text" Key="true"/>
  <Column Name="Alias" Type="Text" Unique="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
</Entity>
<Entity Name="Sample" Table="samples" Display="Code" Concurrency="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Code" Type="Text" Required="true" Unique="true"/>
  <Column Name="Note" Type="Text"/>
  <Column Name="Kept" Type="Text" Blanks="Keep"/>
  <Column Name="Count" Type="Integer"/>
  <Column Name="Amount" Type="Decimal" Scale="2" Format="#,##0.00"/>
  <Column Name="Rate" Type="Decimal" Scale="6"/>
  <Column Name="Active" Type="Boolean"/>
  <Column Name="MadeOn" Type="Date"/>
  <Column Name="SeenAt" Type="DateTime"/>
  <Column Name="OpensAt" Type="Time"/>
  <Column Name="Tag" Type="Guid"/>
  <Column Name="Extra" Type="Json"/>
  <Column Name="Origin" References="Town"/>
  <Column Name="TownId" References="Town" Label="Town"/>
  <Column Name="SoldIn" References="Town" Label="Place"/>
  <Column Name="Place" Type="Text" Label="Shelf"/>
  <Column Name="Maker" References="Maker"/>
  <Column Name="Kind" Type="Text"><Option Value="a" Label="b"/><Option Value="b" Label="a"/><Option Value="A" Label="c"/></Column>
  <Column Name="State" Type="Text" Label="Progress"><Option Value="new" Label="Fresh"/><Option Value="done" Label="Done, all of it"/></Column>
  <Column Name="Grade" Type="Integer"><Option Value="1" Label="Two"/><Option Value="2" Label="One"/></Column>
  <Column Name="Level" Type="Text"><Option Value="x" Label="Same"/><Option Value="y" Label="Same"/><Option Value="z" Label="Other"/></Column>
</Entity>
<Entity Name="SampleTown" Table="sample_towns">
  <Column Name="SampleId" References="Sample" Key="true" OnDelete="Cascade"/>
  <Column Name="TownId" References="Town" Key="true"/>
</Entity>
<ObjectView Name="Towns" Entity="Town"/>
<ObjectView Name="Makers" Entity="Maker"/>
<ObjectView Name="Samples" Entity="Sample" Sort="Code">
  <TableQuery>SELECT s.*, 'at ' || s.Place AS Town FROM samples s</TableQuery>
  <Field Name="Code"/>
  <Field Name="Towns" Label="All towns" Through="SampleTown" In="Grid Form Export"/>
</ObjectView>
<Rbac>
  <Role Name="Keeper">
    <Grant Resource="Samples" Verbs="${VERBS}"/>
    <Grant Resource="Towns" Verbs="${VERBS}"/>
    <Grant Resource="Makers" Verbs="${VERBS}"/>
  </Role>
  <Role Name="Near">
    <Grant Resource="Samples" Verbs="${VERBS}"/>
    <Grant Resource="Towns" Verbs="View List"/>
    <RowFilter Resource="Towns">Near = 1</RowFilter>
    <Grant Resource="Makers" Verbs="View List"/>
  </Role>
</Rbac>
<Texts Language="de"><Text Of="Sample.State.new">Neu</Text><Text Of="Sample.State.done">new</Text><Text Of="Sample.Note">Kind</Text></Texts>
</Model>`,
    },
  ],
  ...makePeople('ONE', { keeper: 'Keeper', near: 'Near' }),
}

/** Calls of the samples: files that go out and come in again. */
export class ConfusableKeys extends Imports {
  /** The file of an export that must succeed, as `take` sends it. */
  async carry(
    request: Row,
    headers: Readonly<Record<string, string>> = {},
    as = 'keeper',
  ): Promise<{ objectName: string; fileName: string; file: Uint8Array<ArrayBuffer> }> {
    const body = { ObjectName: 'Samples', ...request }
    const answer = await this.app.fetch<{ data: { File: MadeFile } }>(
      '/api/v1/svc/object/export-data',
      { as, headers, body },
    )
    if (answer.status !== 200) throw new Error(answer.text)
    const { Url, FileName } = answer.body.data.File
    return { objectName: 'Samples', fileName: FileName, file: await this.#fetch(Url, as) }
  }

  /** The head of a file of these fields as csv. */
  async head(Fields: readonly string[], language = 'en'): Promise<string> {
    const { file } = await this.carry({ Fields }, { 'Accept-Language': language })
    return new TextDecoder().decode(file).split('\r\n')[0] ?? ''
  }

  async templateHead(): Promise<string> {
    const path = '/samples/import-template?format=csv'
    const { Url } = data(await this.call<{ File: MadeFile }>('keeper', path)).File
    return new TextDecoder().decode(await this.#fetch(Url)).trim()
  }

  async #fetch(url: string, as = 'keeper'): Promise<Uint8Array<ArrayBuffer>> {
    const headers = { Authorization: `Bearer ${this.app.tokens[as]}` }
    const answer = await this.app.handle(new Request(`http://localhost${url}`, { headers }))
    return new Uint8Array(await answer.arrayBuffer())
  }
}

/** The samples with towns and makers whose names and other names are keys of others. */
export async function startConfusableKeys(): Promise<ConfusableKeys> {
  const samples = new ConfusableKeys(await startApp({ application: CONFUSABLE_KEYS }))
  for (const Name of ['2', '3', '1', 'Rome']) await samples.save('keeper', 'Towns', { Name })
  const file = 'Code,Alias,Name\none,two,three\ntwo,three,one\nthree,one,two\n'
  await samples.take('keeper', { objectName: 'Makers', file })
  return samples
}
