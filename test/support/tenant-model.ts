/** An application in which each way to a record stands open, but for the company that it is of. */
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const ENTITIES = `<Model>
<Entity Name="Country" Comments="true" Table="countries" Display="Name">
  <Column Name="Code" Key="true"/><Column Name="Name"/>
</Entity>
<Rows Entity="Country" Key="Code"><Row Code="AT" Name="Austria"/><Row Code="CH" Name="Schweiz"/></Rows>
<Entity Name="Area" Table="areas" Display="Name" Company="CompanyId" Parent="ParentId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="ParentId" References="Area"/>
  <Column Name="Name" Required="true"/>
</Entity>
<Entity Name="Tag" Table="tags" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Required="true" Unique="true"/>
  <Column Name="State"/>
</Entity>
<Entity Name="Slot" Table="slots" Company="CompanyId">
  <Column Name="Code" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Note"/>
</Entity>
<Entity Name="Client" Table="clients" Display="Name" Company="CompanyId" Audit="Enabled" Tracking="true" Concurrency="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Code" Required="true" Unique="true"/>
  <Column Name="Name" Required="true"/>
  <Column Name="Email"/><Column Name="Remark"/><Column Name="Meta" Type="Json"/>
  <Column Name="Credit" Type="Decimal" Scale="2"><Default DependsOn="AreaId">SELECT max(Credit) FROM clients WHERE AreaId IS @AreaId</Default></Column>
  <Column Name="Since" Type="Date"/>
  <Column Name="AreaId" References="Area"/>
  <Column Name="OwnerId" References="User"/>
  <Column Name="CountryCode" References="Country"/>
  <Column Name="Bills" Type="Integer"><Compute From="Bill">SELECT count(*) FROM bills WHERE ClientId = @Id</Compute></Column>
  <Column Name="Peers" Type="Text"><Compute From="Tag">SELECT count(*) || ' ' || coalesce(max(Name), '') FROM tags</Compute></Column>
</Entity>
<Entity Name="ClientTag" Table="client_tags" Company="CompanyId">
  <Column Name="ClientId" References="Client" Key="true" OnDelete="Cascade"/>
  <Column Name="TagId" References="Tag" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
</Entity>
<Entity Name="Bill" Comments="true" Table="bills" Display="Number" Company="CompanyId" Audit="Enabled" Concurrency="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Number" Unique="true" Sequence="BillNumber"/>
  <Column Name="ClientId" References="Client" Required="true"/>
  <Column Name="Status" Required="true" Default="new"><Option Value="new" Label="New"/><Option Value="done" Label="Done"/></Column>
  <Column Name="Text"/>
  <Column Name="Total" Type="Decimal" Scale="2"/>
  <Column Name="IssuedAt" Type="DateTime" Default="@Now"/>
  <Sequence Name="BillNumber" Format="{Company}-{yyyy}-{###}" Reset="Yearly" PerCompany="true"/>
  <Validate Field="Total" Message="There are larger ones">SELECT coalesce(@Total, 0) &lt;= coalesce(max(Total), 0) + 1000 FROM bills</Validate>
  <On Event="created"><Sql>INSERT INTO entries (CompanyId, Text) SELECT @CompanyId, count(*) || ' bills, the last of ' || max(Text) FROM bills</Sql></On>
</Entity>
<Entity Name="BillLine" Table="bill_lines" Company="CompanyId">
  <Column Name="BillId" References="Bill" Key="true" OnDelete="Cascade"/>
  <Column Name="LineNo" Type="Integer" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Text"/>
</Entity>
<Entity Name="Entry" Table="entries" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Text"/>
</Entity>
</Model>`

