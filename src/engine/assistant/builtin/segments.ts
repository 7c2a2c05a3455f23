/** A question cut into phrases that a language or an object knows, at the least cost. */
import { findApart } from './apart.ts'
import { splitCompounds } from './compounds.ts'
import { type Known, type Language, listOthers, stemOf } from './language.ts'
import type { Meaning, Subject } from './scope.ts'
import { findNear } from './spelling.ts'
import { type QuestionWord, toPlain, toStem } from './words.ts'

/** A phrase of a question. */
export interface Segment {
  words: readonly QuestionWord[]
  text: string
  /** The role of the phrase in the language. */
  known: Known | undefined
  /** The meanings of the phrase for the object, the cheapest first. */
  meanings: readonly Meaning[]
  /** The word that was read instead of a mistyped one. */
  readAs?: string
  /** True when the phrase says the opposite of its meaning: `inactive`. */
  isOpposite?: boolean
}

/** Words of a phrase. */
const PHRASE_MAX = 6
/** Words that are corrected where they are mistyped; a question has no more. */
const SPELLED_MAX = 40
/** Cost of an unknown word. */
const UNKNOWN = 8
const STOP = 0.6
/** Cost of a word of another language. */
const FOREIGN = 1.5

/** The phrases of a question for one object. */
export function cutQuestion(
  typed: readonly QuestionWord[],
  language: Language,
  subject: Pick<Subject, 'phrases'>,
): { segments: Segment[]; cost: number } {
  const words = splitCompounds(typed, language, subject)
  const runs = listRuns(words, language)
  // The cheapest way to each place, from the left.
  const best: { cost: number; from: number; segment: Segment | undefined }[] = [
    { cost: 0, from: 0, segment: undefined },
  ]
  for (let to = 1; to <= words.length; to++) {
    let cheapest: (typeof best)[number] | undefined
    for (let from = Math.max(0, to - PHRASE_MAX); from < to; from++) {
      const before = best[from]
      const found = readPhrase({ words, runs, from, to }, language, subject)
      if (!before || !found) continue
      const cost = before.cost + found.cost
      if (!cheapest || cost < cheapest.cost) cheapest = { cost, from, segment: found.segment }
    }
    if (cheapest) best.push(cheapest)
  }
  const segments: Segment[] = []
  for (let at = words.length; at > 0;) {
    const step = best[at]
    if (!step?.segment) break
    segments.unshift(step.segment)
    at = step.from
  }
  const cost = best.at(-1)?.cost ?? 0
  return { segments, cost: cost - joinApart(segments, language, subject) }
}

/** Gives a noun the name that it makes with a word elsewhere; returns the cost that this saves. */
function joinApart(
  segments: Segment[],
  language: Language,
  { phrases }: Pick<Subject, 'phrases'>,
): number {
  const found = findApart(segments, phrases, language)
  const [noun, other] = found ? [segments[found.noun], segments[found.other]] : []
  if (!found || !noun || !other) return 0
  segments[found.noun] = { ...noun, meanings: found.meanings }
  if (other.known || other.meanings.length > 0) return 0
  const known: Known = { concepts: new Set(), period: new Set(), isStop: true }
  segments[found.other] = { ...other, known }
  return UNKNOWN - STOP
}

/** Another language, with the stems that the words of the question have in it. */
interface Foreign {
  other: Language
  stems: readonly string[]
}

/** A run of words as its languages know it, whatever the object is. */
interface Run {
  /** The stems, as one phrase. */
  phrase: string
  isKnown: boolean
  /** Its role in another language. */
  foreign: Known | undefined
}

/** The runs of words from each place on, by their length less one. */
type Runs = readonly (readonly Run[])[]

interface Range {
  words: readonly QuestionWord[]
  runs: Runs
  from: number
  to: number
}

/** The runs of a question, which is read for each object in turn. */
const runsOf = new WeakMap<readonly QuestionWord[], { language: Language; runs: Runs }>()

function listRuns(words: readonly QuestionWord[], language: Language): Runs {
  const known = runsOf.get(words)
  if (known?.language === language) return known.runs
  const stems = words.map((word) => stemOf(word, language))
  const foreign = listOthers(language).map((other) => ({
    other,
    stems: words.map((word) => stemOf(word, other)),
  }))
  const runs = words.map((_, from) =>
    Array.from({ length: Math.min(PHRASE_MAX, words.length - from) }, (_, at): Run => {
      const to = from + at + 1
      const phrase = stems.slice(from, to).join(' ')
      const isKnown = language.phrases.has(phrase)
      return { phrase, isKnown, foreign: findForeign(words, foreign, from, to) }
    }),
  )
  runsOf.set(words, { language, runs })
  return runs
}

/** Stems up to this length are those of many words: `wie` of Wien, `are` of Ares, `not` of Note. */
const SHORT_STEM = 4

/**
 * Finds a phrase; a month only by its name, not by a word with its stem (Mars), and a short word
 * only as the language writes it.
 */
function findKnown(
  { phrases, monthNames, words, stops }: Language,
  phrase: string,
  covered: readonly QuestionWord[],
): Known | undefined {
  const known = phrases.get(phrase)
  const [word] = covered
  if (!known || !word || covered.length > 1) return known
  if (known.month !== undefined && !monthNames.has(word.plain)) return undefined
  if (phrase.length <= SHORT_STEM && word.kind === 'word' && !words.has(word.plain))
    return undefined
  if (!known.isStop || word.kind !== 'word' || stops.has(word.plain)) return known
  return isMeaningful(known) ? { ...known, isStop: false } : undefined
}

