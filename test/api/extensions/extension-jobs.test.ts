/** Jobs of extensions: who may ask for them, as whom they run, how they end and come again. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { renderStored } from '../../../src/kernel/stored-messages.ts'
import { systemScope } from '../../../src/store/store.ts'
import { enqueueJob } from '../../../src/engine/jobs/enqueue.ts'
import { type Extended, startExtended } from '../../support/extensions.ts'
import { replaceBehind } from '../../support/model-changes.ts'
import { data, refusal, type Row } from '../../support/objects.ts'
import { until } from '../../support/until.ts'

const JOBS = `
export default (engine: Engine) => {
  engine.job({
    Name: 'Tally', Resource: 'Reports', Queue: 'slow', Attempts: 3,
    Parameters: [{ Name: 'Title', Required: true }, { Name: 'Id', Type: 'Integer' }],
    async run({ Parameters, query, submit, log, progress, JobId, Attempt }) {
      progress(1, 2, 'half')
      log('tallies', Parameters.Title)
      const [row] = await query('SELECT count(*) AS Notes, @CurrentUserName AS Who FROM notes')
      if (Parameters.Title === 'lost' && Attempt === 1) process.kill(process.pid, 'SIGKILL')
      if (Parameters.Title === 'bad') throw new Error('No price for Monday')
      if (Parameters.Title === 'denied') await submit({ FormName: 'Notes', Parameters: { Id: 1, Title: 'x' } })
      if (Parameters.Title === 'twice') await submit({ FormName: 'Notes', Parameters: {} })
      return { ...row, Attempt, JobId, Title: Parameters.Title }
    },
  })
  engine.job({
    Name: 'Wait', Resource: 'Reports',
    async run({ signal, submit, progress }) {
      progress(0)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      await submit({ FormName: 'Notes', Parameters: { Title: 'told to end' } })
      await new Promise(() => {})
    },
  })
  engine.job({ Name: 'Inspect', Parameters: [{ Name: 'Id', Type: 'Integer' }],
    run: ({ query, Parameters }) => query('SELECT Title, @CurrentUserName AS Who FROM notes WHERE Id = @Id', Parameters) })
  engine.script({ Name: 'Echo', Resource: 'Reports', Parameters: [{ Name: 'Text', Required: true }],
    run: ({ Parameters, log }) => { log('echoes'); return Parameters } })
  engine.script({ Name: 'Note', Resource: 'Reports',
    run: ({ submit }) => submit({ FormName: 'Notes', Parameters: { Title: 'while it changes' } }) })
  engine.script({ Name: 'Ask', Resource: 'Reports', Parameters: [
      { Name: 'Job', Default: 'Tally' }, { Name: 'Given', Type: 'Json' }, { Name: 'Options', Type: 'Json' }, { Name: 'Throws', Type: 'Boolean' }],
    async run({ Parameters, enqueue }) {
      const { JobId } = await enqueue(Parameters.Job, Parameters.Given as never, Parameters.Options as never)
      if (Parameters.Throws) throw new Error('asked for ' + JobId)
      return JobId
    } })
  engine.script({ Name: 'AskMuch', Resource: 'Reports',
    async run({ enqueue }) {
      const codes: string[] = []
      for (let at = 0; at < 1002; at += 3)
        await Promise.all([0, 1, 2].map(() => enqueue('Echo', { Text: 'x' }, { delayMs: 3_600_000 }).catch(({ Code }) => codes.push(Code))))
      return codes
    } })
  engine.job({ Name: 'Nightly', Cron: '0 3 * * *', TimeZone: 'Europe/Berlin', run: ({ query }) => query('SELECT 1 AS One') })
  engine.job({ Name: 'Daily', Cron: '30 6 * * 1-5', RunAs: 'RUN', run: ({ query }) => query('SELECT @CurrentUserName AS Who, @CurrentCompanyId AS Company') })
  engine.job({ Name: 'Ghostly', Cron: '0 3 * * *', RunAs: 'ghost', run: () => 1 })
}
`

let world: Extended
beforeAll(async () => {
  world = await startExtended({ 'jobs.ts': JOBS }, { 'Svc:Jobs:RetryDelay': '1ms' })
  await world.app.context.jobs.start()
})
afterAll(async () => {
  await world.app.context.jobs.stop()
  await world[Symbol.asyncDispose]()
})

interface Asked {
  JobId: number
}

const EXECUTE = '/api/v1/svc/execute-script'
const HANGFIRE = '/api/v1/hangfire'

const background = (as: string, Name: string, Parameters?: object) =>
  world.app.fetch<{ data: Asked; error: string; code: string; fieldErrors?: Row }>(EXECUTE, {
    as,
    body: { Name, Parameters, Background: true },
  })

const ask = async (as: string, name: string, parameters: object): Promise<number> =>
  (await background(as, name, parameters)).body.data.JobId

const find = async (id: unknown): Promise<Row> =>
  (await world.stored(`SELECT * FROM svc_jobs WHERE Id = ${Number(id)}`))[0] ?? {}

/** The job once it is in a state. */
async function ended(id: unknown, state = 'Succeeded'): Promise<Row> {
  for (;;) {
    const job = await find(id)
    if (job.State === state) return job
    if (job.State === 'Failed') throw new Error(`Failed: ${String(job.Error)}`)
    await Bun.sleep(10)
  }
}

