/** An application of wizards: branches, lookups, lists, queried fields, files; with its people. */
import { type Answer, type AppOptions, startApp, type TestApp } from './app.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

export const WIZARDS_MODEL = `<Model>
  <Entity Name="Client" Table="clients" Display="Name" Company="CompanyId" Audit="Enabled">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="CompanyId" Type="Integer" Required="true"/>
    <Column Name="Name" Required="true" MaxLength="40" Unique="true"/>
    <Column Name="Region"/>
    <Column Name="VatNumber"/>
    <Column Name="CityId" References="City"/>
    <Column Name="Limit" Type="Decimal" Default="100"/>
    <Column Name="Contract" Type="File" MaxCount="2" Accept="text/plain"/>
    <Column Name="Answers" Type="Json"/>
  </Entity>
  <Entity Name="Item" Table="items" Company="CompanyId">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="CompanyId" Type="Integer" Required="true"/>
    <Column Name="ClientId" References="Client" Required="true" OnDelete="Cascade"/>
    <Column Name="Product" Required="true"/>
    <Column Name="Quantity" Type="Integer" Required="true" Min="1" Default="1"/>
    <Column Name="Paper" Type="File" Accept="text/plain"/>
  </Entity>
  <Entity Name="City" Table="cities" Display="Name">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="Country" Required="true"/>
    <Column Name="Name" Required="true"/>
  </Entity>
  <Entity Name="Question" Table="questions">
    <Column Name="Code" Key="true"/>
    <Column Name="Text" Required="true"/>
    <Column Name="Kind" Required="true"/>
    <Column Name="Choices"/>
  </Entity>
  <Rows Entity="City" Key="Name">
    <Row Country="DE" Name="Bremen"/><Row Country="DE" Name="Leipzig"/><Row Country="FR" Name="Lille"/>
  </Rows>
  <Rows Entity="Question" Key="Code">
    <Row Code="Since" Text="Since when?" Kind="Date"/>
    <Row Code="Size" Text="How large?" Kind="Text" Choices='["small","large"]'/>
  </Rows>
  <ObjectView Name="Clients" Entity="Client"/>
  <ObjectView Name="Items" Entity="Item"/>
  <ObjectView Name="Cities" Entity="City" Sort="Name"/>

  <ObjectView Name="NewClient" Label="A new client" ViewType="Wizard" Entity="Client">
    <Step Name="Kind">
      <Field Name="Sort" Required="true" Default="person"><Option Value="person" Label="A person"/><Option Value="company"/></Field>
      <Field Name="Name"/>
      <Validate Field="Name" Message="Nobody is called that">SELECT @Name &lt;&gt; 'nobody'</Validate>
    </Step>
    <Step Name="Firm" When="@Sort = 'company'">
      <Field Name="VatNumber" Required="true" Pattern="^[A-Z]{2}[0-9]+$"/>
    </Step>
    <Step Name="Place" Label="Where">
      <Field Name="Country" Required="true"><Option Value="DE"/><Option Value="FR"/></Field>
      <Field Name="CityId" RequiredWhen="Sort eq company"><Lookup View="Cities" Where="Country = @Country"/></Field>
      <Field Name="Limit" ReadOnlyWhen="Sort eq person"/>
      <Field Name="Region"><Default DependsOn="CityId">SELECT upper(Name) FROM cities WHERE Id = @CityId</Default></Field>
    </Step>
    <Step Name="Paper"><Field Name="Contract"/></Step>
    <Step Name="Look" Summary="true"/>
    <Finish>
      <Sql Into="ClientId">INSERT INTO clients (CompanyId, Name, Region, VatNumber, CityId, "Limit", Contract) VALUES (@CurrentCompanyId, @Name, @Region, @VatNumber, @CityId, @Limit, @Contract) RETURNING Id</Sql>
      <Notify Role="Lead" Kind="Clients" Title="{Name} from {CityId__Label}"/>
      <Dispatch Type="refreshTable" Target="Clients"/>
      <Dispatch Type="showAlert" Level="success" Message="{Name} ({Sort__Label}) is a client"/>
    </Finish>
  </ObjectView>

  <ObjectView Name="Order" ViewType="Wizard" Resource="Ordering">
    <Step Name="Who"><Field Name="Client" Type="Integer" Required="true"><Lookup View="Clients"/></Field></Step>
    <Step Name="Lines" Entity="Item" Only="true" Repeat="true" Min="1" Max="3">
      <Field Name="Product"/><Field Name="Quantity"/><Field Name="Paper"/>
      <Validate Field="Quantity" Message="Too many">SELECT @Quantity &lt; 100</Validate>
    </Step>
    <Step Name="Asked">
      <FieldQuery>SELECT Code AS Name, Text AS Label, Kind AS Type, Code = 'Since' AS Required, Choices AS Options FROM questions ORDER BY Code</FieldQuery>
    </Step>
    <Step Name="Many" When="json_array_length(@Lines) &gt; 1"><Field Name="Remark" Required="true"/></Step>
    <Step Name="Sum" Summary="true"/>
    <Finish>
      <Sql>INSERT INTO items (CompanyId, ClientId, Product, Quantity, Paper) SELECT @CurrentCompanyId, @Client, value ->> '$.Product', value ->> '$.Quantity', value -> '$.Paper' FROM json_each(@Lines)</Sql>
      <Sql Rows="1">UPDATE clients SET Answers = @Asked, Region = coalesce(@Remark, Region) WHERE Id = @Client</Sql>
    </Finish>
  </ObjectView>

  <ObjectView Name="Bulk" ViewType="Wizard" Resource="Ordering">
    <Step Name="Lines" Entity="Item" Only="true" Repeat="true"><Field Name="Product"/></Step>
  </ObjectView>

  <Navbar Name="main"><Item Name="New" Wizard="new-client"/></Navbar>
  <Rbac>
    <Role Name="Clerk">
      <Grant Resource="NewClient" Verbs="Create"/>
      <Grant Resource="Ordering" Verbs="Create"/>
      <Grant Resource="Cities" Verbs="View List"/>
      <Grant Resource="Clients" Verbs="View List Create"/>
      <Grant Resource="Items" Verbs="View List"/>
      <RowFilter Resource="Clients">Region IS NOT 'secret'</RowFilter>
    </Role>
    <Role Name="Lead"><Grant Resource="Clients" Verbs="View List"/></Role>
    <Role Name="Junior">
      <Grant Resource="NewClient" Verbs="Create"/>
      <FieldRule Resource="NewClient" Field="Limit" Access="ReadOnly"/>
      <FieldRule Resource="NewClient" Field="Region" Access="Hidden"/>
    </Role>
  </Rbac>
</Model>`

