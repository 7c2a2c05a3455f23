/** An application made to be attacked: each part has something that a request must not reach. */
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const ENTITIES = `<Model>
<Entity Name="Item" Table="items" Display="Name" Concurrency="Enabled" Company="CompanyId" Audit="Enabled" Tracking="true">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Code" Type="Text" Unique="true"/>
  <Column Name="Name" Type="Text"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="State" Type="Text" Default="open"/>
  <Column Name="Lock" Type="Text"/>
  <Column Name="Remark" Type="Text"/>
  <Column Name="Price" Type="Decimal" Scale="2"/>
  <Column Name="Cost" Type="Decimal" Scale="2"/>
  <Column Name="Amount" Type="Integer"/>
  <Column Name="At" Type="DateTime"/>
  <Column Name="Due" Type="Date"/>
  <Column Name="Opens" Type="Time"/>
  <Column Name="Flag" Type="Boolean"/>
  <Column Name="Mark" Type="Guid"/>
  <Column Name="Meta" Type="Json"/>
  <Column Name="Kept" Type="Text" Default="kept"/>
  <Column Name="PickId" References="Pick"/>
</Entity>
<Entity Name="Pick" Table="picks" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text"/>
  <Column Name="Region" Type="Text"/>
</Entity>
<Entity Name="Slot" Table="slots" Concurrency="Enabled" Company="CompanyId">
  <Column Name="Code" Type="Text" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Note" Type="Text"/>
</Entity>
<Entity Name="Piece" Table="pieces" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="ItemId" References="Item" Required="true" OnDelete="Cascade"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="Note" Type="Text"/>
</Entity>
</Model>`

const VIEWS = `<Model>
<ObjectView Name="Items" Entity="Item">
  <Field Name="Kept" In="None"/>
  <Field Name="Lock" ReadOnlyWhen="State eq closed"/>
  <Field Name="Name" ReadOnlyWhen="Lock eq shut"/>
  <Field Name="State" ReadOnlyWhen="Remark eq final"/>
  <Permit Capability="Seal" When="State = 'open'"/>
  <RowAction Name="Seal" Capability="Seal" For="Rows">
    <Parameter Name="Reason" Type="Text"/>
    <Sql>UPDATE items SET State = 'sealed', Remark = NULL WHERE Id = @Id</Sql>
    <Dispatch Type="showAlert" Message="{Name} {Cost} {Reason}"/>
  </RowAction>
  <RowAction Name="Blank" Capability="Seal">
    <Sql>UPDATE items SET Name = NULL WHERE Id = @Id</Sql>
    <Dispatch Type="showAlert" Message="now '{Name}'"/>
  </RowAction>
  <RowAction Name="Send" Capability="Seal"><Sql>UPDATE items SET Region = 'south' WHERE Id = @Id</Sql></RowAction>
  <RowAction Name="Touch" Capability="Update" For="Rows">
    <Sql>UPDATE items SET Region = Region WHERE Id = @Id</Sql>
  </RowAction>
  <RowAction Name="All" Capability="Seal" For="View">
    <Sql>UPDATE items SET Amount = coalesce(Amount, 0) + 1</Sql>
  </RowAction>
  <Detail Name="Pieces" View="Pieces" Parent="ItemId=Id"/>
</ObjectView>
<ObjectView Name="Sorted" Entity="Item" Sort="Kept"><Field Name="Kept" In="None"/></ObjectView>
<ObjectView Name="Pieces" Entity="Piece"><Field Name="ItemId" In="None"/></ObjectView>
<ObjectView Name="Parts" Entity="Piece" Resource="Pieces"/>
<ObjectView Name="Picks" Entity="Pick"/>
<ObjectView Name="Slots" Entity="Slot"/>
<ObjectView Name="Free">
  <TableQuery>SELECT 1 AS "Key", '"' || char(30) || '"' AS Data, 9e999 AS Much, 9223372036854775807 AS "a ""b"" é'x"
UNION ALL SELECT 1, '{"a":1}', -9e999, 0.1 + 0.2 UNION ALL SELECT 1, '[', 1e15, NULL -- )</TableQuery>
  <Field Name="Data" Type="Json"/><Field Name="Much" Type="Decimal"/>
</ObjectView>
<ObjectView Name="Authored" Entity="Item">
  <Parameter Name="Other" Type="Integer"/>
  <TableQuery>SELECT i.*, i.Price * 1.1 - i.Price AS Tax, i.Amount * 4503599627370497 AS Huge,
 i.Name || '' AS Text1, i.Amount + 0.5 AS Plain, p.Name AS PickName
FROM items i LEFT JOIN picks p ON p.Id = i.PickId -- ) all of them</TableQuery>
  <FormQuery>SELECT * FROM items WHERE Id = coalesce(@Other, @Id) -- one row</FormQuery>
  <Insert>INSERT INTO items (CompanyId, Code, Name, Region, State, Price, Cost, Kept, CreatedBy, Remark)
VALUES (@CompanyId, @Code, @Name, @Region, @State, @Price, @Cost, @Kept, @CreatedBy, @PickName) RETURNING Id</Insert>
  <Update>UPDATE items SET Name = @Name, Cost = @Cost, Kept = @Kept, State = @State, Price = @Price, Lock = @PickName WHERE Id = @Id</Update>
  <Field Name="Tax" Type="Decimal" Scale="2"/>
  <Field Name="Huge" Type="Integer"/>
  <Field Name="Kept" In="None"/>
  <Field Name="State" ReadOnly="true"/>
  <Field Name="Price" ReadOnlyWhen="PickName eq fixed"/>
  <Field Name="Name" ReadOnlyWhen="Code contains ro"/>
</ObjectView>
</Model>`

