/** Languages as the parser knows them: their words, from a file of data for each language. */
import de from './languages/de.json'
import en from './languages/en.json'
import { type Endings, type QuestionWord, stemText, toPlain, toStem } from './words.ts'
import type { DatePart } from '../../object/date-parts.ts'

/** The role of a phrase of a language in a question. */
export type Concept = keyof typeof en.concepts

/** Spans of the calendar. */
export type CalendarSpan = 'day' | 'week' | 'month' | 'quarter' | 'year'

/** A superlative: which way, and of which fields: their labels, `@measure`, `@date` or `@count`. */
export interface Superlative {
  direction: 'asc' | 'desc'
  of: readonly string[]
}

/** The roles that a phrase may have for a parser. */
export interface Known {
  concepts: Set<Concept>
  superlative?: Superlative
  /** A comparison that names its quantity: `longer than`. */
  comparison?: { operator: 'gt' | 'lt'; of: readonly string[] }
  number?: number
  scale?: number
  /** Days from today. */
  day?: number
  span?: CalendarSpan
  part?: DatePart
  /** True when the part is asked for behind a word as `by` alone: `hour`, as against `hourly`. */
  isPartNoun?: boolean
  /** The number of the month, from 1. */
  month?: number
  half?: number
  quarter?: number
  /** One of `this last next ago since until after before on soFar`. */
  period: Set<string>
  isStop: boolean
  /** `true` or `false`, for a field that is one of them. */
  boolean?: boolean
  /** The word whose opposite it is. */
  opposite?: string
}

/** A language as the parser asks it. */
export interface Language extends Endings {
  name: string
  decimal: '.' | ','
  /** Joins parts of a compound: `Auftrag-s-wert`. */
  linking: readonly string[]
  phrases: ReadonlyMap<string, Known>
  /** Names of date fields: `Due on` is the `due date`. */
  dates: Data['dates']
  /** Names of months as they are typed. */
  monthNames: ReadonlySet<string>
  /** Days of the week that come again, as they are typed, from 1, Monday: `mondays`. */
  weekdays: ReadonlyMap<string, readonly number[]>
  /** The ending of a superlative of many, where their noun does not show it; '' where it does. */
  pluralSuperlative: string
  /** Words by which a sentence begins that wants something done. */
  commands: ReadonlySet<string>
  /** The commands that want a record deleted. */
  deletes: ReadonlySet<string>
  /** Names of the number of pieces of a sale, the first before the others. */
  pieces: readonly string[]
  /** Nouns that name a text: a phone number, `Telefonnummer`. */
  numberNouns: ReadonlySet<string>
  /** Verbs of days, numbers and options, by their stems, each with the nouns that name the same. */
  verbs: ReadonlyMap<string, readonly string[]>
  /** Verbs of what there are rows of, as they are written, each with the nouns of such rows. */
  deeds: ReadonlyMap<string, readonly string[]>
  /** Verbs among them that are nouns, too. */
  nounVerbs: ReadonlySet<string>
  /** Words for anything that it was done with: `something`. */
  things: ReadonlySet<string>
  /** Parts of compounds that the language has beside the model, each with the phrase it means. */
  compounds: ReadonlyMap<string, string>
  /** Nouns behind an amount that say no more than it does: `Frachtkosten`; and behind which. */
  measureHeads: ReadonlyMap<string, readonly string[]>
  /** Verbs between what is spoken of and what is said of it: `was`. */
  copulas: ReadonlySet<string>
  /** Nouns by which the day of a sale is called. */
  saleDates: readonly string[]
  /** Names of the number of pieces that are there. */
  stockNames: readonly string[]
  /** Names of a number of pieces that a stock should not fall below. */
  stockLimits: readonly string[]
  /** Endings of verbs: `ordered` is not an order. */
  verbEndings: readonly string[]
  /** Questions to suggest: `{0}` is the object or measure, see the file. */
  patterns: Data['patterns']
  /** Names of spans of time to suggest: `last month`. */
  periodNames: readonly string[]
  /** Words that say nothing, as they are typed: `values` is one, a `value` is not. */
  stops: ReadonlySet<string>
  /** Plain words that occur in a phrase: a text's language is recognised by them. */
  words: ReadonlySet<string>
}

type Data = typeof en

const PERIOD_WORDS = [
  'this',
  'last',
  'next',
  'ago',
  'since',
  'until',
  'after',
  'before',
  'on',
] as const

