/** Imports with `background`: made once by a job with the rights of then, and told. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DAY, MINUTE } from '../../../src/kernel/setting.ts'
import { renderStored } from '../../../src/kernel/stored-messages.ts'
import type { JobRow } from '../../../src/engine/jobs/job.ts'
import { findLimits } from '../../../src/features/object/import-limits.ts'
import { TestClock } from '../../support/identity.ts'
import { type Imports, type Sending, startImports } from '../../support/imports.ts'
import { refusal } from '../../support/objects.ts'
import { until } from '../../support/until.ts'

const [CLERK, NARROW] = [1, 2]
const PEOPLE = 'Name,Email,Visits\nAnn,ann@x,1\nBo,bo@x,2\n'

const clock = new TestClock()
let all: Imports
beforeAll(async () => {
  all = await startImports({
    clock,
    settings: { 'Svc:Jobs:RetryDelay': '1ms', 'Svc:Imports:UserQuota': '5000' },
  })
})
afterAll(async () => {
  await all.app.context.jobs.stop()
  await all.app[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await all.app.context.jobs.stop()
  for (const table of ['people', 'svc_jobs', 'svc_notifications', 'svc_idempotency'])
    await write(`DELETE FROM ${table}`)
  rmSync(join(all.app.folder, 'imports'), { recursive: true, force: true })
})

const write = (sql: string) =>
  all.app.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })
const names = (folder: string): string[] => {
  const path = join(all.app.folder, folder)
  return existsSync(path) ? readdirSync(path) : []
}
const send = (as: string, file: Sending['file'], more: Partial<Sending> = {}) =>
  all.send(as, {
    objectName: 'People',
    file,
    ...more,
    fields: { background: 'true', ...more.fields },
  })
async function enqueue(as: string, file: Sending['file'], more: Partial<Sending> = {}) {
  const { status, body } = await send(as, file, more)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return Number((body.data as unknown as { JobId: number }).JobId)
}
async function jobOf(id: number): Promise<JobRow> {
  const row = await all.app.store.get<JobRow>(`SELECT * FROM svc_jobs WHERE Id = ${id}`)
  if (!row) throw new Error(`There is no job ${id}`)
  return row
}
async function finish(id: number): Promise<JobRow> {
  await all.app.context.jobs.start()
  for (;;) {
    const job = await jobOf(id)
    if (job.State === 'Succeeded' || job.State === 'Failed') return job
    await Bun.sleep(10)
  }
}
/** Files that jobs wait for; those of jobs that are over go after the commit. */
async function waiting(count: number): Promise<string[]> {
  await until(() => names('imports').length <= count)
  return names('imports')
}
const told = () => all.stored('SELECT UserId, Kind, Title, Body, Level FROM svc_notifications')
const people = () => all.stored('SELECT Name FROM people ORDER BY Id')

test('what can be refused is refused at once, and leaves neither job nor file', async () => {
  const statusOf = async (as: string, fields: Record<string, string>) =>
    (await send(as, PEOPLE, { fields, fileName: 'p.csv' })).status
  expect(await statusOf('looker', {})).toBe(401)
  expect(await statusOf('clerk', { background: 'perhaps' })).toBe(400)
  expect(await statusOf('clerk', { mode: 'merge' })).toBe(400)
  expect(await statusOf('clerk', { format: 'docx' })).toBe(400)
  const unnamed = await send('clerk', PEOPLE, { fields: {}, fileName: 'p.docx' })
  expect(unnamed).toMatchObject({ status: 400, body: { code: 'UNKNOWN_FORMAT' } })
  expect(await send('clerk', '')).toMatchObject({ body: { error: 'The file is empty' } })
  const pdf = await send('clerk', '%PDF-1.7\n', { fields: {}, fileName: 'p.csv' })
  expect(pdf).toMatchObject({ status: 400, body: { code: 'UNREADABLE_FILE' } })
  expect((await send('clerk', PEOPLE, { headers: { 'Idempotency-Key': '' } })).status).toBe(400)
  const form = new FormData()
  form.set('objectName', 'People')
  form.set('file', new File([PEOPLE], 'p.csv'))
  form.set('background', 'true')
  const headers = { Authorization: `Bearer ${all.app.tokens.clerk}` }
  const late = await all.app.handle(
    new Request('http://localhost/api/v1/svc/object/import-data', {
      method: 'POST',
      headers,
      body: form,
    }),
  )
  expect([late.status, await late.text()]).toEqual([400, expect.stringContaining('background')])
  expect([await all.stored('SELECT 1 FROM svc_jobs'), names('imports'), names('uploads')]).toEqual([
    ...[[], [], []],
  ])
})

