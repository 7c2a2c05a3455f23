import { expect, test } from 'bun:test'
import { findDayRange } from '../../src/kernel/date-words.ts'

const TODAY = '2026-11-21' // a Saturday

const RANGES: [word: string, from: string, to: string][] = [
  ['today', '2026-11-21', '2026-11-21'],
  ['YESTERDAY', '2026-11-20', '2026-11-20'],
  ['tomorrow', '2026-11-22', '2026-11-22'],
  ['thisWeek', '2026-11-16', '2026-11-22'],
  ['lastWeek', '2026-11-09', '2026-11-15'],
  ['nextWeek', '2026-11-23', '2026-11-29'],
  ['thisMonth', '2026-11-01', '2026-11-30'],
  ['lastMonth', '2026-10-01', '2026-10-31'],
  ['nextMonth', '2026-12-01', '2026-12-31'],
  ['thisQuarter', '2026-10-01', '2026-12-31'],
  ['lastQuarter', '2026-07-01', '2026-09-30'],
  ['nextQuarter', '2027-01-01', '2027-03-31'],
  ['thisYear', '2026-01-01', '2026-12-31'],
  ['lastYear', '2025-01-01', '2025-12-31'],
  ['nextYear', '2027-01-01', '2027-12-31'],
  ['last7Days', '2026-11-15', '2026-11-21'],
  ['next30Days', '2026-11-21', '2026-12-20'],
  ['last1Days', '2026-11-21', '2026-11-21'],
  ['last2Weeks', '2026-11-08', '2026-11-21'],
  ['last12Months', '2025-11-22', '2026-11-21'],
  ['next3Months', '2026-11-21', '2027-02-20'],
  ['last1Years', '2025-11-22', '2026-11-21'],
  ['last9999Years', '0001-01-01', '2026-11-21'],
  ['next9999Years', '2026-11-21', '9999-12-31'],
  ['monthToDate', '2026-11-01', '2026-11-21'],
  ['quarterToDate', '2026-10-01', '2026-11-21'],
  ['yearToDate', '2026-01-01', '2026-11-21'],
]

test.each(RANGES)('%s is from %s to %s', (word, from, to) => {
  expect(findDayRange(word, TODAY)).toEqual({ from, to })
})

test.each([
  'someday',
  'last0Days',
  'last99999Days',
  'last0Months',
  'dayToDate',
  'thisCentury',
  'constructor',
  '',
])('%p is no word', (word) => {
  expect(findDayRange(word, TODAY)).toBeUndefined()
})

test('months of different lengths and years that leap', () => {
  expect(findDayRange('lastMonth', '2026-03-31')).toEqual({ from: '2026-02-01', to: '2026-02-28' })
  expect(findDayRange('lastYear', '2025-02-28')).toEqual({ from: '2024-01-01', to: '2024-12-31' })
  expect(findDayRange('thisWeek', '2026-01-01')).toEqual({ from: '2025-12-29', to: '2026-01-04' })
})