const resultOf = ({ Result }: Row): unknown => JSON.parse(String(Result))

const enqueue = (job: { name: string; userId: number | null; companyId: number | null }) =>
  world.app.store.write(
    (tx) =>
      enqueueJob(tx, {
        name: job.name,
        source: 'test',
        now: new Date(),
        owner: { userId: job.userId, companyId: job.companyId },
      }),
    systemScope('a test asks for jobs'),
  )

test('in the background a script is a job: its result, log and audit', async () => {
  const id = await ask('run', 'echo', { TEXT: 'you', More: 1 })
  const job = await ended(id)
  expect(job).toMatchObject({ Name: 'Echo', UserId: 2, CompanyId: 1, Queue: 'extensions' })
  expect(job.Arguments).toBe('{"Text":"you"}')
  expect(resultOf(job)).toEqual({ Text: 'you' })
  expect(job.Log).toContain('echoes')
  const [audit] = await world.stored(
    "SELECT * FROM svc_audit WHERE Entity = 'svc_scripts' ORDER BY Id DESC LIMIT 1",
  )
  expect(audit).toMatchObject({ UserId: 2, CompanyId: 1, Source: 'execute-script' })
})

test('a job runs as who asked, tells its progress, and has its own queue and tries', async () => {
  const told: object[] = []
  const end = world.app.context.progress.subscribe((owner, report) => {
    told.push({ ...owner, ...report })
  })
  const id = await ask('run', 'Tally', { Title: 'one' })
  const job = await ended(id)
  end()
  expect(job).toMatchObject({ Queue: 'slow', AttemptsMax: 3, Attempts: 1 })
  expect(resultOf(job)).toEqual({ Notes: 0, Who: 'run', Attempt: 1, JobId: id, Title: 'one' })
  expect(told[0]).toMatchObject({
    userId: 2,
    companyId: 1,
    OperationId: `job:${id}`,
    Done: 1,
    Total: 2,
    Message: 'half',
  })
  expect(job.Log).toContain('tallies one')
})

test('attack: whoever may not Execute asks for nothing, and learns no name', async () => {
  const before = await world.stored('SELECT count(*) AS Jobs FROM svc_jobs')
  for (const as of ['none', 'read'])
    for (const name of ['Tally', 'Echo', 'Nothing', 'no name', 'push-send'])
      expect((await background(as, name, { Title: 'x' })).status).toBe(401)
  const unknown = await background('root', 'Nothing')
  expect([unknown.status, unknown.body.code]).toEqual([404, 'SCRIPT_NOT_FOUND'])
  expect((await background('root', 'mail-report')).status).toBe(400)
  const wrong = await background('run', 'Tally', { Id: 'x' })
  expect(Object.keys(wrong.body.fieldErrors ?? {})).toEqual(['Title', 'Id'])
  const answer = refusal(await world.execute('run', 'Tally', { Title: 'x' }), 400)
  expect(answer.error).toContain('Run it with Background')
  for (const Job of ['Inspect', 'Nothing'])
    expect(refusal(await world.execute('run', 'Ask', { Job }), 400).error).toContain('not allowed')
  expect(await world.stored('SELECT count(*) AS Jobs FROM svc_jobs')).toEqual(before)
})

test('what a script has asked for stays asked for when it throws', async () => {
  const asking = { Given: { Title: 'kept' }, Throws: true }
  const { error } = refusal(await world.execute('run', 'Ask', asking), 400)
  const job = await ended(/asked for (\d+)/.exec(error)?.[1])
  expect(job).toMatchObject({ Name: 'Tally', UserId: 2, Source: 'enqueue/Ask' })
})

test('asking says when, where, and one at a time within the company', async () => {
  const Options = { delayMs: 3_600_000, queue: 'later', exclusiveKey: 'recurring/Nightly' }
  const { Result } = data(await world.execute('run', 'Ask', { Given: { Title: 'x' }, Options }))
  const job = await find(Result)
  expect(job).toMatchObject({ State: 'Scheduled', Queue: 'later' })
  expect(job.ExclusiveKey).toBe('extension/1/recurring/Nightly')
  for (const wrong of [{ delayMs: -1 }, { queue: 'NO' }, { exclusiveKey: '' }, { delayMs: 1e15 }])
    refusal(await world.execute('run', 'Ask', { Given: { Title: 'x' }, Options: wrong }), 400)
})

