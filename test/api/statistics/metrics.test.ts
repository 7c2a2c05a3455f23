/** GET /metrics, statistics and settings: to whom, in which form, and that they are true. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { printFigures } from '../../../src/kernel/figures.ts'
import { systemScope } from '../../../src/store/store.ts'
import { saveBackupStatus } from '../../../src/engine/backups/status.ts'
import { enqueueJob } from '../../../src/engine/jobs/enqueue.ts'
import { AheadFigures } from '../../../src/features/statistics/ahead-figures.ts'
import { StoredFigures } from '../../../src/features/statistics/stored-figures.ts'
import { addUser, type IdentityServer, startIdentity } from '../../support/identity.ts'

const KEYS = '/api/v1/auth/api-keys'
const MINUTE = 60_000

let server: IdentityServer
let root: string
let plain: string

beforeAll(async () => {
  server = await startIdentity({
    'Svc:Http:TrustedProxies': '127.0.0.1',
    'Svc:Metrics:Allow': '10.20.0.0/16',
    'Svc:Mail:Password': 'very secret word',
    'App:Payment:Key': 'secret of the application',
    'Svc:Sql:Timeout': '7s',
  })
  root = (await server.signIn('root')).AccessToken
  await addUser(server.context, {
    userName: 'plain',
    email: 'p@example.test',
    companies: ['NORTH'],
  })
  plain = (await server.signIn('plain')).AccessToken
})
afterAll(() => server[Symbol.asyncDispose]())

async function ask(headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(`${server.url}/metrics`, { headers, method })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const asBearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` })

/** Values by series, as they are printed; a series that is there twice is a fault. */
async function scrape(): Promise<Map<string, number>> {
  const { status, text } = await ask()
  expect(status).toBe(200)
  const series = new Map<string, number>()
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('#')) continue
    const at = line.lastIndexOf(' ')
    const name = line.slice(0, at)
    expect([name, series.has(name)]).toEqual([name, false])
    series.set(name, Number(line.slice(at + 1)))
  }
  return series
}

