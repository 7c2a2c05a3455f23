/** /api/v1/hangfire/recurring: schedules of the model, by a clock that the test moves. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { findNext } from '../../../src/kernel/cron.ts'
import { MINUTE } from '../../../src/kernel/setting.ts'
import { RecurringJobs } from '../../../src/engine/jobs/recurring-jobs.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { makePeople } from '../../support/people.ts'
import { scaleCases } from '../../support/property.ts'
import type { TestApplication } from '../../support/template.ts'
import { until } from '../../support/until.ts'

const HOUR = 60 * MINUTE

const MODEL = `<Model>
<Entity Name="Entry" Table="entries" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Text" Type="Text" Required="true"/>
</Entity>
<StoredProcedure Name="CloseDay" Mode="Write">
  <Parameter Name="Note" Type="Text" Required="true"/>
  <Sql>INSERT INTO entries (CompanyId, Text) VALUES (@CurrentCompanyId, @Note || ' ' || @TimeZone)</Sql>
  <Schedule Cron="0 6 * * *" PerCompany="true" With="Note='closed'"/>
</StoredProcedure>
<StoredProcedure Name="CountAll">
  <Sql Result="All">SELECT count(*) AS Entries FROM entries</Sql>
  <Schedule Cron="30 12 * * *" TimeZone="America/New_York" Missed="Strict"/>
  <Schedule Cron="0 0 1 1 *"/>
</StoredProcedure>
</Model>`

const OFFICES: TestApplication = {
  files: [{ name: 'offices.xml', body: MODEL }],
  ...makePeople('ONE TWO', { sys: 'System in ONE TWO', admin: 'Admin', clerk: 'AccessManager' }),
}

class MovedClock {
  at = Date.parse('2026-03-28T12:00:00Z')
  now(): Date {
    return new Date(this.at)
  }
}
const clock = new MovedClock()

let app: TestApp
beforeAll(async () => {
  app = await startApp({ application: OFFICES, clock })
  await app.store.write(
    (tx) => tx.run(`UPDATE svc_companies SET TimeZone = 'Europe/Berlin' WHERE Id = 2`),
    { company: 'all', because: 'a test' },
  )
  await app.context.recurring.run()
})
afterAll(async () => {
  await app.context.recurring.loop.stop()
  await app.context.jobs.stop()
  await app[Symbol.asyncDispose]()
})

interface Entry {
  Name: string
  NextRun: string | null
  LastRun: string | null
  LastState: string | null
  Paused: boolean
}
const RECURRING = '/api/v1/hangfire/recurring'
const list = async (as = 'sys'): Promise<Entry[]> =>
  (await app.fetch<{ data: Entry[] }>(RECURRING, { as })).body.data
const find = async (name: string) => (await list()).find(({ Name }) => Name === name)
const act = (as: string, name: string, action: string) =>
  app.fetch<{ code?: string; data: Entry }>(`${RECURRING}/${encodeURIComponent(name)}/${action}`, {
    as,
    body: {},
  })
const rows = (sql: string) => app.store.all({ sql, args: {}, runs: 'inline' })
const jobs = () => rows('SELECT Name, CompanyId, Recurring, State FROM svc_jobs ORDER BY Id')
const runsOf = async (key: string) =>
  (await jobs()).filter(({ Recurring }) => Recurring === key).length

test('each schedule is one, or one of each company in its zone', async () => {
  expect(await list()).toMatchObject([
    ...[{ Name: 'CloseDay@ONE', TimeZone: 'UTC', NextRun: '2026-03-29T06:00:00.000Z' }],
    // The clocks of Berlin change on that day.
    { Name: 'CloseDay@TWO', TimeZone: 'Europe/Berlin', NextRun: '2026-03-29T04:00:00.000Z' },
    { Name: 'CountAll', TimeZone: 'America/New_York', NextRun: '2026-03-28T16:30:00.000Z' },
    { Name: 'CountAll.2', TimeZone: 'UTC', Missed: 'Relaxed', CompanyId: null, LastRun: null },
  ])
})

test('an Admin sees and changes those of their companies alone', async () => {
  expect((await list('admin')).map(({ Name }) => Name)).toEqual(['CloseDay@ONE'])
  for (const name of ['CloseDay@TWO', 'CountAll', 'Nothing', 'CloseDay']) {
    for (const action of ['trigger', 'pause', 'resume']) {
      const refused = await act('admin', name, action)
      expect([refused.status, refused.body.code]).toEqual([404, 'RECURRING_JOB_NOT_FOUND'])
    }
  }
  expect((await app.fetch(RECURRING, { as: 'clerk' })).status).toBe(401)
  expect(await jobs()).toEqual([])
})

test('each run is asked for once, also by a process that begins anew', async () => {
  clock.at += 17 * HOUR
  for (let process = 0; process < 3; process++) {
    const begun = new RecurringJobs(app.context)
    begun.addSource(() => app.context.recurring.list())
    await Promise.all([begun.run(), app.context.recurring.run()])
    await begun.loop.stop()
  }
  const base = { State: 'Enqueued', Name: 'CloseDay' }
  expect(await jobs()).toEqual([
    { ...base, CompanyId: 2, Recurring: 'CloseDay@2' },
    { ...base, Name: 'CountAll', CompanyId: null, Recurring: 'CountAll' },
  ])
  expect(await find('CloseDay@TWO')).toMatchObject({
    LastRun: '2026-03-29T04:00:00.000Z',
    NextRun: '2026-03-30T04:00:00.000Z',
    LastState: 'Enqueued',
  })
})

test('runs of one do not pile up, but where each missed one is to be made', async () => {
  clock.at += 3 * 24 * HOUR
  await app.context.recurring.run()
  const names = (await jobs()).map(({ Recurring }) => Recurring)
  expect(names.filter((name) => name === 'CloseDay@2')).toHaveLength(1)
  expect(names.filter((name) => name === 'CloseDay@1')).toHaveLength(1)
  expect(names.filter((name) => name === 'CountAll')).toHaveLength(4)
  expect(app.log.filter((line) => line.includes('its last run is not done'))).toHaveLength(1)
})

test('the jobs run as the engine, each in its company', async () => {
  await app.context.jobs.start()
  const isDone = async () =>
    (await list()).every(
      ({ Name, LastState }) => !Name.startsWith('Close') || LastState === 'Succeeded',
    )
  await until(isDone)
  expect(await rows('SELECT CompanyId, Text FROM entries ORDER BY CompanyId')).toEqual([
    { CompanyId: 1, Text: 'closed UTC' },
    { CompanyId: 2, Text: 'closed Europe/Berlin' },
  ])
  const audit = await rows(`SELECT UserId, CompanyId, Source FROM svc_audit WHERE Entity = 'Entry'`)
  expect(audit).toContainEqual({ UserId: null, CompanyId: 2, Source: 'rpc/CloseDay' })
})

test('a paused one comes no more, and what it missed is not made up for', async () => {
  const paused = await act('admin', 'CloseDay@ONE', 'pause')
  expect(paused.body.data).toMatchObject({ Paused: true, NextRun: null })
  const before = await runsOf('CloseDay@1')
  clock.at += 2 * 24 * HOUR
  const begun = new RecurringJobs(app.context)
  begun.addSource(async () =>
    (await app.context.recurring.list()).filter(({ name }) => name === 'CloseDay@ONE'),
  )
  await begun.run()
  const resumed = await act('admin', 'CloseDay@ONE', 'resume')
  expect(resumed.body.data).toMatchObject({ Paused: false, NextRun: '2026-04-03T06:00:00.000Z' })
  await begun.run()
  await begun.loop.stop()
  expect(await runsOf('CloseDay@1')).toBe(before)
  const actions = await rows(
    `SELECT Action FROM svc_audit WHERE Entity = 'svc_recurring' AND RecordKey LIKE '%CloseDay@ONE%'`,
  )
  expect(actions.map(({ Action }) => Action)).toEqual(['pause', 'resume'])
})

test('one that is triggered runs once more, its times as they were', async () => {
  const { NextRun } = (await find('CloseDay@ONE')) ?? {}
  const before = await runsOf('CloseDay@1')
  const triggered = await act('admin', 'CloseDay@ONE', 'trigger')
  expect(triggered.body.data).toMatchObject({ NextRun, LastRun: clock.now().toISOString() })
  expect(await runsOf('CloseDay@1')).toBe(before + 1)
})

test('a next run that a clock ahead has planned is planned anew, and the log says so', async () => {
  await act('admin', 'CloseDay@ONE', 'resume')
  await app.context.recurring.run()
  const [now, planned] = [clock.at, await list()]
  clock.at += 400 * 24 * HOUR
  await app.context.recurring.run()
  clock.at = now
  await app.context.recurring.run()
  expect((await list()).map(({ NextRun }) => NextRun)).toEqual(
    planned.map(({ NextRun }) => NextRun),
  )
  const told = app.log.filter((line) => line.includes('was planned too far ahead'))
  expect(told).toHaveLength(planned.length)
})

test('whatever a clock does, the next run is the first one from now on', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: -500, max: 500 }), { maxLength: 8 }),
      async (days) => {
        const started = clock.at
        for (const each of days) {
          clock.at = Math.max(0, clock.at + each * 24 * HOUR - HOUR)
          await app.context.recurring.run()
          for (const { job, nextRun } of await app.context.recurring.listStates())
            expect([job.name, nextRun]).toEqual([job.name, findNext(job, clock.now())])
        }
        clock.at = started
      },
    ),
    { numRuns: scaleCases(5) },
  ))
