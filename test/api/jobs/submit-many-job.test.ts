/** Bulk edits of more than a thousand records: made once by a job, with the rights of then. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ManyResult } from '../../../src/engine/object/many-schema.ts'
import { type Imports, startImports } from '../../support/imports.ts'
import { data, type Row } from '../../support/objects.ts'
import { until } from '../../support/until.ts'

const COUNT = 1001

let app: Imports
beforeAll(async () => {
  app = await startImports({ settings: { 'Svc:Jobs:RetryDelay': '1ms' } })
  await app.app.context.jobs.stop()
  const lines = Array.from({ length: COUNT }, (_, at) => `R${at},${at}`)
  const file = ['Code,Value', ...lines].join('\n')
  await app.take('clerk', { objectName: 'Readings', file })
})
afterAll(async () => {
  await app.app.context.jobs.stop()
  await app.app[Symbol.asyncDispose]()
})

interface Job {
  JobId: number
  State: string
  Done: number
  Total: number
  Error: string | null
  Many: ManyResult | null
}

const all = { FormName: 'Readings', Filters: [] as object[] }

/** Enqueues a bulk edit of all readings; resolves to its job. */
async function enqueue(more: object, beforeLast?: () => Promise<unknown>): Promise<number> {
  const request = { ...all, ...more }
  const dry = data(
    await app.call<{ Many: ManyResult }>('clerk', '/submit-many', { ...request, DryRun: true }),
  ).Many
  expect(dry).toMatchObject({ Rows: COUNT, Checked: 1000, Updated: 1000 })
  await beforeLast?.()
  const asked = { ...request, Token: dry.Token }
  const done = data(await app.call<{ JobId: number }>('clerk', '/submit-many', asked))
  const again = await app.call('clerk', '/submit-many', asked)
  expect([again.status, again.body.code]).toEqual([409, 'TOKEN_USED'])
  return done.JobId
}

const path = (id: number) => `/api/v1/svc/object/submit-many/${id}`
const look = async (id: number, as = 'clerk') => app.app.fetch<{ data: Job }>(path(id), { as })
const jobOf = async (id: number): Promise<Job> => (await look(id)).body.data
const cancel = async (id: number, as: string) =>
  app.app.fetch<{ data: Job }>(path(id), { as, method: 'DELETE' })

async function finish(id: number): Promise<Job> {
  await app.app.context.jobs.start()
  await until(async () => ['Succeeded', 'Failed'].includes((await jobOf(id)).State))
  await app.app.context.jobs.stop()
  return jobOf(id)
}

const days = () =>
  app.stored('SELECT Day, count(*) AS n FROM readings GROUP BY Day ORDER BY Day') as Promise<Row[]>

test('a job changes them once, tells its user, and is taken back as an import is', async () => {
  const id = await enqueue({ Parameters: { Day: '2026-01-02' }, OnError: 'skip' }, () =>
    app.save('clerk', 'Readings', { Id: 1, Value: 7 }),
  )
  expect(await jobOf(id)).toMatchObject({ State: 'Enqueued', Total: COUNT, Many: null })
  expect((await look(id, 'looker')).status).toBe(404)
  const job = await finish(id)
  expect(job).toMatchObject({ State: 'Succeeded', Done: COUNT })
  expect(job.Many).toMatchObject({ Updated: COUNT - 1, Failed: 1, Faults: [{ Keys: { Id: 1 } }] })
  expect(await days()).toEqual([
    { Day: null, n: 1 },
    { Day: '2026-01-02', n: COUNT - 1 },
  ])
  const [told] = await app.stored('SELECT Title FROM svc_notifications ORDER BY Id DESC LIMIT 1')
  expect(told?.Title).toBe(`Bulk edit of Readings: updated ${COUNT - 1}, skipped 0, failed 1`)
  const undo = await app.call('clerk', `/import-data/${job.Many?.ImportId}/undo`, {})
  expect(undo.status).toBe(200)
  expect(await days()).toEqual([{ Day: null, n: COUNT }])
})

test('a run that was cut off behind its commit does nothing again', async () => {
  const id = await enqueue({ Parameters: { Day: '2026-02-03' } })
  const { Many } = await finish(id)
  await app.app.store.write(
    (tx) => tx.run(`UPDATE svc_jobs SET State = 'Enqueued', FinishedAt = NULL WHERE Id = ${id}`),
    { company: 'all', because: 'a test' },
  )
  const again = await finish(id)
  expect(again).toMatchObject({ State: 'Succeeded', Many })
  expect(
    await app.stored(`SELECT count(*) AS n FROM svc_imports WHERE Mode = 'submit-many'`),
  ).toEqual([{ n: 2 }])
})

test('one that cannot be whole changes nothing and says so; a cancelled one is over', async () => {
  const before = await days()
  const id = await enqueue({ Parameters: { Day: '2026-03-04' } }, () =>
    app.save('clerk', 'Readings', { Id: 2, Value: 8 }),
  )
  expect(await finish(id)).toMatchObject({
    State: 'Failed',
    Error: `Nothing was changed: others changed records meanwhile (1 of ${COUNT})`,
  })
  expect(await days()).toEqual(before)
  const other = await enqueue({ Parameters: { Day: '2026-04-05' } })
  expect((await cancel(other, 'other')).status).toBe(404)
  expect((await cancel(other, 'clerk')).body.data).toMatchObject({ State: 'Deleted', Many: null })
  expect(await days()).toEqual(before)
  expect(
    await app.stored(`SELECT 1 FROM svc_imports WHERE Mode = 'selection' AND UndoneAt IS NULL`),
  ).toEqual([])
})

test('one that is cancelled while it runs takes back what it has done', async () => {
  const before = await days()
  const id = await enqueue({ Parameters: { Day: '2026-05-06' } })
  const { store, context } = app.app
  const alone = store.writeAlone.bind(store)
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const ended = Promise.withResolvers<unknown>()
  store.writeAlone = async (work, scope, from) => {
    begun.resolve()
    await goOn.promise
    const written = alone(work, scope, from)
    written.then(ended.resolve, ended.resolve)
    return written
  }
  await context.jobs.start()
  await begun.promise
  expect((await cancel(id, 'clerk')).body.data).toMatchObject({ State: 'Deleted' })
  goOn.resolve()
  expect(await ended.promise).toBeInstanceOf(Error)
  store.writeAlone = alone
  await context.jobs.stop()
  expect(await jobOf(id)).toMatchObject({ State: 'Deleted', Many: null })
  expect(await days()).toEqual(before)
})