const ACCESS = `<Rbac>
  <Capability Name="Seal" Label="Seal"/>
  <UserAttribute Name="Region" Type="Text"/>
  <UserAttribute Name="Level" Type="Integer"/>
  <UserAttribute Name="Trusted" Type="Boolean"/>
  <Role Name="Keeper" Label="Keeper">
    <Grant Resource="Items" Verbs="View List Create Update Delete" Capabilities="Seal"/>
    <Grant Resource="Pieces" Verbs="View List Create Update Delete"/>
    <Grant Resource="Picks" Verbs="View List Create Update Delete"/>
    <Grant Resource="Slots" Verbs="View List Create Update Delete"/>
    <Grant Resource="Sorted" Verbs="View List"/>
    <Grant Resource="Free" Verbs="View List"/>
    <Grant Resource="Authored" Verbs="View List Create Update Delete"/>
  </Role>
  <Role Name="Guest" Label="Guest">
    <Grant Resource="Items" Verbs="View List Create Update Delete" Capabilities="Seal"/>
    <Grant Resource="Authored" Verbs="View List Create Update Delete"/>
    <Grant Resource="Pieces" Verbs="View List Create Update Delete"/>
    <Grant Resource="Picks" Verbs="View List"/>
    <RowFilter Resource="Items" Verbs="View List Delete">Region = @User_Region</RowFilter>
    <RowFilter Resource="Items" Verbs="Update Create">Region = @User_Region AND State = 'open'</RowFilter>
    <RowFilter Resource="Authored">Region = @User_Region</RowFilter>
    <RowFilter Resource="Pieces">Region = @User_Region</RowFilter>
    <RowFilter Resource="Picks">Region = @User_Region</RowFilter>
    <FieldRule Resource="Items" Field="Cost" Access="Hidden"/>
    <FieldRule Resource="Items" Field="Price" Access="ReadOnly"/>
    <FieldRule Resource="Authored" Field="Cost" Access="Hidden"/>
    <FieldRule Resource="Authored" Field="PickName" Access="Hidden"/>
  </Role>
  <Role Name="Looker" Label="Looker"><Grant Resource="Items" Verbs="View List"/></Role>
  <Role Name="Editor" Label="Editor">
    <Grant Resource="Items" Verbs="Create Update"/>
    <FieldRule Resource="Items" Field="Price" Access="ReadOnly"/>
  </Role>
  <Role Name="Blind" Label="Blind">
    <Grant Resource="Items" Verbs="View List"/>
    <FieldRule Resource="Items" Field="Cost" Access="Hidden"/>
  </Role>
  <Role Name="Sealer" Label="Sealer"><Grant Resource="Items" Verbs="Export" Capabilities="Seal"/></Role>
  <Role Name="Uncoded" Label="Uncoded">
    <Grant Resource="Items" Verbs="View List"/>
    <Grant Resource="Pieces" Verbs="View List Create"/>
    <FieldRule Resource="Items" Field="Code" Access="Hidden"/>
  </Role>
  <Role Name="Leveled" Label="Leveled">
    <Grant Resource="Items" Verbs="View List"/>
    <RowFilter Resource="Items">Amount = @User_Level OR Flag = @User_Trusted</RowFilter>
  </Role>
</Rbac>`

/** Two companies; keepers see all of theirs, a guest the north, others what their roles give. */
export const ATTACKED_RECORDS: TestApplication = {
  files: [
    { name: 'entities.xml', body: ENTITIES },
    { name: 'views.xml', body: VIEWS },
    { name: 'access.xml', body: ACCESS },
  ],
  ...makePeople('ONE TWO', {
    sys: 'System in ONE TWO',
    keeper: 'Keeper',
    other: 'Keeper in TWO',
    guest: ['Guest', { Region: 'north' }],
    mixed: 'Looker Editor',
    blind: 'Blind Sealer',
    leveled: ['Leveled', { Level: '', Trusted: 'true' }],
    odd: ['Leveled', { Level: 'abc' }],
    uncoded: 'Uncoded',
    regional: ['Guest Looker', { Region: 'north' }],
    nobody: '',
  }),
}
