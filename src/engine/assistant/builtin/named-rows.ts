/**
 * Names of records right behind the word for their object: `customer Note`, `des Kunden 2026`. What
 * the words of the name mean elsewhere is another reading at most.
 */
import type { View } from '../../../model/compiled/view.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import type { Ambiguity } from './ambiguity.ts'
import { type Draft, findSoldOf } from './draft.ts'
import { type Concept, type Language, listOthers, stemOf } from './language.ts'
import type { Lookups } from './lookups.ts'
import { joinWords } from './names.ts'
import { findTarget, type Subject } from './scope.ts'
import { listNameTexts } from './value-places.ts'
import { type QuestionWord, toPlain } from './words.ts'
import { writeWordsOf } from './write-words.ts'

/** Words of a question that are the very name of a record: from the first to before the last. */
export interface NamedRow {
  from: number
  to: number
  text: string
  /** The object that the record is of, and what one of it is called. */
  view: View
  single: string
  /** True behind words for one record, which a name follows: `the customer Note`. */
  isSure: boolean
}

/** An object whose records words name. */
interface Owner {
  view: View
  grant: Grant
  label: string
  single: string
}

/** The words of a question, and where a name would begin. */
interface Place {
  words: readonly QuestionWord[]
  from: number
  language: Language
  subjects: readonly Subject[]
}

/** Words of a name at most, and of the noun before it. */
const NAME_MAX = 6
const NOUN_MAX = 3
/** Objects that one noun is asked of, and rows that one name may be of. */
const OWNERS_MAX = 3
const ROWS_MAX = 40

/** The names of a question that stand behind the words for their objects, from left to right. */
export async function listNamedRows(
  lookups: Lookups,
  { words, language, subjects }: Omit<Place, 'from'>,
): Promise<NamedRow[]> {
  const found: NamedRow[] = []
  for (let from = 1; from < words.length; from++) {
    if (from < (found.at(-1)?.to ?? 0)) continue
    const named = await findAt(lookups, { words, from, language, subjects })
    if (named) found.push(named)
  }
  return found
}

/** The words of a question with each name as one of them. */
export const joinNamed = (
  words: readonly QuestionWord[],
  named: readonly NamedRow[],
): QuestionWord[] =>
  named.reduceRight<QuestionWord[]>(
    (joined, { from, to, view }) => {
      const all = joinWords(joined, { from, to })
      const name = all[from]
      return name
        ? all.with(from, { ...name, kind: 'quoted', rowOf: view.entity?.name ?? '' })
        : all
    },
    [...words],
  )

/** True for a reading that has each of the records as a condition. */
export const hasNamed = ({ filters, related }: Draft, named: readonly NamedRow[]): boolean =>
  named.every(({ view, text }) =>
    [...filters, ...(related?.rows.filters ?? [])].some(({ at, value, named: called }) => {
      const target = findTarget(at.field, at.grant)?.view ?? at.view
      return target.entity === view.entity && (called ?? String(value)).includes(text)
    }),
  )

/** The first name of which the words were read otherwise. */
export function toClash({ segments }: Draft, [first]: readonly NamedRow[]): Ambiguity | undefined {
  if (!first) return undefined
  const { text, single } = first
  const of = { text, fields: [], isPeriod: false, nameOf: single }
  for (let start = 0; start < segments.length; start++)
    for (let end = start + 1; end <= segments.length; end++)
      if (
        segments
          .slice(start, end)
          .map((each) => each.text)
          .join(' ') === text
      )
        return { ...of, start, end }
  return { ...of, start: -1, end: -1 }
}

async function findAt(lookups: Lookups, place: Place): Promise<NamedRow | undefined> {
  const { words, from } = place
  const first = words[from]?.text ?? ''
  const isCapital = /^\p{Lu}/u.test(first)
  const noun = findNoun(place) ?? (isCapital ? findSold(place) : undefined)
  const runs = noun ? listRuns(place) : []
  for (const owner of noun?.owners ?? []) {
    const isOne = noun?.isApposed === true && isSingular(place, noun.from, owner)
    const isWritten = isCapital || (isOne && /^\p{N}/u.test(first))
    // Other words are a name behind the word for one record alone: `product out of stock`.
    const tried = isWritten ? runs : isOne ? runs.filter(({ isPhrase }) => isPhrase()) : []
    const run = tried.length > 0 ? await findRun(lookups, owner, tried) : undefined
    if (!run) continue
    const { view, single } = owner
    return { from, to: run.to, text: run.text, view, single, isSure: isOne && isWritten }
  }
  return undefined
}

interface NameRun {
  to: number
  text: string
  /** True for a phrase of several words that mean something together. */
  isPhrase: () => boolean
}

/** Words from a place on that may be a name, the longest first. */
function listRuns({ words, from, language, subjects }: Place): NameRun[] {
  const runs: NameRun[] = []
  for (let to = from + 1; to <= Math.min(words.length, from + NAME_MAX); to++) {
    const last = words[to - 1]
    if (!last || last.kind === 'quoted' || last.text === ',') break
    const covered = words.slice(from, to)
    const isPhrase = (): boolean =>
      to > from + 1 &&
      [language, ...listOthers(language)].some((each) => {
        const phrase = covered.map((word) => stemOf(word, each)).join(' ')
        return each.phrases.has(phrase) || subjects.some(({ phrases }) => phrases.has(phrase))
      })
    const text = covered.map((word) => word.text).join(' ')
    runs.unshift({ to, text, isPhrase })
  }
  return runs
}

interface Noun {
  from: number
  owners: readonly Owner[]
  /** True where it is not the one by which, or of which, records are asked for. */
  isApposed: boolean
}

