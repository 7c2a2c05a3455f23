/** Time zones: where the caller's is from, how it is set, what is numbered by the company's. */
import { expect, test } from 'bun:test'
import { createLog } from '../../../src/kernel/log.ts'
import { warnOfLostZones } from '../../../src/access/stored-zones.ts'
import { ALL } from '../../store/temporary.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { beginOf, NIGHT_RECORDS, NIGHTS } from '../../support/clock-changes.ts'
import { data, Objects, type Row } from '../../support/objects.ts'

const PATH = '/api/v1/svc/timezone'
const NOW = new Date('2025-07-01T23:30:00Z')

interface Zone {
  TimeZone: string
  UtcOffsetMinutes: number
}

interface Reply {
  success: boolean
  code?: string
  fieldErrors?: Row
  data: Row
}

const startNight = (clock = { now: () => NOW }): Promise<TestApp> =>
  startApp({ application: NIGHT_RECORDS, clock })

const put = (app: TestApp, as: string, TimeZone: unknown, headers = {}) =>
  app.fetch<Reply>(PATH, { as, method: 'PUT', body: { TimeZone }, headers })

/** Sets the zone of the first company. */
const putCompany = (app: TestApp, TimeZone: string) =>
  app.fetch('/api/v1/svc/company/1', { as: 'sys', method: 'PUT', body: { TimeZone } })

const seen = async (app: TestApp, headers = {}) =>
  (await app.fetch<Reply>(PATH, { as: 'clerk', headers })).body.data

test('the header goes before the user’s zone, that before the company’s', async () => {
  await using app = await startNight()
  const today = async (headers = {}) => {
    const path = '/api/v1/svc/object/Context/table'
    const { body } = await app.fetch<{ data: { Rows: Row[] } }>(path, {
      as: 'clerk',
      body: {},
      headers,
    })
    return body.data.Rows[0]
  }
  await new Objects(app).save('clerk', 'Moments', { Night: 0 })
  expect(await seen(app)).toEqual({
    TimeZone: 'UTC',
    Source: 'Company',
    User: null,
    Company: 'UTC',
    UtcOffsetMinutes: 0,
    Today: '2025-07-01',
  })
  await putCompany(app, 'Europe/Berlin')
  expect(await seen(app)).toMatchObject({ TimeZone: 'Europe/Berlin', Today: '2025-07-02' })
  expect(await today()).toMatchObject({ Zone: 'Europe/Berlin', Today: '2025-07-02' })
  expect((await put(app, 'clerk', 'america/new_york')).body.data).toEqual({
    TimeZone: 'America/New_York',
    Source: 'User',
    User: 'America/New_York',
    Company: 'Europe/Berlin',
    UtcOffsetMinutes: -240,
    Today: '2025-07-01',
  })
  expect(await today()).toMatchObject({ Zone: 'America/New_York', Today: '2025-07-01' })
  const headers = { 'X-TimeZone': 'australia/LORD_HOWE' }
  expect(await seen(app, headers)).toMatchObject({
    TimeZone: 'Australia/Lord_Howe',
    Source: 'Header',
    User: 'America/New_York',
    UtcOffsetMinutes: 630,
    Today: '2025-07-02',
  })
  expect(await today(headers)).toMatchObject({ Zone: 'Australia/Lord_Howe', Offset: 630 })
  expect((await put(app, 'clerk', null)).body.data).toMatchObject({ Source: 'Company', User: null })
})

test('a zone holds in every session of the user at once, and for nobody else', async () => {
  await using app = await startNight()
  await put(app, 'clerk', 'Asia/Tokyo')
  // What is so already is no change.
  await put(app, 'clerk', 'asia/tokyo')
  const { body } = await app.fetch<Reply>('/api/v1/auth/me', { as: 'clerk' })
  expect(body.data['TimeZone']).toBe('Asia/Tokyo')
  expect((await app.fetch<Reply>(PATH, { as: 'other' })).body.data['TimeZone']).toBe('UTC')
  const audit = await app.store.all({
    sql: `SELECT UserId, Entity, RecordKey, Changes FROM svc_audit WHERE Source = 'timezone'`,
    args: {},
    runs: 'lane',
  })
  expect(audit).toEqual([
    {
      UserId: 2,
      Entity: 'svc_users',
      RecordKey: '[2]',
      Changes: '{"TimeZone":[null,"Asia/Tokyo"]}',
    },
  ])
})

test.each(['Mars/Olympus', '+02:00', '', 'Europe/Berlin ', 'PST', 7, 'x'.repeat(70)])(
  'the zone "%s" is refused and nothing changed',
  async (zone) => {
    await using app = await startNight()
    const { status, body } = await put(app, 'clerk', zone)
    expect([status, Object.keys(body.fieldErrors ?? {})]).toEqual([400, ['TimeZone']])
    expect(await seen(app)).toMatchObject({ User: null })
  },
)

test('a zone must be told, if only as null', async () => {
  await using app = await startNight()
  const { status } = await app.fetch(PATH, { as: 'clerk', method: 'PUT', body: {} })
  expect(status).toBe(400)
})

