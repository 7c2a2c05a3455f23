/** Instants by a working calendar: over changes of the clocks, days off, and without any work. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { WorkCalendar, WorkDuration } from '../../src/model/compiled/workflow.ts'
import { addWorkTime, subtractTime, type WorkTime } from '../../src/engine/workflow/work-time.ts'

const BERLIN = 'Europe/Berlin'
const WEEK = [1, 2, 3, 4, 5]
const ALL = [...WEEK, 6, 7]

const hours = (days: readonly number[], from: number, to: number): WorkCalendar => ({
  days,
  from: from * 60,
  to: to * 60,
  holidays: undefined,
})
const OFFICE = hours(WEEK, 9, 17)

const duration = (text: string): WorkDuration => ({
  count: Number(text.slice(0, -1)),
  unit: text.slice(-1) as WorkDuration['unit'],
})

/** Minutes of a clock in Berlin, with its offset. */
const inBerlin = (at: Date): string =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(BERLIN)
    .toString({ timeZoneName: 'never', smallestUnit: 'minute' })

const add = (
  start: string,
  text: string,
  calendar: WorkCalendar | undefined,
  holidays: readonly string[] = [],
): string => {
  const time: WorkTime = { zone: BERLIN, calendar, holidays: new Set(holidays) }
  return inBerlin(addWorkTime(new Date(start), duration(text), time))
}

const WINTER = '+01:00'
const SUMMER = '+02:00'
const NIGHT = hours(ALL, 2, 4)
const LATE = hours(WEEK, 22, 24)

/** Work, its begin, its length, its hours and days off, and its end. */
const TABLE: readonly [
  string,
  string,
  string,
  WorkCalendar | undefined,
  readonly string[],
  string,
][] = [
  // The clocks go forward at 2026-03-29 02:00 and back at 2026-10-25 03:00.
  [
    'a day of the clock',
    `2026-03-28T12:00${WINTER}`,
    '1d',
    undefined,
    [],
    `2026-03-29T12:00${SUMMER}`,
  ],
  ['24 hours', `2026-03-28T12:00${WINTER}`, '24h', undefined, [], `2026-03-29T13:00${SUMMER}`],
  ['a day back', `2026-10-24T12:00${SUMMER}`, '1d', undefined, [], `2026-10-25T12:00${WINTER}`],
  ['24 hours back', `2026-10-24T12:00${SUMMER}`, '24h', undefined, [], `2026-10-25T11:00${WINTER}`],
  ['no such time', `2026-03-28T02:30${WINTER}`, '1d', undefined, [], `2026-03-29T03:30${SUMMER}`],
  ['within a day', `2026-03-27T10:00${WINTER}`, '3h', OFFICE, [], `2026-03-27T13:00${WINTER}`],
  ['to the end', `2026-03-27T10:00${WINTER}`, '7h', OFFICE, [], `2026-03-27T17:00${WINTER}`],
  ['over a weekend', `2026-03-27T16:00${WINTER}`, '2h', OFFICE, [], `2026-03-30T10:00${SUMMER}`],
  ['over two days', `2026-03-27T16:59${WINTER}`, '482m', OFFICE, [], `2026-03-31T09:01${SUMMER}`],
  ['days', `2026-03-27T16:00${WINTER}`, '2d', OFFICE, [], `2026-03-31T16:00${SUMMER}`],
  ['from a Sunday', `2026-03-29T12:00${SUMMER}`, '1d', OFFICE, [], `2026-03-31T09:00${SUMMER}`],
  ['before work', `2026-03-27T05:00${WINTER}`, '30m', OFFICE, [], `2026-03-27T09:30${WINTER}`],
  ['after work', `2026-03-27T17:00${WINTER}`, '30m', OFFICE, [], `2026-03-30T09:30${SUMMER}`],
  ['a day after work', `2026-03-27T18:00${WINTER}`, '1d', OFFICE, [], `2026-03-31T09:00${SUMMER}`],
  ['nothing', `2026-03-28T12:00${WINTER}`, '0h', OFFICE, [], `2026-03-30T09:00${SUMMER}`],
  [
    'a day off',
    `2026-03-27T16:00${WINTER}`,
    '2h',
    OFFICE,
    ['2026-03-30'],
    `2026-03-31T10:00${SUMMER}`,
  ],
  [
    'days off',
    `2026-04-02T10:00${SUMMER}`,
    '1d',
    OFFICE,
    ['2026-04-03', '2026-04-06'],
    `2026-04-07T10:00${SUMMER}`,
  ],
  [
    'begun on a day off',
    `2026-04-03T10:00${SUMMER}`,
    '1h',
    OFFICE,
    ['2026-04-03'],
    `2026-04-06T10:00${SUMMER}`,
  ],
  ['to midnight', `2026-03-26T23:30${WINTER}`, '30m', LATE, [], `2026-03-27T00:00${WINTER}`],
  ['past midnight', `2026-03-26T23:30${WINTER}`, '31m', LATE, [], `2026-03-27T22:01${WINTER}`],
  ['hours left out', `2026-03-28T03:00${WINTER}`, '2h', NIGHT, [], `2026-03-29T04:00${SUMMER}`],
  [
    'hours left out, and more',
    `2026-03-28T03:00${WINTER}`,
    '121m',
    NIGHT,
    [],
    `2026-03-30T02:01${SUMMER}`,
  ],
  ['an hour twice', `2026-10-25T02:00${SUMMER}`, '3h', NIGHT, [], `2026-10-25T04:00${WINTER}`],
  ['a day into the gap', `2026-03-28T02:30${WINTER}`, '1d', NIGHT, [], `2026-03-29T03:30${SUMMER}`],
  [
    'nobody works',
    `2026-03-28T12:00${WINTER}`,
    '2d',
    hours([], 9, 17),
    [],
    `2026-03-30T12:00${SUMMER}`,
  ],
  [
    'nobody ever works',
    `2026-03-28T12:00${WINTER}`,
    '2h',
    hours([], 9, 17),
    [],
    `2026-03-28T14:00${WINTER}`,
  ],
]

