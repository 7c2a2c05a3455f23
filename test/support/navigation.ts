/** An application whose navigation has every kind of target, and badges over hidden rows. */
import { type AppOptions, startApp, type TestApp } from './app.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const ENTITIES = `<Model>
<Entity Name="Order" Table="orders" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="Cost" Type="Integer"/>
</Entity>
<Entity Name="Client" Table="clients" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text"/>
  <Column Name="Region" Type="Text"/>
</Entity>
<Entity Name="Payment" Table="payments" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
</Entity>
<Entity Name="Mark" Table="marks" Company="CompanyId">
  <Column Name="Code" Key="true"/>
  <Column Name="Place" Key="true" Type="Integer"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
</Entity>
<Entity Name="Stamp" Table="stamps"><Column Name="Id" Type="Integer" Key="true" Identity="true"/></Entity>
</Model>`

const VIEWS = `<Model>
<ObjectView Name="Orders" Entity="Order"/>
<ObjectView Name="OwnOrders" Entity="Order">
  <TableQuery>SELECT o.Id, o.Name, o.Region AS Area, (SELECT count(*) FROM clients c WHERE c.Region = o.Region) AS Clients FROM orders o</TableQuery>
  <Field Name="Clients" Type="Integer"/>
</ObjectView>
<ObjectView Name="OrderEntry" ViewType="Form" Entity="Order" Resource="Orders"/>
<ObjectView Name="NewOrder" Label="A new order" ViewType="Wizard" Entity="Order" Resource="Orders">
  <Step Name="What"><Field Name="Name"/></Step>
  <Finish><Sql>INSERT INTO orders (CompanyId, Name) VALUES (@CurrentCompanyId, @Name)</Sql></Finish>
</ObjectView>
<ObjectView Name="Clients" Entity="Client"/>
<ObjectView Name="Payments" Entity="Payment"/>
<ObjectView Name="Marks" Entity="Mark"/>
<Report Name="Takings">
  <DataSets><DataSet Name="All"><Sql>SELECT count(*) AS N FROM payments</Sql></DataSet></DataSets>
  <Widgets><Widget Name="W" Kind="Kpi" DataSet="All"><Series Column="N"/></Widget></Widgets>
</Report>
<Rbac>
  <UserAttribute Name="Region" Type="Text"/>
  <Role Name="Clerk">
    <Grant Resource="Orders" Verbs="View List Create Update Delete"/>
    <Grant Resource="Clients" Verbs="View List Create Update Delete"/>
    <Grant Resource="Marks" Verbs="View List"/>
    <Grant Resource="Payments" Verbs="View List Create"/>
    <Grant Resource="Takings" Verbs="List"/>
  </Role>
  <Role Name="Agent">
    <Grant Resource="Orders" Verbs="View List Create"/>
    <Grant Resource="Clients" Verbs="View"/>
    <Grant Resource="Marks" Verbs="List View"/>
    <RowFilter Resource="Orders">Region = @User_Region</RowFilter>
    <RowFilter Resource="Clients">Region = @User_Region</RowFilter>
    <RowFilter Resource="Marks">Place &lt; 2</RowFilter>
    <FieldRule Resource="Orders" Field="Cost" Access="Hidden"/>
  </Role>
  <Role Name="Owner"><Grant Resource="OwnOrders" Verbs="View List"/><RowFilter Resource="OwnOrders">Area = 'north'</RowFilter></Role>
  <Role Name="Reader"><Grant Resource="Orders" Verbs="View"/></Role>
  <Role Name="Banker"><Grant Resource="Takings" Verbs="List"/></Role>
</Rbac>
</Model>`

const NAVBAR = `<Navbar Name="main">
  <Item Name="Work" Icon="desk">
    <Item Name="Orders" Icon="file" Object="Orders"><Badge>SELECT count(*) FROM orders</Badge></Item>
    <Item Name="Own" Object="own-orders"><Badge>SELECT count(*) FROM orders o LEFT JOIN clients c ON 0</Badge></Item>
    <Item Name="Entry" Object="OrderEntry"/>
    <Item Name="Wizard" Wizard="new-order"/>
    <Item Name="Deep"><Item Name="Marks" Object="Marks"><Badge Kind="Dot">SELECT count(*) FROM marks</Badge></Item></Item>
  </Item>
  <Item Name="Takings" Report="takings"><Badge>SELECT count(*) FROM payments</Badge></Item>
  <Item Name="Help" Url="https://example.com/help"><Badge>SELECT count(*) + (SELECT count(*) FROM payments) FROM clients</Badge></Item>