/** The noun right before a name, or before `called`. */
function findNoun({ words, from, language, subjects }: Place): Noun | undefined {
  const isCalled = writeWordsOf(language).called.includes(words[from - 1]?.plain ?? '')
  const end = isCalled ? from - 1 : from
  for (let start = Math.max(0, end - NOUN_MAX); start < end; start++) {
    const covered = words.slice(start, end)
    const phrase = covered.map((word) => stemOf(word, language)).join(' ')
    const owners = covered.every(({ kind }) => kind === 'word') ? findOwners(subjects, phrase) : []
    if (owners.length > 0)
      return { from: start, owners, isApposed: isApposed(words, start, language) }
  }
  return undefined
}

/** The objects that nouns are for, kept for each caller: a question asks for each of its words. */
const ownersOf = new WeakMap<readonly Subject[], Map<string, readonly Owner[]>>()

function findOwners(subjects: readonly Subject[], phrase: string): readonly Owner[] {
  if (subjects.every(({ phrases }) => !phrases.has(phrase))) return []
  const known = ownersOf.getOrInsertComputed(subjects, () => new Map())
  return known.getOrInsertComputed(phrase, () => listOwners(subjects, phrase))
}

/** The objects that a noun is for: by their own names, else by those of references to them. */
function listOwners(subjects: readonly Subject[], phrase: string): Owner[] {
  const own = subjects.filter(
    ({ isMain, phrases }) => isMain && phrases.get(phrase)?.some(({ kind }) => kind === 'self'),
  )
  if (own.length > 0) return own.slice(0, OWNERS_MAX)
  const targets = subjects.flatMap(({ isMain, phrases }) =>
    (isMain ? (phrases.get(phrase) ?? []) : []).flatMap((each) =>
      each.kind === 'field' ? (findTarget(each.at.field, each.at.grant)?.view ?? []) : [],
    ),
  )
  return subjects.filter(({ view }) => targets.includes(view)).slice(0, OWNERS_MAX)
}

/** Words that make of the noun behind them what is asked for, and no name follows it then. */
const ASKING: readonly Concept[] = ['groupBy', 'which', 'most', 'fewest', 'first', 'not', 'without']

function isApposed(words: readonly QuestionWord[], noun: number, language: Language): boolean {
  let at = noun - 1
  const knownAt = (place: number) => {
    const word = words[place]
    return word && language.phrases.get(stemOf(word, language))
  }
  const isAsking = (place: number): boolean =>
    ASKING.some((each) => knownAt(place)?.concepts.has(each) === true)
  while (at >= 0 && knownAt(at)?.isStop === true && !isAsking(at)) at--
  const known = knownAt(at)
  const isCounted = known?.superlative !== undefined || known?.number !== undefined
  return !isAsking(at) && !isCounted && words[at]?.kind !== 'number'
}

/** True where a noun is for one record: by its form, or by the article before it. */
function isSingular({ words, from, language }: Place, noun: number, owner: Owner): boolean {
  const { called, ones } = writeWordsOf(language)
  const covered = words.slice(noun, from).filter(({ plain }) => !called.includes(plain))
  const said = covered.map(({ plain }) => plain).join(' ')
  const [many, one] = [owner.label, owner.single].map(toPlain)
  if (said === one && one !== many) return true
  const before = [words[noun - 1]?.plain ?? '', words[noun - 2]?.plain ?? '']
  if (ones.includes(before[0] ?? '') || ones.includes(before.toReversed().join(' '))) return true
  return said !== many && language.linking.length === 0 && !said.endsWith('s')
}

/** `how many Note were sold`: the records that lines of sales are of. */
function findSold({ words, from, language, subjects }: Place): Noun | undefined {
  const has = (start: number, end: number, concept: Concept): boolean => {
    const phrase = words.slice(start, end).map((word) => stemOf(word, language))
    return language.phrases.get(phrase.join(' '))?.concepts.has(concept) === true
  }
  const isCounted = [1, 2, 3].some((length) => has(Math.max(0, from - length), from, 'count'))
  if (!isCounted || !words.some((_, at) => at > from && has(at, at + 1, 'sold'))) return undefined
  const targets = subjects.flatMap((subject) =>
    subject.isMain && findSoldOf(subject, language)
      ? subject.fields.flatMap(({ depth, field, grant }) =>
          depth === 0 && field.references !== 'User' ? (findTarget(field, grant)?.view ?? []) : [],
        )
      : [],
  )
  const owners = subjects.filter(({ view }) => targets.includes(view)).slice(0, OWNERS_MAX)
  return { from, owners, isApposed: false }
}

/** The longest run of words that is the name of a record of an object, as it is written there. */
async function findRun(
  lookups: Lookups,
  { view, grant }: Owner,
  runs: readonly NameRun[],
): Promise<NameRun | undefined> {
  const texts = listNameTexts({ view, grant })
  if (texts.length === 0) return undefined
  const Value = [...new Set(runs.flatMap(({ text }) => listParts(text, texts.length)))]
  const rows = await lookups.ask(
    { view, grant },
    {
      ObjectName: view.name,
      Fields: texts,
      Limit: ROWS_MAX,
      Filters: { Logic: 'or', Filters: texts.map((Field) => ({ Field, Operator: 'in', Value })) },
    },
  )
  const names = new Set(
    rows.flatMap((row) => {
      const each = texts.map((name) => String(row[name] ?? ''))
      return [...each, each.join(' ')]
    }),
  )
  return runs.find(({ text }) => names.has(text))
}

/** A text, and what stands at its ends where several fields make up a name. */
function listParts(text: string, fields: number): string[] {
  if (fields < 2) return [text]
  const words = text.split(' ')
  return words.flatMap((_, at) => [
    words.slice(0, at + 1).join(' '),
    words.slice(words.length - at - 1).join(' '),
  ])
}
