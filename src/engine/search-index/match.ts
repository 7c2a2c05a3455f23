/** What is searched for: its words as FTS5 is asked for them, and where a text has them. */
import { codeOf } from './entries.ts'
import { readWords, type Word } from './words.ts'

/** Words of one search. */
export const WORDS_MAX = 12

/** What stood between two blanks: words that follow each other, the last as far as it was typed. */
export type Phrase = readonly string[]

/** A search text as it is understood. */
export interface SearchWords {
  phrases: readonly Phrase[]
  /** Words that were too many, as they were typed. */
  ignored: readonly string[]
}

/** The phrases of a search text. Nothing of it is an operator: it has words, or it has none. */
export function readSearch(text: string): SearchWords {
  const phrases: Phrase[] = []
  const ignored: string[] = []
  let left = WORDS_MAX
  for (const part of text.split(/\s+/u)) {
    const words = readWords(part).map(({ word }) => word)
    if (words.length === 0) continue
    if (words.length > left) ignored.push(part)
    else phrases.push(words)
    left -= Math.min(left, words.length)
  }
  return { phrases, ignored }
}

/**
 * The query of FTS5 for records of a scope that have every phrase in one of the places. Words hold
 * letters and digits alone, so none of them can end its quotation.
 */
export function composeMatch(
  phrases: readonly Phrase[],
  scope: number,
  places: readonly number[],
): string {
  const code = codeOf(scope)
  const terms = phrases.map((words) => `"${words.map((word) => code + word).join(' ')}" *`)
  return `{${places.map((place) => `c${place}`).join(' ')}} : (${terms.join(' AND ')})`
}

/** Where a text has a phrase. */
export interface Found {
  /** Number of its first word in the text. */
  at: number
  /** Words that it takes. */
  words: number
  /** Whether the last word is the whole one. */
  isWhole: boolean
}

/** The places of a phrase in the words of a text. */
export function findPhrase(words: readonly Word[], phrase: Phrase): Found[] {
  const last = phrase.length - 1
  const ending = phrase[last] ?? ''
  return words.flatMap((_, at): Found[] => {
    const isThere = phrase.every((wanted, offset) => {
      const word = words[at + offset]?.word
      return offset === last ? word?.startsWith(wanted) === true : word === wanted
    })
    if (!isThere) return []
    return [{ at, words: phrase.length, isWhole: words[at + last]?.word === ending }]
  })
}
