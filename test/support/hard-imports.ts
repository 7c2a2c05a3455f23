/** An application whose files are hard to take: records of their own kind, keys alone. */
import { type AppOptions, startApp } from './app.ts'
import { Imports } from './imports.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

export const HARD_IMPORTS: TestApplication = {
  files: [
    {
      name: 'knots.xml',
      body: `<Model>
<Entity Name="Pair" Table="pairs">
  <Column Name="A" Type="Text" Key="true"/>
  <Column Name="B" Type="Text" Key="true"/>
</Entity>
<Entity Name="Node" Table="nodes" Company="CompanyId" Display="Name" Parent="ParentId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Code" Type="Text" Required="true" Unique="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="ParentId" References="Node"/>
  <Column Name="BuddyId" References="Node"/>
</Entity>
<Entity Name="Word" Table="words" Company="CompanyId" Concurrency="Enabled" Audit="Enabled">
  <Column Name="Text" Type="Text" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="NextWord" References="Word" Required="true"/>
  <Column Name="Note" Type="Text"/>
</Entity>
<Entity Name="Ticket" Table="tickets" Company="CompanyId" Display="Title">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Number" Type="Text" Sequence="TicketNo"/>
  <Column Name="Title" Type="Text" Required="true"/>
  <Column Name="AfterId" References="Ticket" Label="After"/>
  <Sequence Name="TicketNo" Format="T-{####}"/>
</Entity>
<Entity Name="Doc" Table="docs" Company="CompanyId" Display="Title">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text" Required="true" Unique="true"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="Status" Type="Text"/>
  <Column Name="Amount" Type="Decimal"/>
  <Column Name="Pin" Type="Text"/>
  <Column Name="Twice" Type="Decimal"><Compute>SELECT @Amount * 2</Compute></Column>
</Entity>
<Entity Name="Region" Table="regions" Company="CompanyId">
  <Column Name="Code" Type="Text" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="IsOpen" Type="Boolean"/>
</Entity>
<Entity Name="Room" Table="rooms" Company="CompanyId" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Code" Type="Text" Required="true" Unique="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="InId" References="Room" Label="In"/>
  <Index Columns="InId Name" Unique="true"/>
</Entity>
<ObjectView Name="Rooms" Entity="Room"/>
<ObjectView Name="Pairs" Entity="Pair"/>
<ObjectView Name="Nodes" Entity="Node"/>
<ObjectView Name="Words" Entity="Word"/>
<ObjectView Name="Tickets" Entity="Ticket">
  <Field Name="AfterId"><Lookup View="Tickets" Where="Title &lt;&gt; 'locked'"/></Field>
</ObjectView>
<ObjectView Name="Docs" Entity="Doc">
  <Field Name="Amount" ReadOnlyWhen="Status eq closed"/>
  <Field Name="Pin" In="None"/>
  <Permit Capability="Update" When="coalesce(Status, '') &lt;&gt; 'approved'"/>
  <Permit Capability="Delete" When="coalesce(Status, '') &lt;&gt; 'approved'"/>
</ObjectView>
<ObjectView Name="Regions" Entity="Region"/>
<Rbac>
  <Role Name="Clerk">${['Pairs', 'Nodes', 'Words', 'Tickets', 'Docs', 'Regions', 'Rooms']
    .map(
      (name) => `<Grant Resource="${name}" Verbs="View List Create Update Delete Import Export"/>`,
    )
    .join('')}</Role>
  <Role Name="Regional">
    <Grant Resource="Docs" Verbs="View List Create Update Delete Import"/>
    <RowFilter Resource="Docs">Region IN (SELECT Code FROM regions WHERE IsOpen = 1)</RowFilter>
    <FieldRule Resource="Docs" Field="Amount" Access="ReadOnly"/>
  </Role>
  <Role Name="Blind"><Grant Resource="Docs" Verbs="Import Create"/></Role>
  <Role Name="Adder"><Grant Resource="Docs" Verbs="View List Create Import"/></Role>
</Rbac>
</Model>`,
    },
  ],
  ...makePeople('ONE TWO', {
    clerk: 'Clerk',
    regional: 'Regional',
    blind: 'Blind',
    adder: 'Adder',
    other: 'Clerk in TWO',
  }),
}

export const startHardImports = async (
  options: Omit<AppOptions, 'application'> = {},
): Promise<Imports> => new Imports(await startApp({ ...options, application: HARD_IMPORTS }))
