import { expect, test } from 'bun:test'
import { formatNumber } from '../../src/engine/object/settle/sequence.ts'

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