const VIEWS = `<Model>
<ObjectView Name="Countries" Entity="Country"/>
<ObjectView Name="Areas" Entity="Area"/>
<ObjectView Name="Tags" Entity="Tag"/>
<ObjectView Name="Slots" Entity="Slot"/>
<ObjectView Name="Entries" Entity="Entry"/>
<ObjectView Name="BillLines" Entity="BillLine"/>
<ObjectView Name="Clients" Entity="Client" Sort="Code">
  <Field Name="Name" Searchable="true"/>
  <Field Name="Remark"><DataSet>SELECT Remark AS Value, Name AS Label, Email FROM clients ORDER BY Code</DataSet></Field>
  <Field Name="AreaId"><Lookup View="Areas" Search="Name"/></Field>
  <Field Name="Tags" Through="ClientTag"/>
  <Search Title="Name" Text="Code Email Remark"/>
</ObjectView>
<ObjectView Name="Bills" Entity="Bill" Sort="IssuedAt desc">
  <TableQuery>SELECT b.*, c.Name AS Client, u.DisplayName AS Owner, f.Code AS Firm,
    (SELECT count(*) FROM clients) AS Clients, (SELECT sum(Total) FROM bills) AS Grand,
    (SELECT max(DisplayName) FROM svc_users) AS LastUser,
    (SELECT group_concat(Role) FROM svc_user_roles) AS Roles
    FROM bills b LEFT JOIN clients c ON c.Id = b.ClientId
    LEFT JOIN svc_users u ON u.Id = c.OwnerId LEFT JOIN svc_companies f ON f.Id = b.CompanyId</TableQuery>
  <Field Name="Client" Searchable="true"/>
  <Field Name="Grand" Type="Decimal" Scale="2"/><Field Name="Clients" Type="Integer"/>
  <Field Name="ClientId"><Lookup View="Clients" Search="Code Name" Where="Name IS NOT 'x'"/></Field>
  <Preset Name="Large" Where="Total >= (SELECT max(Total) FROM bills)"/>
  <Permit Capability="Close" When="Status = 'new' AND Clients &lt; 3"/>
  <RowAction Name="Close" Capability="Close" For="Rows">
    <Parameter Name="Why"><DataSet>SELECT Text AS Value, Number AS Label FROM bills ORDER BY Id</DataSet></Parameter>
    <Sql Into="Others">SELECT count(*) || coalesce(max(Text), '') FROM bills</Sql>
    <Sql Rows="1" Message="Closed already">UPDATE bills SET Status = 'done' WHERE Id = @Id</Sql>
    <Dispatch Type="showAlert" Message="{Number} of {Client}, {Others}, {LastUser}"/>
  </RowAction>
  <RowAction Name="Wipe" Capability="Close" For="View">
    <Sql>UPDATE bills SET Text = 'wiped'</Sql><Sql>DELETE FROM entries</Sql>
    <Dispatch Type="showAlert" Message="wiped"/>
  </RowAction>
  <RowAction Name="Reach" Capability="Close">
    <Sql>UPDATE bills SET Text = 'reached' WHERE CompanyId &lt;&gt; @CurrentCompanyId OR Id = @Other</Sql>
    <Parameter Name="Other" Type="Integer"/>
  </RowAction>
  <Detail Name="Lines" View="BillLines" Parent="BillId=Id"/>
</ObjectView>
<ObjectView Name="Totals">
  <TableQuery>SELECT 1 AS "Key", count(*) AS Bills, sum(Total) AS Total, max(Text) AS Text, (SELECT count(*) FROM svc_users) AS Users, (SELECT group_concat(Code) FROM svc_companies) AS Firms FROM bills</TableQuery>
  <Field Name="Key" Type="Integer"/>
</ObjectView>
<Navbar Name="main">
  <Item Name="Clients" Object="Clients"><Badge>SELECT count(*) FROM clients</Badge></Item>
  <Item Name="Bills" Object="Bills"><Badge>SELECT sum(Total) FROM bills b JOIN clients c ON c.Id = b.ClientId</Badge></Item>
  <Item Name="Figures" Object="Totals"><Badge Kind="Dot">SELECT count(*) - 1 FROM bills</Badge></Item>
  <Item Name="People" Url="/people"><Badge>SELECT (SELECT count(*) FROM svc_users) * 1000 + (SELECT count(*) FROM svc_user_roles) * 10 + (SELECT count(*) FROM svc_companies)</Badge></Item>
</Navbar>
<StoredProcedure Name="Figures">
  <Parameter Name="Id" Type="Integer"/><Parameter Name="ClientId" Type="Integer"><Lookup View="Clients"/></Parameter>
  <Sql Into="Most">SELECT max(Total) FROM bills</Sql>
  <Sql Result="Bills">SELECT b.*, @Most AS Most, (SELECT count(*) FROM svc_users) AS Users FROM bills b WHERE @Id IS NULL OR b.Id = @Id ORDER BY b.Id</Sql>
  <Sql Result="Firms">SELECT group_concat(Code) AS Codes, @CurrentCompanyId AS Company FROM svc_companies</Sql>
</StoredProcedure>
<Report Name="Overview">
  <Filters><Filter Name="Id" Type="Integer"/><Filter Name="ClientId" Type="Integer"><Lookup View="Clients"/></Filter></Filters>
  <DataSets>
    <DataSet Name="Bills"><Sql>SELECT b.*, (SELECT count(*) FROM svc_users) AS Users, (SELECT max(Text) FROM bills) AS Last FROM bills b WHERE (@Id IS NULL OR b.Id = @Id) AND (@ClientId IS NULL OR b.ClientId = @ClientId) ORDER BY b.Id</Sql></DataSet>
    <DataSet Name="Firms" Mode="Single"><Sql>SELECT group_concat(Code) AS Codes, @CurrentCompanyId AS Company FROM svc_companies</Sql></DataSet>
  </DataSets>
  <Widgets><Widget Name="Bills" Kind="Table" DataSet="Bills"/><Widget Name="Firms" Kind="Kpi" DataSet="Firms"/></Widgets>
</Report>
<StoredProcedure Name="Touch" Mode="Write">
  <Parameter Name="Id" Type="Integer" Required="true"/>
  <Sql Into="Others">SELECT count(*) || coalesce(max(Text), '') FROM bills</Sql>
  <Sql Result="Touched" Rows="1" Message="No such bill">UPDATE bills SET Text = 'touched' WHERE Id = @Id OR CompanyId = 1 RETURNING Id, Text</Sql>
  <Sql Result="Seen">SELECT @Others AS Others, max(Text) AS Last FROM bills</Sql>
</StoredProcedure>
<ObjectView Name="People" Entity="User"/>
<ObjectView Name="Firms"><TableQuery>SELECT Id AS "Key", Code, Name, TimeZone FROM svc_companies</TableQuery><Field Name="Key" Type="Integer"/></ObjectView>
<ObjectView Name="Authored" Entity="Client">
  <Parameter Name="Other" Type="Integer"/>
  <TableQuery>SELECT * FROM clients WHERE CompanyId = 1 OR 1 = 1</TableQuery>
  <FormQuery>SELECT * FROM clients WHERE Id = coalesce(@Other, @Id)</FormQuery>
  <Insert>INSERT INTO clients (CompanyId, Code, Name, Remark) VALUES (@CurrentCompanyId, @Code, @Name, (SELECT max(Remark) FROM clients)) RETURNING Id</Insert>
  <Update>UPDATE clients SET Name = @Name WHERE Id = @Id OR CompanyId = 1</Update>
  <Delete>DELETE FROM clients WHERE Id = @Id OR CompanyId = 1</Delete>
</ObjectView>
<Workflow Name="Check" Object="Tags" StateField="State">
  <States><State Name="begin" Kind="Initial"/>
    <State Name="review" Kind="Task"><Assign Role="Clerk"/></State><State Name="done" Kind="Final"/></States>
  <Transitions><Transition From="begin" To="review" Action="Ask"/>
    <Transition From="review" To="done" Action="Pass" When="(SELECT count(*) FROM tags) &lt; 3">
      <Sql>UPDATE tags SET Name = Name || (SELECT count(*) || max(Name) FROM tags) WHERE Id = @Id</Sql></Transition></Transitions>
</Workflow>
<ObjectView Name="Hire" ViewType="Wizard" Entity="Entry">
  <Step Name="Who"><Field Name="Of" Type="Integer"><Lookup View="Clients"/></Field><Field Name="Boss" Type="Integer"><Default DependsOn="Of">SELECT max(Id) FROM clients WHERE Id = @Of</Default></Field></Step>
  <Step Name="Asked" When="(SELECT count(*) FROM clients) &lt; 3"><FieldQuery>SELECT Code AS Name, (SELECT max(Name) FROM clients) AS Label FROM clients ORDER BY Id</FieldQuery></Step>
  <Step Name="All" Summary="true"/>
  <Finish><Sql>INSERT INTO entries (CompanyId, Text) SELECT @CurrentCompanyId, 'of ' || coalesce(max(Name), '') FROM clients WHERE Id = @Of</Sql>
    <Dispatch Type="showAlert" Message="{Of__Label} {Asked}"/></Finish>
</ObjectView>
</Model>`

