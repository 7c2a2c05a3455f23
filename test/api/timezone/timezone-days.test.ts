/** Days and date words of filters around nights on which clocks are changed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import {
  beginOf,
  COMPARISONS,
  dayAt,
  instantsAround,
  type Night,
  NIGHT_RECORDS,
  NIGHTS,
  WORDS,
} from '../../support/clock-changes.ts'
import type { Row } from '../../support/objects.ts'

let now = new Date('2025-01-01T00:00:00Z')
let app: TestApp

beforeAll(async () => {
  app = await startApp({ application: NIGHT_RECORDS, clock: { now: () => now } })
  await app.store.write(
    async (tx) => {
      for (const [at, night] of NIGHTS.entries())
        await tx.run(
          `INSERT INTO moments (CompanyId, Night, At, Day)
           SELECT 1, @night, value ->> 0, value ->> 1 FROM json_each(@moments)`,
          {
            night: at,
            moments: JSON.stringify(
              instantsAround(night).map((at) => [at, dayAt(Date.parse(at), night.zone)]),
            ),
          },
        )
    },
    { company: 'all', because: 'a test' },
  )
})
afterAll(() => app[Symbol.asyncDispose]())

/** The instants that a filter finds on a field, in order. */
async function find(night: Night, field: string, operator: string, value: unknown) {
  const Filters = [
    { Field: 'Night', Operator: 'eq', Value: NIGHTS.indexOf(night) },
    { Field: field, Operator: operator, Value: value },
  ]
  const answer = await app.fetch<{ data: { Rows: Row[]; Pagination: { TotalRows: number } } }>(
    '/api/v1/svc/object/Moments/table',
    {
      as: 'clerk',
      body: { Filters, PageSize: 1000, Fields: ['At'], Sort: [{ Field: 'At' }] },
      headers: { 'X-TimeZone': night.zone },
    },
  )
  expect({ status: answer.status, text: answer.status === 200 ? '' : answer.text }).toEqual({
    status: 200,
    text: '',
  })
  const { Rows, Pagination } = answer.body.data
  expect(Pagination.TotalRows).toBe(Rows.length)
  return Rows.map((row) => String(row['At']))
}

/** The answers to the clerk in the zone of a night. */
async function post<T>(path: string, night: Night, body?: Record<string, unknown>): Promise<T> {
  const headers = { 'X-TimeZone': night.zone }
  const answer = await app.fetch<{ data: T }>(path, { as: 'clerk', headers, ...(body && { body }) })
  expect({ status: answer.status, text: answer.status === 200 ? '' : answer.text }).toEqual({
    status: 200,
    text: '',
  })
  return answer.body.data
}

/** The rows of the datasets of the report, by name. */
async function dataSets(night: Night, filters: Record<string, string>) {
  const data = await post<{ DataSets: Record<string, { Rows: Row[] }> }>(
    '/api/v1/svc/reports/Parts/data',
    night,
    { Arguments: { Night: String(NIGHTS.indexOf(night)), ...filters } },
  )
  return Object.fromEntries(Object.entries(data.DataSets).map(([name, { Rows }]) => [name, Rows]))
}

/** `month week day hour count` of each group of instants, in order. */
type Groups = string[]

/** As a calendar has them. */
function groupsOf({ zone }: Night, instants: readonly string[]): Groups {
  const groups = Map.groupBy(instants, (at) => {
    const local = Temporal.Instant.from(at).toZonedDateTimeISO(zone)
    const week = `${local.yearOfWeek}-W${String(local.weekOfYear).padStart(2, '0')}`
    const day = local.toPlainDate()
    return `${day.toPlainYearMonth()} ${week} ${day} ${local.hour}`
  })
  return [...groups].map(([group, { length }]) => `${group} ${length}`).toSorted()
}

const authoredGroups = async (night: Night, filters: Record<string, string>): Promise<Groups> =>
  ((await dataSets(night, filters))['Groups'] ?? [])
    .map(({ Month, Week, Day, Hour, N }) => `${Month} ${Week} ${Day} ${Hour} ${N}`)
    .toSorted()

