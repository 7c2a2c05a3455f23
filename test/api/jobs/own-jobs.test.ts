/** `/api/v1/svc/jobs/mine`: what a user has running in the background, theirs alone. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { DAY, HOUR } from '../../../src/kernel/setting.ts'
import { TestClock } from '../../support/identity.ts'
import { type Imports, startImports } from '../../support/imports.ts'

const PATH = '/api/v1/svc/jobs/mine'
const [CLERK, NARROW, OTHER] = [1, 2, 4]
const PEOPLE = 'Name,Email,Visits\nAnn,ann@x,1\nBo,bo@x,13\n'

interface OwnJob {
  Id: number
  Kind: string
  State: string
  Error: string | null
  Result: { File: { Url: string } | null; IsExpired: boolean } | null
}

const clock = new TestClock()
let all: Imports
beforeAll(async () => {
  all = await startImports({ clock, settings: { 'Svc:Jobs:RetryDelay': '1ms' } })
})
afterAll(async () => {
  await all.app.context.jobs.stop()
  await all.app[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await all.app.context.jobs.stop()
  for (const table of ['people', 'svc_jobs', 'svc_notifications'])
    await write(`DELETE FROM ${table}`)
})

const write = (sql: string) =>
  all.app.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })

async function list(as: string, headers: Record<string, string> = {}): Promise<OwnJob[]> {
  const answer = await all.app.fetch<{ data: OwnJob[] }>(PATH, { as, headers })
  expect(answer.status).toBe(200)
  return answer.body.data
}

const idsOf = async (as: string) => (await list(as)).map(({ Id }) => Id)

const cancel = (as: string, id: number) =>
  all.app.fetch<{ data: OwnJob; error?: string }>(`${PATH}/${id}`, { as, method: 'DELETE' })

async function importLater(as: string, fields: Record<string, string> = {}): Promise<number> {
  const sent = { objectName: 'People', file: PEOPLE, fields: { background: 'true', ...fields } }
  const { body } = await all.send<{ JobId: number }>(as, sent)
  return body.data.JobId
}

async function exportLater(as: string): Promise<number> {
  const body = { ObjectName: 'People', Format: 'csv', Background: true }
  const answer = await all.app.fetch<{ data: { JobId: number } }>(
    '/api/v1/svc/object/export-data',
    { as, body },
  )
  return answer.body.data.JobId
}

async function reportLater(as: string): Promise<number> {
  const body = { Format: 'csv', Parameters: { object: 'People' }, Background: true }
  const answer = await all.app.fetch<{ data: { JobId: number } }>('/report/list', { as, body })
  return answer.body.data.JobId
}

/** Runs what waits until nothing of a user does. */
async function finishAll(as: string): Promise<OwnJob[]> {
  await all.app.context.jobs.start()
  for (;;) {
    const jobs = await list(as)
    if (jobs.every(({ State }) => State === 'Succeeded' || State === 'Failed')) return jobs
    await Bun.sleep(10)
  }
}

test('each kind is listed while it waits and once it has ended, the newest first', async () => {
  const checked = await importLater('clerk', { dryRun: 'true', onError: 'skip' })
  const imported = await importLater('clerk', { onError: 'skip' })
  const exported = await exportLater('clerk')
  const printed = await reportLater('clerk')
  const waiting = { State: 'Enqueued', Progress: null, EndedAt: null, Error: null, Result: null }
  const people = { Label: 'People', Object: 'people', At: expect.any(String) }
  expect(await list('clerk')).toEqual([
    { ...waiting, ...people, Id: printed, Kind: 'report', Label: 'List', Object: null },
    { ...waiting, ...people, Id: exported, Kind: 'export' },
    { ...waiting, ...people, Id: imported, Kind: 'import' },
    { ...waiting, ...people, Id: checked, Kind: 'importCheck' },
  ] as unknown as OwnJob[])
  const [report, table, rows, check] = await finishAll('clerk')
  const errors = String(rows?.Result?.File?.Url)
  const none = { IsExpired: false, Rows: null, Written: null, Failed: null, ImportId: null }
  const fileAs = (FileName: string) => ({
    FileName,
    Url: expect.any(String),
    Size: expect.any(Number),
  })
  const csv = fileAs(expect.stringMatching(/\.csv$/) as unknown as string)
  expect(report).toMatchObject({ State: 'Succeeded', Result: { ...none, File: csv } })
  expect(table).toMatchObject({
    State: 'Succeeded',
    Result: { ...none, Rows: expect.any(Number), File: csv },
  })
  const counts = { Rows: 2, Written: 1, Failed: 1, File: csv }
  expect(check).toMatchObject({ Result: { ...none, ...counts } })
  expect(rows).toMatchObject({ Result: { ...counts, ImportId: expect.any(String) } })
  const file = await all.app.fetch(errors, { as: 'clerk' })
  expect(file.text).toContain('Thirteen is not allowed')
})

test('a file that has expired is told, and a job is listed until a day after its end', async () => {
  const id = await exportLater('clerk')
  await finishAll('clerk')
  const name = "json_extract(Result, '$.FileName')"
  await write(`UPDATE svc_jobs SET Result = json_set(Result, '$.FileName', 'x' || ${name})`)
  expect((await list('clerk'))[0]?.Result).toMatchObject({ File: null, IsExpired: true, Rows: 0 })
  const ended = (ago: number) =>
    write(
      `UPDATE svc_jobs SET FinishedAt = '${new Date(clock.now().getTime() - ago).toISOString()}'`,
    )
  await ended(DAY - HOUR)
  expect(await idsOf('clerk')).toEqual([id])
  await ended(DAY + HOUR)
  expect(await idsOf('clerk')).toEqual([])
})

