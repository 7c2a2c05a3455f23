/** Computed columns of records that a moved reference leads to, and of their stamps. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Objects } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Person" Table="people" Concurrency="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Badges" Type="Integer"><Compute From="Badge">SELECT count(*) FROM badges WHERE PersonId = @Id</Compute></Column>
  <Column Name="Seen" Type="Integer"><Compute>SELECT @RowVersion</Compute></Column>
</Entity>
<Entity Name="Badge" Table="badges">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="PersonId" References="Person" Unique="true"/>
</Entity>
<ObjectView Name="People" Entity="Person"/>
<ObjectView Name="Badges" Entity="Badge"/>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'people.xml', body: MODEL }],
  ...makePeople('ONE', { sys: 'System' }),
}

const PEOPLE = 'SELECT Badges, Seen = RowVersion AS IsNow FROM people ORDER BY Id'

test('a moved reference computes both ends anew, and the stamp is the one in the end', async () => {
  await using world = new Objects(await startApp({ application: APPLICATION }))
  for (const Name of ['Ann', 'Bo']) await world.save('sys', 'People', { Name })
  await world.save('sys', 'Badges', { PersonId: 1 })
  const isNow = { IsNow: 1 }
  expect(await world.stored(PEOPLE)).toEqual([
    { Badges: 1, ...isNow },
    { Badges: 0, ...isNow },
  ])
  await world.save('sys', 'Badges', { Id: 1, PersonId: 2 })
  expect(await world.stored(PEOPLE)).toEqual([
    { Badges: 0, ...isNow },
    { Badges: 1, ...isNow },
  ])
})
