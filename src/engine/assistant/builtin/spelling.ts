/** Words that were mistyped: the one known phrase that comes near them. */
import { Lru } from '../../../kernel/lru.ts'
import type { Known, Language } from './language.ts'
import type { Meaning } from './scope.ts'

/** Fewest letters of a corrected word: shorter ones come near too many others. */
const LETTERS_MIN = 5
/** Most letters of a corrected word: a longer one takes long to compare, and names nothing. */
const LETTERS_MAX = 32
/** Letters from which on a word may have two wrong ones. */
const LONG_WORD = 8

/** A phrase that comes near a word; undefined where no phrase or more than one does. */
export function findNear(
  word: string,
  language: Language,
  phrases: ReadonlyMap<string, readonly Meaning[]>,
): { phrase: string; known: Known | undefined; meanings: readonly Meaning[] } | undefined {
  if (word.length < LETTERS_MIN || word.length > LETTERS_MAX || !/^\p{L}+$/u.test(word))
    return undefined
  const ofLanguage = findNearKnown(language.phrases, word)
  const ofObject = findNearIn(phrases, word, ofLanguage?.wrong)
  const near = ofObject && ofLanguage?.wrong === ofObject.wrong ? ofLanguage : undefined
  const all = ofObject
    ? new Set([...ofObject.phrases, ...(near?.phrases ?? [])])
    : ofLanguage?.phrases
  const [phrase, ...others] = all ?? []
  if (phrase === undefined || others.length > 0) return undefined
  return { phrase, known: language.phrases.get(phrase), meanings: phrases.get(phrase) ?? [] }
}

/** The phrases of the fewest wrong letters; of many the first two, since only one is taken. */
interface Near {
  phrases: readonly string[]
  wrong: number
}

/** Words that were looked up among the phrases of a language: each object asks for the same. */
const KNOWN_MAX = 2000
const knownOf = new WeakMap<ReadonlyMap<string, unknown>, Lru<string, Near | null>>()

function findNearKnown(phrases: ReadonlyMap<string, unknown>, word: string): Near | undefined {
  const known = knownOf.getOrInsertComputed(phrases, () => new Lru(KNOWN_MAX))
  const found = known.find(word)
  return (
    (found === undefined ? known.keep(word, findNearIn(phrases, word) ?? null) : found) ?? undefined
  )
}

/** The phrases near a word, with no more wrong letters than `least`. */
function findNearIn(
  phrases: ReadonlyMap<string, unknown>,
  word: string,
  least?: number,
): Near | undefined {
  const most = word.length >= LONG_WORD ? 2 : 1
  const letters = markLetters(word)
  let found: { phrases: string[]; wrong: number } | undefined
  for (const each of groupAlike(phrases, word, most)) {
    if (countBits(each.letters ^ letters) > 2 * most) continue
    const wrong = countWrong(word, each.phrase, found?.wrong ?? least ?? most)
    if (wrong === undefined) continue
    if (!found || wrong < found.wrong) found = { phrases: [each.phrase], wrong }
    else if (found.phrases.length < 2) found.phrases.push(each.phrase)
  }
  return found
}

/** A phrase of one word, with the letters that it has. */
interface Single {
  phrase: string
  letters: number
}

/** Phrases of one word, by their first letter and their length. */
type Alike = ReadonlyMap<number, readonly Single[]>
const alikeOf = new WeakMap<ReadonlyMap<string, unknown>, Alike>()

/** The phrases that begin as a word does, and have not more than `most` letters more or less. */
export const listAlike = (
  phrases: ReadonlyMap<string, unknown>,
  word: string,
  most: number,
): readonly string[] => groupAlike(phrases, word, most).map(({ phrase }) => phrase)

function groupAlike(
  phrases: ReadonlyMap<string, unknown>,
  word: string,
  most: number,
): readonly Single[] {
  let alike = alikeOf.get(phrases)
  if (!alike) {
    const single = [...phrases.keys()].flatMap((phrase) =>
      phrase.length >= LETTERS_MIN - 1 && !phrase.includes(' ')
        ? [{ phrase, letters: markLetters(phrase) }]
        : [],
    )
    alike = Map.groupBy(single, ({ phrase }) => keyOf(phrase, phrase.length))
    alikeOf.set(phrases, alike)
  }
  const found: Single[] = []
  for (let length = word.length - most; length <= word.length + most; length++)
    for (const each of alike.get(keyOf(word, length)) ?? []) found.push(each)
  return found
}

/** The first letter and a length, which are less than 1,000, as one number. */
const keyOf = (word: string, length: number): number => word.charCodeAt(0) * 1000 + length

/** The letters of a word as bits: one wrong letter changes two of them at most. */
function markLetters(word: string): number {
  let bits = 0
  for (let at = 0; at < word.length; at++) bits |= 1 << (word.charCodeAt(at) & 31)
  return bits
}

function countBits(bits: number): number {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count++
  return count
}

/** Letters that are wrong, left out, too many or exchanged; undefined for more than `most`. */
export function countWrong(one: string, other: string, most: number): number | undefined {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let at = 1; at <= one.length; at++) {
    const next = [at]
    for (let to = 1; to <= other.length; to++) {
      const isEqual = one[at - 1] === other[to - 1]
      const change = (row[to - 1] ?? 0) + (isEqual ? 0 : 1)
      const least = Math.min((row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1, change)
      const isSwapped =
        at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1]
      next.push(isSwapped ? Math.min(least, (before[to - 2] ?? 0) + 1) : least)
    }
    if (Math.min(...next) > most) return undefined
    before = row
    row = next
  }
  const wrong = row[other.length] ?? 0
  return wrong <= most ? wrong : undefined
}