test('why one failed is said in the language of the reader', async () => {
  await importLater('clerk')
  const [failed] = await finishAll('clerk')
  expect(failed).toMatchObject({ State: 'Failed', Result: null })
  const [german] = await list('clerk', { 'Accept-Language': 'de' })
  expect(failed?.Error).not.toBe(german?.Error)
  expect(german?.Error).toMatch(/Zeile/)
})

test('attack: jobs of others, another company, who acts for the user are not theirs', async () => {
  const id = await importLater('clerk')
  for (const as of ['narrow', 'other', 'sys']) {
    expect(await idsOf(as)).toEqual([])
    expect((await cancel(as, id)).status).toBe(404)
  }
  expect(await idsOf('clerk')).toEqual([id])
  for (const change of ['CompanyId = 2', `UserId = ${NARROW}`, 'ImpersonatorId = 5']) {
    const [, column = '', value = ''] = /^(\w+) = (\d+)$/.exec(change) ?? []
    const before = { CompanyId: '1', UserId: String(CLERK), ImpersonatorId: 'NULL' }
    await write(`UPDATE svc_jobs SET ${column} = ${value}`)
    expect(await idsOf('clerk')).toEqual([])
    expect((await cancel('clerk', id)).status).toBe(404)
    await write(`UPDATE svc_jobs SET ${column} = ${before[column as keyof typeof before]}`)
  }
  await write(`UPDATE svc_jobs SET UserId = ${OTHER}`)
  expect(await idsOf('other')).toEqual([])
})

test('who acts for a user sees and cancels what they asked for as that user', async () => {
  const theirs = await importLater('clerk')
  const body = { UserId: CLERK, Reason: 'A test', Minutes: 10 }
  const begun = await all.app.fetch<{ data: { AccessToken: string } }>(
    '/api/v1/impersonation/start',
    { as: 'sys', body },
  )
  const acting = { Authorization: `Bearer ${begun.body.data.AccessToken}` }
  const ask = (path: string, method = 'GET') =>
    all.app.fetch<{ data: OwnJob[] }>(path, { headers: acting, method })
  expect((await ask(PATH)).body.data).toEqual([])
  expect((await ask(`${PATH}/${theirs}`, 'DELETE')).status).toBe(404)
  await write(
    "UPDATE svc_jobs SET ImpersonatorId = (SELECT Id FROM svc_users WHERE UserName = 'sys')",
  )
  expect((await ask(PATH)).body.data).toMatchObject([{ Id: theirs }])
  expect(await idsOf('clerk')).toEqual([])
  expect((await ask(`${PATH}/${theirs}`, 'DELETE')).body.data).toMatchObject({ State: 'Deleted' })
})

test('a key sees and cancels what it asked for, and its user sees both', async () => {
  const theirs = await importLater('clerk')
  const body = { Name: 'Nightly', Roles: ['Clerk'], Companies: [1] }
  const made = await all.app.fetch<{ data: { Key: string } }>('/api/v1/auth/api-keys', {
    as: 'clerk',
    body,
  })
  expect(made.status).toBe(200)
  const headers = { Authorization: `Bearer ${made.body.data.Key}` }
  const ask = (path: string, method = 'GET') =>
    all.app.fetch<{ data: OwnJob[] }>(path, { headers, method })
  expect((await ask(PATH)).body.data).toEqual([])
  expect((await ask(`${PATH}/${theirs}`, 'DELETE')).status).toBe(404)
  const asked = await all.app.fetch<{ data: { JobId: number } }>('/api/v1/svc/object/export-data', {
    headers,
    body: { ObjectName: 'People', Format: 'csv', Background: true },
  })
  const { JobId } = asked.body.data
  expect((await ask(PATH)).body.data).toMatchObject([{ Id: JobId }])
  expect(await idsOf('clerk')).toEqual([JobId, theirs])
  expect((await ask(`${PATH}/${JobId}`, 'DELETE')).body.data).toMatchObject({ State: 'Deleted' })
})

test('a right that is lost takes its jobs off the list, and back', async () => {
  const id = await importLater('narrow')
  const setRole = async (role: string) => {
    await write(`UPDATE svc_user_roles SET Role = '${role}' WHERE UserId = ${NARROW}`)
    all.app.context.callers.forgetUser(NARROW)
  }
  await setRole('Looker')
  try {
    expect(await idsOf('narrow')).toEqual([])
    expect((await cancel('narrow', id)).status).toBe(404)
  } finally {
    await setRole('Narrow')
  }
  expect(await idsOf('narrow')).toEqual([id])
})

test('one that waits is cancelled and let go, one that is over stays as it is', async () => {
  const id = await importLater('clerk')
  const stopped = await cancel('clerk', id)
  expect(stopped.body.data).toMatchObject({ Id: id, State: 'Deleted', EndedAt: expect.any(String) })
  const again = await cancel('clerk', id)
  expect(again.body.data).toMatchObject({ State: 'Deleted' })
  const failing = await importLater('clerk')
  await all.app.context.jobs.start()
  while ((await list('clerk'))[0]?.State !== 'Failed') await Bun.sleep(10)
  expect((await cancel('clerk', failing)).body.data).toMatchObject({ State: 'Failed' })
  expect(await all.stored('SELECT Name FROM people')).toEqual([])
})

test('the list goes by its indexes, whatever else the table holds', async () => {
  const plan = await all.app.store.all<{ detail: string }>({
    sql: `EXPLAIN QUERY PLAN SELECT Id FROM svc_jobs WHERE UserId = 1
      AND Name IN ('table-export', 'table-import')
      AND instr(Source, '/') > 0 AND FinishedAt IS NOT NULL AND FinishedAt >= '2026'`,
    args: {},
    runs: 'inline',
  })
  expect(plan.map(({ detail }) => detail).join()).toContain('svc_jobs_run')
})
