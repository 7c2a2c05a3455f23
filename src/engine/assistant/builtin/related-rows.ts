/**
 * Questions for records by the rows of another object that refer to them: `customers without
 * orders`, `products that were never sold`.
 */
import { Yielder } from '../../../kernel/yielder.ts'
import { decide } from './decide.ts'
import { type Deed, findDeed } from './deeds.ts'
import type { Asking, Draft, RelatedMember } from './draft.ts'
import { type Concept, stemOf } from './language.ts'
import { readFor } from './reading.ts'
import type { Subject } from './scope.ts'
import { type QuestionWord, stemText } from './words.ts'
import type { RelatedRows } from '../../object-explorer/schema.ts'
import { isContextName } from '../../object/context.ts'

/** The records that are asked for, and the rows that they are to have, or to be without. */
interface RelatedPair {
  records: Draft
  rows: Draft
  member: RelatedMember
  /** The word between them; undefined where the rows are named by what was done. */
  word: string | undefined
  /** The field of the rows that names the record. */
  field: string
  /** True where the rows are named before the records: `never sold products`. */
  isFirst: boolean
}

/** A question with all that its caller may ask about. */
interface Question {
  words: readonly QuestionWord[]
  subjects: readonly Subject[]
  asking: Asking
}

/** Words between the records and their rows. */
const JOINTS: Readonly<Record<RelatedMember, Concept>> = { With: 'having', Without: 'without' }

/** The only way to read a question as records with or without rows; undefined for several. */
export async function findRelated(
  { words, subjects, asking }: Question,
  member: RelatedMember,
): Promise<RelatedPair | undefined> {
  const { language } = asking
  const places = words.flatMap((word, at) => {
    const known = word.kind === 'word' && language.phrases.get(stemOf(word, language))
    return known && known.concepts.has(JOINTS[member]) ? [at] : []
  })
  const [at = 0] = places
  const word = words[at]
  if (places.length !== 1 || at === 0 || !word) return undefined
  const main = listMain(subjects)
  const yielder = new Yielder()
  const read = async (part: readonly QuestionWord[]): Promise<Draft[]> => {
    const drafts: Draft[] = []
    for (const subject of main) {
      drafts.push(readFor(subject, part, asking).draft)
      await yielder.yieldWhenDue()
    }
    return drafts
  }
  const behind = words.slice(at + 1)
  const rows = [...(await read(behind)), ...readByTail(behind, main, asking)].filter(isOfRows)
  if (rows.length === 0) return undefined
  const records = (await read(words.slice(0, at))).filter(isOfRecords)
  const pairs = records.flatMap((each) =>
    rows.flatMap((other) => {
      const field = findReference(other.subject, each.subject)
      const named = { member, word: word.text, isFirst: false }
      return field === undefined ? [] : [{ records: each, rows: other, field, ...named }]
    }),
  )
  return pairs.length === 1 ? pairs[0] : undefined
}

/** Letters of a name that is the end of a longer one. */
const TAIL_MIN = 5

/** The rows by the last word of their name, or the end of it: `Bewegung` of Lagerbewegungen. */
function readByTail(
  [first, ...rest]: readonly QuestionWord[],
  main: readonly Subject[],
  asking: Asking,
): Draft[] {
  if (first?.kind !== 'word' || first.plain.length < TAIL_MIN) return []
  const stem = stemOf(first, asking.language)
  if (main.some(({ phrases }) => phrases.has(stem)) || asking.language.phrases.has(stem)) return []
  return main.flatMap((subject) => {
    const [phrase] = listNames(subject).filter((name) => name.endsWith(stem))
    if (phrase === undefined) return []
    return [readFor(subject, [{ ...first, plain: phrase }, ...rest], asking).draft]
  })
}

/** The phrases that name the object itself. */
const listNames = ({ phrases }: Subject): string[] =>
  [...phrases].flatMap(([phrase, meanings]) =>
    meanings.some(({ kind }) => kind === 'self') ? [phrase] : [],
  )

/**
 * Records by what was done with them, which names the rows: `customers who ordered nothing this
 * year`. Days between the records and the verb are of what was done.
 */
export async function findByDeed({
  words,
  subjects,
  asking,
}: Question): Promise<RelatedPair | undefined> {
  const deed = findDeed(words, asking.language)
  if (!deed) return undefined
  const main = listMain(subjects)
  const behind = words.slice(deed.to)
  const yielder = new Yielder()
  const pairs: RelatedPair[] = []
  for (const subject of main) {
    const records = readRecords(subject, deed.isFirst ? behind : words.slice(0, deed.from), asking)
    await yielder.yieldWhenDue()
    if (!records || (deed.isFirst && records.days.length > 0)) continue
    pairs.push(...findDone(records, { deed, rest: deed.isFirst ? [] : behind, main, asking }))
  }
  return pairs.length === 1 ? pairs[0] : undefined
}

