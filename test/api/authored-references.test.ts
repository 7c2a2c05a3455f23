/** What authored SQL stores: keys without RETURNING, references within the company. */
import { expect, test } from 'bun:test'
import { startApp } from '../support/app.ts'
import { data, Objects, refusal, type Row } from '../support/objects.ts'
import type { TestApplication } from '../support/template.ts'

const TENANT = `Company="CompanyId"><Column Name="Id" Type="Integer" Key="true" Identity="true"/><Column Name="CompanyId" Type="Integer" Required="true"/>`

const MODEL = `<Model>
<Entity Name="Task" Table="tasks" ${TENANT}
  <Column Name="Name" Type="Text"/><Column Name="UserId" References="User"/>
  <On Event="updated" When="Name = 'on'"><Sql>UPDATE tasks SET UserId = 3, Name = 'done' WHERE Id = @Id</Sql></On>
</Entity>
<Entity Name="Wall" Table="walls"><Column Name="Id" Type="Integer" Key="true" Identity="true"/><Column Name="Text" Type="Text"/>
  <Column Name="TaskId" References="Task"/><Column Name="UserId" References="User"/>
</Entity>
<Entity Name="Slot" Table="slots" ${TENANT}<Column Name="Code" Type="Text"/></Entity>
<ObjectView Name="Tasks" Entity="Task">
  <RowAction Name="Give"><Parameter Name="To" Type="Integer"/><Sql>UPDATE tasks SET UserId = @To WHERE Id = @Id</Sql></RowAction>
</ObjectView>
<ObjectView Name="Written" Entity="Task">
  <Insert>INSERT INTO tasks (CompanyId, Name, UserId) VALUES (@CompanyId, @Name, coalesce(length(@Name), 1))</Insert>
  <Update>UPDATE tasks SET UserId = length(@Name) WHERE Id = @Id</Update>
</ObjectView>
<ObjectView Name="Walls" Entity="Wall">
  <RowAction Name="Pin" For="View"><Parameter Name="Task" Type="Integer"/><Parameter Name="Who" Type="Integer"/><Sql>INSERT INTO walls (Text, TaskId, UserId) VALUES ('pinned', @Task, @Who)</Sql></RowAction>
</ObjectView>
<ObjectView Name="Slots" Entity="Slot">
  <Insert>INSERT INTO slots (CompanyId, Code) SELECT @CompanyId, upper(@Code)</Insert>
</ObjectView>
<StoredProcedure Name="GiveAll" Mode="Write"><Parameter Name="To" Type="Integer"/><Sql>UPDATE tasks SET UserId = @To</Sql></StoredProcedure>
<Rbac><Role Name="Clerk">
  <Grant Resource="Tasks" Verbs="View List Create Update"/><Grant Resource="Written" Verbs="View List Create Update"/>
  <Grant Resource="Walls" Verbs="View List Create Update"/><Grant Resource="Slots" Verbs="View List Create Update"/>
  <Grant Resource="GiveAll" Capabilities="Execute"/>
</Role></Rbac>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'model.xml', body: MODEL }],
  companies: ['ONE', 'TWO'],
  users: [
    { userName: 'sys', roles: ['System'], companies: ['ONE', 'TWO'] },
    { userName: 'ann', roles: ['Clerk'], companies: ['ONE'] },
    { userName: 'far', roles: ['Clerk'], companies: ['TWO'] },
  ],
}

/** Ids of the users: sys 1, ann 2, far 3; task 1 is of ONE, task 2 of TWO. */
async function start(): Promise<Objects> {
  const office = new Objects(await startApp({ application: APPLICATION }))
  await office.save('ann', 'Tasks', { Name: 'a' })
  await office.save('far', 'Tasks', { Name: 'b' })
  return office
}

test('an Insert without RETURNING gives the key of the record that it made', async () => {
  await using office = await start()
  const { Keys, Values } = await office.save('ann', 'Slots', { Code: 'x' })
  expect([Keys, Values]).toEqual([{ Id: 1 }, { Id: 1, CompanyId: 1, Code: 'X' }])
  expect((await office.save('ann', 'Slots', { Code: 'y' })).Keys).toEqual({ Id: 2 })
})

test('no authored statement stores a user or record of another company', async () => {
  await using office = await start()
  const give = (To: number, more: Row = {}) =>
    office.act('ann', 'Tasks', 'Give', { Id: 1, To }, more)
  const pin = (Task: number | null, Who: number | null) =>
    office.act('ann', 'Walls', 'Pin', { Task, Who })
  const all = (as: string, To: number, more: Row = {}) =>
    office.app.fetch<{ fieldErrors: Row }>('/api/v1/svc/rpc/GiveAll', {
      as,
      body: { Parameters: { To }, ...more },
    })
  expect(refusal(await give(3), 400).fieldErrors).toEqual({ UserId: 'User: there is no such user' })
  expect(refusal(await give(999), 400).error).toBeDefined()
  refusal(await office.submit('ann', 'Tasks', { Id: 1, Name: 'on' }), 400)
  refusal(await office.submit('ann', 'Written', { Name: 'far' }), 400)
  refusal(await office.submit('ann', 'Written', { Id: 1, Name: 'far' }), 400)
  expect((await all('ann', 3)).status).toBe(400)
  refusal(await pin(2, null), 400)
  refusal(await pin(null, 3), 400)
  expect(await office.stored('SELECT Name, UserId FROM tasks')).toEqual([
    { Name: 'a', UserId: null },
    { Name: 'b', UserId: null },
  ])
  expect(await office.stored('SELECT * FROM walls')).toEqual([])
  data(await give(2))
  data(await give(1))
  data(await pin(1, 1))
  expect((await all('ann', 2)).status).toBe(200)
  expect((await all('sys', 3, { AllCompanies: true })).status).toBe(200)
})
