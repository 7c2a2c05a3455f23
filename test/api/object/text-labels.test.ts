/** `{Column__Label}` in the texts of effects: what the value is called, as in the grid. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { listOutbox, listTold } from '../../support/event-tickets.ts'
import { data, Objects } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Shelf" Table="shelves" Display="Code Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Code" Type="Text"/><Column Name="Name" Type="Text"/>
</Entity>
<Entity Name="Part" Table="parts" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text"/>
  <Column Name="State" Default="new"><Option Value="new" Label="Just in"/><Option Value="old" Label="Worn"/></Column>
  <Column Name="Grade" Type="Integer" Default="1"><Option Value="1" Label="First"/></Column>
  <Column Name="ShelfId" References="Shelf"/>
  <Column Name="Keeper" References="User"/>
  <On Event="created"><Notify Role="Clerk" Title="{Name}: {State__Label} on {ShelfId__Label}"/></On>
</Entity>
<ObjectView Name="Shelves" Entity="Shelf"/>
<ObjectView Name="Parts" Entity="Part">
  <Field Name="ShelfId" Lookup="Shelves" LookupLabel="Name"/>
  <RowAction Name="Move">
    <Parameter Name="Target" Type="Integer" Lookup="Shelves"/>
    <Parameter Name="Why"><Option Value="tidy" Label="To be tidy"/></Parameter>
    <Sql>UPDATE parts SET ShelfId = @Target, State = 'old', Keeper = @CurrentUserId WHERE Id = @Id</Sql>
    <Sql>UPDATE shelves SET Name = 'Grown' WHERE Id = @Target</Sql>
    <Notify Role="Clerk" Title="{State__Label}, {Grade__Label}, {Grade}" Body="{ShelfId__Label} of {Keeper__Label}"/>
    <Mail To="a@b.test" Subject="{Target__Label}" Body="{Why__Label}/{Why}"/>
    <Dispatch Type="showAlert" Message="{shelfid__label} and {Keeper__Label}"/>
  </RowAction>
  <On Event="deleted"><Notify Role="Clerk" Title="{ShelfId__Label}|{Keeper__Label}"/></On>
</ObjectView>
<Rbac>
  <Role Name="Clerk"><Grant Resource="Parts" Verbs="View List Create Update Delete"/><Grant Resource="Shelves" Verbs="List Create"/></Role>
  <Role Name="Blind">
    <Grant Resource="Parts" Verbs="View Update"/><Grant Resource="Shelves" Verbs="List"/><FieldRule Resource="Parts" Field="Keeper" Access="Hidden"/>
  </Role>
</Rbac>
</Model>`

const STORES: TestApplication = {
  files: [{ name: 'model.xml', body: MODEL }],
  ...makePeople('ONE TWO', { clerk: 'Clerk', blind: 'Blind' }),
}

async function startStores() {
  const stores = new Objects(await startApp({ application: STORES }))
  for (const Name of ['Low', 'High']) await stores.save('clerk', 'Shelves', { Code: Name[0], Name })
  await stores.save('clerk', 'Parts', { Name: 'Bolt', ShelfId: 1 })
  return stores
}

/** Titles and bodies of what users were told, then subjects and bodies of mails. */
const titles = async (stores: Objects) => [
  ...(await listTold(stores)).map(({ Title, Body }) => [Title, Body]),
  ...(await listOutbox(stores)).map(({ Payload }) => [Payload.Subject, Payload.Body]),
]

test('an entity’s event calls options and records as the entity does', async () => {
  await using stores = await startStores()
  expect(await titles(stores)).toEqual([['Bolt: Just in on L Low', null]])
})

test('an action’s texts have the labels of the row as it is after the statements', async () => {
  await using stores = await startStores()
  const done = data(await stores.act('clerk', 'Parts', 'Move', { Id: 1, Target: 2, Why: 'tidy' }))
  expect(done.Dispatch).toEqual([{ Type: 'showAlert', Message: 'Grown and clerk' }])
  expect((await titles(stores)).slice(1)).toEqual([
    ['Worn, First, 1', 'Grown of clerk'],
    ['H Grown', 'To be tidy/tidy'],
  ])
})

test('a field that is hidden from the caller is not named to the caller', async () => {
  await using stores = await startStores()
  const done = data(await stores.act('blind', 'Parts', 'Move', { Id: 1, Target: 2 }))
  expect(done.Dispatch).toEqual([{ Type: 'showAlert', Message: 'Grown and ' }])
})

test('a view’s event has labels of the record that is gone; no value has none', async () => {
  await using stores = await startStores()
  data(await stores.remove('clerk', 'Parts', { Id: 1 }))
  expect((await titles(stores)).slice(1)).toEqual([['Low|', null]])
})
