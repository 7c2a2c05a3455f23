/** Days of report filters in the caller's zone, on the nights when clocks change. */
import { describe, expect, test } from 'bun:test'
import type { Reader } from '../../src/store/store.ts'
import type { Report } from '../../src/model/compiled/report.ts'
import type { Model } from '../../src/model/model.ts'
import type { Caller } from '../../src/access/callers/caller.ts'
import { readArguments } from '../../src/engine/report-pages/report-arguments.ts'
import { compileSound } from '../support/compile-text.ts'

const REPORT = `<Report Name="Period"><Filters>
  <Filter Name="From" Type="Date"/><Filter Name="To" Type="Date"/><Filter Name="Since" Type="DateTime"/>
</Filters></Report>`

/** No default of it is a query. */
const NOTHING_IS_READ: Reader = {
  text: () => Promise.reject(new Error('Nothing is to be read')),
  get: () => Promise.reject(new Error('Nothing is to be read')),
  all: () => Promise.reject(new Error('Nothing is to be read')),
}

let compiled: Promise<Model> | undefined

async function bind(given: Record<string, string>, timeZone: string, now = '2026-01-01T12:00:00Z') {
  const model = await (compiled ??= compileSound({ 'a.xml': REPORT }))
  const report: Report | undefined = model.reports.get('Period')
  if (!report) throw new Error('The report is not there')
  const caller: Caller = {
    userId: 1,
    userName: 'ana',
    displayName: 'Ana',
    email: undefined,
    sessionId: 's',
    companyId: 1,
    companyCode: 'ONE',
    roles: [],
    isSystem: false,
    attributes: {},
    impersonatorId: undefined,
    timeZone,
  }
  const use = { report, grant: undefined, context: { caller, now: new Date(now), model } }
  const { values } = await readArguments(NOTHING_IS_READ, use, given)
  return Object.fromEntries(values)
}

describe('the end of a day', () => {
  const ENDS: [zone: string, why: string, day: string, end: string][] = [
    ['Europe/Vienna', 'before the short day', '2026-03-28', '2026-03-28T23:00:00.000Z'],
    ['Europe/Vienna', 'the short day', '2026-03-29', '2026-03-29T22:00:00.000Z'],
    ['Europe/Vienna', 'before the long day', '2026-10-24', '2026-10-24T22:00:00.000Z'],
    ['Europe/Vienna', 'the long day', '2026-10-25', '2026-10-25T23:00:00.000Z'],
    ['America/Santiago', 'the next has no midnight', '2026-09-05', '2026-09-06T04:00:00.000Z'],
    ['America/Santiago', 'the day without midnight', '2026-09-06', '2026-09-07T03:00:00.000Z'],
    ['America/Santiago', 'its last hour comes twice', '2026-04-04', '2026-04-05T04:00:00.000Z'],
    ['America/Santiago', 'before that day', '2026-04-03', '2026-04-04T03:00:00.000Z'],
    ['Africa/Cairo', 'the next has no midnight', '2026-04-23', '2026-04-23T22:00:00.000Z'],
    ['Africa/Cairo', 'the day without midnight', '2026-04-24', '2026-04-24T21:00:00.000Z'],
    ['Africa/Cairo', 'its last hour comes twice', '2026-10-29', '2026-10-29T22:00:00.000Z'],
    ['Asia/Beirut', 'the next has no midnight', '2026-03-28', '2026-03-28T22:00:00.000Z'],
    ['Asia/Beirut', 'the day without midnight', '2026-03-29', '2026-03-29T21:00:00.000Z'],
    ['Asia/Beirut', 'its last hour comes twice', '2026-10-24', '2026-10-24T22:00:00.000Z'],
    ['Pacific/Apia', 'a day that was left out', '2011-12-29', '2011-12-30T10:00:00.000Z'],
    ['Asia/Kathmandu', 'an offset of quarters', '2026-06-30', '2026-06-30T18:15:00.000Z'],
  ]
  test.each(ENDS)('%s, %s: %s ends at %s', async (zone, _, day, end) => {
    const { to, to_end: bound } = await bind({ To: day }, zone)
    expect([to, bound]).toEqual([day, end])
  })

  test('is where the next one begins, every day of a year, in every zone', async () => {
    for (const zone of ['Europe/Vienna', 'America/Santiago', 'Africa/Cairo', 'Asia/Beirut']) {
      let day = Temporal.PlainDate.from('2026-01-01')
      for (let at = 0; at < 365; at++, day = day.add({ days: 1 })) {
        const next = day.add({ days: 1 })
        const { to_end: end } = await bind({ To: `${day}` }, zone)
        const first = Temporal.Instant.from(String(end)).toZonedDateTimeISO(zone)
        expect(`${first.toPlainDate()}`).toBe(`${next}`)
        expect(`${first.subtract({ nanoseconds: 1 }).toPlainDate()}`).toBe(`${day}`)
      }
    }
  })
})

describe('words', () => {
  const WORDS: [zone: string, now: string, word: string, from: string, to: string, end: string][] =
    [
      // Santiago: 24:00 of the 4th is 23:00 again, so the day goes on for another hour.
      [
        ...(['America/Santiago', '2026-04-05T03:30:00Z', 'today'] as const),
        ...(['2026-04-04', '2026-04-04', '2026-04-05T04:00:00.000Z'] as const),
      ],
      [
        ...(['America/Santiago', '2026-09-06T04:00:00Z', 'today'] as const),
        ...(['2026-09-06', '2026-09-06', '2026-09-07T03:00:00.000Z'] as const),
      ],
      [
        ...(['America/Santiago', '2026-09-06T03:59:59Z', 'tomorrow'] as const),
        ...(['2026-09-06', '2026-09-06', '2026-09-07T03:00:00.000Z'] as const),
      ],
      [
        ...(['Africa/Cairo', '2026-10-29T21:30:00Z', 'thisWeek'] as const),
        ...(['2026-10-26', '2026-11-01', '2026-11-01T22:00:00.000Z'] as const),
      ],
      [
        ...(['Asia/Beirut', '2026-03-28T22:00:00Z', 'today'] as const),
        ...(['2026-03-29', '2026-03-29', '2026-03-29T21:00:00.000Z'] as const),
      ],
      [
        ...(['Europe/Vienna', '2026-03-31T22:30:00Z', 'LASTMONTH'] as const),
        ...(['2026-03-01', '2026-03-31', '2026-03-31T22:00:00.000Z'] as const),
      ],
      [
        ...(['Europe/Vienna', '2026-10-25T22:59:59Z', 'last7Days'] as const),
        ...(['2026-10-19', '2026-10-25', '2026-10-25T23:00:00.000Z'] as const),
      ],
    ]
  test.each(WORDS)('%s at %s: %s', async (zone, now, word, from, to, end) => {
    const bound = await bind({ From: word, To: word, Since: word }, zone, now)
    expect([bound.from, bound.to, bound.from_end, bound.to_end]).toEqual([from, to, end, end])
    const since = Temporal.Instant.from(String(bound.since)).toZonedDateTimeISO(zone)
    expect(`${since.toPlainDate()}`).toBe(from)
    expect(`${since.subtract({ nanoseconds: 1 }).toPlainDate()}`).not.toBe(from)
  })
})