/** The records, without days that are no condition of theirs. */
function readRecords(
  subject: Subject,
  words: readonly QuestionWord[],
  asking: Asking,
): { draft: Draft; days: readonly QuestionWord[] } | undefined {
  const { draft } = readFor(subject, words, asking)
  const [period, ...others] = draft.periods.filter((each) => !draft.periodFields.has(each))
  if (!period) return isOfRecords(draft) ? { draft, days: [] } : undefined
  const isLast = draft.segments.every((_, at) => at < period.end || draft.isBare(at))
  if (others.length > 0 || !isLast) return undefined
  const cut = (from: number, to?: number) =>
    draft.segments.slice(from, to).flatMap((segment) => segment.words)
  const again = readFor(subject, cut(0, period.start), asking).draft
  return isOfRecords(again) ? { draft: again, days: cut(period.start) } : undefined
}

interface Done {
  deed: Deed
  rest: readonly QuestionWord[]
  main: readonly Subject[]
  asking: Asking
}

/** The rows of the first noun by which an object is called that refers to the records itself. */
function findDone(
  { draft: records, days }: { draft: Draft; days: readonly QuestionWord[] },
  { deed, rest, main, asking }: Done,
): RelatedPair[] {
  // What users did is not said by whose records those are.
  if (records.subject.view.entity?.builtIn) return []
  const named = deed.nouns.map((noun) => stemText(noun, asking.language).join(' '))
  const ways = [0, 1].flatMap((depth) => named.map((plain) => ({ depth, plain })))
  for (const { depth, plain } of ways) {
    const found = main.flatMap((subject): RelatedPair[] => {
      if (!subject.phrases.get(plain)?.some(({ kind }) => kind === 'self')) return []
      const field = findReference(subject, records.subject)
      if (field === undefined || field.split('.').length - 1 !== depth) return []
      const word: QuestionWord = { kind: 'word', text: deed.text, plain }
      const rows = readFor(subject, [...days, word, ...rest], asking).draft
      const { member, isFirst } = deed
      return isOfRows(rows) ? [{ records, rows, field, member, word: undefined, isFirst }] : []
    })
    if (found.length > 0) return found
  }
  return []
}

/** One view of each entity: two of them would be two readings of the same. */
function listMain(subjects: readonly Subject[]): Subject[] {
  const main = subjects.filter(({ isMain, view }) => isMain && view.entity)
  return main.filter(
    ({ view }, at) => main.findIndex((each) => each.view.entity === view.entity) === at,
  )
}

/** Of other nouns before the word, as `orders of customers`, either may be without. */
const isOfRecords = ({ selfAt, dimensions, measures, having, ranking, show, wanted }: Draft) =>
  selfAt >= 0 &&
  dimensions.length + measures.length === 0 &&
  [having, ranking, show, wanted].every((part) => part === undefined)

/** A condition behind the noun may be one of the records: only days are of what happened. */
function isOfRows(draft: Draft): boolean {
  const { selfAt, segments, groups, measures, dimensions, aggregates, sort } = draft
  return (
    selfAt >= 0 &&
    groups.length + measures.length + dimensions.length + sort.length + aggregates.size === 0 &&
    segments.every((_, at) => at <= selfAt || draft.isBare(at) || draft.clauseOf(at) === 'period')
  )
}

/** The one field of the rows that names a record; else the one of what they belong to. */
function findReference(rows: Subject, { view }: Subject): string | undefined {
  const { model } = rows.grant
  const isKeyed = view.keys.length === 1 && view.keys[0]?.column?.key === true
  if (!isKeyed || rows.view.entity === view.entity) return undefined
  if (!rows.view.query.parameters.every((name) => isContextName(name, model))) return undefined
  const found = rows.fields.filter(({ field, via }) => {
    const { references, lookup, multiple, link, column } = field
    const entity = lookup ? model.views.get(lookup.view)?.entity?.name : references
    const isOne = !multiple && !link && column?.kind !== 'tracking'
    return isOne && via?.field.column?.kind !== 'tracking' && entity === view.entity?.name
  })
  const own = found.filter(({ depth }) => depth === 0)
  const [only, ...others] = own.length > 0 ? own : found.filter(({ depth }) => depth === 1)
  return others.length === 0 ? only?.path : undefined
}

/** The rows as they are asked for; undefined where more than conditions are asked of them. */
export function toRelated({ rows, field }: RelatedPair): RelatedRows | undefined {
  const { ObjectName, Filters, Preset, ...others } = decide(rows)
  if (Object.keys(others).length > 0) return undefined
  return {
    ObjectName,
    Field: field,
    ...(Filters && { Filters }),
    ...(Preset !== undefined && { Preset }),
  }
}
