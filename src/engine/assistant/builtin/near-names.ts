/** Names that come near a word which was not found: of the object's own words, and of its data. */
import type { Draft, UnknownText } from './draft.ts'
import { stemOf } from './language.ts'
import type { Lookups } from './lookups.ts'
import type { Meaning, ReachedField } from './scope.ts'
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

/** A text that others may come near, with its longest word and the names that do, by letters. */
interface Sought {
  unknown: UnknownText
  word: string
  most: number
  found: Map<string, number>
}

/**
 * Names that were perhaps meant by each of some texts, the nearest first; three at most. One
 * statement asks a field of the data for all of them; of a long question the model alone is asked.
 */
export async function listNearNames(
  lookups: Lookups,
  draft: Draft,
  { unknowns, isLong }: { unknowns: readonly UnknownText[]; isLong: boolean },
): Promise<Map<string, readonly string[]>> {
  const sought = unknowns.flatMap((unknown): Sought[] => {
    const [word = ''] = toPlain(unknown.text)
      .split(/[^\p{L}]+/u)
      .toSorted((one, other) => other.length - one.length)
    const most = word.length >= LONG_WORD ? 2 : 1
    if (word.length < LETTERS_MIN) return []
    return [{ unknown, word, most, found: new Map(listWords(draft, unknown, most)) }]
  })
  const places = new Map<ReachedField, Sought[]>()
  for (const each of isLong ? [] : sought)
    for (const place of listPlaces(draft, each.unknown).slice(0, PLACES_MAX))
      places.getOrInsertComputed(place, () => []).push(each)
  for (const [place, all] of places) {
    const starts = all.map(({ word }) => word.slice(0, LETTERS_MIN - 1))
    const names = await listNames(lookups, place, starts)
    for (const each of all) for (const name of names) note(each, name)
  }
  return new Map(
    sought.map(({ unknown, found }) => {
      const sorted = [...found].toSorted(([, one], [, other]) => one - other)
      return [unknown.text, sorted.slice(0, NAMES_MAX).map(([name]) => name)]
    }),
  )
}

function note({ unknown, word, most, found }: Sought, name: string): void {
  const wrong = distanceOf(name, toPlain(unknown.text), word, most)
  if (wrong !== undefined && wrong < (found.get(name) ?? Infinity)) found.set(name, wrong)
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
