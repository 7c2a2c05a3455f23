/** Two companies with all kinds of people who administer, or are administered. */
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const MODEL = `<Model>
<Entity Name="Case" Table="cases" Display="Title" Company="CompanyId" Tracking="true">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="State" Type="Text" Default="open"/>
  <Column Name="Cost" Type="Integer"/>
  <Column Name="OwnerId" References="User"/>
</Entity>
<ObjectView Name="Cases" Entity="Case">
  <Permit Capability="Update Delete" When="State = 'open'"/>
  <Permit Capability="Seal" When="State = 'open'"/>
  <RowAction Name="Seal" Capability="Seal"><Sql>UPDATE cases SET State = 'sealed' WHERE Id = @Id</Sql></RowAction>
</ObjectView>
<Rbac>
  <Capability Name="Seal" Label="Seal cases"/>
  <UserAttribute Name="Region" Type="Text"/>
  <Role Name="Boss" Label="Boss" AssignableBy="None"><Grant Resource="Cases" Verbs="View List Create Update Delete Export Import" Capabilities="Seal"/></Role>
  <Role Name="Clerk" Label="Clerk" AssignableBy="None">
    <Grant Resource="Cases" Verbs="View List Create Update"/>
    <RowFilter Resource="Cases">Region = @User_Region</RowFilter>
    <FieldRule Resource="Cases" Field="Cost" Access="Hidden"/>
  </Role>
  <Role Name="Looker" Label="Looker" AssignableBy="None"><Grant Resource="Cases" Verbs="View List"/></Role>
  <Role Name="Rich" Label="Rich" AssignableBy="None"><Grant Resource="Cases" Verbs="View List"/><RowFilter Resource="Cases">Cost &gt; 3</RowFilter></Role>
  <Role Name="Narrow" Label="Narrow" AssignableBy="None">
    <Grant Resource="Cases" Verbs="View"/>
    <RowFilter Resource="Cases">Region = @User_Region</RowFilter>
    <RowFilter Resource="Cases">State = 'open'</RowFilter>
    <FieldRule Resource="Cases" Field="Cost" Access="Hidden"/>
  </Role>
</Rbac>
</Model>`

/** Ids go by the order of the users: sys is 1. */
export const ADMINISTRATORS: TestApplication = {
  files: [{ name: 'office.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    sys: 'System in ONE TWO',
    wide: 'Admin Boss in ONE TWO',
    adm: 'Admin@ONE Boss@ONE',
    weak: ['Admin@ONE Clerk@ONE', { Region: 'north' }],
    mgr: 'AccessManager@ONE Boss@ONE',
    clerk: ['Clerk@ONE', { Region: 'north' }],
    both: ['Clerk Looker@TWO in ONE TWO', { Region: 'south' }],
    far: 'Clerk@TWO in TWO',
    none: '',
  }),
}

/** Id of a user of ADMINISTRATORS. */
export const idOf = (userName: string): number =>
  ADMINISTRATORS.users.findIndex((user) => user.userName === userName) + 1

export const ONE = 1
export const TWO = 2
