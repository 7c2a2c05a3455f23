/**
 * The score of a record for a search, and its snippet: by the texts that the caller sees and by
 * nothing else. Numbers of other records, as in BM25, would reveal hidden ones.
 */
import type { FoundRecord } from './find-hits.ts'
import { findPhrase, type Found, type Phrase, type Term } from './text-index/match.ts'
import { type IndexedWord, readWords } from './text-index/words.ts'
import type { IndexedField } from '../object/read/indexed-view.ts'

/** Characters of a snippet: the text shown around a match. */
const SNIPPET_CHARACTERS = 160
/** Characters of a snippet before the first matched word. */
const SNIPPET_BEFORE = 40

const TITLE_WEIGHT = 8
const TEXT_WEIGHT = 2
/** A word as it was typed counts more than one that only begins so. */
const WHOLE_FACTOR = 1.5
/** The factor for a text that begins with the typed one. */
const FIRST_FACTOR = 1.25

/** A record as it is shown. */
export interface Hit {
  key: FoundRecord['key']
  title: string
  snippet: string
  /** Ranges of the snippet that match: start and length in UTF-16 units. */
  ranges: readonly (readonly [number, number])[]
  score: number
  /** The phrase of each term that the text has. */
  phrases: readonly Phrase[]
}

interface ReadText {
  text: string
  words: readonly IndexedWord[]
  /** The spellings found, by term. */
  found: readonly (readonly FoundSpelling[])[]
  score: number
}

interface FoundSpelling extends Found {
  phrase: Phrase
  rating: number
}

/**
 * The record as a hit; undefined where the texts that the caller sees do not have every term: its
 * entry is older than its row.
 */
export function scoreRecord(
  { key, texts }: FoundRecord,
  fields: readonly IndexedField[],
  terms: readonly Term[],
): Hit | undefined {
  const read = fields.map((field, at) => readText(texts[at] ?? '', field, terms))
  const phrases = terms.flatMap((_, at) => findBest(read.flatMap(({ found }) => found[at] ?? [])))
  if (phrases.length < terms.length) return undefined
  const best = read.reduce<ReadText | undefined>(
    (most, each) => (most === undefined || each.score > most.score ? each : most),
    undefined,
  )
  const at = fields.findIndex(({ isTitle }) => isTitle)
  const title = read[at]?.text ?? read.find(({ text }) => text !== '')?.text ?? ''
  return {
    key,
    title: title === '' ? key.map(String).join(' ') : title,
    ...cutSnippet(best),
    score: round(read.reduce((sum, each) => sum + each.score, 0)),
    phrases,
  }
}

function findBest(found: readonly FoundSpelling[]): [Phrase] | [] {
  const [first, ...others] = found
  if (!first) return []
  return [others.reduce((most, each) => (each.rating > most.rating ? each : most), first).phrase]
}

const round = (score: number): number => Math.round(score * 100) / 100

function readText(text: string, { isTitle }: IndexedField, terms: readonly Term[]): ReadText {
  const words = readWords(text)
  const weight = isTitle ? TITLE_WEIGHT : TEXT_WEIGHT
  const found = terms.map((term) => findSpellings(words, term, weight))
  const score = found.reduce((sum, places) => sum + Math.max(0, ...places.map(rated)), 0)
  return { text, words, found, score }
}

const rated = ({ rating }: FoundSpelling): number => rating

function findSpellings(
  words: readonly IndexedWord[],
  term: Term,
  fieldWeight: number,
): FoundSpelling[] {
  return term.flatMap(({ phrase, weight }) =>
    findPhrase(words, phrase).map((found) => {
      const factor = (found.isWhole ? WHOLE_FACTOR : 1) * (found.at === 0 ? FIRST_FACTOR : 1)
      return { ...found, phrase, rating: fieldWeight * weight * found.words * factor }
    }),
  )
}

function cutSnippet(best: ReadText | undefined): Pick<Hit, 'snippet' | 'ranges'> {
  if (!best) return { snippet: '', ranges: [] }
  const { text, words } = best
  const marked = listMarked(best)
  const first = marked[0]
  const from = first === undefined ? 0 : startAt(words, first.start)
  const to = endAt(words, text, from)
  const [head, tail] = [from > 0 ? '… ' : '', to < text.length ? ' …' : '']
  const shift = head.length - from
  return {
    snippet: head + text.slice(from, to).trimEnd() + tail,
    ranges: marked
      .filter(({ start, length }) => start >= from && start + length <= to)
      .map(({ start, length }) => [start + shift, length] as const),
  }
}

/** The words that were found, each once, in their order. */
function listMarked({ words, found }: ReadText): IndexedWord[] {
  const marked = new Set<number>()
  for (const places of found)
    for (const place of places)
      for (let offset = 0; offset < place.words; offset++) marked.add(place.at + offset)
  return words.filter((_, at) => marked.has(at))
}

/** A snippet begins with a word. */
function startAt(words: readonly IndexedWord[], first: number): number {
  if (first <= SNIPPET_BEFORE) return 0
  const least = first - SNIPPET_BEFORE
  return words.find(({ start }) => start >= least)?.start ?? first
}

function endAt(words: readonly IndexedWord[], text: string, from: number): number {
  const most = from + SNIPPET_CHARACTERS
  if (text.length <= most) return text.length
  const last = words.findLast(({ start, length }) => start >= from && start + length <= most)
  return last ? last.start + last.length : most
}