async function explorerGroups(night: Night): Promise<Groups> {
  const { Rows } = await post<{ Rows: Row[] }>('/api/v1/svc/object-explorer/query', night, {
    ObjectName: 'Moments',
    Filters: [{ Field: 'Night', Operator: 'eq', Value: NIGHTS.indexOf(night) }],
    GroupBy: ['At:month', 'At:week', 'At:day', 'At:hour'],
    Aggregates: [{ Function: 'count', As: 'N' }],
  })
  return Rows.map(
    (row) => `${row['At:month']} ${row['At:week']} ${row['At:day']} ${row['At:hour']} ${row['N']}`,
  ).toSorted()
}

/** The instants of a night whose day in the zone is meant. */
const meant = (night: Night, isMeant: (day: string) => boolean): string[] =>
  instantsAround(night)
    .toSorted()
    .filter((at) => isMeant(dayAt(Date.parse(at), night.zone)))

const nextOf = (day: string, days: number): string =>
  Temporal.PlainDate.from(day).add({ days }).toString()

/** Moments at which somebody might ask, with what is decided by less than a second. */
function timesToAsk(night: Night): Date[] {
  const begin = beginOf(night)
  const end = begin + night.hours * 3_600_000
  const early = [90, 150].map((minutes) => begin + minutes * 60_000)
  return [begin - 1, begin, ...early, end - 1, end].map((at) => new Date(at))
}

const named = NIGHTS.map((night) => [`${night.zone} ${night.day}`, night] as const)

