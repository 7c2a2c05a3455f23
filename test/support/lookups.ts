/** A collection of things with every kind of reference, for tests of lookups. */
import { startApp } from './app.ts'
import { Objects } from './objects.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const ENTITIES = `<Model>
<Entity Name="Shelf" Table="shelves">
  <Column Name="Code" Type="Text" Key="true" MaxLength="5"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="KeeperId" References="User"/>
</Entity>
<Entity Name="Maker" Table="makers" Display="Code Name" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Code" Type="Text" Required="true" Unique="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="Active" Type="Boolean" Required="true" Default="true"/>
  <Column Name="Rate" Type="Decimal" Scale="2" Default="10"/>
</Entity>
<Entity Name="Item" Table="items" Display="Title MakerId" Company="CompanyId" Concurrency="Enabled" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text" Required="true"/>
  <Column Name="MakerId" References="Maker"/>
  <Column Name="ShelfCode" References="Shelf"/>
  <Column Name="OwnerId" References="User" Default="@CurrentUserId"/>
  <Column Name="PartOfId" References="Item"/>
  <Column Name="Kind" Type="Text" Default="book"><Option Value="book" Label="Book"/><Option Value="disc" Label="Disc"/><Option Value="box" Label="Box of discs"/></Column>
  <Column Name="Format" Type="Text"><DataSet DependsOn="Kind">SELECT column1 AS Value, column2 AS Label, column3 AS Width FROM (VALUES ('a', 'Large', 30), ('b', 'Small', 20)) WHERE @Kind = 'book' ORDER BY column2 DESC</DataSet></Column>
  <Column Name="Price" Type="Decimal" Scale="2"><Default DependsOn="MakerId">SELECT Rate * 2 FROM makers WHERE Id = @MakerId</Default></Column>
  <Column Name="CuratorId" References="Maker"/>
</Entity>
<Entity Name="Tag" Table="tags" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true" Unique="true"/>
  <Column Name="Level" Type="Integer" Default="1"/>
</Entity>
<Entity Name="ItemTag" Table="item_tags" Company="CompanyId" Audit="Enabled">
  <Column Name="ItemId" References="Item" Key="true" OnDelete="Cascade"/>
  <Column Name="TagId" References="Tag" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Weight" Type="Integer" Required="true" Default="7"/>
</Entity>
</Model>`

const VIEWS = `<Model>
<ObjectView Name="Shelves" Entity="Shelf"/>
<ObjectView Name="Makers" Entity="Maker"/>
<ObjectView Name="Tags" Entity="Tag"/>
<ObjectView Name="Items" Entity="Item" Sort="Title">
  <TableQuery>SELECT i.*, m.Region FROM items i LEFT JOIN makers m ON m.Id = i.MakerId</TableQuery>
  <Section Label="Thing" Columns="2" Tab="Main">
    <Field Name="Title" Searchable="true"/>
    <Field Name="MakerId" Searchable="true"><Lookup View="Makers" Search="Code Name" Where="Active = 1 AND (@Kind IS NOT 'disc' OR Region = 'north')" Fill="Price=Rate"/></Field>
    <Field Name="Tags" Through="ItemTag" Label="Tags" ReadOnlyWhen="Kind eq disc"/>
  </Section>
  <Field Name="CuratorId" Lookup="Makers" LookupLabel="Name"/>
</ObjectView>
<ObjectView Name="TaggedItems" Entity="Item" Resource="Items" Only="true">
  <Field Name="Title"/><Field Name="OwnerId"/>
  <Field Name="Tags" Through="ItemTag" In="Grid Form" Required="true"><Lookup View="Tags" Where="Level &lt; 5"/></Field>
</ObjectView>
<ObjectView Name="ListedItems" Entity="Item" Resource="Items" Only="true">
  <RowAction Name="Maker" Object="Makers" With="Id=MakerId"/>
  <Field Name="Title"/><Field Name="Tags" Through="ItemTag" In="Grid"/>
</ObjectView>
<ObjectView Name="ItemsByMaker" Entity="Item" Sort="MakerId__Label desc">
  <Field Name="CuratorId" Lookup="Cards" LookupLabel="Card"/>
