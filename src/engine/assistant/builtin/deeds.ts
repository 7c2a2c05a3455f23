/** Verbs of what was done with records, or never was: `never sold`, `nie etwas bestellt`. */
import type { RelatedMember } from './draft.ts'
import { type Language, stemOf } from './language.ts'
import type { QuestionWord } from './words.ts'

/** A verb, with the words that deny it, and the nouns of what there is where it was done. */
export interface Deed {
  /** The words: from the first to before the last. */
  from: number
  to: number
  text: string
  nouns: readonly string[]
  member: RelatedMember
  /** True where the question says nothing before it. */
  isFirst: boolean
}

/** The one deed of a question; undefined for none, and where another word denies something. */
export function findDeed(words: readonly QuestionWord[], language: Language): Deed | undefined {
  const at = (is: (word: QuestionWord) => boolean): number[] =>
    words.flatMap((word, place) => (word.kind === 'word' && is(word) ? [place] : []))
  const nots = at((word) => isNot(word, language))
  // `did not order`; elsewhere it is a noun.
  const isNoun = (place: number): boolean =>
    language.nounVerbs.has(words[place]?.plain ?? '') && !nots.includes(place - 1)
  const verbs = at(({ plain }) => language.deeds.has(plain)).filter((place) => !isNoun(place))
  const [verb = 0] = verbs
  const [not] = nots
  const word = words[verb]
  if (!word || verbs.length !== 1 || nots.length > 1) return undefined
  const isIdle = (place: number): boolean => isSaidBeside(words[place], language)
  let [from, to] = [Math.min(verb, not ?? verb), Math.max(verb, not ?? verb) + 1]
  for (let place = from + 1; place < to - 1; place++)
    if (place !== verb && place !== not && !isIdle(place)) return undefined
  // `bought something`, `noch nichts gekauft`.
  while (isThing(words[to], language)) to++
  while (isThing(words[from - 1], language)) from--
  // What is not denied needs more than its verb: `ordered` alone is read by other means.
  if (not === undefined && to - from === 1) return undefined
  const covered = words.slice(from, to)
  return {
    from,
    to,
    text: covered.map(({ text }) => text).join(' '),
    nouns: language.deeds.get(word.plain) ?? [],
    member: not === undefined ? 'With' : 'Without',
    isFirst: words.slice(0, from).every((each) => isSaidBeside(each, language)),
  }
}

/** A word that denies a verb: `no` and `without` deny nouns. */
function isNot(word: QuestionWord, language: Language): boolean {
  if (!language.words.has(word.plain)) return false
  const concepts = language.phrases.get(stemOf(word, language))?.concepts
  return concepts?.has('not') === true && !concepts.has('without')
}

const isThing = (word: QuestionWord | undefined, { things }: Language): boolean =>
  word !== undefined && things.has(word.plain)

/** A word that says nothing beside the verb: `been`, `etwas`. */
const isSaidBeside = (word: QuestionWord | undefined, language: Language): boolean =>
  word !== undefined && (language.stops.has(word.plain) || isThing(word, language))
