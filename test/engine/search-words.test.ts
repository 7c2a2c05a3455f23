/** Words of the global search: read alike from records and from what is searched for. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { composeMatch, findPhrase, readSearch } from '../../src/engine/search-index/match.ts'
import { foldWord, readWords } from '../../src/engine/search-index/words.ts'

test.each([
  ['Größe', 'grosse'],
  ['GRÖSSE', 'grosse'],
  ['ŁÓDŹ', 'lodz'],
  ['Ｆｕｌｌ', 'full'],
  ['ﬁne', 'fine'],
  ['ΣΊΣΥΦΟΣ', 'σισυφοσ'],
  ['Œuvre', 'oeuvre'],
  ['İstanbul', 'istanbul'],
  ['ІВАН', 'іван'],
  ['שָׁלוֹם', 'שלום'],
  ['مُحَمَّد', 'محمد'],
  ['हिन्दी', 'हिन्दी'],
  ['한국어', '한국어'],
  ['ｶﾞ', 'ガ'],
])('%s is compared as %s', (word, folded) => expect(foldWord(word)).toBe(folded))

test('a word has its place in the text, in UTF-16 units', () => {
  expect(readWords('😀 Straße-東京 x1')).toEqual([
    { word: 'strasse', start: 3, length: 6 },
    { word: '東', start: 10, length: 1 },
    { word: '京', start: 11, length: 1 },
    { word: 'x1', start: 13, length: 2 },
  ])
})

test('words hold nothing that FTS5 or its tokenizer takes for anything else', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      for (const { word, start, length } of readWords(text)) {
        expect(word).toMatch(/^[\p{L}\p{N}\p{M}]+$/u)
        expect(word).not.toMatch(/[\0-\x2f\x3a-\x60\x7b-\x7f]/)
        expect(length).toBeGreaterThan(0)
        expect(start + length).toBeLessThanOrEqual(text.length)
      }
    }),
  )
})

test('what stands in a text is found by its own words, its beginning and its order', () => {
  const words = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { maxLength: 6 })
  fc.assert(
    fc.property(words, (parts) => {
      const text = parts.join(' ')
      const read = readWords(text)
      for (const phrase of readSearch(text).phrases)
        expect(findPhrase(read, phrase).length).toBeGreaterThan(0)
    }),
  )
  expect(findPhrase(readWords('one two three'), ['two', 'th'])).toEqual([
    { at: 1, words: 2, isWhole: false },
  ])
  expect(findPhrase(readWords('one two three'), ['tw', 'three'])).toEqual([])
})

test('a query of FTS5 names the columns that may be searched, and the scope at each word', () => {
  expect(composeMatch(readSearch("o'brien Oak").phrases, 36, [0, 3])).toBe(
    '{c0 c3} : ("0010o 0010brien" * AND "0010oak" *)',
  )
  expect(() => composeMatch([['x']], 36 ** 4, [0])).toThrow('no scope left')
})