function compileLanguage(data: Data, decimal: '.' | ','): Language {
  const endings: Endings = {
    endings: data.endings as unknown as Endings['endings'],
    keptEndings: data.keptEndings,
    hasUmlauts: data.hasUmlauts,
  }
  const phrases = new Map<string, Known>()
  const words = new Set<string>()
  const known = (phrase: string): Known => {
    for (const word of toPlain(phrase).split(' ')) words.add(word)
    return phrases.getOrInsertComputed(stemText(phrase, endings).join(' '), () => ({
      concepts: new Set<Concept>(),
      period: new Set<string>(),
      isStop: false,
    }))
  }
  const stops = new Set(data.stop.map(toPlain))
  for (const phrase of data.stop) known(phrase).isStop = true
  for (const [concept, list] of Object.entries(data.concepts))
    for (const phrase of list) known(phrase).concepts.add(concept as Concept)
  for (const [phrase, [direction, ...of]] of Object.entries(data.superlatives))
    known(phrase).superlative = { direction: direction === 'asc' ? 'asc' : 'desc', of }
  for (const [phrase, [operator, ...of]] of Object.entries(data.comparisons))
    known(phrase).comparison = { operator: operator === 'gt' ? 'gt' : 'lt', of }
  for (const name of PERIOD_WORDS)
    for (const phrase of data[name]) {
      known(phrase).period.add(name)
      // `from the` before no days says as little as its words do.
      if (isMadeOf(toPlain(phrase), stops)) known(phrase).isStop = true
    }
  for (const phrase of data.soFar) known(phrase).period.add('soFar')
  for (const phrase of data.agoBefore) known(phrase).period.add('agoBefore')
  for (const [phrase, word] of Object.entries(data.wholePeriods))
    known(phrase).period.add(`=${word}`)
  addNumbers(data, known)
  addCalendar(data, known)
  for (const [name, list] of Object.entries(data.booleans))
    for (const phrase of list) known(phrase).boolean = name === 'true'
  for (const [phrase, opposite] of Object.entries(data.opposites)) known(phrase).opposite = opposite
  const verbs = new Map<string, readonly string[]>()
  for (const [phrase, nouns] of Object.entries(data.verbs))
    verbs.set(stemText(phrase, endings).join(' '), nouns.map(toPlain))
  const weekdays = new Map<string, readonly number[]>()
  for (const [phrase, days] of Object.entries<readonly number[]>(data.weekdays)) {
    weekdays.set(toPlain(phrase), days)
    known(phrase).concepts.add('weekday')
  }
  const deeds = new Map<string, readonly string[]>()
  for (const [verb, nouns] of Object.entries<readonly string[]>(data.deeds))
    deeds.set(toPlain(verb), nouns)
  const { language: name, linking, patterns, dates, verbEndings, pluralSuperlative } = data
  const monthNames = new Set(data.months.flat().map(toPlain))
  const commands = new Set(data.commands.map(toPlain))
  for (const command of commands) words.add(command)
  return {
    name,
    decimal,
    linking,
    patterns,
    periodNames: data.periodNames,
    dates,
    verbEndings,
    pluralSuperlative,
    commands,
    deletes: new Set(data.deletes.map(toPlain)),
    verbs,
    deeds,
    nounVerbs: new Set(data.nounVerbs.map(toPlain)),
    weekdays,
    things: new Set(data.things.map(toPlain)),
    compounds: new Map(
      Object.entries<string>(data.compounds).map(([part, phrase]) => [
        toPlain(part),
        toPlain(phrase),
      ]),
    ),
    measureHeads: new Map(
      Object.entries<readonly string[]>(data.measureHeads).map(([head, nouns]) => [
        toPlain(head),
        nouns.map(toPlain),
      ]),
    ),
    copulas: new Set(data.copulas),
    saleDates: data.saleDates.map(toPlain),
    stockNames: data.stockNames,
    stockLimits: data.stockLimits,
    pieces: data.pieces,
    numberNouns: new Set(data.numberNouns),
    monthNames,
    ...endings,
    phrases,
    stops,
    words,
  }
}

const isMadeOf = (phrase: string, words: ReadonlySet<string>): boolean =>
  phrase.includes(' ') && phrase.split(' ').every((word) => words.has(word))

function addNumbers(data: Data, known: (phrase: string) => Known): void {
  for (const [phrase, number] of Object.entries(data.numbers)) known(phrase).number = number
  for (const [phrase, scale] of Object.entries(data.scales)) known(phrase).scale = scale
}

function addCalendar(data: Data, known: (phrase: string) => Known): void {
  for (const [phrase, day] of Object.entries(data.days)) known(phrase).day = day
  for (const [span, list] of Object.entries(data.spans))
    for (const phrase of list) known(phrase).span = span as CalendarSpan
  for (const [part, list] of Object.entries(data.parts))
    for (const phrase of list) known(phrase).part = part as DatePart
  for (const phrase of data.partNouns) known(phrase).isPartNoun = true
  for (const [at, list] of data.months.entries())
    for (const phrase of list) known(phrase).month = at + 1
  for (const [phrase, half] of Object.entries(data.half)) known(phrase).half = half
  for (const [phrase, quarter] of Object.entries(data.quarters)) known(phrase).quarter = quarter
}

let compiled: readonly Language[] | undefined

/** Loads the languages at the first question: a start would take a tenth longer with them. */
const listLanguages = (): readonly Language[] =>
  (compiled ??= [compileLanguage(en, '.'), compileLanguage(de as unknown as Data, ',')])

/** The language of a tag, as `de-AT`; English for an unknown one. */
function languageOf(tag: string): Language {
  const [name] = tag.toLowerCase().split('-')
  const languages = listLanguages()
  const found = languages.find((each) => each.name === name) ?? languages[0]
  if (!found) throw new Error('There is no language')
  return found
}

/** The language of a question: whose words it has most of; that of the caller where it is even. */
export function findLanguage(question: string, tag: string): Language {
  const preferred = languageOf(tag)
  const typed = toPlain(question).split(/[^\p{L}']+/u)
  const count = ({ words }: Language): number => typed.filter((word) => words.has(word)).length
  return listLanguages().reduce(
    (best, each) => (count(each) > count(best) ? each : best),
    preferred,
  )
}

/** The other languages, whose words people mix into a question. */
export const listOthers = ({ name }: Language): readonly Language[] =>
  listLanguages().filter((each) => each.name !== name)

/** Stems of the words of a question, which each object asks for. */
const stemsOf = new WeakMap<QuestionWord, { language: Language; stem: string }>()

/** The stem that a word is compared by, in a language. */
export function stemOf(word: QuestionWord, language: Language): string {
  if (word.kind !== 'word') return word.plain
  const known = stemsOf.get(word)
  if (known?.language === language) return known.stem
  const stem = toStem(word.plain, language)
  stemsOf.set(word, { language, stem })
  return stem
}
