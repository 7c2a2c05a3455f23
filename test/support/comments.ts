/** Bills that people comment on, with rows that some of them do not see. */
import type { Comment } from '../../src/engine/comments/schema.ts'
import type { Refusal } from './objects.ts'

export const COMMENTED = `<Model>
<Entity Name="Bill" Table="bills" Label="Bill" Display="Name" Company="CompanyId" Audit="Enabled" Comments="true">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text"/>
  <Column Name="Area" Type="Text"/>
</Entity>
<Entity Name="Place" Table="places" Display="Code" Comments="true">
  <Column Name="Code" Type="Text" Key="true"/>
</Entity>
<Entity Name="Quiet" Table="quiets" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
</Entity>
<ObjectView Name="Bills" Entity="Bill">
  <RowAction Name="Wipe"><Sql>DELETE FROM bills WHERE Id = @Id</Sql></RowAction>
</ObjectView>
<ObjectView Name="North" Entity="Bill">
  <TableQuery>SELECT * FROM bills WHERE Area = 'north'</TableQuery>
</ObjectView>
<ObjectView Name="Places" Entity="Place"/>
<ObjectView Name="Quiets" Entity="Quiet"/>
<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Bills" Verbs="View List Create Update Delete"/>
    <Grant Resource="Places" Verbs="View List Create Update Delete"/>
    <Grant Resource="Quiets" Verbs="View List Create"/>
  </Role>
  <Role Name="Northern"><Grant Resource="North" Verbs="View List"/></Role>
  <Role Name="Southern">
    <Grant Resource="Bills" Verbs="View List"/>
    <RowFilter Resource="Bills">Area = 'south'</RowFilter>
  </Role>
  <Role Name="Lister"><Grant Resource="Bills" Verbs="List"/></Role>
</Rbac>
</Model>`

/** The body of an answer about comments. */
export type Answer<T = Comment> = { data: T } & Partial<Refusal>
