/** Jobs: done at least once after the commit that asked for them. */
import { afterAll, expect, test } from 'bun:test'
import { invalid } from '../../src/kernel/failure.ts'
import { say } from '../../src/kernel/messages.ts'
import { systemScope } from '../../src/store/store.ts'
import { modelChanged } from '../../src/model/current.ts'
import { rightsChanged } from '../../src/access/callers/caller-validity.ts'
import { enqueueJob } from '../../src/engine/jobs/enqueue.ts'
import type { JobKind, JobRow, NewJob } from '../../src/engine/jobs/job.ts'
import { startApp, type TestApp } from '../support/app.ts'

const SCOPE = systemScope('a test asks for jobs')
const OWNER = { userId: null, companyId: null }
const settings = { 'Svc:Jobs:RetryDelay': '1ms' }

const opened: TestApp[] = []
afterAll(async () => {
  for (const app of opened) {
    await app.context.jobs.stop()
    await app[Symbol.asyncDispose]()
  }
})

async function open(...kinds: JobKind[]): Promise<TestApp> {
  const app = await startApp({ settings })
  opened.push(app)
  app.context.jobs.add(...kinds)
  return app
}

const ask = (app: TestApp, job: Partial<NewJob> & { name: string }): Promise<number> =>
  app.store.write(
    (tx) => enqueueJob(tx, { owner: OWNER, source: 'test', now: new Date(), ...job }),
    SCOPE,
  )

async function jobOf(app: TestApp, id: number): Promise<JobRow> {
  const row = await app.store.get<JobRow>('SELECT * FROM svc_jobs WHERE Id = @id', { id })
  if (!row) throw new Error(`There is no job ${id}`)
  return row
}

async function waitFor(app: TestApp, id: number, state: string): Promise<JobRow> {
  for (;;) {
    const row = await jobOf(app, id)
    if (row.State === state) return row
    await Bun.sleep(10)
  }
}

test('a run whose model or rights have changed is planned anew within its try', async () => {
  const refusals = [modelChanged(), rightsChanged(), modelChanged(), modelChanged()]
  const app = await open({
    name: 'Planned',
    run: () => {
      const refusal = refusals.shift()
      return refusal ? Promise.reject(refusal) : Promise.resolve('done')
    },
  })
  await app.context.jobs.start()
  const id = await ask(app, { name: 'Planned', attemptsMax: 1 })
  const { Attempts, Result, Log } = await waitFor(app, id, 'Succeeded')
  expect([Attempts, Result, Log?.split('\n').length]).toEqual([1, '"done"', 4])
})

test('a job runs after its commit and leaves result, log and history', async () => {
  const app = await open({
    name: 'Add',
    run: (run) => {
      run.log('adding')
      run.progress(1, 1, 'done')
      return Promise.resolve(Number(run.arguments.A) + Number(run.arguments.B))
    },
  })
  await app.context.jobs.start()
  const id = await ask(app, { name: 'Add', arguments: { A: 2, B: 3 } })
  const job = await waitFor(app, id, 'Succeeded')
  expect(job.Result).toBe('5')
  expect(job.Log).toEndWith(' adding')
  expect(JSON.parse(job.Progress ?? '')).toEqual({ Done: 1, Total: 1, Message: 'done' })
  const states = (JSON.parse(job.History) as { State: string }[]).map(({ State }) => State)
  expect(states).toEqual(['Enqueued', 'Processing', 'Succeeded'])
})

test('what was asked for in a transaction that fails is never done', async () => {
  let runs = 0
  const app = await open({ name: 'Count', run: () => Promise.resolve(++runs) })
  await app.context.jobs.start()
  const asked = app.store.write(async (tx) => {
    await enqueueJob(tx, { name: 'Count', owner: OWNER, source: 'test', now: new Date() })
    throw new Error('no')
  }, SCOPE)
  expect(await asked.catch(String)).toBe('Error: no')
  const id = await ask(app, { name: 'Count' })
  await waitFor(app, id, 'Succeeded')
  expect(runs).toBe(1)
})

test('a job that fails is tried again, and is a dead letter after its last try', async () => {
  let tries = 0
  const app = await open({
    name: 'Fail',
    attemptsMax: 3,
    run: () => Promise.reject(new Error(`try ${++tries}`)),
  })
  await app.context.jobs.start()
  const id = await ask(app, { name: 'Fail', attemptsMax: 3 })
  const job = await waitFor(app, id, 'Failed')
  expect([tries, job.Attempts, job.Error]).toEqual([3, 3, 'try 3'])
})

test('a refusal that no later try would mend is not tried again', async () => {
  const app = await open({
    name: 'Refuse',
    run: () => Promise.reject(invalid(say`never`)),
  })
  await app.context.jobs.start()
  const id = await ask(app, { name: 'Refuse' })
  expect((await waitFor(app, id, 'Failed')).Attempts).toBe(1)
})

