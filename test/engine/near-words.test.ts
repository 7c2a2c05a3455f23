/** Mistyped words: the one that comes near is found among all, whichever letters are wrong. */
import { expect, test } from 'bun:test'
import { findLanguage, type Known } from '../../src/engine/assistant/builtin/language.ts'
import type { Meaning } from '../../src/engine/assistant/builtin/scope.ts'
import { countWrong, findNear } from '../../src/engine/assistant/builtin/spelling.ts'

const CORRECTED_MIN = 5
const LONG_WORD = 8

/** A word with letters left out, too many, changed and exchanged, behind its first ones. */
const listMistyped = (word: string, at: number): string[] => {
  const [start, letter, next, rest] = [
    word.slice(0, at),
    word.charAt(at),
    word.charAt(at + 1),
    word.slice(at + 2),
  ]
  const ways = [next, `${letter}ö${next}`, `w${next}`, `${next}${letter}`, `q${letter}x`]
  return ways.map((way) => `${start}${way}${rest}`)
}

test.each(['en', 'de'])('a mistyped word in %s is read as the one phrase near it', (tag) => {
  const language = findLanguage('', tag)
  const known = [...language.phrases.keys()].filter((each) => !each.includes(' '))
  const mistyped = known
    .flatMap((phrase) => [1, 3, 4].flatMap((at) => listMistyped(phrase, at)))
    .filter((word) => word.length >= CORRECTED_MIN && /^\p{L}+$/u.test(word))
  let found = 0
  for (const word of mistyped) {
    const most = word.length >= LONG_WORD ? 2 : 1
    const near = known.flatMap((phrase) => {
      const wrong = phrase[0] === word[0] ? countWrong(word, phrase, most) : undefined
      return wrong === undefined || phrase.length < CORRECTED_MIN - 1 ? [] : [{ phrase, wrong }]
    })
    const fewest = Math.min(...near.map(({ wrong }) => wrong))
    const [only, ...others] = near.filter(({ wrong }) => wrong === fewest)
    const phrase = others.length === 0 ? only?.phrase : undefined
    expect([word, findNear(word, language, new Map())?.phrase]).toEqual([word, phrase])
    if (phrase !== undefined) found++
  }
  expect(found).toBeGreaterThan(known.length)
})

const MEANS: readonly Meaning[] = [{ kind: 'self', cost: 0, names: '' }]

test.each<[string, string[], string | undefined]>([
  ['nothing of the object', [], 'quarterly'],
  ['the same word of the object', ['quarterly'], 'quarterly'],
  ['a nearer word of the object', ['quarterlyx'], 'quarterlyx'],
  ['a word of the object that is as near', ['quarterlyab'], undefined],
  ['two nearer ones of the object', ['quarterlyxa', 'quarterlyxb'], undefined],
])('of the language and %s the one nearest is read', (_, own, expected) => {
  const known: Known = { concepts: new Set(), period: new Set(), isStop: false }
  const phrases = new Map([['quarterly', known]])
  const language = { ...findLanguage('', 'en'), phrases }
  const ofObject = new Map(own.map((phrase) => [phrase, MEANS]))
  expect(findNear('quarterlyxz', language, ofObject)?.phrase).toBe(expected)
})
