/** Reports that a job makes: by the rights of then, told by a notification, kept as exports are. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { refusal, type Refusal } from '../../support/objects.ts'
import { type PrintedRecords, startPrintedRecords } from '../../support/printed-records.ts'

let gallery: PrintedRecords
beforeAll(async () => {
  gallery = await startPrintedRecords({ settings: { 'Svc:Jobs:RetryDelay': '1ms' } })
})
afterAll(async () => {
  await gallery.app.context.jobs.stop()
  await gallery[Symbol.asyncDispose]()
})
const write = (sql: string) =>
  gallery.app.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })
const list = (sql: string) => gallery.app.store.all({ sql, args: {}, runs: 'inline' })

type Parameters = Record<string, unknown>
const LIST = { object: 'Bills' }
const ask = (as: string, key: string, Parameters: Parameters, more: object = {}, headers = {}) =>
  gallery.app.fetch<Refusal & { data: { JobId: number } }>(`/report/${key}`, {
    as,
    headers,
    body: { Format: 'json', Parameters, Background: true, ...more },
  })

/** Runs what waits and waits for one job to be over. */
async function waitFor(id: number, state: string) {
  await gallery.app.context.jobs.start()
  for (;;) {
    const [job] = await list(`SELECT * FROM svc_jobs WHERE Id = ${id}`)
    if (job?.State === state) {
      await gallery.app.context.jobs.stop()
      return job
    }
    await Bun.sleep(10)
  }
}
const told = async () =>
  (await list('SELECT * FROM svc_notifications ORDER BY Id DESC LIMIT 1'))[0] ?? {}
const userOf = async (name: string): Promise<number> =>
  Number((await list(`SELECT Id FROM svc_users WHERE UserName = '${name}'`))[0]?.Id)

test('who may not, and what is wrong, is refused at once: no job waits', async () => {
  refusal(await ask('nobody', 'list', LIST), 401)
  refusal(await ask('viewer', 'page', { report: 'Turnover', From: '2026-01-01' }), 401)
  refusal(await ask('nobody', 'list', LIST, { Background: 1 }), 401)
  refusal(await ask('clerk', 'lists', LIST), 404)
  const faults = [
    await ask('clerk', 'page', { report: 'Turnover' }),
    await ask('clerk', 'page', { report: 'Turnover', From: 'someday' }),
    await ask('clerk', 'list', { ...LIST, sort: 'Nothing' }),
    await ask('clerk', 'list', { ...LIST, filters: [{ Field: 'Nothing', Value: 1 }] }),
    await ask('clerk', 'record', LIST),
    await ask('clerk', 'list', LIST, { Format: 'docx' }),
    await ask('clerk', 'list', LIST, { Background: false }),
    await ask('clerk', 'list', LIST, { Parameters: [] }),
  ].map((answer) => Object.keys(refusal(answer, 400).fieldErrors ?? {}))
  expect(faults.slice(0, 2)).toEqual([['From'], ['From']])
  const asked = await gallery.get('clerk', 'list', { ...LIST, background: 'true' })
  expect(refusal(asked, 400).error).toContain('POST')
  expect(await list('SELECT * FROM svc_jobs')).toEqual([])
})

test('the file is made later, its owner is told, another company cannot fetch it', async () => {
  const parameters = { ...LIST, filters: [{ Field: 'Status', Operator: 'eq', Value: 'new' }] }
  const { body } = await ask('clerk', 'list', parameters, {}, { 'Accept-Language': 'de' })
  const job = await waitFor(body.data.JobId, 'Succeeded')
  expect(String(job.Result)).not.toContain('export-file')
  const notice = await told()
  expect(notice).toMatchObject({
    UserId: await userOf('clerk'),
    Kind: 'Report',
    Level: 'success',
    Title: 'Der Bericht Liste ist fertig',
    Body: expect.stringMatching(/\.json$/),
  })
  const file = await gallery.app.fetch(String(notice.Url), { as: 'clerk' })
  expect(file.headers.get('content-type')).toContain('application/json')
  expect(file.text).toContain('B2')
  expect(file.text).not.toMatch(/B1|canary/)
  expect((await gallery.app.fetch(String(notice.Url), { as: 'other' })).status).toBe(404)
  expect((await gallery.app.fetch(String(notice.Url))).status).toBe(401)
})

test('a key repeats the answer and makes no second job', async () => {
  const headers = { 'Idempotency-Key': 'report-1' }
  const first = await ask('clerk', 'record', { ...LIST, Id: 1 }, {}, headers)
  const again = await ask('clerk', 'record', { ...LIST, Id: 1 }, {}, headers)
  expect(again.text).toBe(first.text)
  expect(await list(`SELECT 1 FROM svc_jobs WHERE State = 'Enqueued'`)).toHaveLength(1)
  await waitFor(first.body.data.JobId, 'Succeeded')
})

test('a key whose call was not for the background is free for one that is', async () => {
  const headers = { 'Idempotency-Key': 'report-2' }
  const asked = { ...LIST, Id: 1 }
  refusal(await ask('clerk', 'record', asked, { Background: false }, headers), 400)
  const { body } = await ask('clerk', 'record', asked, {}, headers)
  await waitFor(body.data.JobId, 'Succeeded')
})

test('attack: rights that are lost while it waits make no file, and that is told', async () => {
  const parameters = { report: 'Turnover', From: '2026-01-01' }
  const { body } = await ask('chief', 'page', parameters, { Format: 'pdf' })
  const chief = await userOf('chief')
  await write(`DELETE FROM svc_user_roles WHERE UserId = ${chief}`)
  gallery.app.context.callers.forgetUser(chief)
  expect(await waitFor(body.data.JobId, 'Failed')).toMatchObject({ Attempts: 1 })
  expect(await told()).toMatchObject({
    UserId: chief,
    Kind: 'Report',
    Level: 'error',
    Url: null,
    Title: 'Report page could not be created',
    Body: 'You are not allowed to do this',
  })
})

test('attack: of arguments that an operator broke its user is told no secret', async () => {
  const { body } = await ask('north', 'list', LIST)
  await write(`UPDATE svc_jobs SET Arguments = '{"Key":7}', AttemptsMax = 1
    WHERE Id = ${body.data.JobId}`)
  await waitFor(body.data.JobId, 'Failed')
  expect(await told()).toMatchObject({
    UserId: await userOf('north'),
    Title: 'Report list could not be created',
    Body: 'See the server log for the reason',
  })
})

test('the 21st that waits is refused', async () => {
  const answers = []
  for (let at = 0; at < 21; at++) answers.push((await ask('clerk', 'list', LIST)).status)
  expect(answers).toEqual([...Array<number>(20).fill(200), 429])
  expect((await ask('other', 'list', LIST)).status).toBe(200)
})
