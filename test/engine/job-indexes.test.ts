/** Queries over very many jobs use an index, by their plan, which shows it at once. */
import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { ASKED_JOBS, JOB_STATE_NAMES } from '../../src/store/tables/jobs.ts'
import { listJobs } from '../../src/engine/jobs/job-records.ts'
import { startApp, type TestApp } from '../support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app[Symbol.asyncDispose]())

async function planOf(sql: string): Promise<string> {
  const read = { sql: `EXPLAIN QUERY PLAN ${sql}`, args: {}, runs: 'inline' } as const
  return (await app.store.all(read)).map(({ detail }) => String(detail)).join('; ')
}

test.each(JOB_STATE_NAMES)(
  'a page of those that are %s, the newest first, sorts nothing',
  async (state) => {
    const read = spyOn(app.store, 'all')
    await listJobs(app.store, undefined, { state, page: 1 })
    const [asked] = read.mock.calls[0] ?? []
    read.mockRestore()
    const plan = await planOf(typeof asked === 'object' ? asked.sql : '')
    expect(plan).not.toContain('B-TREE')
    // What waits for a worker is new.
    const index = 'SEARCH svc_jobs USING INDEX svc_jobs_states (State=?)'
    expect(plan).toBe(state === 'Enqueued' ? 'SCAN svc_jobs' : index)
  },
)

const WHERE = "State = 'Enqueued' AND Queue = 'low' ORDER BY Priority DESC, Id LIMIT 5"

test.each([
  ['those that wait for a worker', WHERE, 'SEARCH svc_jobs USING COVERING INDEX svc_jobs_enqueued'],
  ['those that run', "State = 'Processing'", 'svc_jobs_states (State=?)'],
  [
    'those that a user asked for',
    `UserId = 1 AND Name = 'x' AND ${ASKED_JOBS}`,
    'svc_jobs_asked (UserId=? AND Name=?)',
  ],
  ['what awaits a job', "State = 'Awaiting' AND AfterId = 1", 'svc_jobs_after (AfterId=?)'],
])('%s', async (_, where, index) => {
  const plan = await planOf(`SELECT Id FROM svc_jobs WHERE ${where}`)
  expect(plan).toContain(index)
  expect(plan).not.toContain('B-TREE')
})
