/** /api/v1/hangfire: who sees which jobs, and what they may do with them. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { notFound } from '../../../src/kernel/failure.ts'
import { say } from '../../../src/kernel/messages.ts'
import { systemScope } from '../../../src/store/store.ts'
import { enqueueJob } from '../../../src/engine/jobs/enqueue.ts'
import { openForgetting } from '../../../src/features/jobs/forget-jobs.ts'
import { ADMINISTRATORS } from '../../support/administrators.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { until } from '../../support/until.ts'

const JOBS = '/api/v1/hangfire/jobs'

interface Entry {
  Id: number
  State: string
  Attempts: number
  Arguments: Record<string, unknown>
  Result: unknown
  Error: string | null
  Log: string[]
  History: { State: string; Reason?: string }[]
}
interface Reply<T> {
  success: boolean
  code?: string
  data: T
}

let app: TestApp
let isBroken = true
beforeAll(async () => {
  app = await startApp({ application: ADMINISTRATORS, settings: { 'Svc:Jobs:RetryDelay': '1ms' } })
  app.context.jobs.add(
    {
      name: 'Mend',
      run: (run) => {
        run.log('tried')
        if (isBroken && run.arguments.Good !== true) throw new Error('not good')
        return Promise.resolve(run.arguments)
      },
    },
    {
      name: 'Refused',
      run: (run) => {
        run.log('words of its own')
        run.log(say`The model has changed. The job starts over.`)
        return Promise.reject(notFound(say`There is no such report`))
      },
    },
    {
      name: 'Endless',
      run: (run) =>
        new Promise((_, reject) => run.signal.addEventListener('abort', () => reject(new Error()))),
    },
  )
  await app.context.jobs.start()
})
afterAll(async () => {
  await app.context.jobs.stop()
  await app[Symbol.asyncDispose]()
})

const ask = (name: string, companyId: number | null, more: object = {}): Promise<number> =>
  app.store.write(
    (tx) =>
      enqueueJob(tx, {
        name,
        owner: { userId: null, companyId },
        source: 'test',
        now: new Date(),
        attemptsMax: 2,
        ...more,
      }),
    systemScope('a test asks for jobs'),
  )

const load = async (id: number, as = 'sys', language = 'en') =>
  app.fetch<Reply<Entry>>(`${JOBS}/${id}`, { as, headers: { 'Accept-Language': language } })

async function waitFor(id: number, state: string): Promise<Entry> {
  for (;;) {
    const { body } = await load(id)
    if (body.data.State === state) return body.data
    await Bun.sleep(10)
  }
}

test('a dead letter is told with its error, mended and sent again', async () => {
  const id = await ask('Mend', 1)
  const dead = await waitFor(id, 'Failed')
  expect(dead.Attempts).toBe(2)
  expect(dead.Log).toHaveLength(2)
  const body = { Arguments: { Good: true } }
  const sent = await app.fetch<Reply<Entry>>(`${JOBS}/${id}/requeue`, { as: 'sys', body })
  expect(sent.status).toBe(200)
  const done = await waitFor(id, 'Succeeded')
  expect(done.Result).toEqual({ Good: true })
  expect(done.History.map(({ Reason }) => Reason)).toContain('Restarted with changes by sys')
})

test('error, log and history of a job are read in the language of the reader', async () => {
  const id = await ask('Refused', 1)
  await waitFor(id, 'Failed')
  await app.fetch(`${JOBS}/${id}`, { as: 'sys', method: 'DELETE' })
  const read = async (language: string) => {
    const { Error, Log, History } = (await load(id, 'sys', language)).body.data
    const lines = Log.map((line) => line.slice(line.indexOf(' ') + 1))
    return { Error, lines, reasons: History.flatMap(({ Reason = [] }) => Reason) }
  }
  expect(await read('en')).toEqual({
    Error: 'There is no such report',
    lines: ['words of its own', 'The model has changed. The job starts over.'],
    reasons: ['There is no such report', 'Deleted by sys'],
  })
  expect(await read('de')).toEqual({
    Error: 'Diesen Bericht gibt es nicht',
    lines: ['words of its own', 'Das Modell hat sich geändert. Der Auftrag beginnt von vorn.'],
    reasons: ['Diesen Bericht gibt es nicht', 'Gelöscht von sys'],
  })
})

test('a job that runs is told to end when it is deleted; what awaits it goes, too', async () => {
  const id = await ask('Endless', 1)
  const next = await ask('Mend', 1, { afterId: id })
  await waitFor(id, 'Processing')
  const again = await app.fetch<Reply<Entry>>(`${JOBS}/${id}/requeue`, { as: 'sys', body: {} })
  expect([again.status, again.body.code]).toEqual([409, 'JOB_ACTIVE'])
  const gone = await app.fetch<Reply<Entry>>(`${JOBS}/${id}`, { as: 'sys', method: 'DELETE' })
  expect(gone.body.data.State).toBe('Deleted')
  expect((await load(next)).body.data.State).toBe('Deleted')
  await until(() => !app.context.jobs.findRun(id))
  expect((await load(id)).body.data.State).toBe('Deleted')
})

test('lists and statistics are narrowed by state, queue and name', async () => {
  isBroken = false
  const id = await ask('Mend', 1, { queue: 'low' })
  await waitFor(id, 'Succeeded')
  const list = await app.fetch<Reply<{ Jobs: Entry[]; HasNext: boolean }>>(
    `${JOBS}?state=Succeeded&queue=low&name=mend`,
    { as: 'sys' },
  )
  expect(list.body.data.Jobs.map(({ Id }) => Id)).toEqual([id])
  const none = await app.fetch(`${JOBS}?state=Nonsense`, { as: 'sys' })
  expect(none.status).toBe(400)
  const { body } = await app.fetch<Reply<Record<string, number>>>('/api/v1/hangfire/statistics', {
    as: 'sys',
  })
  expect(Object.keys(body.data)).toContain('Awaiting')
  expect(body.data.Succeeded).toBeGreaterThan(0)
})

test('jobs of other companies are to an Admin as if they were not there', async () => {
  const admin = 'adm'
  const own = await ask('Mend', 1)
  const other = await ask('Mend', 2)
  const engine = await ask('Mend', null)
  expect((await load(own, admin)).status).toBe(200)
  const missing = await load(999_999, admin)
  for (const id of [other, engine]) {
    const answer = await load(id, admin)
    expect(answer.status).toBe(404)
    expect({ ...answer.body, traceId: '' }).toEqual({ ...missing.body, traceId: '' })
    const path = `${JOBS}/${id}`
    expect((await app.fetch(path, { as: admin, method: 'DELETE' })).status).toBe(404)
    expect((await app.fetch(`${path}/requeue`, { as: admin, body: {} })).status).toBe(404)
  }
  expect((await load(own, 'mgr')).status).toBe(401)
})

test('jobs that ended long ago are forgotten, dead letters later than others', async () => {
  const ids = [await ask('Mend', 1), await ask('Mend', 1), await ask('Mend', 1)]
  for (const id of ids) await waitFor(id, 'Succeeded')
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const set = `UPDATE svc_jobs SET State = @state, FinishedAt = @at WHERE Id = @id`
  const ends: [string, number][] = [
    ['Succeeded', 8],
    ['Failed', 8],
    ['Failed', 29],
  ]
  for (const [at, [state, days]] of ends.entries())
    await app.store.write(
      (tx) => tx.run(set, { id: ids[at] ?? 0, state, at: ago(days) }),
      systemScope('a test lets time pass'),
    )
  const loop = openForgetting(app.context)
  await loop.start()
  await until(() => loop.runs > 0)
  await loop.stop()
  const statuses = await Promise.all(ids.map(async (id) => (await load(id)).status))
  expect(statuses).toEqual([404, 200, 404])
})