export const WIZARDS: TestApplication = {
  files: [{ name: 'guide.xml', body: WIZARDS_MODEL }],
  ...makePeople('ONE TWO', {
    root: 'System',
    ana: 'Clerk in ONE TWO',
    ben: 'Clerk',
    jo: 'Junior',
    lea: 'Lead',
    far: 'Clerk in TWO',
    bo: '',
  }),
}

export const WIZARD = '/api/v1/svc/wizard'

export interface RunData {
  RunId: string
  Step: string
  Form: {
    Kind: string
    Fields: Record<string, unknown>[]
    Values: Record<string, unknown>
    Given: Record<string, unknown>
    Summary: { Step: string; Rows: { Name: string; Value: unknown; Text: string | null }[][] }[]
  }
  Progress: {
    Index: number
    Count: number
    IsLast: boolean
    Steps: { Name: string; State: string }[]
  }
  Version: number
  ExpiresAt: string
  Ignored: string[]
  Notice: string | null
}

export interface Body<T = RunData> {
  data: T
  error?: string
  code?: string
  step?: string
  fieldErrors?: Record<string, string>
}

export interface Finished {
  Action: string
  Keys: Record<string, unknown> | null
  Ignored: string[]
  Dispatch: Record<string, unknown>[]
}

/** Calls of wizards; `await using` closes the application. */
export class Wizards implements AsyncDisposable {
  readonly app: TestApp

  constructor(app: TestApp) {
    this.app = app
  }

  /** A call below the wizards' address. */
  call<T = RunData>(
    path: string,
    { as = 'ana', body, key, method }: CallOptions = {},
  ): Promise<Answer<Body<T>>> {
    const headers: Record<string, string> = key === undefined ? {} : { 'Idempotency-Key': key }
    return this.app.fetch<Body<T>>(`${WIZARD}${path}`, {
      as,
      headers,
      ...(body !== undefined && { body }),
      ...(method !== undefined && { method }),
    })
  }

  /** Begins a run and fails the test where that is refused. */
  async start(wizard = 'new-client', as = 'ana', Parameters = {}): Promise<RunData> {
    return must(await this.call(`/${wizard}/start`, { as, body: { Parameters } }))
  }

  /** Gives values and goes on, and fails the test where that is refused. */
  async next(id: string, Values: object, as = 'ana'): Promise<RunData> {
    return must(await this.call(`/runs/${id}/next`, { as, body: { Values } }))
  }

  /** Uploads a text for a File field and gives its key. */
  async upload(field: string, text: string, { as = 'ana', object = 'NewClient' } = {}) {
    const form = new FormData()
    form.set('objectName', object)
    form.set('fieldName', field)
    form.append('file', new File([text], 'a.txt', { type: 'text/plain' }))
    const headers = { Authorization: `Bearer ${this.app.tokens[as]}` }
    const url = 'http://localhost/api/v1/svc/object/upload'
    const answer = await this.app.handle(new Request(url, { method: 'POST', body: form, headers }))
    const { data } = (await answer.json()) as { data?: { UploadKey: string }[] }
    return { status: answer.status, key: data?.[0]?.UploadKey ?? '' }
  }

  rows<T>(sql: string): Promise<T[]> {
    return this.app.store.all({ sql, args: {}, runs: 'inline' }) as unknown as Promise<T[]>
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app[Symbol.asyncDispose]()
  }
}

interface CallOptions {
  as?: string
  body?: object
  key?: string
  method?: string
}

/** The data of an answer that is none of a refusal. */
export function must<T>({ status, text, body }: Answer<Body<T>>): T {
  if (status !== 200) throw new Error(`${status} ${text}`)
  return body.data
}

export const startWizards = async (
  options: Omit<AppOptions, 'application'> = {},
): Promise<Wizards> => new Wizards(await startApp({ application: WIZARDS, ...options }))