test('a refusal of an unknown zone is told in German, too', async () => {
  await using app = await startNight()
  const headers = { 'Accept-Language': 'de' }
  const { body } = await put(app, 'clerk', 'Mars/Olympus', headers)
  expect(body.fieldErrors).toEqual({ TimeZone: 'Muss eine IANA-Zeitzone sein, etwa Europe/Berlin' })
})

test('an unknown X-TimeZone is a 400 everywhere', async () => {
  await using app = await startNight()
  const headers = { 'X-TimeZone': 'Mars/Olympus' }
  for (const path of [PATH, `${PATH}/zones`, '/api/v1/auth/me'])
    expect((await app.fetch(path, { as: 'clerk', headers })).status).toBe(400)
})

test('the zones are those of the IANA list, sorted, with their present offset', async () => {
  await using app = await startNight()
  const { body } = await app.fetch<{ data: Zone[] }>(`${PATH}/zones`, { as: 'clerk' })
  const names = body.data.map(({ TimeZone }) => TimeZone)
  expect(names).toEqual(names.toSorted())
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThan(300)
  const offsets = new Map(body.data.map((zone) => [zone.TimeZone, zone.UtcOffsetMinutes]))
  expect(offsets.get('Europe/Berlin')).toBe(120)
  expect(offsets.get('America/New_York')).toBe(-240)
  expect(offsets.get('Australia/Lord_Howe')).toBe(630)
  expect(offsets.get('Asia/Kathmandu')).toBe(345)
  // Each of them may be set.
  for (const name of names.filter((_, at) => at % 50 === 0))
    expect((await put(app, 'clerk', name)).body.data['TimeZone']).toBe(name)
})

test.each(NIGHTS.map((night) => [`${night.zone} ${night.day}`, night] as const))(
  'sequences begin anew at midnight of the company: %s',
  async (_, night) => {
    let now = beginOf(night) - 1
    await using app = await startNight({ now: () => new Date(now) })
    await putCompany(app, night.zone)
    const slips = new Objects(app)
    // The caller's own zone has no say in it.
    await put(app, 'clerk', 'Pacific/Gambier')
    const draw = async (at: number): Promise<Row> => {
      now = at
      const { Values } = await slips.save('clerk', 'Slips', {})
      data(await slips.act('clerk', 'Slips', 'Draw', { Id: Values['Id'] }))
      return (await slips.form('clerk', 'Slips', { Id: Values['Id'] })).Values
    }
    const begin = beginOf(night)
    const end = begin + night.hours * 3_600_000
    const times = [begin - 1, begin, begin + 150 * 60_000, end - 1, end]
    const days = times.map((at) =>
      Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(night.zone).toPlainDate(),
    )
    const counts = new Map<string, number>()
    const next = (period: string): number => {
      counts.set(period, (counts.get(period) ?? 0) + 1)
      return counts.get(period) ?? 0
    }
    for (const [at, day] of days.entries()) {
      const [yyyy = '', MM = '', dd = ''] = day.toString().split('-')
      expect(await draw(times[at] ?? 0)).toMatchObject({
        Daily: `${yyyy}${MM}${dd}-${next(`day ${day}`)}`,
        Monthly: `${yyyy}${MM}-${next(`month ${yyyy}${MM}`)}`,
        Yearly: `${yyyy.slice(2)}-${next(`year ${yyyy}`)}`,
        Drawn: `${dd}-${next(`own ${day}`)}`,
      })
    }
  },
)

test('a stored zone that is none here lets the next one hold, and the log says so', async () => {
  await using app = await startNight()
  const store = (table: string, TimeZone: string) =>
    app.store.write((tx) => tx.run(`UPDATE ${table} SET TimeZone = @TimeZone`, { TimeZone }), ALL)
  await putCompany(app, 'Europe/Berlin')
  await store('svc_users', 'Mars/Olympus')
  app.context.callers.forgetAll()
  expect((await app.fetch(PATH, { as: 'clerk' })).status).toBe(200)
  const own = { User: 'Mars/Olympus', Company: 'Europe/Berlin' }
  expect(await seen(app)).toMatchObject({ ...own, TimeZone: 'Europe/Berlin', Source: 'Company' })
  await store('svc_companies', '+25:00')
  app.context.callers.forgetAll()
  expect(await seen(app)).toMatchObject({ TimeZone: 'UTC', Today: '2025-07-01' })
  const header = { 'X-TimeZone': 'Asia/Tokyo' }
  expect(await seen(app, header)).toMatchObject({ TimeZone: 'Asia/Tokyo', Source: 'Header' })
  const wrong = await app.fetch(PATH, { as: 'clerk', headers: { 'X-TimeZone': 'Mars/Olympus' } })
  expect(wrong.status).toBe(400)
  await new Objects(app).save('clerk', 'Moments', { Night: 0 })
  const lines: string[] = []
  await warnOfLostZones(
    app.store,
    createLog({ now: () => NOW }, (line) => lines.push(line)),
  )
  expect(lines.map((line) => (JSON.parse(line) as Row).zones)).toEqual([['+25:00', 'Mars/Olympus']])
})
