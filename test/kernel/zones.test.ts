import { expect, test } from 'bun:test'
import { dayIn, isZone, startOfDay, utcOffsetMinutes } from '../../src/kernel/zones.ts'

test.each(['UTC', 'Europe/Berlin', 'europe/berlin', 'US/Pacific', 'Etc/GMT+5'])(
  '%s is a zone',
  (name) => {
    expect(isZone(name)).toBe(true)
  },
)

test.each(['', '+02:00', 'Mars/Olympus', 'Europe/Berlin ', 'x'.repeat(100), '../etc'])(
  '"%s" is no zone',
  (name) => {
    expect(isZone(name)).toBe(false)
  },
)

test.each([
  ['2026-03-28T23:30:00Z', 'Europe/Berlin', '2026-03-29'],
  ['2026-01-01T04:59:59Z', 'America/New_York', '2025-12-31'],
  ['2026-01-01T05:00:00Z', 'America/New_York', '2026-01-01'],
  ['2026-01-01T12:00:00Z', 'Pacific/Kiritimati', '2026-01-02'],
])('%s in %s is the day %s', (instant, zone, day) => {
  expect(dayIn(new Date(instant), zone)).toBe(day)
})

test.each([
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
  // Clocks went forward at midnight: the day began at 01:00.
  ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
  ['2026-06-01', 'UTC', '2026-06-01T00:00:00.000Z'],
])('the day %s in %s begins at %s', (day, zone, instant) => {
  expect(startOfDay(day, zone).toISOString()).toBe(instant)
})

test.each([
  ['2026-01-01T00:00:00Z', 'Europe/Berlin', 60],
  ['2026-07-01T00:00:00Z', 'Europe/Berlin', 120],
  ['2026-07-01T00:00:00Z', 'Asia/Kathmandu', 345],
  ['2026-07-01T00:00:00Z', 'America/New_York', -240],
])('at %s %s is %d minutes ahead of UTC', (instant, zone, minutes) => {
  expect(utcOffsetMinutes(new Date(instant), zone)).toBe(minutes)
})

test('a day is kept until its end, also where clocks go on or a day is left out', () => {
  const days = (zone: string, from: string, hours: number): string[] => {
    const start = Date.parse(from)
    const all = Array.from({ length: hours }, (_, at) =>
      dayIn(new Date(start + at * 3_600_000), zone),
    )
    return all.map((day, at) => `${at} ${day}`).filter((_, at) => all[at] !== all[at - 1])
  }
  expect(days('Europe/Berlin', '2026-10-24T20:00:00Z', 40)).toEqual([
    '0 2026-10-24',
    '2 2026-10-25',
    '27 2026-10-26',
  ])
  expect(days('Pacific/Apia', '2011-12-30T08:00:00Z', 30)).toEqual([
    '0 2011-12-29',
    '2 2011-12-31',
    '26 2012-01-01',
  ])
  // And back again: what is kept says nothing of an earlier instant.
  expect(days('Europe/Berlin', '2026-10-24T20:00:00Z', 1)).toEqual(['0 2026-10-24'])
})
