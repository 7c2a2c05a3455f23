/** Recurring jobs: when they are due, over changes of clocks and over stops. */
import { describe, expect, test } from 'bun:test'
import { findCronFault, findNext, listLatest } from '../../src/kernel/cron.ts'
import { planOccurrences } from '../../src/engine/jobs/recurring-job.ts'

const at = (text: string): Date => new Date(`${text}Z`)
const text = (date: Date | undefined) => date?.toISOString().slice(0, 16)

/** The instants at which it comes after one, so many of them. */
function list(cron: string, timeZone: string, after: string, count: number): string[] {
  const found: string[] = []
  for (let last = at(after); found.length < count;) {
    const next = findNext({ cron, timeZone }, last)
    if (!next) break
    found.push(text(next) ?? '')
    last = next
  }
  return found
}

describe('over a change of clocks', () => {
  test.each([
    // 02:30 is left out on 29 March: it comes when the hour is over.
    [
      ...['30 2 * * *', 'Europe/Berlin', '2026-03-27T12:00'],
      ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30'],
    ],
    // 02:30 comes twice on 25 October, and the job once.
    [
      ...['30 2 * * *', 'Europe/Berlin', '2026-10-23T12:00'],
      ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30'],
    ],
    // What comes each half hour comes each half hour.
    [
      ...['*/30 * * * *', 'Europe/Berlin', '2026-10-25T00:01'],
      ['2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30'],
    ],
    [
      ...['*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:31'],
      ['2026-03-29T01:00', '2026-03-29T01:30', '2026-03-29T02:00'],
    ],
    // Clocks that move by half an hour, and a day whose midnight is left out.
    [
      ...['15 0 * * *', 'Australia/Lord_Howe', '2026-04-03T12:00'],
      ['2026-04-03T13:15', '2026-04-04T13:15', '2026-04-05T13:45'],
    ],
    [
      ...['15 0 * * *', 'America/Sao_Paulo', '2018-11-02T12:00'],
      ['2018-11-03T03:15', '2018-11-04T03:00', '2018-11-05T02:15'],
    ],
  ] as [string, string, string, string[]][])('%s in %s after %s', (cron, zone, after, expected) => {
    expect(list(cron, zone, after, 3)).toEqual(expected)
    const last = at(expected.at(-1) ?? '')
    expect(listLatest({ cron, timeZone: zone }, 3, last).map(text)).toEqual(expected)
  })
})

test.each([
  ['0 6 29 2 *', 'UTC', '2096-03-01T00:00', ['2104-02-29T06:00']],
  ['0 0 31 2 *', 'UTC', '2026-01-01T00:00', []],
])('%s comes at %p', (cron, zone, after, expected) => {
  expect(list(cron, zone, after, 1)).toEqual(expected)
})

test.each([
  ['61 * * * *', 'UTC', 'minute'],
  ['* * * *', 'UTC', 'five'],
  ['* * * * * *', 'UTC', '5'],
  ['0 6 * * *', 'Mars/Olympus', 'There is no time zone Mars/Olympus'],
  ['0 0 31 2 *', 'Europe/Berlin', '0 0 31 2 * never comes'],
  ['0 0 31 4,6,9,11 *', 'UTC', 'never comes'],
])('%s in %s is refused with its reason', (cron, timeZone, why) => {
  expect(findCronFault({ cron, timeZone })).toContain(why)
})

test.each(['0 0 29 2 *', '0 0 31 2 1', '0 0 31 2,3 *'])('%s comes', (cron) => {
  expect(findCronFault({ cron, timeZone: 'UTC' })).toBeUndefined()
})

describe('what was missed', () => {
  const hourly = { cron: '0 * * * *', timeZone: 'UTC' }
  const plan = (missed: 'Relaxed' | 'Strict' | 'Ignorable', planned: string, now: string) => {
    const { due, next } = planOccurrences({ ...hourly, missed }, at(planned), at(now))
    return [due.map(text), text(next)]
  }
  test('nothing is due before its time', () => {
    const now = '2026-01-01T09:59:59'
    expect(plan('Strict', '2026-01-01T10:00', now)).toEqual([[], '2026-01-01T10:00'])
  })
  test.each(['Relaxed', 'Strict', 'Ignorable'] as const)('%s: in time it is one run', (missed) => {
    const found = plan(missed, '2026-01-01T10:00', '2026-01-01T10:00:20')
    expect(found).toEqual([['2026-01-01T10:00'], '2026-01-01T11:00'])
  })
  test.each([
    ['Relaxed', ['2026-01-01T10:00']],
    ['Strict', ['2026-01-01T10:00', '2026-01-01T11:00', '2026-01-01T12:00']],
    ['Ignorable', []],
  ] as const)('%s after a stop of hours', (missed, due) => {
    const found = plan(missed, '2026-01-01T10:00', '2026-01-01T12:30')
    expect(found).toEqual([[...due], '2026-01-01T13:00'])
  })
  test('Ignorable: back in time for the latest one, it is done', () => {
    const found = plan('Ignorable', '2026-01-01T10:00', '2026-01-01T12:00:30')
    expect(found).toEqual([['2026-01-01T12:00'], '2026-01-01T13:00'])
  })
  test('Strict after a year is the latest hundred', () => {
    const [due] = plan('Strict', '2025-01-01T10:00', '2026-01-01T12:30')
    expect(due).toHaveLength(100)
    expect(due?.[99]).toBe('2026-01-01T12:00')
  })
})
