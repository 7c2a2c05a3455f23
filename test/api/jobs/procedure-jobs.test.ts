/** Stored procedures as jobs: of effects, by the rights that their causer has when they run. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { renderStored } from '../../../src/kernel/stored-messages.ts'
import { systemScope } from '../../../src/store/store.ts'
import { enqueueJob } from '../../../src/engine/jobs/enqueue.ts'
import type { JobOwner } from '../../../src/engine/jobs/job.ts'
import { startApp } from '../../support/app.ts'
import { replaceBehind } from '../../support/model-changes.ts'
import { Objects, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Parcel" Table="parcels" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text" Required="true"/>
  <Column Name="Seen" Type="Text"/>
  <On Event="created"><Job Name="Inspect"/></On>
</Entity>
<ObjectView Name="Parcels" Entity="Parcel"/>
<StoredProcedure Name="Inspect" Mode="Write">
  <Parameter Name="Id" Type="Integer" Required="true"/>
  <Sql Rows="1" Message="No such parcel" Result="Inspected">UPDATE parcels SET Seen = coalesce(@CurrentUserName, 'engine') || ' in ' || coalesce(@CurrentCompanyId, 'all') WHERE Id = @Id RETURNING Title</Sql>
</StoredProcedure>
<Rbac><Role Name="Clerk">
  <Grant Resource="Parcels" Verbs="View List Create"/>
</Role><Role Name="Inspector">
  <Grant Resource="Inspect" Capabilities="Execute"/>
</Role></Rbac>
</Model>`

const PARCELS: TestApplication = {
  files: [{ name: 'parcels.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    sys: 'System in ONE TWO',
    clerk: 'Clerk',
    admin: 'Admin',
    head: 'Admin Inspector',
  }),
}

let parcels: Objects
beforeAll(async () => {
  const settings = { 'Svc:Jobs:RetryDelay': '1ms' }
  parcels = new Objects(await startApp({ application: PARCELS, settings }))
  await parcels.app.context.jobs.start()
})
afterAll(async () => {
  await parcels.app.context.jobs.stop()
  await parcels[Symbol.asyncDispose]()
})

async function latestJob(state: string): Promise<Row> {
  for (;;) {
    const [job] = await parcels.stored('SELECT * FROM svc_jobs ORDER BY Id DESC LIMIT 1')
    if (job?.State === state) return { ...job, Error: renderStored(String(job.Error)) }
    await Bun.sleep(10)
  }
}

const seen = async (id: number) =>
  (await parcels.stored(`SELECT Seen FROM parcels WHERE Id = ${id}`))[0]?.Seen

const ask = (Id: number, owner: JobOwner): Promise<number> =>
  parcels.app.store.write(
    (tx) =>
      enqueueJob(tx, {
        name: 'Inspect',
        arguments: { Id },
        owner,
        source: 'test',
        now: new Date(),
      }),
    systemScope('a test asks for jobs'),
  )

test.each([
  ['a user’s', { userId: 2, companyId: 1 }],
  ['the engine’s own', { userId: null, companyId: 1 }],
])('%s runs once, within its try, while the model changes', async (_, owner) => {
  const saved = await parcels.save('clerk', 'Parcels', { Title: 'Vase' })
  await latestJob('Succeeded')
  using replacing = replaceBehind(parcels.app, 20)
  await ask(Number(saved.Values.Id), owner)
  const job = await latestJob('Succeeded')
  expect(job).toMatchObject({ Attempts: 1, Log: expect.stringContaining('The job starts over.') })
  expect(replacing.left).toBe(0)
})

test('an event’s job runs as its causer, who need not Execute the procedure', async () => {
  const saved = await parcels.save('clerk', 'Parcels', { Title: 'Lamp' })
  const job = await latestJob('Succeeded')
  expect(job).toMatchObject({ Name: 'Inspect', UserId: 2, CompanyId: 1, Attempts: 1 })
  expect(JSON.parse(String(job.Result))).toMatchObject({
    ResultSets: { Inspected: { Rows: [{ Title: 'Lamp' }] } },
    RowsAffected: 1,
  })
  expect(await seen(Number(saved.Values.Id))).toBe('clerk in 1')
  const own = { as: 'clerk', body: { Parameters: { Id: saved.Values.Id } } }
  expect((await parcels.app.fetch('/api/v1/svc/rpc/Inspect', own)).status).toBe(401)
})

test('the engine’s own is held to its company, and has no user in the audit', async () => {
  const saved = await parcels.save('clerk', 'Parcels', { Title: 'Desk' })
  await latestJob('Succeeded')
  const id = Number(saved.Values.Id)
  await ask(id, { userId: null, companyId: 2 })
  expect(await latestJob('Failed')).toMatchObject({ Error: 'No such parcel', Attempts: 1 })
  await ask(id, { userId: null, companyId: 1 })
  const inCompany = await latestJob('Succeeded')
  expect(await seen(id)).toBe('engine in 1')
  const [entry] = await parcels.stored('SELECT * FROM svc_audit ORDER BY Id DESC LIMIT 1')
  expect(entry).toMatchObject({
    UserId: null,
    CompanyId: 1,
    Source: 'rpc/Inspect',
    TraceId: `job-${String(inCompany.Id)}`,
  })
  await ask(id, { userId: null, companyId: null })
  await latestJob('Succeeded')
  expect(await seen(id)).toBe('engine in all')
})

test('attack: what was asked for under impersonation is audited under both names', async () => {
  const saved = await parcels.save('clerk', 'Parcels', { Title: 'Door' })
  await latestJob('Succeeded')
  await ask(Number(saved.Values.Id), { userId: null, companyId: 1 })
  await latestJob('Succeeded')
  await ask(Number(saved.Values.Id), { userId: 2, companyId: 1, impersonatorId: 1 })
  await latestJob('Succeeded')
  const [entry] = await parcels.stored('SELECT * FROM svc_audit ORDER BY Id DESC LIMIT 1')
  expect(entry).toMatchObject({ UserId: 2, ImpersonatorId: 1 })
  await ask(Number(saved.Values.Id), { userId: 2, companyId: 1, impersonatorId: 3 })
  expect(await latestJob('Failed')).toMatchObject({
    Error: 'The session has ended. Please sign in again.',
  })
})

test('attack: other arguments are a call of one’s own, and take Execute', async () => {
  const id = await ask(999, { userId: 2, companyId: 1 })
  await latestJob('Failed')
  const mended = { body: { Arguments: { Id: 1 } } }
  const path = `/api/v1/hangfire/jobs/${id}/requeue`
  expect((await parcels.app.fetch(path, { as: 'admin', ...mended })).status).toBe(401)
  expect((await parcels.app.fetch(path, { as: 'admin', body: {} })).status).toBe(200)
  await latestJob('Failed')
  expect((await parcels.app.fetch(path, { as: 'head', ...mended })).status).toBe(200)
  await latestJob('Succeeded')
})

test('a job of somebody who is locked by then is a dead letter at once', async () => {
  const saved = await parcels.save('clerk', 'Parcels', { Title: 'Late' })
  await latestJob('Succeeded')
  const lock = '/api/v1/svc/auth/users/2/lock'
  expect((await parcels.app.fetch(lock, { as: 'sys', body: {} })).status).toBe(200)
  await ask(Number(saved.Values.Id), { userId: 2, companyId: 1 })
  expect(await latestJob('Failed')).toMatchObject({
    Error: 'The session has ended. Please sign in again.',
    Attempts: 1,
  })
})
