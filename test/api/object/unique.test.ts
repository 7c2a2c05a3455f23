/** Keys and unique rules of every shape: a broken one is told on its own fields. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { data, Objects, refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const RULES: TestApplication = {
  files: [
    {
      name: 'rules.xml',
      body: `<Model>
<Entity Name="Colour" Table="colours"><Column Name="Code" Type="Text" Key="true"/><Column Name="Hex" Type="Text" Unique="true"/></Entity>
<Entity Name="Shelf" Table="shelves" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Code" Type="Text" Required="true" Unique="true" Label="Shelf code"/>
  <Column Name="Row" Type="Integer"/>
  <Column Name="Place" Type="Integer"/>
  <Column Name="Kind" Type="Text"/>
  <Column Name="Slot" Type="Text"><Compute>SELECT @Kind || '-' || @Place</Compute></Column>
  <Column Name="Barcode" Type="Text" Unique="true"/>
  <Index Columns="Row Place" Unique="true"/>
  <Index Columns="Kind" Unique="true" Where="Kind = 'main'"/>
  <Index Columns="Slot" Unique="true"/>
</Entity>
<Entity Name="Box" Table="boxes" Company="CompanyId">
  <Column Name="ShelfId" References="Shelf" Key="true" OnDelete="Cascade"/>
  <Column Name="Line" Type="Integer" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Seal" Type="Text" Unique="true"/>
  <Column Name="Barcode" Type="Text" Required="true" Default="-"/>
</Entity>
<ObjectView Name="Colours" Entity="Colour"/>
<ObjectView Name="Shelves" Entity="Shelf">
  <RowAction Name="Same" Label="Same code" For="View"><Sql>UPDATE shelves SET Code = 'same'</Sql></RowAction>
  <RowAction Name="Reseal" Label="Seal alike"><Sql>UPDATE boxes SET Seal = 'x'</Sql></RowAction>
  <RowAction Name="Blank" Label="No codes"><Sql>UPDATE boxes SET Barcode = NULL</Sql></RowAction>
  <Detail Name="Boxes" View="Boxes" Parent="ShelfId=Id"/>
</ObjectView>
<ObjectView Name="Boxes" Entity="Box"/>
<Rbac><Role Name="Clerk">
  <Grant Resource="Colours" Verbs="View List Create Update Delete"/>
  <Grant Resource="Shelves" Verbs="View List Create Update Delete"/>
  <Grant Resource="Boxes" Verbs="View List Create Update Delete"/>
</Role></Rbac>
</Model>`,
    },
  ],
  ...makePeople('ONE TWO', { clerk: 'Clerk', other: 'Clerk in TWO' }),
}

async function startShelves() {
  const shelves = new Objects(await startApp({ application: RULES }))
  const first = { Code: 'a', Row: 1, Place: 1, Kind: 'main', Barcode: '1' }
  await shelves.save('clerk', 'Shelves', first)
  await shelves.save('clerk', 'Shelves', { Code: 'b', Row: 1, Place: 2, Barcode: '2' })
  await shelves.save('other', 'Shelves', first)
  return shelves
}

const BROKEN: [what: string, values: Row, fieldErrors: Record<string, string>][] = [
  ['unique', { Code: 'a', Barcode: '3' }, { Code: 'Shelf code is already in use' }],
  ['NULL equal to NULL', { Code: 'c', Barcode: null }, { Barcode: 'Barcode is already in use' }],
  [
    'of two columns',
    { Code: 'c', Barcode: '3', Row: 1, Place: 2 },
    { Row: 'Row is already in use', Place: 'Place is already in use' },
  ],
  [
    'of two columns, one of them NULL',
    { Code: 'c', Barcode: '3', Row: null, Place: 2 },
    { Row: 'Row is already in use', Place: 'Place is already in use' },
  ],
  [
    'under a condition',
    { Code: 'c', Barcode: '3', Row: 8, Kind: 'main', Place: 8 },
    { Kind: 'Kind is already in use' },
  ],
]

test.each(BROKEN)('a broken unique rule: %s', async (_, values, fieldErrors) => {
  await using shelves = await startShelves()
  await shelves.save('clerk', 'Shelves', { Code: 'n', Row: null, Place: 2, Kind: 'k' })
  const before = await shelves.stored('SELECT * FROM shelves')
  const refused = refusal(await shelves.submit('clerk', 'Shelves', values), 400)
  expect(refused).toMatchObject({ code: 'VALIDATION_FAILED', fieldErrors })
  expect(await shelves.stored('SELECT * FROM shelves')).toEqual(before)
})

test('a computed column keeps its unique rule', async () => {
  await using shelves = await startShelves()
  await shelves.save('clerk', 'Shelves', {
    Code: 'c',
    Row: 3,
    Place: 9,
    Kind: 'side',
    Barcode: '3',
  })
  const same = { Code: 'd', Row: 4, Place: 9, Kind: 'side', Barcode: '4' }
  const refused = refusal(await shelves.submit('clerk', 'Shelves', same), 400)
  expect(refused.fieldErrors).toEqual({ Slot: 'Slot is already in use' })
})

test('another company’s values are free, and nothing tells of them', async () => {
  await using shelves = await startShelves()
  const saved = await shelves.save('other', 'Shelves', {
    Code: 'b',
    Row: 1,
    Place: 2,
    Barcode: '2',
  })
  expect(saved.Action).toBe('created')
})

test('authored SQL that breaks a rule is told on the fields of its own entity only', async () => {
  await using shelves = await startShelves()
  const same = refusal(await shelves.act('clerk', 'Shelves', 'Same', {}), 400)
  expect(same.fieldErrors).toEqual({ Code: 'Shelf code is already in use' })
  const Boxes = {
    Upsert: [
      { Line: 1, Seal: 'a' },
      { Line: 2, Seal: 'b' },
    ],
  }
  await shelves.save('clerk', 'Shelves', { Id: 1 }, { Details: { Boxes } })
  const seal = refusal(await shelves.act('clerk', 'Shelves', 'Reseal', { Id: 1 }), 400)
  expect(seal.fieldErrors).toBeUndefined()
  const blank = refusal(await shelves.act('clerk', 'Shelves', 'Blank', { Id: 1 }), 400)
  expect(blank.fieldErrors).toBeUndefined()
})

test('a natural key: IsNew creates, and one that is there is refused on its field', async () => {
  await using shelves = await startShelves()
  const created = await shelves.save(
    'clerk',
    'Colours',
    { Code: 'red', Hex: 'f00' },
    { IsNew: true },
  )
  expect(created).toMatchObject({ Action: 'created', Keys: { Code: 'red' } })
  const again = await shelves.submit('clerk', 'Colours', { Code: 'red' }, { IsNew: true })
  expect(refusal(again, 400).fieldErrors).toEqual({ Code: 'Code is already in use' })
  const updated = await shelves.save('clerk', 'Colours', { Code: 'red', Hex: 'e00' })
  expect(updated).toMatchObject({ Action: 'updated', Values: { Hex: 'e00' } })
  refusal(await shelves.submit('clerk', 'Colours', { Code: 'blue', Hex: '00f' }), 404)
  data(await shelves.remove('clerk', 'Colours', { Code: 'red' }))
})

test('a key of two columns, as a record and as a detail', async () => {
  await using shelves = await startShelves()
  const box = { ShelfId: 1, Line: 1, Seal: 'a' }
  await shelves.save('clerk', 'Boxes', box, { IsNew: true })
  const other = { ...box, Seal: 'z' }
  const again = refusal(await shelves.submit('clerk', 'Boxes', other, { IsNew: true }), 400)
  expect(Object.keys(again.fieldErrors ?? {}).sort()).toEqual(['Line', 'ShelfId'])
  const updated = await shelves.save('clerk', 'Boxes', { ...box, Seal: 'b' })
  expect(updated).toMatchObject({ Action: 'updated', Keys: { ShelfId: 1, Line: 1 } })
  const Boxes = {
    Upsert: [
      { Line: 2, Seal: 'c' },
      { Line: 3, Seal: 'b' },
    ],
  }
  const details = await shelves.submit('clerk', 'Shelves', { Id: 1 }, { Details: { Boxes } })
  expect(refusal(details, 400).fieldErrors).toEqual({
    'Boxes[1].Seal': 'Seal is already in use',
  })
})
