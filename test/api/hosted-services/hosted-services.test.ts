/** /api/v1/svc/hosted-services: loops that operators look at, stop, start and restart. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Loop } from '../../../src/kernel/background.ts'
import { notFound } from '../../../src/kernel/failure.ts'
import { say } from '../../../src/kernel/messages.ts'
import { systemScope } from '../../../src/store/store.ts'
import { enqueueJob } from '../../../src/engine/jobs/enqueue.ts'
import { ADMINISTRATORS } from '../../support/administrators.ts'
import { type HubServer, startHubs } from '../../support/hubs.ts'
import { until } from '../../support/until.ts'

interface Service {
  Name: string
  State: string
  StartedAt: string | null
  LastRunAt: string | null
  LastError: string | null
  Runs: number
}
interface Reply<T> {
  code?: string
  data: T
}

const SERVICES = '/api/v1/svc/hosted-services'
let server: HubServer
const running = new Set<number>()
let [done, overlaps] = [0, 0]
let fault: (() => Error) | undefined = () => new Error(`no ${server.folder}/x of company 2`)
beforeAll(async () => {
  server = await startHubs({
    application: ADMINISTRATORS,
    settings: { 'Svc:Jobs:RetryDelay': '1ms' },
  })
  server.context.jobs.add({
    name: 'Count',
    run: async ({ job }) => {
      if (running.has(job.Id)) overlaps++
      running.add(job.Id)
      await Bun.sleep(Math.random() * 4)
      running.delete(job.Id)
      done++
    },
  })
  const faulty = new Loop({
    name: 'Faulty loop',
    everyMs: 5,
    log: server.context.log,
    failure: 'it failed',
    steps: [() => (fault ? Promise.reject(fault()) : Promise.resolve())],
  })
  server.context.services.add(faulty)
  await faulty.start()
})
afterAll(async () => {
  for (const name of ['faulty-loop', 'broken-start']) await server.context.services.stop(name)
  await server[Symbol.asyncDispose]()
})

const list = async (as = 'sys') =>
  (await server.fetch<Reply<Service[]>>(SERVICES, { as })).body.data
const act = (as: string, name: string, change: string) =>
  server.fetch<Reply<Service>>(`${SERVICES}/${name}/${change}`, { as, body: {} })

test('every loop is a service, and runs', async () => {
  const names = (await list()).map(({ Name }) => Name)
  for (const name of [
    'jobs',
    'recurring-jobs',
    'mails-of-the-outbox',
    'notifications',
    'search',
    'hub-connections',
  ])
    expect(names).toContain(name)
  for (const { Name, State, StartedAt } of await list())
    if (Name !== 'faulty-loop')
      expect([Name, State, StartedAt !== null]).toEqual([Name, 'Running', true])
})

test('a service is stopped, started and restarted, and that is in the audit', async () => {
  const stopped = (await act('sys', 'recurring-jobs', 'stop')).body.data
  expect(stopped.State).toBe('Stopped')
  expect((await act('sys', 'recurring-jobs', 'stop')).body.data.State).toBe('Stopped')
  const started = (await act('sys', 'recurring-jobs', 'start')).body.data
  expect(started.State).toBe('Running')
  expect((await act('sys', 'recurring-jobs', 'restart')).body.data.State).toBe('Running')
  const audit = await server.store.all(
    `SELECT UserId, Action FROM svc_audit WHERE Entity = 'svc_hosted_services' ORDER BY Id`,
  )
  expect(audit.map(({ Action }) => Action)).toEqual(['stop', 'stop', 'start', 'restart'])
})

test('a service that cannot be started is in the audit as stopped alone', async () => {
  const { store, context } = server
  let isBroken = false
  const broken = new Loop({
    name: 'Broken start',
    everyMs: 60_000,
    log: context.log,
    failure: 'it failed',
    prepare: () => (isBroken ? Promise.reject(new Error('no disk')) : Promise.resolve()),
    steps: [],
  })
  context.services.add(broken)
  isBroken = true
  expect((await act('sys', 'broken-start', 'stop')).status).toBe(200)
  expect((await act('sys', 'broken-start', 'start')).status).toBe(500)
  const audit = await store.all(
    `SELECT Action FROM svc_audit WHERE RecordKey = '["broken-start"]' ORDER BY Id`,
  )
  expect(audit.map(({ Action }) => Action)).toEqual(['stop'])
  isBroken = false
  expect((await act('sys', 'broken-start', 'start')).status).toBe(200)
})

test('a fault is shown, tried again, and over once it is mended', async () => {
  const find = async (as: string) => (await list(as)).find(({ Name }) => Name === 'faulty-loop')
  await until(async () => ((await find('sys'))?.Runs ?? 0) >= 2)
  expect(await find('sys')).toMatchObject({ State: 'Faulted', LastError: 'no /x of company 2' })
  // What it was about may be another company's.
  expect((await find('adm'))?.LastError).toBe('It failed. See the server log for the reason.')
  const german = async () => {
    const headers = { 'Accept-Language': 'de' }
    const { body } = await server.fetch<Reply<Service[]>>(SERVICES, { as: 'sys', headers })
    return body.data.find(({ Name }) => Name === 'faulty-loop')?.LastError
  }
  fault = () => notFound(say`There is no such report`)
  await until(async () => (await german()) === 'Diesen Bericht gibt es nicht')
  fault = undefined
  await until(async () => (await find('sys'))?.State === 'Running')
})

test('attack: an Admin of one company stops the services of all', async () => {
  const before = await list('adm')
  expect(before.length).toBeGreaterThan(5)
  for (const change of ['start', 'stop', 'restart']) {
    const refused = await act('adm', 'jobs', change)
    const missing = await act('adm', 'nothing', change)
    expect([refused.status, refused.body.code]).toEqual([401, 'PERMISSION_DENIED'])
    expect([missing.status, missing.body.code]).toEqual([401, 'PERMISSION_DENIED'])
  }
  const states = (await list('adm')).map(({ Name, State, StartedAt }) => [Name, State, StartedAt])
  expect(states).toEqual(before.map(({ Name, State, StartedAt }) => [Name, State, StartedAt]))
})

test('attack: who may not, and what there is not', async () => {
  for (const as of ['clerk', 'mgr']) {
    expect((await server.fetch(SERVICES, { as })).status).toBe(401)
    expect((await act(as, 'jobs', 'stop')).status).toBe(401)
  }
  for (const name of ['nothing', 'constructor', '__proto__'])
    expect((await act('sys', name, 'stop')).status).toBeGreaterThanOrEqual(400)
  expect((await act('sys', 'nothing', 'restart')).body.code).toBe('SERVICE_NOT_FOUND')
})

test('a random walk of stops and starts loses no job and runs none twice at once', async () => {
  const names = (await list()).map(({ Name }) => Name)
  const changes = ['start', 'stop', 'restart']
  const JOBS = 150
  const asking = (async () => {
    for (let at = 0; at < JOBS; at++) {
      await server.store.write(
        (tx) =>
          enqueueJob(tx, {
            name: 'Count',
            owner: { userId: null, companyId: null },
            source: 'test',
            now: new Date(),
          }),
        systemScope('a test asks for jobs'),
      )
      await Bun.sleep(1)
    }
  })()
  const walk = async () => {
    for (let step = 0; step < 40; step++) {
      const name = Math.random() < 0.5 ? 'jobs' : names[Math.floor(Math.random() * names.length)]
      const change = changes[Math.floor(Math.random() * changes.length)] ?? 'start'
      expect((await act('sys', name ?? 'jobs', change)).status).toBe(200)
    }
  }
  await Promise.all([walk(), walk(), walk(), asking])
  for (const name of names) expect((await act('sys', name, 'start')).status).toBe(200)
  await until(() => done >= JOBS)
  expect([done, overlaps]).toEqual([JOBS, 0])
  for (const { Name, State } of await list()) expect([Name, State]).toEqual([Name, 'Running'])
})
