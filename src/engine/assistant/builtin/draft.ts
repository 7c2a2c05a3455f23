/** A draft of a question, read for one object: it becomes a request. */
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { Operator } from '../../../model/operators.ts'
import type { Caller } from '../../../access/callers/caller.ts'
import type { Concept, Language, Superlative } from './language.ts'
import type { Period } from './periods.ts'
import type { Meaning, ReachedField, Subject } from './scope.ts'
import type { Segment } from './segments.ts'
import type { RelatedRows } from '../../object-explorer/schema.ts'
import type { DatePart } from '../../object/date-parts.ts'
import { isPeriod } from '../../object/read/find-view.ts'

/** A question with its caller, time and words. */
export interface Asking {
  language: Language
  caller: Caller
  /** `YYYY-MM-DD` in the caller's zone. */
  today: string
}

/** A condition on a field. */
export interface DraftFilter {
  at: ReachedField
  operator: Operator
  value?: unknown
  /** The part of a date that it is about: the day of the week. */
  part?: DatePart
  /** The field of the row that it is compared with, in place of a value. */
  other?: ReachedField
  /** The name of the records that the value stands for. */
  named?: string
}

/** A condition on the count of a group's rows, or on the sum of a number of them. */
interface DraftHaving {
  /** The number that is summed; undefined for the rows themselves. */
  at: ReachedField | undefined
  operator: Operator
  value: number | number[]
}

/** The member of a query for rows of another object: records are to have them, or none. */
export type RelatedMember = 'With' | 'Without'

/** Rows of another object that the records are to have, or to be without. */
export interface RelatedDraft {
  rows: Draft
  member: RelatedMember
  /** The word before them; undefined where a verb names them. */
  word: string | undefined
  /** True where the question names them before the records. */
  isFirst: boolean
  related: RelatedRows
}

/** A text that is unknown: it may be a value of the data. */
export interface UnknownText {
  text: string
  /** The field before it, whose value it should be. */
  hint: ReachedField | undefined
  /** True where it can be a value of no other field: a name behind `created by`. */
  isHintOnly: boolean
  isNegated: boolean
  /** True where it is written as a name is: with a capital letter, in quotes, as a code. */
  isName: boolean
  /** The entity of the only record that it can be the name of. */
  rowOf?: string | undefined
  /** Words that are one value each, or parts of one. */
  segments: readonly number[]
  /** The condition that they turned out to be. */
  found?: DraftFilter
  /** Conditions on other fields that they may be as well. */
  others?: readonly DraftFilter[]
}

/** The kind of clause that a reader reads. */
export type Clause = 'period' | 'order' | 'group' | 'comparison' | 'value' | 'presence' | 'rest'

export type AggregateWord = 'count' | 'sum' | 'avg' | 'min' | 'max'

/** A draft that the readers fill, one after the other. */
export class Draft {
  readonly subject: Subject
  readonly asking: Asking
  readonly segments: readonly Segment[]
  readonly used = new Set<number>()
  /** The kind of clause that is being read. */
  clause: Clause = 'rest'
  /** The clauses by which places were read. */
  readonly #clauses = new Map<number, Clause>()
  /** The conditions, periods and other parts that are those of the question before. */
  readonly takenOver = new Set<DraftFilter | Period | 'what' | 'groups' | 'preset' | 'related'>()
  periods: Period[] = []
  /** A date field that a period is about, where it is named. */
  readonly periodFields = new Map<Period, ReachedField>()
  readonly filters: DraftFilter[] = []
  readonly groups: { at: ReachedField | undefined; part?: DatePart }[] = []
  readonly measures: ReachedField[] = []
  readonly dimensions: ReachedField[] = []
  readonly sort: { at: ReachedField; direction: 'asc' | 'desc' }[] = []
  readonly unknown: UnknownText[] = []
  /** The only field that an unknown text may be a value of, by its place. */
  readonly valuedBy = new Map<number, ReachedField>()
  readonly aggregates = new Set<AggregateWord>()
  ranking: Superlative | undefined
  limit: number | undefined
  /** The condition on groups: `customers with more than 3 orders`. */
  having: DraftHaving | undefined
  /** Rows that refer to the records: the orders of `customers without orders`. */
  related: RelatedDraft | undefined
  preset: string | undefined
  show: 'share' | 'compare' | undefined
  /** The thing said to be most: the records themselves, as in `the highest payments`. */
  rankedNoun: 'self' | undefined
  isTrend = false
  /** True when the growth of a period is asked for: it is compared with the one before. */
  isGrowth = false
  /** True when the question asks who made or changed the records. */
  isHistory = false
  isDistinct = false
  /** The one field of a record that is asked for: `the phone number of Stonebow`. */
  wanted: ReachedField | undefined
  /** A date that is named by itself: `hire date of the newest employees`. */
  date: ReachedField | undefined
  /** The day of the verb that is compared: `shipped after the due date`. */
  verbDate: ReachedField | undefined
  /** True when one record is asked for: `the cheapest product`. */
  isSingle = false
  /** The place that names the object itself; -1 if none does. */
  selfAt = -1
  /** The cost of the meanings read. */
  cost = 0

