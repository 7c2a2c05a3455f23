/** Words that were mistyped: the one known phrase that comes near them. */
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
  let found: { phrase: string; wrong: number } | undefined
  let isOne = true
  const most = word.length >= LONG_WORD ? 2 : 1
  const letters = markLetters(word)
  const look = (phrase: string): void => {
    const wrong = countWrong(word, phrase, found?.wrong ?? most)
    if (wrong === undefined || phrase === found?.phrase) return
    isOne = !(found?.wrong === wrong)
    found = { phrase, wrong }
  }
  for (const known of [phrases, language.phrases])
    for (const each of groupAlike(known, word, most))
      if (countBits(each.letters ^ letters) <= 2 * most) look(each.phrase)
  if (!found || !isOne) return undefined
  const { phrase } = found
  return { phrase, known: language.phrases.get(phrase), meanings: phrases.get(phrase) ?? [] }
}

/** A phrase of one word, with the letters that it has. */
interface Single {
  phrase: string
  letters: number
}

/** Phrases of one word, by their first letter and their length. */
type Alike = ReadonlyMap<string, readonly Single[]>
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
    alike = Map.groupBy(single, ({ phrase }) => `${phrase[0]}${phrase.length}`)
    alikeOf.set(phrases, alike)
  }
  const lengths = Array.from({ length: 2 * most + 1 }, (_, at) => word.length - most + at)
  return lengths.flatMap((length) => alike.get(`${word[0]}${length}`) ?? [])
}

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