</ObjectView>
<ObjectView Name="Cards" Entity="Maker" Resource="Makers">
  <TableQuery>SELECT m.*, m.Name || ' (' || m.Code || ')' AS Card FROM makers m WHERE m.Region IS NOT NULL</TableQuery>
</ObjectView>
</Model>`

const ACCESS = `<Rbac>
  <UserAttribute Name="Region" Type="Text"/>
  <Role Name="Keeper">
    <Grant Resource="Items" Verbs="View List Create Update Delete"/>
    <Grant Resource="ItemsByMaker" Verbs="View List Create Update Delete"/>
    <Grant Resource="Makers" Verbs="View List Create Update Delete"/>
    <Grant Resource="Shelves" Verbs="View List Create Update Delete"/>
    <Grant Resource="Tags" Verbs="View List Create Update Delete"/>
  </Role>
  <Role Name="Rep">
    <Grant Resource="Items" Verbs="View List Create Update"/>
    <Grant Resource="Makers" Verbs="View List"/>
    <Grant Resource="Tags" Verbs="View List"/>
    <RowFilter Resource="Makers">Region = @User_Region</RowFilter>
    <FieldRule Resource="Items" Field="OwnerId" Access="Hidden"/>
    <FieldRule Resource="Items" Field="Tags" Access="ReadOnly"/>
  </Role>
  <Role Name="Typist"><Grant Resource="Items" Verbs="View List Create Update"/></Role>
</Rbac>`

/** Companies ONE and TWO; keepers of both, a representative of the north and a typist in ONE. */
export const LOOKUPS: TestApplication = {
  files: [
    { name: 'entities.xml', body: ENTITIES },
    { name: 'views.xml', body: VIEWS },
    { name: 'access.xml', body: ACCESS },
  ],
  ...makePeople('ONE TWO', {
    sys: 'System in ONE TWO',
    keeper: 'Keeper',
    other: 'Keeper in TWO',
    rep: ['Rep', { Region: 'north' }],
    typist: 'Typist',
    nobody: '',
  }),
}

/** An entry of a field-dataset. */
export type Entry = Record<string, string>

/** Calls of the collection. */
export class Lookups extends Objects {
  /** The options of a field, which must be there. */
  async options(as: string, form: string, field: string, more: object = {}): Promise<Entry[]> {
    const answer = await this.call<Entry[]>(as, '/field-dataset', {
      FormName: form,
      FieldName: field,
      ...more,
    })
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
    return answer.body.data
  }

  /** Labels of the options of a field. */
  async labels(as: string, form: string, field: string, more: object = {}): Promise<string[]> {
    return (await this.options(as, form, field, more)).map(({ Label }) => Label ?? '')
  }
}

/**
 * The collection with four makers in ONE (ids 1 to 4: two of the north, one not active), one of
 * TWO (5), two shelves, and tags 1 to 3 (the third of level 9) with one of TWO (4).
 */
export async function startLookups(): Promise<Lookups> {
  const all = new Lookups(await startApp({ application: LOOKUPS }))
  for (const [as, Code, Name, Region, Active] of [
    ['keeper', 'N1', 'Alder', 'north', true],
    ['keeper', 'N2', 'Birch', 'north', true],
    ['keeper', 'S1', 'Cedar', 'south', true],
    ['keeper', 'S2', 'Dogwood', 'south', false],
    ['other', 'N1', 'Elm', 'north', true],
  ] as const) {
    await all.save(as, 'Makers', { Code, Name, Region, Active })
  }
  for (const [Code, Name] of [
    ['A', 'Attic'],
    ['B', 'Basement'],
  ]) {
    await all.save('keeper', 'Shelves', { Code, Name }, { IsNew: true })
  }
  for (const [as, Name, Level] of [
    ['keeper', 'old', 1],
    ['keeper', 'rare', 1],
    ['keeper', 'secret', 9],
    ['other', 'foreign', 1],
  ] as const) {
    await all.save(as, 'Tags', { Name, Level })
  }
  return all
}