describe.each(named)('%s', (_, night) => {
  test('has the length that it is told to have', () => {
    const begin = beginOf(night)
    const next = beginOf({ zone: night.zone, day: nextOf(night.day, 1) })
    expect((next - begin) / 3_600_000).toBe(night.hours)
    expect(meant(night, (day) => day === night.day).length).toBeGreaterThan(60)
  })

  test.each(['At', 'Day'])('days compared with %s', async (field) => {
    for (const shift of [-1, 0, 1]) {
      const value = nextOf(night.day, shift)
      for (const [operator, holds] of Object.entries(COMPARISONS))
        expect({ operator, value, rows: await find(night, field, operator, value) }).toEqual({
          operator,
          value,
          rows: meant(night, (day) => holds(day, value)),
        })
    }
  })

  test.each(['At', 'Day'])('ranges and lists of days with %s', async (field) => {
    const days = [-1, 0, 1].map((shift) => nextOf(night.day, shift))
    const [before, day, after] = days
    expect(await find(night, field, 'between', [before, day])).toEqual(
      meant(night, (each) => each === before || each === day),
    )
    expect(await find(night, field, 'between', [day, day])).toEqual(
      meant(night, (each) => each === day),
    )
    expect(await find(night, field, 'in', [day, after])).toEqual(
      meant(night, (each) => each === day || each === after),
    )
    expect(await find(night, field, 'notIn', [before, day])).toEqual(
      meant(night, (each) => each !== before && each !== day),
    )
  })

  test('instants are compared as instants', async () => {
    const begin = new Date(beginOf(night)).toISOString()
    expect(await find(night, 'At', 'eq', begin)).toEqual([begin])
    expect(await find(night, 'At', 'lt', begin)).toEqual(
      instantsAround(night)
        .toSorted()
        .filter((at) => at < begin),
    )
  })

  test.each(Object.entries(WORDS))('the word %s', async (word, means) => {
    for (const time of timesToAsk(night)) {
      now = time
      const today = Temporal.PlainDate.from(dayAt(time.getTime(), night.zone))
      const isMeant = (day: string) => means(Temporal.PlainDate.from(day), today)
      for (const field of ['At', 'Day'])
        expect({ now, field, rows: await find(night, field, 'eq', word) }).toEqual({
          now,
          field,
          rows: meant(night, isMeant),
        })
    }
  })

  test('words at the ends of ranges, and what comes before and after one', async () => {
    for (const time of timesToAsk(night)) {
      now = time
      const today = dayAt(time.getTime(), night.zone)
      const yesterday = nextOf(today, -1)
      const rows = async (operator: string, value: unknown) => find(night, 'At', operator, value)
      expect(await rows('between', ['yesterday', 'today'])).toEqual(
        meant(night, (day) => day >= yesterday && day <= today),
      )
      expect(await rows('lt', 'today')).toEqual(meant(night, (day) => day < today))
      expect(await rows('gt', 'yesterday')).toEqual(meant(night, (day) => day > yesterday))
      expect(await rows('ne', 'today')).toEqual(meant(night, (day) => day !== today))
      expect(await rows('in', ['today', 'tomorrow'])).toEqual(
        meant(night, (day) => day === today || day === nextOf(today, 1)),
      )
    }
  })

  test('context parameters in authored SQL', async () => {
    for (const time of timesToAsk(night)) {
      now = time
      const { body } = await app.fetch<{ data: { Rows: Row[] } }>(
        '/api/v1/svc/object/Context/table',
        { as: 'clerk', body: { PageSize: 1 }, headers: { 'X-TimeZone': night.zone } },
      )
      const local = Temporal.Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO(
        night.zone,
      )
      const today = dayAt(time.getTime(), night.zone)
      expect(body.data.Rows[0]).toMatchObject({
        Now: time.toISOString(),
        Today: today,
        MonthStart: local.toPlainDate().with({ day: 1 }).toString(),
        YearStart: `${local.year}-01-01`,
        Zone: night.zone,
        Offset: (Date.parse(`${local.toPlainDateTime().toString()}Z`) - time.getTime()) / 60_000,
        Shifted: today,
      })
    }
  })

  test('authored SQL, explorer and calendar agree on months, weeks, days and hours', async () => {
    const all = groupsOf(night, instantsAround(night))
    expect(await authoredGroups(night, {})).toEqual(all)
    expect(await explorerGroups(night)).toEqual(all)
    const { ResultSets } = await post<{ ResultSets: Record<string, { Rows: Row[] }> }>(
      '/api/v1/svc/rpc/Nightly',
      night,
      { Parameters: { Night: NIGHTS.indexOf(night) } },
    )
    const days = Map.groupBy(instantsAround(night), (at) => dayAt(Date.parse(at), night.zone))
    expect(ResultSets['Days']?.Rows).toEqual(
      [...days].toSorted().map(([Day, { length }]) => ({ Day, N: length })),
    )
  })

  test('filters of a report bind the first instants of their day and of the next', async () => {
    const [From, Until] = [night.day, nextOf(night.day, 1)]
    const inside = meant(night, (day) => day >= From && day <= Until)
    expect(await authoredGroups(night, { From, Until })).toEqual(groupsOf(night, inside))
    const { Bounds } = await dataSets(night, { From, Until })
    const begin = (day: string) => new Date(beginOf({ zone: night.zone, day })).toISOString()
    expect(Bounds).toEqual([
      {
        FromStart: begin(From),
        FromEnd: begin(Until),
        UntilStart: begin(Until),
        UntilEnd: begin(nextOf(Until, 1)),
      },
    ])
  })

  test('a column of a grid is filtered, and a badge counted, by local days', async () => {
    const { Rows } = await post<{ Rows: Row[] }>('/api/v1/svc/object/Shown/table', night, {
      Filters: [
        { Field: 'Night', Operator: 'eq', Value: NIGHTS.indexOf(night) },
        { Field: 'Local', Operator: 'eq', Value: night.day },
      ],
      Sort: [{ Field: 'At' }],
      PageSize: 1000,
    })
    expect(Rows.map(({ At }) => At)).toEqual(meant(night, (day) => day === night.day))
    now = new Date(beginOf(night))
    const badges = await post<Record<string, { Value: number }>>('/api/v1/svc/navbar/badges', night)
    const here = NIGHTS.flatMap((each) => instantsAround(each)).filter(
      (at) => dayAt(Date.parse(at), night.zone) === night.day,
    )
    expect(badges['Here']?.Value).toBe(here.length)
  })
})

test('what is asked in one zone is not answered to another', async () => {
  const [berlin, york] = ['Europe/Berlin', 'America/New_York'].map((zone) => ({
    ...(NIGHTS[0] ?? { day: '', hours: 24 }),
    zone,
  }))
  if (!berlin || !york) throw new Error('There are two zones')
  const groups = async (night: Night) => {
    const data = await post<{ DataSets: Record<string, { Rows: Row[] }> }>(
      '/api/v1/svc/reports/Parts/data',
      night,
      { Arguments: { Night: '0' } },
    )
    return (data.DataSets['Groups']?.Rows ?? [])
      .map(({ Month, Week, Day, Hour, N }) => `${Month} ${Week} ${Day} ${Hour} ${N}`)
      .toSorted()
  }
  const first = NIGHTS.slice(0, 1).flatMap((each) => instantsAround(each))
  // From the second time on an answer is cached.
  for (let time = 0; time < 3; time++)
    for (const night of [berlin, york]) expect(await groups(night)).toEqual(groupsOf(night, first))
})
