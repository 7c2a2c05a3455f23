import { expect, test } from 'bun:test'
import { formatNumber, planCounter } from '../../src/engine/object/record/sequence.ts'

const facts = {
  number: 42,
  day: '2026-03-09',
  company: 'NORTH',
  values: new Map([['kind', 'web']]),
}

test.each([
  ['SO-{yyyy}-{#####}', 'SO-2026-00042'],
  ['{yy}{MM}{dd}/{#}', '260309/42'],
  ['{Company}-{Field:Kind}-{###}', 'NORTH-web-042'],
  ['{Field:Missing}{unknown}-{##}', '{unknown}-42'],
])('%s gives %s', (format, expected) => {
  expect(formatNumber(format, facts)).toBe(expected)
})

test('a number outgrows its digits instead of losing one', () => {
  expect(formatNumber('{##}', { ...facts, number: 12345 })).toBe('12345')
})

/** An instant that is another day, month and year already in the company's zone. */
const NOW = new Date('2026-12-31T23:30:00Z')
const COMPANY = { id: 7, code: 'NORTH', timeZone: 'Europe/Berlin' }
const sequence = {
  ...({ name: 'Orders', format: '{#}', reset: 'Never', perCompany: true } as const),
  start: 1,
  was: undefined,
}

test.each([
  ['Never', ''],
  ['Yearly', '2027'],
  ['Monthly', '2027-01'],
  ['Daily', '2027-01-01'],
] as const)('%s counts in the period of the company’s zone', (reset, period) => {
  expect(planCounter({ ...sequence, reset }, COMPANY, { now: NOW })).toEqual({
    name: 'Orders',
    company: 7,
    period,
    day: '2027-01-01',
    companyCode: 'NORTH',
  })
})

test('one that is not of each company counts for all of them', () => {
  const counters = [7, 8].map((id) =>
    planCounter({ ...sequence, perCompany: false }, { ...COMPANY, id }, { now: NOW }),
  )
  expect(counters.map(({ company }) => company)).toEqual([0, 0])
})
