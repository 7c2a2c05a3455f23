/** xlsx CVE-2024-22363: what no spreadsheet writes is looked through once. */
import { expect, test } from 'bun:test'
import { listTags, readAttributes, readRuns } from '../../src/engine/sheets/xlsx-markup.ts'

const LONG = 2_000_000

test.each([
  ['a word without end', 'a'.repeat(LONG)],
  ['a word and blanks without end', `a${' '.repeat(LONG)}`],
  ['quotes without end', 'a="'.repeat(LONG / 4)],
])('attributes of %s', (_, tag) => {
  expect(readAttributes(tag).get('r')).toBeUndefined()
})

test('attributes, whatever stands around them', () => {
  const tag = ` x:r = 'A1' s="3" t="a&amp;b" xml:space='preserve'`
  expect(Object.fromEntries(readAttributes(tag))).toEqual({
    r: 'A1',
    s: '3',
    t: 'a&b',
    space: 'preserve',
  })
})

test('tags and texts that never end are none', () => {
  expect([...listTags('<sheet '.repeat(LONG / 8), 'sheet')]).toEqual([])
  expect(readRuns('<t>'.repeat(LONG / 4))).toBe('')
  expect(readRuns('&'.repeat(LONG))).toBe('')
})