test('the file is imported later, once for its key; its user is told, its file goes', async () => {
  const headers = { 'Idempotency-Key': 'one', 'Accept-Language': 'de' }
  const reports: unknown[] = []
  const end = all.app.context.progress.subscribe((owner, report) => reports.push({ owner, report }))
  const id = await enqueue('clerk', PEOPLE, { headers, fileName: 'people.csv' })
  expect(await enqueue('clerk', PEOPLE, { headers, fileName: 'people.csv' })).toBe(id)
  expect([names('imports'), await people()]).toEqual([[expect.stringMatching(/^1-/)], []])
  expect(names('uploads')).toEqual([])
  const job = await finish(id)
  end()
  const counts = { Inserted: 2, Updated: 0, Skipped: 0, Failed: 0, Rows: 2, ErrorFile: null }
  expect(JSON.parse(job.Result ?? '')).toEqual({
    ImportId: expect.any(String),
    ...counts,
    Ignored: [],
  })
  expect(JSON.parse(job.Progress ?? '')).toMatchObject({ Done: 2 })
  expect(reports.at(-1)).toMatchObject({
    owner: { userId: CLERK },
    report: { OperationId: `job:${id}`, State: 'done', Done: 2 },
  })
  expect(await people()).toEqual([{ Name: 'Ann' }, { Name: 'Bo' }])
  expect(await told()).toEqual([
    {
      UserId: CLERK,
      Kind: 'Import',
      Body: 'people.csv',
      Level: 'success',
      Title: 'Import von People: eingefügt 2, geändert 0, übersprungen 0, fehlerhaft 0',
    },
  ])
  expect(await waiting(0)).toEqual([])
  const { ImportId } = JSON.parse(job.Result ?? '') as { ImportId: string }
  const undo = `/api/v1/svc/object/import-data/${ImportId}/undo`
  expect((await all.app.fetch(undo, { as: 'clerk', method: 'POST' })).status).toBe(200)
})

test('what is told of it speaks the language of its user, else of the company', async () => {
  const titleOf = async (): Promise<unknown> => {
    await finish(await enqueue('clerk', PEOPLE, { headers: { 'Accept-Language': 'en' } }))
    return (await told()).at(-1)?.Title
  }
  const speak = (table: string, language: string | null) =>
    all.app.store.write(
      (tx) => tx.run(`UPDATE ${table} SET Language = @language WHERE Id = 1`, { language }),
      { company: 'all', because: 'a test' },
    )
  await speak('svc_companies', 'de')
  expect(await titleOf()).toStartWith('Import von People')
  await speak('svc_users', 'en')
  await all.app.store.write((tx) => tx.run('DELETE FROM people', {}), { company: 1 })
  expect(await titleOf()).toStartWith('Import of People')
  for (const table of ['svc_companies', 'svc_users']) await speak(table, null)
})

