import { expect, test } from 'bun:test'
import { isLanguageTag, pickLanguage } from '../../src/kernel/languages.ts'

const LANGUAGES = ['en', 'de', 'de-CH', 'pt-BR', 'zh-Hant']

const ROWS: [header: string | null, picked: string][] = [
  [null, 'en'],
  ['de', 'de'],
  ['de-CH', 'de-CH'],
  ['DE-ch', 'de-CH'],
  ['de-CH-1996', 'de-CH'],
  ['de-AT', 'de'],
  // A range is cut, never completed (RFC 4647, 3.4).
  ['pt', 'en'],
  ['pt, de;q=0.1', 'de'],
  // A single letter goes with what it introduces.
  ['zh-Hant-x-private', 'zh-Hant'],
  ['zh-Hans', 'en'],
  ['da, en-GB;q=0.8, de;q=0.7', 'en'],
  ['de;q=0.7, en;q=0.7', 'de'],
  ['de;q=0.001', 'de'],
  ['de;q=0.0001', 'en'],
  ['en;q=0', 'en'],
  ['en;q=0, *;q=0.5', 'de'],
  // What is ruled out is not what a longer range is cut to.
  ['de-AT, de;q=0', 'en'],
  [' de ; q=1 ', 'de'],
  ['de;level=1', 'en'],
  ['<script>, de', 'de'],
]

test.each(ROWS)('%s', (header, picked) => {
  expect(pickLanguage(header, LANGUAGES, 'en')).toBe(picked)
})

test('a header of any length and form is answered at once', () => {
  const odd = ['q=1', ';;;;', '-'.repeat(999), '*;'.repeat(400), 'a-'.repeat(400), '\u0000,de;q=']
  for (const header of odd) expect(pickLanguage(header, LANGUAGES, 'en')).toBe('en')
})

test('a language is one that numbers and days can be written by', () => {
  for (const tag of ['en', 'de-AT', 'pt-BR', 'zh-Hant', 'de-CH-1996', 'de-ZZ'])
    expect([tag, isLanguageTag(tag)]).toEqual([tag, true])
  for (const tag of ['de-a1', 'de-abcdefgh-ab', 'constructor', 'de_DE', '', 'de-'])
    expect([tag, isLanguageTag(tag)]).toEqual([tag, false])
})