</Navbar>`

export const NAVIGATION_FILES = [
  { name: 'entities.xml', body: ENTITIES },
  { name: 'views.xml', body: VIEWS },
  { name: 'navbar.xml', body: NAVBAR },
] as const

/** People, each named by what they may do; `far` is in another company. */
const PEOPLE = makePeople('ONE TWO', {
  root: 'System in ONE TWO',
  clerk: 'Clerk',
  agent: ['Agent', { Region: 'north' }],
  rival: ['Agent', { Region: 'south' }],
  owner: 'Owner',
  reader: 'Reader',
  banker: 'Banker',
  nobody: '',
  far: 'Clerk in TWO',
})

export const NAVIGATION: TestApplication = {
  files: NAVIGATION_FILES,
  ...PEOPLE,
}

/** The same with other badges: an application of its own. */
export const navigationWith = (navbar: string, entities = '', texts = ''): TestApplication => ({
  ...NAVIGATION,
  files: [
    { name: 'entities.xml', body: ENTITIES.replace('</Model>', `${entities}</Model>`) },
    { name: 'views.xml', body: VIEWS },
    { name: 'navbar.xml', body: `<Model>${navbar}${texts}</Model>` },
  ],
})

export interface Node {
  Name: string
  Label: string
  Icon: string | null
  Kind: string
  Target: string | null
  ReportKind?: string
  Children: Node[]
}

export type Badges = Record<string, { Kind: string; Value: number | boolean }>

const NAVBAR_PATH = '/api/v1/svc/navbar'

/** Calls of the navigation; `await using` closes the application. */
export class Navigation implements AsyncDisposable {
  readonly app: TestApp

  constructor(app: TestApp) {
    this.app = app
  }

  static async start(options: AppOptions = {}): Promise<Navigation> {
    return new Navigation(await startApp({ application: NAVIGATION, ...options }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app[Symbol.asyncDispose]()
  }

  ask(as: string, headers: Record<string, string> = {}) {
    return this.app.fetch<{ data: Node[] }>(NAVBAR_PATH, { as, headers })
  }

  async tree(as: string, headers: Record<string, string> = {}): Promise<Node[]> {
    return (await this.ask(as, headers)).body.data
  }

  /** Names of the links, each behind those of its groups. */
  async paths(as: string): Promise<string[]> {
    const list = (nodes: readonly Node[], prefix: string): string[] =>
      nodes.flatMap(({ Name, Kind, Children }) =>
        Kind === 'Group' ? list(Children, `${prefix}${Name}/`) : [`${prefix}${Name}`],
      )
    return list(await this.tree(as), '')
  }

  async badges(as: string): Promise<Badges> {
    const { body } = await this.app.fetch<{ data: Badges }>(`${NAVBAR_PATH}/badges`, { as })
    return body.data
  }

  /** Values alone. */
  async values(as: string): Promise<Record<string, number | boolean>> {
    const badges = Object.entries(await this.badges(as))
    return Object.fromEntries(badges.map(([name, { Value }]) => [name, Value]))
  }

  async save(as: string, form: string, values: Record<string, unknown>): Promise<void> {
    const body = { FormName: form, Parameters: values }
    const answer = await this.app.fetch('/api/v1/svc/object/submit', { as, body })
    if (answer.status !== 200) throw new Error(answer.text)
  }

  async removeOrder(as: string, name: string): Promise<void> {
    const body = { Filters: [{ Field: 'Name', Operator: 'eq', Value: name }] }
    const table = await this.app.fetch<{ data: { Rows: { Id: number }[] } }>(
      '/api/v1/svc/object/Orders/table',
      { as, body },
    )
    const Parameters = { Id: table.body.data.Rows[0]?.Id }
    const gone = { ObjectName: 'Orders', Parameters }
    const answer = await this.app.fetch('/api/v1/svc/object/delete-row', { as, body: gone })
    if (answer.status !== 200) throw new Error(answer.text)
  }
}