/**
 * Finds a phrase of another language: `how many offene Aufträge`. It is written as a word of it is,
 * without a capital letter: Will and Hat are names.
 */
function findForeign(
  words: readonly QuestionWord[],
  foreign: readonly Foreign[],
  from: number,
  to: number,
): Known | undefined {
  const covered = words.slice(from, to)
  for (const { other, stems } of foreign) {
    const known = other.phrases.get(stems.slice(from, to).join(' '))
    const isWritten = ({ kind, plain, text }: QuestionWord): boolean =>
      kind === 'word' && other.words.has(plain) && (!/^\p{Lu}/u.test(text) || from === 0)
    if (known && covered.every(isWritten)) return known
  }
  return undefined
}

/** True for a phrase that says something beside being passed over. */
const isMeaningful = ({ isStop: _, concepts, period, ...others }: Known): boolean =>
  concepts.size > 0 || period.size > 0 || Object.keys(others).length > 0

/**
 * True for a short word of the language that a name has only the stem of: `not` and a Note. Of two
 * words of the language one is a form of the other: `values` and a Value.
 */
function isOnlyStem(meaning: Meaning, { plain }: QuestionWord, language: Language): boolean {
  const stem = toStem(plain, language)
  if (stem.length > SHORT_STEM || !language.words.has(plain)) return false
  const names = toPlain(namesOf(meaning)).split(/[^\p{L}\p{N}]+/u)
  const isAlike = (name: string): boolean =>
    toStem(name, language) === stem && !language.words.has(name)
  return !names.includes(plain) && names.some(isAlike)
}

function namesOf(meaning: Meaning): string {
  if (meaning.kind === 'self') return meaning.names
  if (meaning.kind === 'option' || meaning.kind === 'preset') return meaning.label
  return `${meaning.at.label} ${meaning.at.field.name}`
}

const NOTHING: readonly Meaning[] = []

/** Finds meanings; a verb does not mean a noun: `customers ordered`, `Customer orders`. */
function findMeanings(
  phrases: Subject['phrases'],
  phrase: string,
  { covered, language }: { covered: readonly QuestionWord[]; language: Language },
): readonly Meaning[] {
  const all = phrases.get(phrase)
  // Most words mean nothing for most objects.
  if (!all) return NOTHING
  const found = all.filter((each) => !covered.some((word) => isOnlyStem(each, word, language)))
  const last = covered.at(-1)?.plain ?? ''
  const isVerb = language.verbEndings.some((ending) => last.endsWith(ending))
  return isVerb ? found.filter((each) => mayBeVerb(each, last)) : found
}

/** True for a meaning that is not a noun (a state, a selection, a day) or is named by this word. */
function mayBeVerb(meaning: Meaning, word: string): boolean {
  if (meaning.kind === 'self') return meaning.names.includes(word)
  if (meaning.kind !== 'field' || meaning.at.field.references === undefined) return true
  return toPlain(meaning.at.label).includes(word)
}

/** The stem of a word, or a form of it that is known: `offen` and `offene` have two stems. */
function findForm(
  word: QuestionWord | undefined,
  stem: string,
  language: Language,
  phrases: Subject['phrases'],
): string {
  const isKnown = (form: string): boolean => phrases.has(form) || language.phrases.has(form)
  if (word?.kind !== 'word' || isKnown(stem)) return stem
  return phrases.has(word.plain) ? word.plain : stem
}

function readPhrase(
  range: Range,
  language: Language,
  { phrases }: Pick<Subject, 'phrases'>,
): { segment: Segment; cost: number } | undefined {
  const { words, runs, from, to } = range
  const run = runs[from]?.[to - from - 1]
  if (!run) return undefined
  const isOne = to - from === 1
  const phrase = isOne ? findForm(words[from], run.phrase, language, phrases) : run.phrase
  // Most runs of words are not a phrase: the steps below are skipped for them.
  const isKnown = phrase === run.phrase ? run.isKnown : language.phrases.has(phrase)
  const isOwn = isKnown || phrases.has(phrase)
  const foreign = isOwn ? undefined : run.foreign
  if (!isOne && !isOwn && !foreign) return undefined
  const covered = words.slice(from, to)
  const [word] = covered
  if (!word) return undefined
  if (!isOne && covered.some(({ kind }) => kind === 'quoted')) return undefined
  const text = covered.map((each) => each.text).join(' ')
  const known = word.kind === 'quoted' ? undefined : findKnown(language, phrase, covered)
  const meanings =
    word.kind === 'quoted' ? [] : findMeanings(phrases, phrase, { covered, language })
  const segment: Segment = { words: covered, text, known, meanings }
  if (meanings.length > 0) {
    const [first] = (segment.meanings = meanings.toSorted((one, other) => one.cost - other.cost))
    return { segment, cost: 1 + (first?.cost ?? 0) * 0.5 }
  }
  const opposite = known?.opposite && phrases.get(toStem(known.opposite, language))
  if (opposite) return { segment: { ...segment, meanings: opposite, isOpposite: true }, cost: 1 }
  if (known) return { segment, cost: known.isStop ? STOP : 1 }
  if (foreign) return { segment: { ...segment, known: foreign }, cost: FOREIGN }
  if (!isOne) return undefined
  if (word.kind !== 'word') return { segment, cost: 1 }
  // Of a mistyped word an ending may be none: `ordres`.
  const near =
    from < SPELLED_MAX
      ? (findNear(phrase, language, phrases) ??
        findNear(word.plain.slice(0, -1), language, phrases))
      : undefined
  if (!near) return { segment, cost: UNKNOWN }
  return {
    segment: { ...segment, known: near.known, meanings: near.meanings, readAs: near.phrase },
    cost: 4,
  }
}