test('onError=skip gives the bad rows back, dryRun writes nothing; both are told', async () => {
  const file = `${PEOPLE}Cy,cy@x,13\n`
  const skip = await finish(await enqueue('clerk', file, { fields: { onError: 'skip' } }))
  expect(JSON.parse(skip.Result ?? '')).toMatchObject({ Inserted: 2, Failed: 1 })
  const [first] = await all.stored('SELECT Title, Url, Level FROM svc_notifications')
  expect(first).toMatchObject({
    Title: 'Import of People: inserted 2, updated 0, skipped 0, failed 1',
    Level: 'warning',
  })
  expect((await all.app.fetch(String(first?.Url), { as: 'clerk' })).text).toContain('Cy,cy@x,13')
  const fields = { dryRun: 'true', mode: 'update', keyFields: 'Email' }
  await finish(await enqueue('clerk', 'Name,Email\nZoe,ann@x\n', { fields }))
  expect((await told())[1]).toMatchObject({
    Title: 'Import of People (check only): inserted 0, updated 1, skipped 0, failed 0',
  })
  expect([await people(), await waiting(0)]).toEqual([[{ Name: 'Ann' }, { Name: 'Bo' }], []])
})

test('bad rows fail at the first try and are told field by field, like any import’s', async () => {
  const file = `${PEOPLE}Cy,cy@x,13\n,x,\n`
  const sync = refusal(await all.send('clerk', { objectName: 'People', file }), 400)
  const job = await finish(await enqueue('clerk', file))
  expect([job.State, job.Attempts, renderStored(job.Error ?? '')]).toEqual([
    ...['Failed', 1, sync.error],
  ])
  const lines = Object.entries(sync.fieldErrors ?? {}).map(([name, text]) => `${name}: ${text}`)
  expect(await told()).toEqual([
    {
      UserId: CLERK,
      Kind: 'Import',
      Level: 'error',
      Title: 'Import of People failed',
      Body: [sync.error, ...lines].join('\n'),
    },
  ])
  expect([await people(), await waiting(0)]).toEqual([[], []])
})

test('attack: a failure tells of hidden rows no more than of shown ones', async () => {
  await all.save('clerk', 'People', { Name: 'H', Email: 'old@x', Status: 'old', Note: 'n' })
  await all.save('clerk', 'People', { Name: 'S', Email: 'new@x', Status: 'new' })
  const failed = async (email: string) => {
    await finish(await enqueue('narrow', `Name,Email\nNew,${email}\n`))
    const [notice] = (await told()).slice(-1)
    return notice
  }
  const hidden = await failed('old@x')
  expect(hidden).toEqual(await failed('new@x'))
  expect(hidden).toMatchObject({ UserId: NARROW, Level: 'error' })
  expect(JSON.stringify(hidden)).not.toContain('old@x')
})

test('attack: garbage is told as what it is, once', async () => {
  for (const [fileName, file] of [
    ['p.xlsx', 'PK\u0003\u0004 nothing'],
    ['p.jsonl', '{"Name":'],
    ['p.csv', '\n\n'],
  ] as const) {
    const job = await finish(await enqueue('clerk', file, { fileName }))
    expect([job.State, job.Attempts]).toEqual(['Failed', 1])
    expect((await told()).at(-1)).toMatchObject({ Level: 'error', Kind: 'Import' })
  }
  expect([await waiting(0), await people()]).toEqual([[], []])
})

test('attack: rights that are lost while it waits import nothing; the file goes', async () => {
  const id = await enqueue('narrow', PEOPLE)
  await write(`UPDATE svc_user_roles SET Role = 'Looker' WHERE UserId = ${NARROW}`)
  all.app.context.callers.forgetUser(NARROW)
  try {
    expect(await finish(id)).toMatchObject({ State: 'Failed', Attempts: 1 })
  } finally {
    await write(`UPDATE svc_user_roles SET Role = 'Narrow' WHERE UserId = ${NARROW}`)
    all.app.context.callers.forgetUser(NARROW)
  }
  expect(await told()).toMatchObject([
    { UserId: NARROW, Title: 'Import of People failed', Body: 'You are not allowed to do this' },
  ])
  expect([await waiting(0), await people()]).toEqual([[], []])
})

