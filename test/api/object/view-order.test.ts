/** Of several views of an entity the first of the document is asked, by whatever asks for one. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { EXPLORER } from '../../support/explored-sales.ts'
import { Objects } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const VIEWS = {
  // By name it would be the last; neither is named as the entity.
  Zones: `<ObjectView Name="Zones" Entity="Place"><TableQuery>SELECT Id, Name || ' (Z)' AS Name FROM zones</TableQuery></ObjectView>`,
  Areas: `<ObjectView Name="Areas" Entity="Place"><TableQuery>SELECT Id, Name || ' (A)' AS Name FROM zones</TableQuery></ObjectView>`,
}

const planModel = (views: readonly (keyof typeof VIEWS)[]): string => `<Model>
<Entity Name="Place" Table="zones" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <On Event="created"><Notify Role="All" Title="New" Kind="New"/></On>
</Entity>
<Entity Name="Sale" Table="sales"><Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="ZoneId" References="Place"/>
</Entity>
${views.map((name) => VIEWS[name]).join('\n')}
<ObjectView Name="Sales" Entity="Sale"/>
<ObjectView Name="Plain" Entity="Place"/>
<Rbac><Role Name="All">
  <Grant Resource="Sales" Verbs="View List Create"/><Grant Resource="Zones" Verbs="View List"/>
  <Grant Resource="Areas" Verbs="View List"/><Grant Resource="Plain" Verbs="View List Create"/>
</Role></Rbac>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'model.xml', body: planModel(['Zones', 'Areas']) }],
  ...makePeople('ONE', { sys: 'System', ann: 'All' }),
}

test('the first of the document, also where only their places have changed', async () => {
  await using office = new Objects(await startApp({ application: APPLICATION }))
  const { app } = office
  const { Id } = (await office.save('ann', 'Plain', { Name: 'North' })).Values as { Id: number }
  await office.save('ann', 'Sales', { ZoneId: Id })
  const post = async (path: string, body: object): Promise<string> =>
    (await app.fetch(path, { as: 'ann', body })).text
  const ask = async () => {
    const query = { ObjectName: 'Sales', Fields: ['ZoneId.Name'] }
    const texts = {
      path: await post(`${EXPLORER}/query`, query),
      lookup: await post('/api/v1/svc/object/field-dataset', {
        FormName: 'Sales',
        FieldName: 'ZoneId',
        Parameters: {},
      }),
    }
    const { text } = await app.fetch('/api/v1/notification', { as: 'ann' })
    return { ...texts, notification: text }
  }
  const found = async () =>
    Object.entries(await ask()).map(([way, text]) => [
      way,
      /North \((\w)\)/.exec(text)?.[1] ?? /"Object":"(\w)/.exec(text)?.[1] ?? text,
    ])
  const all = (letter: string) => ['path', 'lookup', 'notification'].map((way) => [way, letter])
  expect(await found()).toEqual(all('Z'))
  const file = { FileName: 'model.xml', Body: planModel(['Areas', 'Zones']) }
  const deploy = { as: 'sys', body: { Files: [file] } }
  expect((await app.fetch('/api/v1/svc/scripts', deploy)).status).toBe(200)
  expect(await found()).toEqual(all('A'))
  // What a later start compiles them from says so, too.
  const stored = await office.stored(
    `SELECT Name FROM svc_scripts WHERE IsCurrent AND Type = 'ObjectView'
     ORDER BY json_extract(Document, '$.place.line')`,
  )
  expect(stored.map(({ Name }) => Name)).toEqual(['Areas', 'Zones', 'Sales', 'Plain'])
})
