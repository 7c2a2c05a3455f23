/** An application that takes files of rows, and the calls that send them. */
import { type AppOptions, startApp } from './app.ts'
import { Objects, type Reply } from './objects.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

export const IMPORTS: TestApplication = {
  files: [
    {
      name: 'imports.xml',
      body: `<Model>
<Entity Name="Land" Table="lands" Company="CompanyId" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Code" Type="Text" Required="true" Unique="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
</Entity>
<Entity Name="Person" Table="people" Company="CompanyId" Concurrency="Enabled" Tracking="true" Audit="Enabled" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true" MaxLength="40"/>
  <Column Name="Email" Type="Text" Unique="true" Required="true" Pattern="[^@ ]+@[^@ ]+" Label="E-mail"/>
  <Column Name="LandId" References="Land" Label="Land"/>
  <Column Name="Status" Type="Text" Default="new"><Option Value="new" Label="Just come"/><Option Value="old" Label="Long here"/></Column>
  <Column Name="Born" Type="Date"/>
  <Column Name="Seen" Type="DateTime"/>
  <Column Name="Limit" Type="Decimal" Scale="2" Min="0"/>
  <Column Name="Spent" Type="Decimal" Scale="2"/>
  <Column Name="Visits" Type="Integer"/>
  <Column Name="Vip" Type="Boolean"/>
  <Column Name="Wakes" Type="Time"/>
  <Column Name="Token" Type="Guid"/>
  <Column Name="Extra" Type="Json"/>
  <Column Name="Note" Type="Text"/>
  <Column Name="Secret" Type="Text" Label="Rating"/>
  <Validate Field="Spent" Operator="le" Compare="Limit" Message="Spent more than the limit"/>
  <Validate Field="Visits" Message="Thirteen is not allowed">SELECT @Visits IS NULL OR @Visits &lt;&gt; 13</Validate>
</Entity>
<Entity Name="Reading" Table="readings" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Code" Type="Text" Required="true" Unique="true" MaxLength="20"/>
  <Column Name="Value" Type="Decimal" Required="true"/>
  <Column Name="Day" Type="Date"/>
  <Index Columns="Day" Unique="true" Where="Value &gt; 900000"/>
</Entity>
<Entity Name="Bill" Table="bills" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Number" Type="Text" Sequence="BillNo"/>
  <Column Name="Sum" Type="Decimal"/>
  <Column Name="Note" Type="Text"/>
  <Sequence Name="BillNo" Format="B-{####}"/>
</Entity>
<Entity Name="Part" Table="parts" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Guid" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true" Unique="true"/>
  <Column Name="Land" Type="Text" Label="Origin"/>
  <Column Name="MadeIn" References="Land" Label="Land"/>
</Entity>
<Entity Name="PartLand" Table="part_lands" Company="CompanyId">
  <Column Name="Id" Type="Guid" Key="true"/>
  <Column Name="PartId" References="Part" Required="true"/>
  <Column Name="LandId" References="Land" Required="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
</Entity>
<ObjectView Name="Lands" Entity="Land"/>
<ObjectView Name="Parts" Entity="Part"><Field Name="Name"/><Field Name="Lands" Through="PartLand" In="Grid Form Export"/></ObjectView>
<ObjectView Name="People" Entity="Person">
  <Field Name="Note" RequiredWhen="Status eq old"/>
  <Permit Capability="Update" When="Name &lt;&gt; 'Fixed'"/>
</ObjectView>
<ObjectView Name="Readings" Entity="Reading"/>
<ObjectView Name="Bills" Entity="Bill"/>
<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Lands" Verbs="View List Create Update Delete Import Export"/>
    <Grant Resource="People" Verbs="View List Create Update Delete Import Export"/>
    <Grant Resource="Readings" Verbs="View List Create Update Delete Import Export"/>
    <Grant Resource="Parts" Verbs="View List Create Update Delete Import Export"/>
    <Grant Resource="Bills" Verbs="View List Create Update Delete Import Export"/>
  </Role>
  <Role Name="Narrow">
    <Grant Resource="People" Verbs="View List Create Update Import Export"/>
    <RowFilter Resource="People">Status = 'new'</RowFilter>
    <FieldRule Resource="People" Field="Limit" Access="ReadOnly"/>
    <FieldRule Resource="People" Field="Secret" Access="Hidden"/>
  </Role>
  <Role Name="Looker"><Grant Resource="People" Verbs="View List"/></Role>
</Rbac>
<Texts Language="de"><Text Of="People.Name">Name der Person</Text><Text Of="Person.Status.new">Gerade da</Text></Texts>
</Model>`,
    },
  ],
  ...makePeople('ONE TWO', {
    clerk: 'Clerk',
    narrow: 'Narrow',
    looker: 'Looker',
    other: 'Clerk in TWO',
    sys: 'System',
  }),
}

/** The answer of an import about itself. */
export interface Imported {
  ImportId: string | null
  Inserted: number
  Updated: number
  Skipped: number
  Failed: number
  Rows: number
  ErrorFile: { FileName: string; Url: string; Rows: number } | null
  /** Of a dry run that skips. */
  Faults?: { Line: number; Cells: (string | null)[]; FieldErrors: Record<string, string> }[]
}

/** A file to send, with the fields of its form. */
export interface Sending {
  objectName: string
  file: string | Uint8Array<ArrayBuffer>
  fileName?: string
  fields?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
}

/** Calls of the import API as named users. */
export class Imports extends Objects {
  async send<T = { Import: Imported }>(
    as: string,
    sending: Sending,
    route = 'import-data',
  ): Promise<Reply<T>> {
    const { objectName, file, fileName = 'rows.csv', fields, headers } = sending
    const form = new FormData()
    form.set('objectName', objectName)
    for (const [name, value] of Object.entries(fields ?? {})) form.set(name, value)
    form.set('file', new File([file], fileName))
    const token = this.app.tokens[as]
    const response = await this.app.handle(
      new Request(`http://localhost/api/v1/svc/object/${route}`, {
        method: 'POST',
        headers: { ...(token && { Authorization: `Bearer ${token}` }), ...headers },
        body: form,
      }),
    )
    const text = await response.text()
    const { status, headers: received } = response
    return { status, headers: received, text, body: JSON.parse(text) }
  }

  /** An import that must succeed. */
  async take(as: string, sending: Sending): Promise<Imported> {
    const { status, body } = await this.send(as, sending)
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body.data.Import
  }

  /** The bytes of a file that an answer names. */
  async download(file: { Url: string } | null, as = 'clerk'): Promise<Uint8Array<ArrayBuffer>> {
    const answer = await this.app.handle(
      new Request(`http://localhost${file?.Url}`, {
        headers: { Authorization: `Bearer ${this.app.tokens[as]}` },
      }),
    )
    return new Uint8Array(await answer.arrayBuffer())
  }
}

/** The application, running, with two lands in company ONE. */
export async function startImports(
  options: Omit<AppOptions, 'application'> = {},
): Promise<Imports> {
  const imports = new Imports(await startApp({ ...options, application: IMPORTS }))
  await imports.save('clerk', 'Lands', { Code: 'DE', Name: 'Germany' })
  await imports.save('clerk', 'Lands', { Code: 'FR', Name: 'France' })
  await imports.save('other', 'Lands', { Code: 'IT', Name: 'Italy' })
  return imports
}
