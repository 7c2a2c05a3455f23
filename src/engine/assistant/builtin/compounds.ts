/** Compounds that a language writes as one word: `Kundenumsatz` is the Umsatz by Kunde. */
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { type Language, stemOf } from './language.ts'
import type { Subject } from './scope.ts'
import { type QuestionWord, toPlain, toStem } from './words.ts'

/** Fewest letters of a part: shorter ones are the end of many words. */
const PART_MIN = 3

/** The words of a question, with the compounds of an object's words as their parts. */
export function splitCompounds(
  words: readonly QuestionWord[],
  language: Language,
  { phrases }: Pick<Subject, 'phrases'>,
): readonly QuestionWord[] {
  if (language.linking.length === 0) return words
  const parted = words.map((word) => {
    const stem = stemOf(word, language)
    const isKnown = phrases.has(stem) || language.phrases.has(stem) || language.verbs.has(stem)
    return word.kind !== 'word' || isKnown ? undefined : splitWord(word, language, phrases)
  })
  return parted.some((each) => each !== undefined)
    ? words.flatMap((word, at) => parted[at] ?? [word])
    : words
}

/** Two parts of a word, plain and as stems. */
interface Cut {
  at: number
  first: string
  firstStem: string
  second: string
}

/** The cuts of the words of a question, which is read for each object in turn. */
const cutsOf = new WeakMap<QuestionWord, { language: Language; cuts: readonly Cut[] }>()

function listCuts(word: QuestionWord, language: Language): readonly Cut[] {
  const known = cutsOf.get(word)
  if (known?.language === language) return known.cuts
  const { text } = word
  const cuts: Cut[] = []
  for (let at = PART_MIN; at <= text.length - PART_MIN; at++) {
    const [first, second] = [toPlain(text.slice(0, at)), toPlain(text.slice(at))]
    cuts.push({ at, first, firstStem: toStem(first, language), second })
  }
  cutsOf.set(word, { language, cuts })
  return cuts
}

/** The parts of a word, if each of them means something for the object or in its language. */
function splitWord(
  word: QuestionWord,
  language: Language,
  phrases: Subject['phrases'],
): QuestionWord[] | undefined {
  const { text } = word
  for (const { at: cut, first, firstStem, second } of listCuts(word, language)) {
    const before = language.compounds.get(first) ?? (phrases.has(firstStem) ? first : undefined)
    const after = before && readHead(second, { language, phrases, before })
    if (!before || !after) continue
    return [
      { kind: 'word', text: text.slice(0, cut), plain: before },
      { kind: 'word', text: text.slice(cut), plain: after, isGlued: true },
    ]
  }
  return undefined
}

/** The word that a part stands for: a joint is an ending that its stem is without. */
function readPart(
  plain: string,
  language: Language,
  phrases: Subject['phrases'],
): string | undefined {
  const named = language.compounds.get(plain)
  if (named !== undefined) return named
  return phrases.has(toStem(plain, language)) ? plain : undefined
}

interface Head {
  language: Language
  phrases: Subject['phrases']
  before: string
}

/** The last part: a word of its own, or a noun that says no more than the number before it. */
function readHead(plain: string, { language, phrases, before }: Head): string | undefined {
  const listNumbers = (word: string): string[] =>
    (phrases.get(toStem(word, language)) ?? []).flatMap((each) => {
      if (each.kind !== 'field' || each.at.depth > 0) return []
      const { type, references } = each.at.field
      return references === undefined ? (FIELD_KINDS[type].number ?? []) : []
    })
  const named = readPart(plain, language, phrases)
  // Two numbers in one word are a third one: Umsatzkosten are neither.
  if (named !== undefined)
    return listNumbers(before).length > 0 && listNumbers(named).length > 0 ? undefined : named
  const only = language.measureHeads.get(plain)
  const isFitting = only && (only.length === 0 || only.some((noun) => before.startsWith(noun)))
  return isFitting && listNumbers(before).includes('scaled') ? before : undefined
}
