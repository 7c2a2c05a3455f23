/** Columns and parameters called `user_…` and `next_…`, beside attributes and sequences. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { data, Objects, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Task" Table="tasks" Display="title">
  <Column Name="id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="title" Required="true"/>
  <Column Name="user_id" Type="Integer"/>
  <Column Name="User_Login"/>
  <Column Name="next_run" Type="Date"/>
  <Column Name="region"/>
  <Column Name="ticket" Sequence="Ticket"/>
  <Column Name="twice" Type="Integer"><Compute>SELECT @user_id * 2</Compute></Column>
  <Validate Message="Whose?">SELECT @user_id &lt; 100 AND @USER_LOGIN IS NOT 'nobody'</Validate>
  <Sequence Name="Ticket" Format="T-{###}"/>
</Entity>
<Entity Name="UserMeta" Table="user_metas"><Column Name="user_id" Type="Integer" Key="true"/>
  <Column Name="next_id" Type="Integer"/></Entity>
<ObjectView Name="Tasks" Entity="Task">
  <RowAction Name="give" Label="Give"><Parameter Name="User_Name"/>
    <Sql>UPDATE tasks SET User_Login = @User_Name, ticket = @Next_Ticket WHERE id = @id</Sql>
  </RowAction>
</ObjectView>
<ObjectView Name="UserMetas" Entity="UserMeta"/>
<ObjectView Name="Chosen" Entity="Task">
  <Parameter Name="Next_Week" Type="Date"/>
  <TableQuery>SELECT * FROM tasks WHERE user_id = @user_id AND next_run &lt; @Next_Week</TableQuery>
</ObjectView>
<ObjectView Name="Near" Entity="Task">
  <TableQuery>SELECT t.*, @User_Region AS mine FROM tasks t WHERE region = @User_Region</TableQuery>
</ObjectView>
<Rbac>
  <UserAttribute Name="Region"/>
  <Role Name="Clerk">
    <Grant Resource="Tasks" Verbs="View List Create Update Delete"/>
    <Grant Resource="UserMetas" Verbs="View List Create Update Delete"/>
    <Grant Resource="Chosen" Verbs="View List"/><Grant Resource="Near" Verbs="View List"/>
  </Role>
</Rbac>
</Model>`

const TASKS: TestApplication = {
  files: [{ name: 'tasks.xml', body: MODEL }],
  ...makePeople('ONE', { root: 'System', ana: ['Clerk', { Region: 'north', Login: 'x' }] }),
}

let tasks: Objects
beforeAll(async () => {
  tasks = new Objects(await startApp({ application: TASKS }))
  for (const [title, user_id, region] of [
    ['one', 7, 'north'],
    ['two', 8, 'south'],
  ] as const)
    await tasks.save('ana', 'Tasks', { title, user_id, region, next_run: '2026-05-01' })
})
afterAll(() => tasks[Symbol.asyncDispose]())

const titles = async (name: string, Parameters: Row): Promise<unknown[]> =>
  (await tasks.table('ana', name, { Parameters, Sort: [{ Field: 'id' }] })).Rows.map(
    ({ title }) => title,
  )

test('are fields like all others: written, computed, judged, narrowed by', async () => {
  const { Values } = await tasks.form('ana', 'Tasks', { id: 1 })
  expect(Values).toMatchObject({ user_id: 7, twice: 14, next_run: '2026-05-01', ticket: 'T-001' })
  expect(await titles('Tasks', { USER_ID: 8 })).toEqual(['two'])
  const refused = await tasks.submit('ana', 'Tasks', { id: 1, user_id: 100 })
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Whose?')])
  const nobody = await tasks.submit('ana', 'Tasks', { id: 1, user_login: 'nobody' })
  expect(nobody.status).toBe(400)
  expect((await tasks.save('ana', 'Tasks', { id: 1, user_id: 9 })).Values.twice).toBe(18)
  await tasks.save('ana', 'Tasks', { id: 1, user_id: 7 })
})

test('are keys too', async () => {
  await tasks.save('ana', 'UserMetas', { user_id: 5, next_id: 6 }, { IsNew: true })
  expect((await tasks.form('ana', 'UserMetas', { user_id: 5 })).Values).toMatchObject({
    next_id: 6,
  })
  expect(data(await tasks.remove('ana', 'UserMetas', { user_id: 5 })).Action).toBe('deleted')
})

test('are parameters of requests in authored SQL, beside a number that is drawn', async () => {
  expect(await titles('Chosen', { user_id: 8, next_week: '2026-05-02' })).toEqual(['two'])
  expect(await titles('Chosen', { user_id: 8 })).toEqual([])
  data(await tasks.act('ana', 'Tasks', 'give', { id: 2, user_name: 'bo', Next_Ticket: 'forged' }))
  expect((await tasks.form('ana', 'Tasks', { id: 2 })).Values).toMatchObject({
    User_Login: 'bo',
    ticket: 'T-003',
  })
})

test('never stand for an attribute that is declared, in whatever case', async () => {
  for (const name of ['User_Region', 'user_region', 'USER_REGION'])
    expect(await titles('Near', { [name]: 'south' })).toEqual(['one'])
})

test('make a deploy refuse an attribute or sequence that would take their name', async () => {
  const taking = [
    '<Rbac Name="More"><UserAttribute Name="ID"/></Rbac>',
    '<Entity Name="Run" Table="runs"><Column Name="id" Type="Integer" Key="true"/>' +
      '<Sequence Name="Run" Format="R-{#}"/></Entity>',
    '<Rbac Name="More"><UserAttribute Name="Name"/></Rbac>',
  ]
  const told: unknown[] = []
  for (const body of taking) {
    const files = [{ FileName: 'more.xml', Body: `<Model>${body}</Model>` }]
    const answer = await tasks.app.fetch<{ faults: Row[] }>('/api/v1/svc/scripts', {
      as: 'root',
      body: { Files: files },
    })
    const [first] = answer.body.faults
    told.push([answer.status, String(first?.Message).split('. ')[0]])
  }
  expect(told).toEqual([
    [400, '@user_id is the user attribute ID, so no column can be called user_id'],
    [400, '@next_run is the Sequence Run, so no column can be called next_run'],
    [400, '@User_Name is the user attribute Name: choose another name'],
  ])
})
