/** Names that come near a word which was not found: of the object's own words, and of its data. */
import type { Draft, UnknownText } from './draft.ts'
import { stemOf } from './language.ts'
import type { Lookups } from './lookups.ts'
import type { Meaning } from './scope.ts'
import { countWrong, listAlike } from './spelling.ts'
import { listPlaces } from './value-places.ts'
import { listNames } from './values.ts'
import { toPlain } from './words.ts'

/** Fewest letters of a word that others can come near. */
const LETTERS_MIN = 4
/** Letters from which on two may be wrong. */
const LONG_WORD = 6
/** Fields of the data that are looked through. */
const PLACES_MAX = 8
const NAMES_MAX = 3

/** Names that were perhaps meant by a text, the nearest first; three at most. */
export async function listNearNames(
  lookups: Lookups,
  draft: Draft,
  unknown: UnknownText,
): Promise<string[]> {
  const [word = ''] = toPlain(unknown.text)
    .split(/[^\p{L}]+/u)
    .toSorted((one, other) => other.length - one.length)
  if (word.length < LETTERS_MIN) return []
  const most = word.length >= LONG_WORD ? 2 : 1
  const found = new Map(listWords(draft, unknown, most))
  for (const place of listPlaces(draft, unknown).slice(0, PLACES_MAX)) {
    for (const name of await listNames(lookups, place, word.slice(0, LETTERS_MIN - 1))) {
      const wrong = distanceOf(name, toPlain(unknown.text), word, most)
      if (wrong !== undefined && wrong < (found.get(name) ?? Infinity)) found.set(name, wrong)
    }
  }
  const sorted = [...found].toSorted(([, one], [, other]) => one - other)
  return sorted.slice(0, NAMES_MAX).map(([name]) => name)
}

/** The letters that a name differs by, as a whole or in the word of it that says most. */
function distanceOf(name: string, text: string, word: string, most: number): number | undefined {
  const plain = toPlain(name)
  const each = [
    [text, plain] as const,
    ...plain.split(/[^\p{L}]+/u).map((part) => [word, part] as const),
  ]
  const wrong = each.flatMap(([one, other]) => countWrong(one, other, most) ?? [])
  return wrong.length > 0 ? Math.min(...wrong) : undefined
}

/** Labels of the object's fields, options and selections that a word comes near. */
function listWords(draft: Draft, unknown: UnknownText, most: number): [string, number][] {
  const { subject, segments, asking } = draft
  const words = unknown.segments.flatMap((at) => segments[at]?.words ?? [])
  return words.flatMap((word) => {
    const stem = stemOf(word, asking.language)
    if (word.plain.length < LETTERS_MIN) return []
    // Of a short label the ending tells the letters, too: `Lakes`.
    const alike = [...listShort(draft), ...listAlike(subject.phrases, stem, most)]
    return alike.flatMap((phrase): [string, number][] => {
      const [meaning] = subject.phrases.get(phrase) ?? []
      if (!meaning) return []
      const label = labelOf(meaning, subject.label)
      const wrong = countWrong(stem, phrase, most) ?? countWrong(word.plain, toPlain(label), most)
      return wrong === undefined ? [] : [[label, wrong]]
    })
  })
}

/** The phrases of one word whose stem is too short to be listed by its letters. */
const listShort = ({ subject: { phrases } }: Draft): string[] =>
  [...phrases.keys()].filter((phrase) => phrase.length < LETTERS_MIN && !phrase.includes(' '))

function labelOf(meaning: Meaning, label: string): string {
  if (meaning.kind === 'self') return label
  return meaning.kind === 'option' || meaning.kind === 'preset' ? meaning.label : meaning.at.label
}
