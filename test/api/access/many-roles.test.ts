/** More roles than one expression is deep: rows, fields and deletes of who holds all of them. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Objects } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const COUNT = 1100
const names = Array.from({ length: COUNT }, (_, at) => `R${at}`)

const roles = names.map(
  (name, at) => `<Role Name="${name}">
    <Grant Resource="Things" Verbs="View List Create Update Delete"/>
    <RowFilter Resource="Things">Name = 'x${at}'</RowFilter></Role>`,
)

const THINGS: TestApplication = {
  files: [
    {
      name: 'model.xml',
      body: `<Model><Entity Name="Thing" Table="things" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text"/></Entity>
<ObjectView Name="Things" Entity="Thing"/><Rbac>${roles.join('')}</Rbac></Model>`,
    },
  ],
  ...makePeople('ONE', { all: names.join(' '), one: 'R1099' }),
}

test('the rows of 1,100 roles are those of each of them', async () => {
  await using app = await startApp({ application: THINGS })
  const things = new Objects(app)
  const { Keys } = await things.save('all', 'Things', { Name: 'x0' })
  await things.save('all', 'Things', { Name: 'x1099' })
  const list = async (as: string) => (await things.table(as, 'Things')).Rows.map(({ Name }) => Name)
  expect((await list('all')).sort()).toEqual(['x0', 'x1099'])
  expect(await list('one')).toEqual(['x1099'])
  expect((await things.submit('all', 'Things', { Name: 'x1100' })).status).toBe(400)
  expect((await things.remove('all', 'Things', Keys as Record<string, unknown>)).status).toBe(200)
  expect(await list('all')).toEqual(['x1099'])
})