/** Every view, with the verbs that make sense there. */
export const VIEW_NAMES = [
  ...['Countries', 'Areas', 'Tags', 'Slots', 'Entries', 'BillLines', 'Clients', 'Bills', 'Totals'],
  ...['People', 'Firms', 'Authored'],
] as const

const GRANTS = VIEW_NAMES.map(
  (name) =>
    `<Grant Resource="${name}" Verbs="View List Create Update Delete Export Import"` +
    `${name === 'Bills' ? ' Capabilities="Close"' : ''}/>`,
).join('')

const ACCESS = `<Rbac><Capability Name="Close" Label="Close"/>
  <Role Name="Clerk" Label="Clerk">${GRANTS}
    <Grant Resource="Overview" Verbs="List"/><Grant Resource="ReportDefinitions" Verbs="View"/>
    <Grant Resource="Figures" Capabilities="Execute"/><Grant Resource="Touch" Capabilities="Execute"/>
    <Grant Resource="Hire" Verbs="View List Create Update"/>
    <Grant Resource="Reports" Capabilities="Execute"/><Grant Resource="Pipes" Verbs="Export Import"/>
  </Role>
</Rbac>`

/** The secrets of the first company: a text, and digits of keys and amounts. */
export const CANARY = 'zqonary'
export const CANARY_DIGITS = '31337'

/**
 * Companies ONE, which has what nobody of TWO may see, and TWO. `hidden` is of ONE alone, `both` is
 * of both; the others are of TWO: a clerk with every verb, an administrator, a System user.
 */
export const TENANTS: TestApplication = {
  files: [
    { name: 'entities.xml', body: ENTITIES },
    { name: 'views.xml', body: VIEWS },
    { name: 'access.xml', body: ACCESS },
  ],
  ...makePeople('ONE TWO', {
    [`${CANARY}-hidden`]: 'Clerk',
    both: 'Clerk@TWO Admin@ONE in ONE TWO',
    clerk: 'Clerk@TWO in TWO',
    boss: 'Admin@TWO AccessManager@TWO Clerk@TWO in TWO',
    system: 'System in TWO',
    nobody: 'in TWO',
  }),
}