test('attack: a right that is gone when the job runs ends it for good', async () => {
  const Options = { delayMs: 3_600_000 }
  const asked = { Given: { Title: 'late' }, Options }
  const { Result: id } = data(await world.execute('far', 'Ask', asked))
  await world.app.store.write(
    (tx) => tx.run('DELETE FROM svc_user_roles WHERE UserId = 3'),
    systemScope('a test takes a role away'),
  )
  world.app.context.callers.forgetUser(3)
  const path = `${HANGFIRE}/jobs/${Number(id)}/requeue`
  expect((await world.app.fetch(path, { as: 'root', body: {} })).status).toBe(200)
  const failed = await ended(id, 'Failed').catch(() => find(id))
  expect(failed).toMatchObject({ State: 'Failed', Attempts: 1, Result: null, Log: null })
  expect(failed.Error).toContain('not allowed')
})

test('a process that is killed midway has its job tried again', async () => {
  const job = await ended(await ask('run', 'Tally', { Title: 'lost' }))
  expect(resultOf(job)).toMatchObject({ Attempt: 2 })
  expect(String(job.Log).match(/tallies lost/g)).toHaveLength(2)
})

test.each([
  ['bad', 3, "'Tally' failed: No price for Monday"],
  ['twice', 3, 'Title'],
  ['denied', 1, 'not allowed'],
])('what fails is tried again, but for a right: %s', async (Title, attempts, message) => {
  const id = await ask('run', 'Tally', { Title })
  const failed = await ended(id, 'Failed').catch(() => find(id))
  expect(failed).toMatchObject({ State: 'Failed', Attempts: attempts })
  expect(renderStored(String(failed.Error))).toContain(message)
})

test('a job that is deleted while it runs is told to end, then ended', async () => {
  const id = await ask('run', 'Wait', {})
  await until(async () => (await find(id)).State === 'Processing')
  await until(() => world.app.context.jobs.findRun(id)?.latest)
  const gone = { as: 'root', method: 'DELETE' }
  expect((await world.app.fetch(`${HANGFIRE}/jobs/${id}`, gone)).status).toBe(200)
  await until(() => !world.app.context.jobs.findRun(id))
  expect((await find(id)).State).toBe('Deleted')
  expect(await world.stored("SELECT 1 AS Found FROM notes WHERE Title = 'told to end'")).toEqual([
    { Found: 1 },
  ])
})

test('the engine’s own reads nothing; RunAs runs as the user, in each company', async () => {
  const answer = await world.app.fetch<{ data: { Jobs: Row[] } }>(`${HANGFIRE}/recurring`, {
    as: 'root',
  })
  const listed = Object.values(answer.body.data).flat() as Row[]
  expect(listed.map(({ Name, Cron, TimeZone }) => [Name, Cron, TimeZone])).toEqual([
    ['Daily@ONE', '30 6 * * 1-5', 'UTC'],
    ['Nightly', '0 3 * * *', 'Europe/Berlin'],
  ])
  expect(world.app.log.filter((line) => line.includes('no such active user'))).toHaveLength(1)
  const trigger = (name: string) =>
    world.app.fetch(`${HANGFIRE}/recurring/${name}/trigger`, { as: 'root', body: {} })
  expect((await trigger('Daily@ONE')).status).toBe(200)
  const [daily] = await world.stored("SELECT Id FROM svc_jobs WHERE Name = 'Daily'")
  expect(resultOf(await ended(daily?.Id))).toEqual([{ Who: 'run', Company: 1 }])
  const id = await enqueue({ name: 'Nightly', userId: null, companyId: null })
  await until(async () => (await find(id)).Error !== null)
  expect((await find(id)).Error).toContain('Set RunAs')
})

test('what the model caused needs no Execute: its gate was the action’s', async () => {
  const id = await enqueue({ name: 'Inspect', userId: 4, companyId: 1 })
  expect(resultOf(await ended(id))).toEqual([])
})

test('attack: nobody has more jobs wait than they may, and others go on', async () => {
  const { Result } = data(await world.execute('run', 'AskMuch'))
  expect([...new Set(Result as string[])]).toEqual(['TOO_MANY_REQUESTS'])
  const [waiting] = await world.stored(
    "SELECT count(*) AS Jobs FROM svc_jobs WHERE State = 'Scheduled' AND UserId = 2",
  )
  expect(waiting?.Jobs).toBe(1000)
  expect((await background('run', 'Echo', { Text: 'x' })).status).toBe(429)
  await ended(await ask('root', 'Echo', { Text: 'x' }))
})

test.each([false, true])(
  'what a script writes is written while the model changes: %p',
  async (later) => {
    const noted = () => world.stored("SELECT Id FROM notes WHERE Title = 'while it changes'")
    const before = (await noted()).length
    using replacing = replaceBehind(world.app, 8)
    if (later) expect((await ended(await ask('root', 'Note', {}))).Attempts).toBe(1)
    else {
      const body = { Name: 'Note', Parameters: {} }
      expect((await world.app.fetch(EXECUTE, { as: 'root', body })).status).toBe(200)
    }
    expect([replacing.left, (await noted()).length - before]).toEqual([0, 1])
  },
)
