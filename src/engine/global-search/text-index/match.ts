/** Search texts: their words as a query of FTS5, and the places where a text has them. */
import { codeOf } from './entries.ts'
import { type IndexedWord, readWords } from './words.ts'

/** Words of one search. */
const WORDS_MAX = 12

/** The text between two blanks: words in sequence, the last as much of it as was typed. */
export type Phrase = readonly string[]

/** One way to write a term. */
export interface Spelling {
  phrase: Phrase
  /** The weight of a spelling: 1 as it was typed, less for one that only comes near. */
  weight: number
}

/** A typed term, in any of its spellings. */
export type Term = readonly Spelling[]

/** A search text as it is understood. */
interface SearchWords {
  terms: readonly Term[]
  /** Words that were too many, as they were typed. */
  ignored: readonly string[]
}

/**
 * The terms of a search text, each as it was typed. Nothing of it is an operator: it has words, or
 * it has none.
 */
export function readSearch(text: string): SearchWords {
  const terms: Term[] = []
  const ignored: string[] = []
  let left = WORDS_MAX
  for (const part of text.split(/\s+/u)) {
    const words = readWords(part).map(({ word }) => word)
    if (words.length === 0) continue
    if (words.length > left) ignored.push(part)
    else terms.push([{ phrase: words, weight: 1 }])
    left -= Math.min(left, words.length)
  }
  return { terms, ignored }
}

/**
 * The query of FTS5 for records of a scope that have every term in one of the places. Words hold
 * letters and digits alone, so none of them can end its quotation.
 */
export function composeMatch(
  terms: readonly Term[],
  scope: number,
  places: readonly number[],
): string {
  const code = codeOf(scope)
  const compose = ({ phrase }: Spelling) => `"${phrase.map((word) => code + word).join(' ')}" *`
  const parts = terms.map((term) => `(${term.map(compose).join(' OR ')})`)
  return `{${places.map((place) => `c${place}`).join(' ')}} : (${parts.join(' AND ')})`
}

/** The place where a text has a phrase. */
export interface Found {
  /** Number of its first word in the text. */
  at: number
  /** Words that it takes. */
  words: number
  /** True when the last word is matched to its end. */
  isWhole: boolean
}

/** The places of a phrase in the words of a text. */
export function findPhrase(words: readonly IndexedWord[], phrase: Phrase): Found[] {
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
