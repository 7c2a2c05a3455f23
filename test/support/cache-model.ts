/** A small application for the test of cached answers: joins, labels, cascades, users. */
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const ENTITIES = `<Model>
<Entity Name="Country" Table="countries" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Code" Type="Text" Required="true" Unique="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
</Entity>
<Entity Name="Client" Table="clients" Display="Name" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="CountryId" References="Country"/>
  <Column Name="OwnerId" References="User"/>
</Entity>
<Entity Name="Bill" Table="bills" Company="CompanyId" Concurrency="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="ClientId" References="Client" Required="true" OnDelete="Cascade"/>
  <Column Name="Status" Type="Text" Required="true" Default="new"/>
  <Column Name="Total" Type="Decimal" Scale="2" Default="0"/>
</Entity>
<Entity Name="BillLine" Table="bill_lines" Company="CompanyId">
  <Column Name="BillId" References="Bill" Key="true" OnDelete="Cascade"/>
  <Column Name="LineNo" Type="Integer" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Amount" Type="Decimal" Scale="2"/>
</Entity>
</Model>`

const VIEWS = `<Model>
<ObjectView Name="Countries" Entity="Country"/>
<ObjectView Name="Clients" Entity="Client">
  <Field Name="Name" Searchable="true"/>
  <RowAction Name="Shift" Label="Shift" Capability="Act">
    <Sql>UPDATE clients SET Region = CASE Region WHEN 'north' THEN 'south' ELSE 'north' END
WHERE Id = @Id</Sql>
  </RowAction>
  <RowAction Name="Empty" Label="Empty" Capability="Act">
    <Sql>DELETE FROM bills WHERE ClientId = @Id</Sql>
  </RowAction>
</ObjectView>
<ObjectView Name="Bills" Entity="Bill">
  <TableQuery>SELECT b.*, c.Name AS ClientName, c.Region,
  (SELECT count(*) FROM bill_lines l WHERE l.BillId = b.Id) AS Lines
FROM bills b JOIN clients c ON c.Id = b.ClientId</TableQuery>
  <Preset Name="Open" Where="Status = 'new'"/>
  <Preset Name="Lately" Where="@Now &gt; ''"/>
  <RowAction Name="Close" Label="Close" Capability="Act" For="View">
    <Sql>UPDATE bills SET Status = 'done' WHERE Status = 'new' AND Id % 3 = 0</Sql>
  </RowAction>
</ObjectView>
<ObjectView Name="BillLines" Entity="BillLine"/>
<ObjectView Name="People" Entity="User">
  <TableQuery>SELECT u.Id, u.DisplayName,
  (SELECT count(*) FROM svc_user_roles r WHERE r.UserId = u.Id) AS Held
FROM svc_users u</TableQuery>
</ObjectView>
</Model>`

const RESOURCES = ['Countries', 'Clients', 'Bills', 'BillLines', 'People']
const grants = RESOURCES.map(
  (name) => `<Grant Resource="${name}" Verbs="View List Create Update Delete" Capabilities="Act"/>`,
)

const ACCESS = `<Rbac>
  <Capability Name="Act"/>
  <UserAttribute Name="Region" Type="Text"/>
  <Role Name="Clerk" Label="Clerk">${grants.join('')}</Role>
  <Role Name="Rep" Label="Rep">${grants.join('')}
    <RowFilter Resource="Clients">Region = @User_Region</RowFilter>
    <RowFilter Resource="Bills">Region = @User_Region</RowFilter>
  </Role>
</Rbac>`

/** Reference rows as a deploy brings them: another name for each turn. */
export const countryRows = (turn: number) => ({
  name: 'rows.xml',
  body: `<Rows Entity="Country" Key="Code"><Row Code="x" Name="Country ${turn}"/></Rows>`,
})

const NORTH = { Region: 'north' }

/** Clerks and a representative; the guests are there to be changed and removed. */
export const CACHED: TestApplication = {
  files: [
    { name: 'entities.xml', body: ENTITIES },
    { name: 'views.xml', body: VIEWS },
    { name: 'access.xml', body: ACCESS },
    countryRows(0),
  ],
  ...makePeople('ONE TWO', {
    sys: ['System in ONE TWO', NORTH],
    clerk: ['Clerk', NORTH],
    other: ['Clerk in TWO', NORTH],
    rep: ['Rep', NORTH],
    ...Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [`guest${at}`, ['Clerk in ONE TWO', NORTH]]),
    ),
  }),
}
