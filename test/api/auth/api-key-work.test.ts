/** Later work that an API key causes: it has no more rights than the key. */
import { expect, test } from 'bun:test'
import { systemScope } from '../../../src/store/store.ts'
import { enqueueJob } from '../../../src/engine/jobs/enqueue.ts'
import type { JobKind, JobOwner } from '../../../src/engine/jobs/job.ts'
import { startApp } from '../../support/app.ts'
import { Objects, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Parcel" Table="parcels" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text" Required="true"/>
  <On Event="created"><Job Name="Rights"/><Mail To="box@parcels.test" Subject="Made"/></On>
</Entity>
<ObjectView Name="Parcels" Entity="Parcel"/>
<ObjectView Name="Costs" Entity="Parcel"/>
<Rbac><Role Name="Clerk"><Grant Resource="Parcels" Verbs="View List Create"/></Role>
<Role Name="Boss"><Grant Resource="Costs" Verbs="View List"/></Role></Rbac>
</Model>`

const PARCELS: TestApplication = {
  files: [{ name: 'parcels.xml', body: MODEL }],
  ...makePeople('ONE', { boss: 'Boss Clerk' }),
}

const KEYS = '/api/v1/auth/api-keys'

/** Gives the roles that it runs with. */
const RIGHTS: JobKind = {
  name: 'Rights',
  run: async (run) => (await run.requireCaller()).roles,
}

const ownerOf = (job: Row | undefined): JobOwner => ({
  userId: Number(job?.UserId),
  companyId: Number(job?.CompanyId),
  apiKeyId: Number(job?.ApiKeyId),
})

interface Made {
  Id: number
  Key: string
}

test('jobs and mails of a key have its rights alone, and none once it is revoked', async () => {
  const app = await startApp({ application: PARCELS, settings: { 'Svc:Jobs:RetryDelay': '1ms' } })
  await using parcels = new Objects(app)
  app.context.jobs.add(RIGHTS)
  const make = async (Roles: string[]): Promise<Made> => {
    const body = { Name: 'Parcels', Roles, Companies: [1] }
    const answer = await app.fetch<{ data: Made }>(KEYS, { as: 'boss', body })
    expect(answer.status).toBe(200)
    return answer.body.data
  }
  const save = (key: string, Title: string) =>
    app.fetch<{ data: Row }>('/api/v1/svc/object/submit', {
      body: { FormName: 'Parcels', Parameters: { Title } },
      headers: { Authorization: `Bearer ${key}` },
    })
  const read = (key: string, name: string) =>
    app.fetch(`/api/v1/svc/object/${name}/table`, {
      body: {},
      headers: { Authorization: `Bearer ${key}` },
    })
  const clerk = await make(['Clerk'])
  const whole = await make(['Clerk', 'Boss'])
  expect((await read(clerk.Key, 'Parcels')).status).toBe(200)
  expect((await read(clerk.Key, 'Costs')).status).toBe(401)
  const masked = ({ status, text }: { status: number; text: string }) => ({
    status,
    text: text.replace(/"traceId":"\w+"/, ''),
  })
  for (const name of ['Parcels', 'Costs']) {
    const own = await app.fetch(`/api/v1/svc/object/${name}/table`, { as: 'boss', body: {} })
    expect(masked(await read(whole.Key, name))).toEqual(masked(own))
  }
  for (const [key, title] of [
    [clerk.Key, 'by the clerk'],
    [whole.Key, 'by the boss'],
    [clerk.Key, 'too late'],
  ] as const)
    expect(await save(key, title)).toMatchObject({ status: 200 })
  const mails = await parcels.stored('SELECT ApiKeyId FROM svc_outbox WHERE Entity IS NOT NULL')
  expect(mails.map(({ ApiKeyId }) => ApiKeyId)).toEqual([clerk.Id, whole.Id, clerk.Id])
  const ended = async (): Promise<Row[]> => {
    for (;;) {
      const jobs = await parcels.stored("SELECT * FROM svc_jobs WHERE Name = 'Rights' ORDER BY Id")
      if (jobs.every(({ FinishedAt }) => FinishedAt !== null)) return jobs
      await Bun.sleep(10)
    }
  }
  await app.context.jobs.start()
  try {
    const [first, second, third] = await ended()
    expect([first?.Result, second?.Result]).toEqual(['["Clerk"]', '["Boss","Clerk"]'])
    const gone = await app.fetch(`${KEYS}/${clerk.Id}`, { as: 'boss', method: 'DELETE' })
    expect(gone.status).toBe(200)
    const again = await app.store.write(
      (tx) =>
        enqueueJob(tx, { name: 'Rights', owner: ownerOf(third), source: 'test', now: new Date() }),
      systemScope('a test asks for a job'),
    )
    const late = (await ended()).find(({ Id }) => Id === again)
    expect(late).toMatchObject({ State: 'Failed', Attempts: 1 })
    expect(late?.Error).toContain('The API key is no longer valid')
  } finally {
    await app.context.jobs.stop()
  }
})

test('an API key is told no answer that its user was given under an Idempotency-Key', async () => {
  const app = await startApp({ application: PARCELS })
  await using _parcels = new Objects(app)
  const body = { Name: 'Parcels', Roles: ['Clerk'], Companies: [1] }
  const made = await app.fetch<{ data: Made }>(KEYS, { as: 'boss', body })
  const save = async (token: string): Promise<string> => {
    const headers = { 'Idempotency-Key': 'once', Authorization: `Bearer ${token}` }
    const parcel = { FormName: 'Parcels', Parameters: { Title: 'Lamp' } }
    const answer = await app.fetch('/api/v1/svc/object/submit', { body: parcel, headers })
    expect(answer.status).toBe(200)
    return answer.text
  }
  const [own, byKey] = [app.tokens['boss'] ?? '', made.body.data.Key]
  const [first, second] = [await save(own), await save(byKey)]
  expect(second).not.toBe(first)
  expect([await save(own), await save(byKey)]).toEqual([first, second])
})
