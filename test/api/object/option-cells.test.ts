/** Values that an option carries beside its label: texts alone. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { makePeople } from '../../support/people.ts'

const MODEL = `<Model>
<Entity Name="Item" Table="items" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Open" Type="Boolean"/>
  <Column Name="Price" Type="Decimal" Scale="2"/>
</Entity>
<Entity Name="Line" Table="lines">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="ItemId" References="Item"/>
  <Column Name="IsOpen" Type="Boolean"/>
  <Column Name="Price" Type="Decimal" Scale="2"/>
</Entity>
<ObjectView Name="Items" Entity="Item"/>
<ObjectView Name="Lines" Entity="Line">
  <Field Name="ItemId"><Lookup View="Items" Fill="IsOpen=Open Price=Price"/></Field>
</ObjectView>
</Model>`

test('a Boolean beside an option is a text, as every other value', async () => {
  await using app = await startApp({
    application: {
      files: [{ name: 'items.xml', body: MODEL }],
      ...makePeople('ONE', { root: 'System' }),
    },
  })
  await app.store.write(
    (tx) =>
      tx.run(`INSERT INTO items (Name, Open, Price) VALUES ('bolt', 1, 2.5), ('nut', NULL, NULL)`),
    { company: 'all', because: 'a test' },
  )
  const answer = await app.fetch<{ data: object[] }>('/api/v1/svc/object/field-dataset', {
    as: 'root',
    body: { FormName: 'lines', FieldName: 'ItemId' },
  })
  expect(answer.body.data).toEqual([
    { Value: '1', Label: 'bolt', Open: 'true', Price: '2.5' },
    { Value: '2', Label: 'nut', Open: '', Price: '' },
  ])
})
