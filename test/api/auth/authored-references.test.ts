/** Rows that authored SQL stores: keys without RETURNING, references within the company. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { data, Objects, refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const TENANT = `Company="CompanyId"><Column Name="Id" Type="Integer" Key="true" Identity="true"/><Column Name="CompanyId" Type="Integer" Required="true"/>`

const STEP = `<Parameter Name="Code" Type="Text"/><Parameter Name="Task" Type="Integer"/><Parameter Name="Who" Type="Integer"/><Parameter Name="Above" Type="Integer"/>`

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
<Entity Name="Step" Table="steps" ${TENANT}<Column Name="Code" Type="Text" Unique="true" Required="true"/>
  <Column Name="TaskId" References="Task"/><Column Name="UserId" References="User"/><Column Name="AboveId" References="Step"/>
  <Column Name="WallId" References="Wall"/>
</Entity>
<ObjectView Name="Steps" Entity="Step">
  <RowAction Name="Add" For="View">${STEP}<Sql>INSERT INTO steps (CompanyId, Code, TaskId, UserId, AboveId) VALUES (@CurrentCompanyId, @Code, @Task, @Who, @Above)</Sql></RowAction>
  <RowAction Name="Point">${STEP}<Sql>UPDATE steps SET Code = @Code, TaskId = @Task, UserId = @Who, AboveId = @Above WHERE Id = @Id</Sql></RowAction>
  <RowAction Name="Move"><Parameter Name="To" Type="Integer"/><Sql>UPDATE steps SET CompanyId = @To WHERE Id = @Id</Sql></RowAction>
</ObjectView>
<ObjectView Name="Notes" Entity="Slot">
  <RowAction Name="Add" For="View">${STEP}<Sql>INSERT INTO steps (CompanyId, Code, TaskId, UserId, AboveId) VALUES (@CurrentCompanyId, @Code, @Task, @Who, @Above)</Sql></RowAction>
</ObjectView>
<StoredProcedure Name="AddStep" Mode="Write">${STEP}<Sql>INSERT INTO steps (CompanyId, Code, TaskId, UserId, AboveId) VALUES (@CurrentCompanyId, @Code, @Task, @Who, @Above)</Sql></StoredProcedure>
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
  <Grant Resource="GiveAll" Capabilities="Execute"/><Grant Resource="AddStep" Capabilities="Execute"/>
  <Grant Resource="Steps" Verbs="View List Create Update Import"/><Grant Resource="Notes" Verbs="View List Create Update"/>
</Role></Rbac>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'model.xml', body: MODEL }],
  ...makePeople('ONE TWO', { sys: 'System in ONE TWO', ann: 'Clerk', far: 'Clerk in TWO' }),
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
  refusal(await give(3), 400)
  refusal(await give(999), 400)
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

/** The error that a caller receives; the trace is each request's own. */
const told = ({ status, text }: { status: number; text: string }) => [
  status,
  text.replace(/"traceId":"[^"]*"/, ''),
]

test('attack: a key that another company has reads as one that nobody has', async () => {
  await using office = await start()
  const { app } = office
  const step = (Code: string, more: Row = {}) =>
    office.act('ann', 'Steps', 'Add', { Code, ...more })
  data(await step('mine'))
  data(await office.act('far', 'Steps', 'Add', { Code: 'theirs' }))
  const rpc = (Parameters: Row) =>
    app.fetch('/api/v1/svc/rpc/AddStep', { as: 'ann', body: { Parameters } })
  const file = async (TaskId: number) => {
    const form = new FormData()
    form.set('objectName', 'Steps')
    form.set('mode', 'insert')
    form.set('file', new File([`Code,TaskId\nnew,${TaskId}\n`], 'steps.csv'))
    const headers = { Authorization: `Bearer ${app.tokens.ann}` }
    const init = { method: 'POST', body: form, headers }
    const url = 'http://test/api/v1/svc/object/import-data'
    const answer = await app.handle(new Request(url, init))
    return { status: answer.status, text: await answer.text() }
  }
  const ways: Record<string, (given: Row) => Promise<{ status: number; text: string }>> = {
    insert: (given) => step('new', given),
    // What else is wrong with the row does not tell them apart.
    'insert of a code that is there': (given) => step('mine', given),
    'insert of a code that another company has': (given) => step('theirs', given),
    'insert without a code': (given) => office.act('ann', 'Steps', 'Add', given),
    update: (given) => office.act('ann', 'Steps', 'Point', { Id: 1, Code: 'new', ...given }),
    'update to a code that is there': (given) =>
      office.act('ann', 'Steps', 'Point', { Id: 1, Code: 'theirs', ...given }),
    'insert through another view': (given) =>
      office.act('ann', 'Notes', 'Add', { Code: 'new', ...given }),
    rpc: (given) => rpc({ Code: 'new', ...given }),
    'rpc with a code that is there': (given) => rpc({ Code: 'mine', ...given }),
  }
  const before = await office.stored('SELECT * FROM steps')
  for (const [way, ask] of Object.entries(ways))
    for (const [field, other, none] of [
      ['Task', 2, 998],
      ['Who', 3, 998],
      ['Above', 2, 998],
    ] as const) {
      const answers = [told(await ask({ [field]: other })), told(await ask({ [field]: none }))]
      expect([way, field, answers[0]]).toEqual([way, field, answers[1]])
      expect([way, field, answers[0]?.[0]]).toEqual([way, field, 400])
    }
  const pin = (Task: number | null, Who: number | null) =>
    office.act('ann', 'Walls', 'Pin', { Task, Who })
  expect(told(await pin(2, null))).toEqual(told(await pin(998, null)))
  expect(told(await pin(null, 3))).toEqual(told(await pin(null, 998)))
  const move = (To: number) => office.act('ann', 'Steps', 'Move', { Id: 1, To })
  expect(told(await move(2))).toEqual(told(await move(998)))
  expect((await move(2)).status).toBe(400)
  expect(told(await file(2))).toEqual(told(await file(998)))
  const submit = (TaskId: number) => office.submit('ann', 'Steps', { Code: 'new', TaskId })
  expect(told(await submit(2))).toEqual(told(await submit(998)))
  expect(await office.stored('SELECT * FROM steps')).toEqual(before)
})

test('a record may come with the one above it, in any order', async () => {
  await using office = await start()
  await office.app.store.write(
    (tx) =>
      tx.run(
        `INSERT INTO steps (Id, CompanyId, Code, AboveId) VALUES (5, 1, 'below', 6), (6, 1, 'above', NULL)`,
      ),
    { company: 1 },
  )
  expect(await office.stored('SELECT Id, AboveId FROM steps ORDER BY Id')).toEqual([
    { Id: 5, AboveId: 6 },
    { Id: 6, AboveId: null },
  ])
})
