/** Names whose words stand apart in a question: `countries we ship to` for the ship country. */
import type { Language } from './language.ts'
import type { Subject } from './scope.ts'
import { type QuestionWord, stemText } from './words.ts'

type Phrases = Subject['phrases']

interface Part {
  words: readonly QuestionWord[]
  text: string
  known: { isStop: boolean } | undefined
  meanings: readonly { kind: string }[]
}

/** The meanings of a noun by the name that it makes with a word elsewhere in the question. */
interface JoinedName {
  /** The place of the noun, and that of the other word. */
  noun: number
  other: number
  meanings: NonNullable<ReturnType<Phrases['get']>>
}

/** Finds the first name whose words stand apart: one of a field that the noun alone is not. */
export function findApart(
  parts: readonly Part[],
  phrases: Phrases,
  language: Language,
): JoinedName | undefined {
  // Stems are made once: a question may have a hundred words, and each is held against each.
  const fields = parts.flatMap(({ text, meanings }, noun) =>
    meanings.some(({ kind }) => kind === 'field')
      ? [{ noun, stem: stemText(text, language).join(' ') }]
      : [],
  )
  if (fields.length === 0) return undefined
  const places = new Map<string, number[]>()
  for (const { noun, stem } of fields) places.getOrInsertComputed(stem, () => []).push(noun)
  for (const [other, part] of parts.entries()) {
    const nouns = listNouns(part, language)
    if (nouns.length === 0 || isAdjective(parts, other)) continue
    const named = findNamed(nouns, places, phrases, other)
    if (named) return { noun: named.noun, other, meanings: named.meanings }
  }
  return undefined
}

/** The nouns that a word may stand for in a name: of a verb, or itself where nothing knows it. */
function listNouns({ words, text, known, meanings }: Part, language: Language): readonly string[] {
  const stem = stemText(text, language).join(' ')
  const ofVerb = language.verbs.get(stem)
  if (ofVerb) return ofVerb
  const isOpen = known === undefined && meanings.length === 0
  return isOpen && stem !== '' && words[0]?.kind === 'word' && words.length === 1 ? [stem] : []
}

/** True for `shipped` before the records themselves: it says which ones. */
const isAdjective = (parts: readonly Part[], at: number): boolean =>
  parts[at + 1]?.meanings.some(({ kind }) => kind === 'self') === true

/** The record's own fields of a name in two words or in one: of the first noun that makes one. */
function findNamed(
  nouns: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  phrases: Phrases,
  other: number,
): Pick<JoinedName, 'noun' | 'meanings'> | undefined {
  let first: Pick<JoinedName, 'noun' | 'meanings'> | undefined
  for (const noun of nouns)
    for (const phrase of listBeginning(phrases, noun)) {
      const rest = phrase.slice(noun.length).trimStart()
      const at = places.get(rest)?.find((place) => place !== other)
      if (at === undefined || (first && first.noun <= at)) continue
      const own = phrases.get(phrase)?.filter((each) => each.kind === 'field' && !each.at.depth)
      if (own?.length) first = { noun: at, meanings: own }
    }
  return first
}

/** Letters by which phrases are found that begin as a noun does. */
const START = 3
const byStart = new WeakMap<Phrases, ReadonlyMap<string, readonly string[]>>()

function listBeginning(phrases: Phrases, noun: string): readonly string[] {
  const known = byStart.getOrInsertComputed(phrases, () =>
    Map.groupBy(phrases.keys(), (phrase) => phrase.slice(0, START)),
  )
  return (known.get(noun.slice(0, START)) ?? []).filter((phrase) => phrase.startsWith(noun))
}