  constructor(subject: Subject, asking: Asking, segments: readonly Segment[]) {
    this.subject = subject
    this.asking = asking
    this.segments = segments
  }

  /** True when a segment exists and nothing was read from it. */
  isFree(at: number): boolean {
    return at >= 0 && at < this.segments.length && !this.used.has(at)
  }

  has(at: number, ...concepts: readonly Concept[]): boolean {
    const known = this.segments[at]?.known?.concepts
    if (!known || known.size === 0) return false
    for (const concept of concepts) if (known.has(concept)) return true
    return false
  }

  isStop(at: number): boolean {
    return this.segments[at]?.known?.isStop === true
  }

  /** A stop word that says nothing else. */
  isBare(at: number): boolean {
    const segment = this.segments[at]
    return segment?.known?.isStop === true && segment.meanings.length === 0
  }

  use(...at: readonly number[]): void {
    for (const each of at) {
      this.used.add(each)
      if (!this.#clauses.has(each)) this.#clauses.set(each, this.clause)
    }
  }

  /** The kind of clause that a place was read as; undefined where nothing was read from it. */
  clauseOf(at: number): Clause | undefined {
    return this.#clauses.get(at)
  }

  /** The first free place after stop words. */
  skip(from: number): number {
    let at = from
    while (this.isFree(at) && this.isBare(at)) at++
    return at
  }

  /** The cheapest meaning of a kind. */
  meaning<K extends Meaning['kind']>(
    at: number,
    kind: K,
  ): Extract<Meaning, { kind: K }> | undefined {
    const found = this.segments[at]?.meanings.find((each) => each.kind === kind)
    return found as Extract<Meaning, { kind: K }> | undefined
  }

  /** The field that a segment names, if it fits. */
  field(at: number, fits: (at: ReachedField) => boolean = () => true): ReachedField | undefined {
    const fields = this.segments[at]?.meanings ?? []
    for (const each of fields)
      if ((each.kind === 'field' || each.kind === 'flag') && fits(each.at)) return each.at
    return undefined
  }

  /** Takes from the question before the parts that this one does not give itself. */
  inherit(before: Draft): void {
    const own = new Set(this.filters.map(({ at }) => at.path))
    const filters = before.filters.filter(({ at }) => !own.has(at.path))
    this.filters.unshift(...filters)
    for (const each of filters) this.takenOver.add(each)
    if (this.periods.length === 0) {
      this.periods = before.periods
      for (const each of before.periods) this.takenOver.add(each)
      for (const [period, at] of before.periodFields) this.periodFields.set(period, at)
    }
    if (this.preset === undefined && before.preset !== undefined) this.takenOver.add('preset')
    this.preset ??= before.preset
    if (!this.related && before.related) {
      this.related = before.related
      this.takenOver.add('related')
    }
    if (this.groups.length === 0 && !this.isTrend) {
      this.groups.push(...before.groups)
      if (before.groups.length > 0) this.takenOver.add('groups')
    }
    if (this.measures.length + this.aggregates.size === 0) this.takenOver.add('what')
    if (this.measures.length === 0) this.measures.push(...before.measures)
    if (this.aggregates.size === 0) for (const each of before.aggregates) this.aggregates.add(each)
    if (this.sort.length === 0 && !this.ranking) {
      this.sort.push(...before.sort)
      this.ranking = before.ranking
      this.isSingle ||= before.isSingle
    }
    this.limit ??= before.limit
    if (this.dimensions.length === 0) this.dimensions.push(...before.dimensions)
    this.show ??= before.show
    this.isTrend ||= before.isTrend
    this.isGrowth ||= before.isGrowth
    this.selfAt = before.selfAt
  }

  /** A number in figures or words, with its scale behind it; how many segments it takes. */
  number(at: number): { value: number; length: number } | undefined {
    const segment = this.segments[at]
    const [word] = segment?.words ?? []
    const value = word?.kind === 'number' ? word.number : segment?.known?.number
    if (value === undefined) return undefined
    const scale = this.segments[at + 1]?.known?.scale
    return scale === undefined ? { value, length: 1 } : { value: value * scale, length: 2 }
  }
}

/** True for a number to compute with; a key or a reference is not one. */
export const isMeasure = ({ field, view }: ReachedField): boolean =>
  FIELD_KINDS[field.type].number !== undefined &&
  field.references === undefined &&
  field.lookup === undefined &&
  field.options.length === 0 &&
  !view.keys.includes(field) &&
  field.column?.kind !== 'stamp'

/** A day or an instant. */
export const isDated = ({ field }: ReachedField): boolean => FIELD_KINDS[field.type].isDated

/** True for a field that rows are grouped by. */
export const isDimension = (at: ReachedField): boolean =>
  !isMeasure(at) && !isDated(at) && !isList(at) && !FIELD_KINDS[at.field.type].structure

/** True for a list of keys, of which a condition asks whether it has one. */
export const isList = ({ field }: ReachedField): boolean => field.link !== undefined

/** The date that a question means where it names none. */
export const findMainDate = (subject: Subject): ReachedField | undefined =>
  findMain(subject, isDated)

/** The instant that a question means where it names none. */
export const findMainInstant = (subject: Subject): ReachedField | undefined =>
  findMain(subject, ({ field }) => FIELD_KINDS[field.type].moment === 'instant')

function findMain(
  subject: Subject,
  isMeant: (at: ReachedField) => boolean,
): ReachedField | undefined {
  const dates = listVisible(subject).filter(isMeant)
  const own = dates.filter(({ depth }) => depth === 0)
  const tracked = subject.fields.find((at) => at.depth === 0 && at.field.name === 'CreatedAt')
  return findStanding(subject, own) ?? own[0] ?? findBehind(dates) ?? tracked
}

const listVisible = ({ fields }: Subject): ReachedField[] =>
  fields.filter((at) => at.field.column?.kind !== 'tracking' && !at.field.hidden)

/** The date that the model puts before others: its Period, that of its Sort, or its own by name. */
function findStanding(
  { view, single }: Subject,
  own: readonly ReachedField[],
): ReachedField | undefined {
  const sorted = view.sort.map(({ field }) =>
    own.find((at) => at.field.name.toLowerCase() === field.toLowerCase()),
  )
  const called = [single, view.entity?.name ?? view.name].map((name) =>
    name.toLowerCase().replace(/s$/, ''),
  )
  const isOwn = ({ label, field }: ReachedField): boolean =>
    [label, field.name].some((name) => called.some((word) => name.toLowerCase().startsWith(word)))
  return (
    own.find(({ field }) => isPeriod(view, field)) ??
    sorted.find((at) => at !== undefined) ??
    own.find(isOwn)
  )
}

/** The dates of an object that days may be of, where none stands before the others. */
export function listMainDates(subject: Subject): ReachedField[] {
  const own = listVisible(subject).filter((at) => at.depth === 0 && isDated(at))
  return findStanding(subject, own) ? [] : own
}

/**
 * The date of the record that one belongs to, as the order of a line: the Period of an entity that
 * is referred to, else the only date there. Several are none.
 */
function findBehind(dates: readonly ReachedField[]): ReachedField | undefined {
  const declared = dates.filter(({ view, field }) => isPeriod(view, field))
  const [only, ...others] = declared.length > 0 ? declared : dates
  return others.length === 0 ? only : undefined
}

/**
 * True where a question that names no number can mean one alone: the one with Synonyms, or the only
 * one.
 */
export function hasMainMeasure(subject: Subject): boolean {
  const own = subject.fields.filter((at) => at.depth === 0 && isMeasure(at) && !at.field.hidden)
  return findMainMeasure(subject)?.field.synonyms !== undefined || own.length === 1
}

/** The number that a question means where it names none. */
export function findMainMeasure({ fields }: Subject): ReachedField | undefined {
  const own = fields.filter((at) => at.depth === 0 && isMeasure(at) && !at.field.hidden)
  const titled = own.find(
    (at) => at.field.synonyms !== undefined && FIELD_KINDS[at.field.type].number === 'scaled',
  )
  return titled ?? own.find(({ field }) => FIELD_KINDS[field.type].number === 'scaled') ?? own[0]
}

/** The number of pieces that a record of a sale says. */
export const findSold = ({ subject, asking }: Draft): ReachedField | undefined =>
  findSoldOf(subject, asking.language)

/** The number of pieces that records of an object say, if they are those of sales. */
export function findSoldOf(subject: Subject, { pieces }: Language): ReachedField | undefined {
  const found = findCalled(subject, pieces)
  return found && isMeasure(found) ? found : undefined
}

/** A number or day whose name holds one of the words, the first word before the others. */
export function findCalled(
  { fields }: Subject,
  words: readonly string[],
): ReachedField | undefined {
  const own = fields.filter((at) => at.depth === 0 && (isMeasure(at) || isDated(at)))
  const isCalled = ({ label, field }: ReachedField, word: string): boolean =>
    [label, field.name, String(field.label)].some((each) => each.toLowerCase().includes(word))
  for (const word of words) {
    const found = own.find((at) => isCalled(at, word))
    if (found) return found
  }
  return undefined
}

/** The condition that is the name or key of a record of the object itself. */
export const findNamed = ({ filters, subject: { view } }: Draft): DraftFilter | undefined =>
  filters.find(
    ({ at: { depth, field } }) =>
      depth === 0 &&
      (view.keys.includes(field) ||
        view.entity?.display?.includes(field.column?.name ?? '') === true),
  )