test('attack: arguments that name a file of another user, or any path, read none', async () => {
  const theirs = await enqueue('clerk', PEOPLE)
  const [file] = names('imports')
  for (const name of [file, '../engine.db', '2-../../engine.db', null]) {
    const id = await enqueue('narrow', PEOPLE)
    const args = JSON.stringify(name)
    await write(`UPDATE svc_jobs SET State = 'Awaiting' WHERE Id = ${theirs}`)
    const mended = `json_set(Arguments, '$.File', json('${args}'))`
    await write(`UPDATE svc_jobs SET Arguments = ${mended} WHERE Id = ${id}`)
    const { Error } = await finish(id)
    expect(renderStored(Error ?? '')).toBe('The file of the import no longer exists')
    await all.app.context.jobs.stop()
  }
  expect([names('imports').includes(String(file)), await people()]).toEqual([true, []])
})

test('a file that is gone is told, and not waited for', async () => {
  const id = await enqueue('clerk', PEOPLE)
  for (const name of names('imports')) rmSync(join(all.app.folder, 'imports', name))
  expect(await finish(id)).toMatchObject({ State: 'Failed', Attempts: 1 })
  expect(await told()).toMatchObject([{ Body: 'The file of the import no longer exists' }])
})

test('a run after the commit finds it done; a run that was given up writes nothing', async () => {
  const id = await enqueue('clerk', PEOPLE)
  const done = await finish(id)
  await all.app.context.jobs.stop()
  await write(`UPDATE svc_jobs SET State = 'Enqueued' WHERE Id = ${id}`)
  const again = await finish(id)
  expect([again.Result, again.Attempts]).toEqual([done.Result, 2])
  expect([(await people()).length, (await told()).length]).toEqual([2, 1])
  await all.app.context.jobs.stop()
  const deleted = await enqueue('clerk', 'Name,Email\nDee,dee@x\n')
  const { callers } = all.app.context
  const load = callers.loadWithoutSession.bind(callers)
  callers.loadWithoutSession = async (owner) => {
    callers.loadWithoutSession = load
    await write(`UPDATE svc_jobs SET State = 'Deleted' WHERE Id = ${deleted}`)
    return load(owner)
  }
  await all.app.context.jobs.start()
  const isOver = async () =>
    (await jobOf(deleted)).State === 'Deleted' && !all.app.context.jobs.findRun(deleted)
  await until(isOver)
  expect([(await people()).length, (await told()).length]).toEqual([2, 1])
})

test('one user has 20 waiting and so many bytes; a deleted one takes its file', async () => {
  const ids: number[] = []
  for (let nth = 0; nth < 20; nth++) ids.push(await enqueue('clerk', PEOPLE))
  expect(refusal(await send('clerk', PEOPLE), 429).error).toBe(
    'You already have 20 imports waiting. Please try again later.',
  )
  expect(names('imports')).toHaveLength(20)
  const path = `/api/v1/hangfire/jobs/${ids[0]}`
  expect((await all.app.fetch(path, { as: 'sys', method: 'DELETE' })).status).toBe(200)
  expect(await waiting(19)).toHaveLength(19)
  const large = `${PEOPLE}${'x,x@x,\n'.repeat(800)}`
  expect(refusal(await send('clerk', large), 429).error).toBe(
    'The files of your waiting imports are limited to 4 KB',
  )
  expect(await enqueue('narrow', large)).toBeGreaterThan(0)
})

test('the sweep removes files that no job has named for a day, and no other', async () => {
  await enqueue('clerk', PEOPLE)
  const [kept] = names('imports')
  const put = (name: string) => writeFileSync(join(all.app.folder, 'imports', name), 'x')
  const left = `1-${crypto.randomUUID()}`
  for (const name of [left, 'notes.txt']) put(name)
  const { kept: imports } = findLimits(all.app.context)
  await imports.sweep()
  clock.pass(DAY - MINUTE)
  await imports.sweep()
  expect(names('imports').sort()).toEqual([String(kept), left, 'notes.txt'].sort())
  clock.pass(MINUTE)
  await imports.sweep()
  clock.pass(-DAY)
  expect(names('imports').sort()).toEqual([String(kept), 'notes.txt'].sort())
  rmSync(join(all.app.folder, 'imports', 'notes.txt'))
})
