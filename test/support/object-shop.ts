/** A small application for tests of the object engine: one of each thing that it has to keep. */
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const ENTITIES = `<Model>
<Entity Name="Country" Table="countries" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text" Required="true" Unique="true"/>
</Entity>
<Entity Name="Client" Table="clients" Display="Name" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Code" Type="Text" MaxLength="5" Required="true" Unique="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="CountryId" References="Country"/>
  <Column Name="CreditLimit" Type="Decimal" Scale="2" Default="1000"/>
</Entity>
<Entity Name="Bill" Table="bills" Display="Number" Concurrency="Enabled" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Number" Type="Text" Unique="true" Sequence="BillNumber"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="ClientId" References="Client" Required="true" OnDelete="Restrict"/>
  <Column Name="Status" Type="Text" Required="true" Default="new">
    <Option Value="new" Label="New"/><Option Value="approved" Label="Approved"/>
  </Column>
  <Column Name="IssuedAt" Type="DateTime" Required="true" Default="@Now"/>
  <Column Name="DueOn" Type="Date"/>
  <Column Name="Total" Type="Decimal" Scale="2" Default="0"/>
  <Column Name="Cost" Type="Decimal" Scale="2"/>
  <Column Name="Paid" Type="Boolean" Required="true" Default="false"/>
  <Column Name="Note" Type="Text" MaxLength="20" Pattern="^[A-Za-z ]*$" PatternMessage="Letters and blanks only"/>
  <Column Name="Secret" Type="Text"/>
  <Sequence Name="BillNumber" Format="B-{Company}-{####}" PerCompany="true"/>
  <Validate Field="DueOn" Operator="ge" Compare="IssuedAt" Message="Due before it was issued"/>
  <Validate Field="Total" Message="Above the credit limit">SELECT @Total &lt;= CreditLimit FROM clients WHERE Id = @ClientId</Validate>
</Entity>
<Entity Name="BillLine" Table="bill_lines" Company="CompanyId" Audit="Enabled">
  <Column Name="BillId" References="Bill" Key="true" OnDelete="Cascade"/>
  <Column Name="LineNo" Type="Integer" Key="true" Min="1"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Text" Type="Text" Required="true"/>
  <Column Name="Amount" Type="Decimal" Scale="2" Min="0"/>
</Entity>
</Model>`

const VIEWS = `<Model>
<ObjectView Name="Countries" Entity="Country"/>
<ObjectView Name="Clients" Entity="Client"/>
<ObjectView Name="Bills" Slug="bills" Label="Bills" Entity="Bill" Sort="IssuedAt desc">
  <TableQuery>SELECT b.*, c.Name AS ClientName, c.Region, b.Total - b.Cost AS Margin
FROM bills b JOIN clients c ON c.Id = b.ClientId -- one row a bill</TableQuery>
  <Field Name="Number" Searchable="true" ReadOnly="true"/>
  <Field Name="ClientName" Searchable="true"/>
  <Field Name="Margin" Type="Decimal" Scale="2"/>
  <Field Name="Secret" In="None"/>
  <Field Name="Note" RequiredWhen="Status eq approved"/>
  <Preset Name="Open" Where="Status = 'new'"/>
  <Board GroupBy="status" Title="Number" Order="DueOn"/>
  <Calendar From="DueOn" Title="ClientName"/>
  <Header Fields="Status Number"/>
  <Permit Capability="Approve" When="Status = 'new'"/>
  <Permit Capability="Update Delete" When="Status &lt;&gt; 'approved'"/>
  <RowAction Name="Approve" Label="Approve" Capability="Approve" For="Rows">
    <Parameter Name="Note" Type="Text" Required="true"/>
    <Sql Rows="1" Message="Already approved">UPDATE bills SET Status = 'approved', Note = @Note WHERE Id = @Id AND Status = 'new'</Sql>
    <Dispatch Type="refreshTable"/>
    <Dispatch Type="showAlert" Level="success" Message="Bill {Number} approved"/>
  </RowAction>
  <RowAction Name="PayAll" Label="Pay all" Capability="Approve" For="View">
    <Sql>UPDATE bills SET Paid = 1</Sql>
  </RowAction>
  <RowAction Name="Lose" Label="Lose" Capability="Approve">
    <Sql>DELETE FROM bills</Sql>
  </RowAction>
  <RowAction Name="Steal" Label="Steal" Capability="Approve">
    <Sql>INSERT INTO clients (CompanyId, Code, Name) VALUES (@CurrentCompanyId + 1, 'X', 'X')</Sql>
  </RowAction>
  <RowAction Name="Third" Label="A third" Capability="Approve">
    <Parameter Name="Share" Type="Decimal" Scale="2" Required="true"/>
    <Sql>UPDATE bills SET Total = @Total / 3, Cost = @Share / 4 WHERE Id = @Id</Sql>
  </RowAction>
  <RowAction Name="Runaway" Label="Runaway" Capability="Approve">
    <Sql>UPDATE bills SET Total = (WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r) WHERE Id = @Id</Sql>
  </RowAction>
  <Detail Name="Lines" View="BillLines" Parent="BillId=Id"/>
</ObjectView>
<ObjectView Name="BillLines" Entity="BillLine"/>
<ObjectView Name="Endless" Entity="Client">
  <TableQuery>WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT c.* FROM clients c WHERE c.Id IN (SELECT n FROM r WHERE n = -1)</TableQuery>
</ObjectView>
</Model>`

const ACCESS = `<Rbac>
  <Capability Name="Approve" Label="Approve bills"/>
  <UserAttribute Name="Region" Type="Text"/>
  <Role Name="Clerk" Label="Clerk">
    <Grant Resource="Bills" Verbs="View List Create Update Delete" Capabilities="Approve"/>
    <Grant Resource="BillLines" Verbs="View List Create Update Delete"/>
    <Grant Resource="Clients" Verbs="View List Create Update Delete"/>
    <Grant Resource="Countries" Verbs="View List"/>
    <Grant Resource="Endless" Verbs="View List"/>
  </Role>
  <Role Name="Rep" Label="Representative">
    <Grant Resource="Bills" Verbs="View List Create Update"/>
    <Grant Resource="Clients" Verbs="View List Update"/>
    <RowFilter Resource="Bills">Region = @User_Region</RowFilter>
    <RowFilter Resource="Clients" Verbs="List">Region = @User_Region</RowFilter>
    <FieldRule Resource="Bills" Field="Margin" Access="Hidden"/>
    <FieldRule Resource="Bills" Field="Cost" Access="Hidden"/>
    <FieldRule Resource="Bills" Field="Total" Access="ReadOnly"/>
  </Role>
</Rbac>`

/**
 * Companies ONE and TWO; a clerk of each, a representative of the north in ONE, one without roles.
 */
export const OBJECT_SHOP: TestApplication = {
  files: [
    { name: 'entities.xml', body: ENTITIES },
    { name: 'views.xml', body: VIEWS },
    { name: 'access.xml', body: ACCESS },
  ],
  ...makePeople('ONE TWO', {
    sys: 'System in ONE TWO',
    clerk: 'Clerk',
    other: 'Clerk in TWO',
    rep: ['Rep', { Region: 'north' }],
    stray: 'Rep',
    nobody: '',
  }),
}