test('of jobs with one key one runs at a time, in their order', async () => {
  let running = 0
  let most = 0
  const order: unknown[] = []
  const app = await open({
    name: 'Alone',
    run: async (run) => {
      most = Math.max(most, ++running)
      order.push(run.arguments.N)
      await Bun.sleep(3)
      running--
    },
  })
  const ids: number[] = []
  for (const N of [1, 2, 3, 4, 5, 6])
    ids.push(await ask(app, { name: 'Alone', exclusiveKey: 'k', arguments: { N } }))
  await app.context.jobs.start()
  for (const id of ids) await waitFor(app, id, 'Succeeded')
  expect(most).toBe(1)
  expect(order).toEqual([1, 2, 3, 4, 5, 6])
})

test('higher priorities go first; a scheduled job waits for its instant', async () => {
  const order: unknown[] = []
  const clock = { at: Date.now(), now: () => new Date(clock.at) }
  const app = await startApp({ clock, settings: { ...settings, 'Svc:Jobs:Workers': '1' } })
  opened.push(app)
  app.context.jobs.add({
    name: 'Note',
    run: (run) => Promise.resolve(order.push(run.arguments.N)),
  })
  const later = await ask(app, {
    name: 'Note',
    arguments: { N: 'later' },
    dueAt: new Date(clock.at + 3_600_000),
  })
  const low = await ask(app, { name: 'Note', arguments: { N: 'low' } })
  await ask(app, { name: 'Note', arguments: { N: 'high' }, priority: 5 })
  await ask(app, { name: 'Note', arguments: { N: 'critical' }, queue: 'critical' })
  await ask(app, { name: 'Note', arguments: { N: 'undeclared' }, queue: 'mine' })
  await app.context.jobs.start()
  await waitFor(app, low, 'Succeeded')
  expect((await jobOf(app, later)).State).toBe('Scheduled')
  clock.at += 3_600_000
  app.context.jobs.wake()
  await waitFor(app, later, 'Succeeded')
  expect(order).toEqual(['critical', 'high', 'low', 'undeclared', 'later'])
})

test('a job that awaits another begins when that one has succeeded; a batch likewise', async () => {
  const order: unknown[] = []
  const app = await open({
    name: 'Step',
    run: (run) => Promise.resolve(order.push(run.arguments.N)),
  })
  const first = await ask(app, { name: 'Step', arguments: { N: 1 }, batchId: 'b' })
  const second = await ask(app, {
    name: 'Step',
    arguments: { N: 2 },
    afterId: first,
    batchId: 'b',
  })
  const last = await ask(app, { name: 'Step', arguments: { N: 3 }, afterBatch: 'b' })
  expect((await jobOf(app, second)).State).toBe('Awaiting')
  await app.context.jobs.start()
  await waitFor(app, last, 'Succeeded')
  expect(order).toEqual([1, 2, 3])
})

test('a run that takes too long is told to end and tried again', async () => {
  let runs = 0
  const app = await open({
    name: 'Slow',
    timeoutMs: 20,
    run: async (run) => {
      if (++runs > 1) return 'fast'
      await new Promise<void>((resolve) => run.signal.addEventListener('abort', () => resolve()))
      throw new Error('ended')
    },
  })
  await app.context.jobs.start()
  const id = await ask(app, { name: 'Slow' })
  const job = await waitFor(app, id, 'Succeeded')
  expect([job.Attempts, job.Result]).toEqual([2, '"fast"'])
  expect(job.History).toContain('It took too long and was stopped')
})

test('what a stopped server was doing is done by the next one, and costs no try', async () => {
  const app = await open({
    name: 'Long',
    run: (run) =>
      new Promise((_, reject) => run.signal.addEventListener('abort', () => reject(new Error()))),
  })
  await app.context.jobs.start()
  const id = await ask(app, { name: 'Long' })
  await waitFor(app, id, 'Processing')
  await app.context.jobs.stop()
  const job = await jobOf(app, id)
  expect([job.State, job.Attempts]).toEqual(['Enqueued', 0])
})

test('its kind is told of what failed for good, also of what the last process left', async () => {
  const told: unknown[] = []
  const app = await open({
    name: 'Fails',
    run: () => Promise.reject(new Error('a secret')),
    onFailure: (_, { job, reason }) => Promise.resolve(void told.push([job.Id, reason?.render()])),
  })
  const left = await ask(app, { name: 'Fails', attemptsMax: 1 })
  const sql = `UPDATE svc_jobs SET State = 'Processing', Attempts = 1 WHERE Id = ${left}`
  await app.store.write((tx) => tx.run(sql), SCOPE)
  await app.context.jobs.start()
  const tried = await ask(app, { name: 'Fails', attemptsMax: 2 })
  await waitFor(app, tried, 'Failed')
  expect(told).toEqual([
    [left, 'The server stopped while the job was running'],
    [tried, undefined],
  ])
})
