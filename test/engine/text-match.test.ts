import { expect, test } from 'bun:test'
import { openMemory, prepareNative } from '../../src/store/connection/native.ts'
import { planTextPattern } from '../../src/engine/object/read/text-match.ts'

const database = openMemory()
const statement = prepareNative(database, 'SELECT @text GLOB @pattern AS found')

function matches(text: string, sought: string, at: 'anywhere' | 'start' | 'end'): boolean {
  const pattern = planTextPattern(sought, at)
  return statement.get({ text, pattern })?.[0] === 1
}

const FOUND: [text: string, sought: string, at: 'anywhere' | 'start' | 'end'][] = [
  ['Müller & Söhne', 'müLLER', 'start'],
  ['MÜLLER', 'müller', 'anywhere'],
  ['Łódź', 'łÓDŹ', 'anywhere'],
  ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς', 'anywhere'],
  ['Straße', 'STRAẞE', 'anywhere'],
  ['Жизнь', 'жИЗ', 'start'],
  ['100 % [sic] *?', '% [SIC] *?', 'end'],
  ['a]b^c-d', ']B^C-', 'anywhere'],
  ['300 K', 'k', 'end'],
  ['ſet', 'SET', 'anywhere'],
  ['éclair', 'ECLAIR', 'anywhere'],
  ['Eclair', 'éc', 'start'],
  ['Nguyễn', 'nguyen', 'anywhere'],
  ['Søren Łódź', 'soren lodz', 'anywhere'],
  ['İstanbul', 'istanbul', 'start'],
  ['Ψωμί', 'ψωμι', 'anywhere'],
  ['日本語', '本', 'anywhere'],
  ['emoji 🚲 here', '🚲', 'anywhere'],
]

test.each(FOUND)('%p has %p (%s)', (text, sought, at) => {
  expect(matches(text, sought, at)).toBe(true)
})

const NOT_FOUND: [text: string, sought: string, at: 'anywhere' | 'start' | 'end'][] = [
  ['abc', 'a?c', 'anywhere'],
  ['abc', '*', 'anywhere'],
  ['abc', '[abc]', 'anywhere'],
  ['xabc', 'abc', 'start'],
  ['abcx', 'abc', 'end'],
  ['abc', 'abd', 'anywhere'],
]

test.each(NOT_FOUND)('%p has no %p (%s)', (text, sought, at) => {
  expect(matches(text, sought, at)).toBe(false)
})