const metricOf = (series: string): string =>
  series.replace(/\{.*/, '').replace(/_(?:bucket|sum|count)$/, '')

describe('who may read it', () => {
  const away = { 'X-Forwarded-For': '203.0.113.9' }
  const near = { 'X-Forwarded-For': '10.20.3.4' }
  test.each<[string, Record<string, string>, number]>([
    ['this machine', {}, 200],
    ['an address of Svc:Metrics:Allow behind a trusted proxy', near, 200],
    ['another address behind it', away, 401],
    [
      'an address of Svc:Metrics:Allow that the client wrote itself',
      { 'X-Forwarded-For': '10.20.3.4, 203.0.113.9' },
      401,
    ],
    ['loopback, said by a header', { 'X-Forwarded-For': '127.0.0.1' }, 401],
    ['a header of RFC 7239', { Forwarded: 'for=203.0.113.9' }, 401],
    ['X-Forwarded-Proto alone', { 'X-Forwarded-Proto': 'https' }, 401],
    ['X-Real-IP', { 'X-Real-IP': '203.0.113.9' }, 401],
    ['CF-Connecting-IP', { 'CF-Connecting-IP': '203.0.113.9' }, 401],
    ['Via', { Via: '1.1 proxy' }, 401],
  ])('%s', async (_, headers, status) => {
    expect((await ask(headers)).status).toBe(status)
  })

  test('from elsewhere System, also by an API key; no one else', async () => {
    expect((await ask({ ...away, ...asBearer(root) })).status).toBe(200)
    const refused = await ask({ ...away, ...asBearer(plain) })
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([401, 'PERMISSION_DENIED'])
    expect((await ask({ ...away, ...asBearer('nonsense') })).status).toBe(401)
    const key = await server.post(KEYS, { Name: 'Prometheus', Roles: [], Companies: [1] }, root)
    const { Key } = key.body.data as { Key: string }
    expect((await ask({ ...away, ...asBearer(Key) })).status).toBe(200)
    const own = await server.post(KEYS, { Name: 'Mine', Roles: [], Companies: [1] }, plain)
    const { Key: weak } = own.body.data as { Key: string }
    expect((await ask({ ...away, ...asBearer(weak) })).status).toBe(401)
  })
})

test('its form is that of Prometheus: help and kind before each series, base units', async () => {
  const { text, headers } = await ask()
  expect(headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(headers.get('Cache-Control')).toBe('no-store')
  const kinds = new Map<string, string>()
  for (const line of text.trimEnd().split('\n')) {
    const [, what, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (what === 'TYPE') {
      expect([name, kinds.has(name)]).toEqual([name, false])
      kinds.set(name, rest)
    } else if (what === undefined) {
      const series = line.slice(0, line.lastIndexOf(' '))
      const known = kinds.get(series.replace(/\{.*/, '')) ?? kinds.get(metricOf(series))
      expect([series, known === undefined]).toEqual([series, false])
      expect(line.slice(series.length + 1)).toMatch(/^(?:-?[\d.]+(?:e[+-]?\d+)?|[+-]Inf|NaN)$/)
    }
  }
  for (const [name, kind] of kinds) {
    expect(name).toMatch(/^(?:appengine|process)_[a-z_]+$/)
    expect([name, name.endsWith('_total')]).toEqual([name, kind === 'counter'])
    expect(name).not.toMatch(/_(?:ms|milliseconds|kb|mb|percent)(?:_|$)/)
  }
})

test('requests are counted by the template of their route, method and status', async () => {
  const before = await scrape()
  const paths: [string, string, string][] = [
    ['GET', '/api/v1/svc/hosted-services/a-secret-name', root],
    ['GET', '/api/v1/svc/hosted-services/another-one', plain],
    ['GET', '/api/v1/svc/hosted-services/nobody', ''],
    ['GET', '/no/such/path/of-a-customer', root],
    ['POST', '/api/v1/auth/me', root],
  ]
  for (const [method, path, token] of paths)
    await fetch(server.url + path, { method, headers: token === '' ? {} : asBearer(token) })
  const after = await scrape()
  const rises = [...after].flatMap(([series, value]) =>
    series.startsWith('appengine_http_request_duration_seconds_count') &&
    !series.includes('"/metrics"') &&
    value > (before.get(series) ?? 0)
      ? [`${/\{.*\}/.exec(series)?.[0]} ${value - (before.get(series) ?? 0)}`]
      : [],
  )
  const service = '/api/v1/svc/hosted-services/:name'
  expect(rises.sort()).toEqual(
    [
      `{method="GET",route="${service}",status="404"} 1`,
      `{method="GET",route="${service}",status="401"} 2`,
      `{method="GET",route="none",status="404"} 1`,
      '{method="POST",route="/api/v1/auth/me",status="405"} 1',
    ].sort(),
  )
  expect([...after.keys()].join('\n')).not.toMatch(/secret-name|another-one|customer/)
})

test('what is counted is what was done', async () => {
  const { store, clock } = server.context
  const before = await scrape()
  const now = clock.now()
  const scope = systemScope('a test')
  for (const [name, dueAt] of [
    ['one-job', undefined],
    ['two-jobs', undefined],
    ['late-job', new Date(now.getTime() + MINUTE)],
  ] as const)
    await store.write(
      (tx) =>
        enqueueJob(tx, {
          name,
          owner: { userId: null, companyId: null },
          now,
          source: 'test',
          ...(dueAt && { dueAt }),
        }),
      scope,
    )
  server.clock.pass(MINUTE / 2)
  const after = await scrape()
  const rise = (series: string): number => (after.get(series) ?? NaN) - (before.get(series) ?? 0)
  expect(rise('appengine_jobs{queue="default",state="Enqueued"}')).toBe(2)
  expect(rise('appengine_jobs{queue="default",state="Scheduled"}')).toBe(1)
  expect(after.get('appengine_jobs_oldest_age_seconds{queue="default"}')).toBe(30)
  expect(after.get('appengine_jobs_oldest_age_seconds{queue="low"}')).toBe(0)
  expect(rise('appengine_writer_commit_seconds_count{database="engine"}')).toBe(3)
  expect(rise('appengine_writer_wait_seconds_count{database="engine"}')).toBe(3)
  expect(rise('appengine_writer_group_members_sum{database="engine"}')).toBe(3)
  expect(after.get('appengine_writer_queue{database="engine"}')).toBe(0)
  expect(after.get('appengine_http_requests_open')).toBe(1)
  for (const series of [
    'appengine_database_serving{database="engine"}',
    'appengine_database_serving{database="state"}',
  ])
    expect([series, after.get(series)]).toEqual([series, 1])
  for (const series of [
    'appengine_database_size_bytes{database="engine"}',
    'appengine_wal_size_bytes{database="engine"}',
    'appengine_disk_free_bytes',
    'appengine_memory_bytes{kind="resident"}',
    'appengine_lanes{database="engine"}',
    'appengine_audit_head',
    'process_start_time_seconds',
  ])
    expect([series, (after.get(series) ?? 0) > 0]).toEqual([series, true])
  for (const series of [
    'appengine_wal_checkpoints_total{database="engine"}',
    'appengine_cache_hits_total',
    'appengine_hub_connections',
    'appengine_outbox_messages{state="parked"}',
    'appengine_search_feed',
    'appengine_helper_runs_total{kind="run-extension"}',
    'appengine_event_loop_delay_seconds_count',
  ])
    expect([series, after.has(series)]).toEqual([series, true])
})

test('counts of the database are one statement, not one for each queue and state', async () => {
  server.clock.pass(MINUTE)
  const before = await scrape()
  server.clock.pass(MINUTE)
  const after = await scrape()
  const reads = 'appengine_reads_total{database="engine"}'
  const rise = (after.get(reads) ?? NaN) - (before.get(reads) ?? NaN)
  expect(rise).toBeGreaterThan(0)
  expect(rise).toBeLessThanOrEqual(4)
})

test('no label names a user, a company or a record', async () => {
  const labels = new Map<string, Set<string>>()
  for (const series of (await scrape()).keys())
    for (const [, name = '', value = ''] of series.matchAll(/(\w+)="([^"]*)"/g))
      labels.set(name, (labels.get(name) ?? new Set()).add(value))
  expect([...labels.keys()].sort()).toEqual(
    'build bun database kind le method queue route state status version'.split(' '),
  )
})

test('the same figures are there as JSON, for System', async () => {
  const { body } = await server.get('/api/v1/svc/statistics', root)
  const { Figures } = body.data as {
    Figures: { Name: string; Kind: string; Series: { Value: number; Buckets?: object[] }[] }[]
  }
  const names = (await ask()).text.matchAll(/^# TYPE (\S+)/gm)
  expect(Figures.map(({ Name }) => Name)).toEqual([...names].map(([, name = '']) => name))
  const members = Figures.find(({ Name }) => Name === 'appengine_writer_group_members')
  const [engine] = members?.Series ?? []
  expect(engine?.Buckets?.at(-1)).toEqual({ UpTo: null, Count: engine?.Value })
  expect((await server.get('/api/v1/svc/statistics', plain)).status).toBe(401)
})

test('settings are told with their source, and no secret is', async () => {
  const answer = await server.get('/api/v1/svc/settings', root)
  const settings = answer.body.data as { Name: string; Value: string | null }[]
  const find = (name: string) => settings.find(({ Name }) => Name === name)
  expect(find('Svc:Sql:Timeout')).toMatchObject({ Value: '7s', Source: 'flag', IsSecret: false })
  expect(find('Svc:Mail:Password')).toMatchObject({ Value: null, Source: 'flag', IsSecret: true })
  expect(find('App:Payment:Key')).toMatchObject({ Value: null, Source: 'flag', IsSecret: true })
  expect(find('Svc:Environment')).toMatchObject({ Source: 'default' })
  expect(JSON.stringify(answer.body)).not.toMatch(/secret word|secret of/)
  expect((await server.get('/api/v1/svc/settings', plain)).status).toBe(401)
})

test('alerts and dashboard name figures that there are', async () => {
  const status = {
    At: server.clock.now().toISOString(),
    Ok: true,
    Name: 'a',
    Bytes: 1,
    Error: null,
  }
  const times = { Seconds: 1, RehearsalSeconds: 1 }
  const scope = systemScope('a test')
  await server.context.store.write((tx) => saveBackupStatus(tx, { ...status, ...times }), scope)
  server.clock.pass(MINUTE)
  const series = await scrape()
  expect(series.get('appengine_backup_last_ok')).toBe(1)
  expect(series.get('appengine_backup_last_good_timestamp_seconds')).toBeGreaterThan(1e9)
  // These are there with a certificate, and with the first job that has run.
  const there = new Set([
    'appengine_certificate_expiry_timestamp_seconds',
    'appengine_job_runs_total',
  ])
  for (const each of series.keys()) there.add(metricOf(each))
  const folder = join(import.meta.dir, '../../../scripts/monitoring')
  for (const file of ['alerts.yml', 'dashboard.json']) {
    const text = await Bun.file(join(folder, file)).text()
    const named = [...text.matchAll(/\b(?:appengine|process)_[a-z0-9_]+/g)].map(([name]) =>
      metricOf(name),
    )
    expect(named.length).toBeGreaterThan(15)
    expect([file, named.filter((name) => !there.has(name))]).toEqual([file, []])
  }
})

test('the database is counted ahead of who reads again and again', async () => {
  const { context, clock } = server
  const counts = new StoredFigures(context)
  const stored = new AheadFigures(context.clock, (now) => counts.count(now))
  const waiting = /appengine_jobs\{queue="default",state="Enqueued"\} (\d+)/
  const countJobs = async (): Promise<number> =>
    Number(waiting.exec(printFigures(await stored.list()))?.[1])
  const addJob = (): Promise<unknown> =>
    context.store.write(
      (tx) =>
        enqueueJob(tx, {
          name: 'one-more',
          owner: { userId: null, companyId: null },
          now: context.clock.now(),
          source: 'test',
        }),
      systemScope('a test'),
    )
  const before = await countJobs()
  await addJob()
  clock.pass(5_000)
  expect(await countJobs()).toBe(before)
  await stored.countAhead()
  expect(await countJobs()).toBe(before + 1)
  // Nobody has read for minutes: the next reader has them counted.
  await addJob()
  clock.pass(3 * MINUTE)
  const reads = context.store.counters.reads
  await stored.countAhead()
  expect(context.store.counters.reads).toBe(reads)
  expect(await countJobs()).toBe(before + 2)
})