for (const [what, start, text, calendar, holidays, end] of TABLE)
  test(`${what}: ${text} after ${start}`, () => {
    expect(add(start, text, calendar, holidays)).toBe(end)
  })

test('a reminder goes by the clock, also over its change', () => {
  const before = (end: string, text: string) =>
    inBerlin(subtractTime(new Date(end), duration(text), BERLIN))
  expect(before(`2026-03-29T12:00${SUMMER}`, '1d')).toBe(`2026-03-28T12:00${WINTER}`)
  expect(before(`2026-03-29T12:00${SUMMER}`, '24h')).toBe(`2026-03-28T11:00${WINTER}`)
  expect(before(`2026-10-25T12:00${WINTER}`, '1d')).toBe(`2026-10-24T12:00${SUMMER}`)
  expect(before(`2026-03-30T09:00${SUMMER}`, '30m')).toBe(`2026-03-30T08:30${SUMMER}`)
})

const ZONES = [BERLIN, 'UTC', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu']

/** Hours that no zone's clocks are changed in. */
const someTime = fc.record({
  zone: fc.constantFrom(...ZONES),
  calendar: fc.record({
    days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
    from: fc.integer({ min: 4 * 60, max: 11 * 60 }),
    to: fc.integer({ min: 12 * 60, max: 24 * 60 }),
    holidays: fc.constant(undefined),
  }),
  holidays: fc
    .uniqueArray(fc.integer({ min: 0, max: 365 }), { maxLength: 40 })
    .map((days) => new Set(days.map((day) => dayOf(day)))),
})

const FIRST = Temporal.PlainDate.from('2026-01-01')
const dayOf = (nth: number): string => FIRST.add({ days: nth }).toString()

const someStart = fc
  .integer({ min: 0, max: 360 * 24 * 60 })
  .map((minutes) => new Date(Date.parse('2026-01-01T00:00:00Z') + minutes * 60_000))

const zonedOf = (at: number, zone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)

/** True when somebody works in the minute that begins at an instant. */
function isWorked(at: number, { zone, calendar, holidays }: WorkTime): boolean {
  const zoned = zonedOf(at, zone)
  const minute = zoned.hour * 60 + zoned.minute
  if (!calendar?.days.includes(zoned.dayOfWeek)) return false
  if (holidays.has(zoned.toPlainDate().toString())) return false
  return minute >= calendar.from && minute < calendar.to
}

test('as many minutes as were asked for are worked until then, counted one by one', () => {
  const counted = fc.property(
    ...[someStart, someTime, fc.integer({ min: 1, max: 900 })],
    (start, time, count) => {
      let at = start.getTime()
      for (let left = count; left > 0; at += 60_000) if (isWorked(at, time)) left--
      expect(addWorkTime(start, { count, unit: 'm' }, time).getTime()).toBe(at)
    },
  )
  fc.assert(counted, { numRuns: 60 })
})

test('two times one after the other are both together; longer is later', () => {
  const few = fc.integer({ min: 1, max: 3000 })
  const both = fc.property(someStart, someTime, few, few, (start, time, one, two) => {
    const after = (from: Date, count: number) => addWorkTime(from, { count, unit: 'm' }, time)
    expect(after(after(start, one), two)).toEqual(after(start, one + two))
    expect(after(start, one + 1).getTime()).toBeGreaterThan(after(start, one).getTime())
    expect(addWorkTime(start, { count: one, unit: 'h' }, time)).toEqual(after(start, one * 60))
  })
  fc.assert(both, { numRuns: 100 })
})

test('days end on a day of work, in its hours, so many of them later', () => {
  const days = fc.property(
    ...[someStart, someTime, fc.integer({ min: 1, max: 20 })],
    (start, time, count) => {
      const end = addWorkTime(start, { count, unit: 'd' }, time)
      const zoned = zonedOf(end.getTime(), time.zone)
      const minute = zoned.hour * 60 + zoned.minute
      expect(isWorked(end.getTime(), time)).toBe(true)
      expect(minute).toBeGreaterThanOrEqual(time.calendar.from)
      const before = addWorkTime(start, { count: count - 1, unit: 'd' }, time)
      let passed = 0
      for (
        let day = zonedOf(before.getTime(), time.zone).toPlainDate();
        Temporal.PlainDate.compare(day, zoned.toPlainDate()) < 0;
        day = day.add({ days: 1 })
      )
        if (time.calendar.days.includes(day.dayOfWeek) && !time.holidays.has(day.toString()))
          passed++
      expect(passed).toBe(1)
    },
  )
  fc.assert(days, { numRuns: 150 })
})
