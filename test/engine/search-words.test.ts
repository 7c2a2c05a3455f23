/** Words of the global search: read alike from records and from what is searched for. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  composeMatch,
  findPhrase,
  readSearch,
} from '../../src/engine/global-search/text-index/match.ts'
import { findNearestStart } from '../../src/engine/global-search/text-index/spelling.ts'
import { foldWord, readWords } from '../../src/engine/global-search/text-index/words.ts'

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
      for (const { phrase } of readSearch(text).terms.flat())
        expect(findPhrase(read, phrase).length).toBeGreaterThan(0)
    }),
  )
  expect(findPhrase(readWords('one two three'), ['two', 'th'])).toEqual([
    { at: 1, words: 2, isWhole: false },
  ])
  expect(findPhrase(readWords('one two three'), ['tw', 'three'])).toEqual([])
})

test('a query of FTS5 names the columns that may be searched, and the scope at each word', () => {
  expect(composeMatch(readSearch("o'brien Oak").terms, 36, [0, 3])).toBe(
    '{c0 c3} : (("0010o 0010brien" *) AND ("0010oak" *))',
  )
  const spellings = ['oka', 'oak'].map((word) => ({ phrase: [word], weight: 1 }))
  expect(composeMatch([spellings], 36, [1])).toBe('{c1} : (("0010oka" * OR "0010oak" *))')
  expect(() => composeMatch([[{ phrase: ['x'], weight: 1 }]], 36 ** 4, [0])).toThrow(
    'no scope left',
  )
})

test.each([
  ['electrcal', 'electrical', 'electrical', 1],
  ['eletr', 'electrical', 'electr', 1],
  ['elecrt', 'electrical', 'electr', 1],
  ['ambr', 'amber', 'amber', 1],
  ['ambbr', 'amber', 'amber', 1],
  ['amberr', 'amber', 'amber', 1],
  ['amber', 'ambering', 'amber', 0],
  ['straßse', 'strasse', 'strasse', 1],
])('%s comes near %s by its beginning %s', (typed, word, start, distance) => {
  expect(findNearestStart(typed, word, 1)).toEqual({ start, distance })
})

test('what is farther than asked for is not near; the distance is that of the plain table', () => {
  expect(findNearestStart('works', 'wroth', 1)).toBeUndefined()
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 9 })
  fc.assert(
    fc.property(letters, letters, fc.integer({ min: 0, max: 2 }), (typed, word, most) => {
      const starts = Array.from({ length: word.length + 1 }, (_, at) => word.slice(0, at))
      const all = starts.filter(({ length }) => length >= typed.length - 1)
      const least = Math.min(...all.map((start) => measure(typed, start)))
      const found = findNearestStart(typed, word, most)
      expect(found?.distance).toBe(least <= most ? least : undefined)
      if (found) expect(measure(typed, found.start)).toBe(least)
    }),
  )
})

/** Letters replaced, left out, added or exchanged with their neighbour, by trying each. */
function measure(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length
  const [restA, restB] = [a.slice(0, -1), b.slice(0, -1)]
  if (a.at(-1) === b.at(-1)) return measure(restA, restB)
  const steps = [measure(restA, restB), measure(restA, b), measure(a, restB)]
  if (a.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1))
    steps.push(measure(a.slice(0, -2), b.slice(0, -2)))
  return 1 + Math.min(...steps)
}
