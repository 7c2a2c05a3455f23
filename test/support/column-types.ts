/** Boxes with a column of every type, their slips, and texts as keys. */
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

export const COLUMN_TYPES: TestApplication = {
  files: [
    {
      name: 'shelf.xml',
      body: `<Model>
<Entity Name="Box" Table="boxes" Display="Name" Concurrency="Enabled" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Code" MaxLength="10" Unique="true"/>
  <Column Name="Name" Required="true"/>
  <Column Name="Remark"/>
  <Column Name="Kept" Blanks="Keep"/>
  <Column Name="Kind"><Option Value="small"/><Option Value="large"/></Column>
  <Column Name="Amount" Type="Decimal"/><Column Name="Count" Type="Integer"/>
  <Column Name="Day" Type="Date"/><Column Name="At" Type="DateTime"/><Column Name="Clock" Type="Time"/>
  <Column Name="Uid" Type="Guid"/><Column Name="Flag" Type="Boolean"/><Column Name="Data" Type="Json"/>
  <Validate Field="Amount" Operator="ge" Value="0" Message="Below nothing"/>
</Entity>
<Entity Name="Slip" Table="slips">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="BoxId" References="Box" Required="true" OnDelete="Cascade"/>
  <Column Name="Text" Required="true"/>
</Entity>
<Entity Name="Tag" Table="tags" Display="Name"><Column Name="Code" Key="true"/><Column Name="Name"/></Entity>
<Entity Name="Mark" Table="marks">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/><Column Name="TagCode" References="Tag"/>
</Entity>
<ObjectView Name="Boxes" Entity="Box">
  <Field Name="Remark" RequiredWhen="Kind eq large"/>
  <Detail Name="Slips" View="Slips" Parent="BoxId=Id"/>
  <Validate Message="A box is not called bad">SELECT @Name &lt;&gt; 'bad'</Validate>
  <RowAction Name="Call"><Parameter Name="Name" Required="true"/>
    <Sql>UPDATE boxes SET Name = @Name WHERE Id = @Id</Sql></RowAction>
  <RowAction Name="Pad"><Parameter Name="By" Blanks="Keep"/>
    <Sql>UPDATE boxes SET Name = @By || Name || @By, Remark = @By, Kept = @By WHERE Id = @Id</Sql></RowAction>
  <RowAction Name="Empty"><Sql>UPDATE boxes SET Name = '  ' WHERE Id = @Id</Sql></RowAction>
  <RowAction Name="Count"><Sql>UPDATE boxes SET Count = coalesce(Count, 0) + 1 WHERE Id = @Id</Sql></RowAction>
</ObjectView>
<ObjectView Name="Slips" Entity="Slip"/><ObjectView Name="Tags" Entity="Tag"/>
<ObjectView Name="Marks" Entity="Mark"/>
<ObjectView Name="Packing" ViewType="Wizard" Entity="Box">
  <Step Name="First"><Field Name="Name"/><Field Name="Note" Type="Text" Required="true"/></Step>
  <Finish><Sql>INSERT INTO boxes (Name, Remark) VALUES (@Name, @Note)</Sql></Finish>
</ObjectView>
<StoredProcedure Name="Rename" Mode="Write"><Parameter Name="To" Required="true"/>
  <Sql>UPDATE boxes SET Name = @To WHERE Code = 'rename'</Sql></StoredProcedure>
<StoredProcedure Name="Tagging" Mode="Write"><Parameter Name="Code" Blanks="Keep"/>
  <Sql>INSERT INTO tags (Code) VALUES (@Code)</Sql></StoredProcedure>
<Rbac><Role Name="Clerk">
  <Grant Resource="Boxes" Verbs="View List Create Update Delete Import Export"/>
  <Grant Resource="Slips" Verbs="View List Create Update Delete"/>
  <Grant Resource="Tags" Verbs="View List Create Update Delete Import"/>
  <Grant Resource="Marks" Verbs="View List Create Update Delete Import"/>
  <Grant Resource="Packing" Verbs="Create"/><Grant Resource="Rename" Capabilities="Execute"/>
  <Grant Resource="Tagging" Capabilities="Execute"/>
</Role></Rbac></Model>`,
    },
  ],
  ...makePeople('ONE', { clerk: 'Clerk' }),
}
