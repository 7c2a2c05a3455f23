/** Records that the global search reads again: by a job, or because a user has another name. */
import { expect, test } from 'bun:test'
import { systemScope } from '../../../src/store/store.ts'
import { noteRebuild, SearchRebuild } from '../../../src/engine/global-search/rebuild.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { replaceModel } from '../../support/model-changes.ts'
import { makePeople } from '../../support/people.ts'
import { findTitles, search, settleSearch, startSearched } from '../../support/search.ts'

const REBUILD = '/api/v1/svc/search/rebuild'
interface Job {
  State: string
  Progress: { Done: number; Total: number | null } | null
  Result: { Records: number } | null
}
interface Answer<T> {
  data: T
  fieldErrors?: Record<string, string>
}
const write = (app: TestApp, sql: string) =>
  app.store.write((tx) => tx.run(sql), systemScope('a test'))
const start = (app: TestApp, body: object) =>
  app.fetch<Answer<{ JobId: number }>>(REBUILD, { as: 'sys', body })

async function untilDone(app: TestApp, id: number): Promise<Job> {
  for (;;) {
    const { body } = await app.fetch<Answer<Job>>(`/api/v1/hangfire/jobs/${id}`, { as: 'sys' })
    if (['Succeeded', 'Failed', 'Deleted'].includes(body.data.State)) return body.data
    await Bun.sleep(5)
  }
}

test('words that the index has lost, and entries of no record, are mended', async () => {
  await using objects = await startSearched()
  const { app } = objects
  for (let at = 0; at < 230; at++)
    await objects.save('clerk', 'Customers', { Name: `Oak ${at}`, Region: 'north' })
  await objects.save('other', 'Customers', { Name: 'Oak abroad' })
  await write(app, `DELETE FROM svc_search WHERE rowid % 2 = 0`)
  await write(
    app,
    `INSERT INTO svc_search_entries (Scope, RecordKey, Hash)
     SELECT Scope, '[987654]', '' FROM svc_search_entries LIMIT 1`,
  )
  expect((await search(app, 'clerk', 'oak')).Groups[0]?.Total).toBeLessThan(230)
  // Reading again is not enough: the entries say that they have the words.
  await write(app, `UPDATE customers SET Region = 'south'`)
  expect((await search(app, 'clerk', 'oak')).Groups[0]?.Total).toBeLessThan(230)
  const asked = await start(app, { Objects: ['CUSTOMERS'] })
  expect(asked.status).toBe(200)
  expect((await search(app, 'clerk', 'oak')).Rebuilding).toBe(true)
  await app.context.jobs.start()
  const job = await untilDone(app, asked.body.data.JobId)
  await app.context.jobs.stop()
  expect([job.State, job.Result]).toEqual(['Succeeded', { Records: 231 }])
  expect(job.Progress?.Done).toBe(job.Progress?.Total ?? 0)
  const { Groups, Rebuilding } = await search(app, 'clerk', 'oak')
  expect([Groups[0]?.Total, Rebuilding]).toEqual([230, false])
  expect(await findTitles(app, 'other', 'oak')).toEqual({ Customers: ['Oak abroad'] })
  const left = await app.store.all(`SELECT 1 FROM svc_search_entries WHERE RecordKey = '[987654]'`)
  expect(left).toEqual([])
})

test('a job that was cut off goes on where it was', async () => {
  await using objects = await startSearched()
  const { app } = objects
  for (let at = 0; at < 120; at++) await objects.save('clerk', 'Customers', { Name: `Oak ${at}` })
  await write(app, `DELETE FROM svc_search`)
  const { JobId } = (await start(app, {})).body.data
  // What the loop does meanwhile is done; the job finds nothing left.
  await settleSearch(app)
  await app.context.jobs.start()
  expect((await untilDone(app, JobId)).State).toBe('Succeeded')
  await app.context.jobs.stop()
  expect((await search(app, 'clerk', 'oak')).Groups[0]?.Total).toBe(120)
})

