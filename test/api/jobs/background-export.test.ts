/** Exports with Background: made by a job with the rights of then, told by a notification. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { ADMINISTRATORS } from '../../support/administrators.ts'
import { startApp, type TestApp } from '../../support/app.ts'

interface Reply {
  code?: string
  data: { JobId?: number; File?: unknown }
}
let app: TestApp
beforeAll(async () => {
  app = await startApp({ application: ADMINISTRATORS, settings: { 'Svc:Jobs:RetryDelay': '1ms' } })
  await write(`INSERT INTO cases (Id, CompanyId, Title, Region, State, Cost) VALUES
    (1, 1, 'north one', 'north', 'open', 1), (2, 1, 'south one', 'south', 'open', 2)`)
})
afterAll(async () => {
  await app.context.jobs.stop()
  await app[Symbol.asyncDispose]()
})
const write = (sql: string) =>
  app.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })
const ask = (as: string, body: object) =>
  app.fetch<Reply>('/api/v1/svc/object/export-data', {
    as,
    body: { ObjectName: 'Cases', Format: 'csv', Background: true, ...body },
  })
const list = (sql: string) => app.store.all({ sql, args: {}, runs: 'inline' })
async function waitFor(id: number | undefined, state: string) {
  for (;;) {
    const [job] = await list(`SELECT * FROM svc_jobs WHERE Id = ${id ?? 0}`)
    if (job?.State === state) return job
    await Bun.sleep(10)
  }
}

test('what does not fit, and who may not, is refused at once', async () => {
  expect((await ask('clerk', {})).status).toBe(401)
  expect((await ask('adm', { Fields: ['Nothing'] })).status).toBe(400)
  expect((await ask('adm', { Format: 'tsv' })).status).toBe(400)
  expect(await list('SELECT * FROM svc_jobs')).toEqual([])
})

test('the file is made later, its owner is told, others of the company are not', async () => {
  const asked = await ask('adm', { Filters: [{ Field: 'Region', Operator: 'eq', Value: 'north' }] })
  expect(asked.body.data.File).toBeUndefined()
  await app.context.jobs.start()
  await waitFor(asked.body.data.JobId, 'Succeeded')
  const told = await list('SELECT UserId, Kind, Title, Url FROM svc_notifications')
  expect(told).toEqual([
    { UserId: 3, Kind: 'Export', Title: 'Export of Cases: 1 row', Url: expect.any(String) },
  ])
  const file = await app.fetch(String(told[0]?.Url), { as: 'adm' })
  expect(file.text).toContain('north one')
  expect(file.text).not.toContain('south one')
})

test('attack: another Admin finds in the job neither the file nor what was asked for', async () => {
  const asked = await ask('adm', { Filters: [{ Field: 'Region', Operator: 'eq', Value: 'south' }] })
  const job = await waitFor(asked.body.data.JobId, 'Succeeded')
  const { Url } = JSON.parse(String(job.Result)) as { Url: string }
  const look = async (as: string) => {
    const answer = await app.fetch<{ data: Record<string, unknown> }>(
      `/api/v1/hangfire/jobs/${asked.body.data.JobId}`,
      { as },
    )
    const { Arguments, Result, State } = answer.body.data
    return { State, Arguments, Result, holdsUrl: answer.text.includes(Url), text: answer.text }
  }
  const withheld = { State: 'Succeeded', Arguments: null, Result: null, holdsUrl: false }
  expect(await look('weak')).toMatchObject(withheld)
  expect((await look('weak')).text).not.toContain('south')
  for (const as of ['adm', 'sys'])
    expect(await look(as)).toMatchObject({ holdsUrl: true, Arguments: { TimeZone: 'UTC' } })
  const path = `/api/v1/hangfire/jobs/${asked.body.data.JobId}`
  const ended = await app.fetch(path, { as: 'weak', method: 'DELETE' })
  expect(ended.text).not.toContain(Url)
  await write('DELETE FROM svc_notifications WHERE Id > 1')
})

test('attack: a right that is lost while it waits makes no file, which is told', async () => {
  await app.context.jobs.stop()
  const asked = await ask('adm', {})
  await write(`DELETE FROM svc_user_roles WHERE UserId = 3`)
  app.context.callers.forgetUser(3)
  await app.context.jobs.start()
  expect(await waitFor(asked.body.data.JobId, 'Failed')).toMatchObject({ Attempts: 1 })
  expect(await list('SELECT UserId, Title, Body, Level, Url FROM svc_notifications')).toMatchObject(
    [
      { Level: 'success' },
      {
        UserId: 3,
        Title: 'Export of Cases failed',
        Body: 'You are not allowed to do this',
        Level: 'error',
        Url: null,
      },
    ],
  )
})