test('attack: who may not, what is not searched, and nothing is begun then', async () => {
  await using objects = await startSearched()
  const { app } = objects
  for (const as of ['clerk', 'nobody'])
    expect((await app.fetch(REBUILD, { as, body: {} })).status).toBe(401)
  const refused = await start(app, { Objects: ['Customers', 'OrderLines', 'nothing'] })
  expect([refused.status, refused.body.fieldErrors]).toEqual([
    400,
    {
      'Objects[1]': 'There is no searchable object with this name',
      'Objects[2]': 'There is no searchable object with this name',
    },
  ])
  expect((await start(app, { Objects: 'Customers' })).status).toBe(400)
  expect(await app.store.all('SELECT Id FROM svc_jobs')).toEqual([])
  expect((await search(app, 'clerk', 'oak')).Rebuilding).toBe(false)
})

test('records are found by the new name of a user whom they name', async () => {
  const model = `<Model>
<Entity Name="Task" Table="tasks" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true"/><Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="OwnerId" References="User"/><Column Name="Title" Type="Text"/>
</Entity>
<ObjectView Name="Tasks" Entity="Task"><Search Title="Title" Text="OwnerId"/></ObjectView>
<ObjectView Name="Joined" Entity="Task">
  <TableQuery>SELECT t.*, u.DisplayName AS Owner FROM tasks t JOIN svc_users u ON u.Id = t.OwnerId</TableQuery>
  <Search Title="Title" Text="Owner"/></ObjectView>
<Rbac><Role Name="R"><Grant Resource="Tasks" Verbs="List"/><Grant Resource="Joined" Verbs="List"/></Role></Rbac>
</Model>`
  await using app = await startApp({
    application: {
      files: [{ name: 'tasks.xml', body: model }],
      ...makePeople('ONE', { sys: 'System', clerk: 'R' }),
    },
  })
  await settleSearch(app)
  await app.store.write(
    (tx) => tx.run(`INSERT INTO tasks VALUES (1, 1, 2, 'Call'), (2, 1, 1, 'Write')`),
    systemScope('a test'),
  )
  const rename = (body: object) =>
    app.fetch('/api/v1/svc/auth/users/2', { as: 'sys', method: 'PUT', body })
  expect((await rename({ DisplayName: 'Quincy' })).status).toBe(200)
  expect((await search(app, 'clerk', 'quincy')).Rebuilding).toBe(true)
  await settleSearch(app)
  expect(await findTitles(app, 'clerk', 'quincy')).toEqual({ Tasks: ['Call'], Joined: ['Call'] })
  await rename({ DisplayName: 'Rupert' })
  await settleSearch(app)
  expect(await findTitles(app, 'clerk', 'rupert')).toEqual({ Tasks: ['Call'], Joined: ['Call'] })
  expect(await findTitles(app, 'clerk', 'quincy')).toEqual({})
  expect((await search(app, 'clerk', 'rupert')).Rebuilding).toBe(false)
})

test('models that come meanwhile have the index go on behind what is read', async () => {
  await using objects = await startSearched()
  const { app } = objects
  const customers = 350
  await app.store.write(
    (tx) =>
      tx.run(`INSERT INTO customers (CompanyId, Name) WITH RECURSIVE n(i) AS (
        SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${customers}) SELECT 1, 'Oak ' || i FROM n`),
    { company: 'all', because: 'a test' },
  )
  await settleSearch(app)
  const rebuild = new SearchRebuild(app.context)
  await rebuild.run()
  const { models } = app.context
  await app.store.write((tx) => noteRebuild(tx, models.get(), new Set(['Customers'])), {
    company: 'all',
    because: 'a test',
  })
  let read = 0
  let left = 20
  using _ = rebuild.follow(({ kind, rows }) => {
    if (kind === 'anew') read += rows
    if (left-- > 0) replaceModel(app)
  })
  await rebuild.run()
  expect(read).toBe(customers)
  expect(await app.store.all('SELECT Id FROM svc_search_work')).toEqual([])
})
