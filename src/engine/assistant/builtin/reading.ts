/** A question read for one object: its request, its cost, and its unknown words. */
import { VIEW_TYPES } from '../../../model/compiled/view.ts'
import { type BuiltRequest, decide } from './decide.ts'
import { type Asking, type Clause, Draft } from './draft.ts'
import { dateOf } from './period-date.ts'
import { readCompared } from './read-compared.ts'
import { readAmounts, readAuthors, readMine, readOptions, readPeriods } from './read-filters.ts'
import { readCountOfRows, readGroups, readRanking, readSort } from './read-groups.ts'
import { readRest, readWhen } from './read-rest.ts'
import { readDone, readPresence, readStock } from './read-states.ts'
import { readWeekdays } from './read-weekdays.ts'
import type { Subject } from './scope.ts'
import { cutQuestion } from './segments.ts'
import type { QuestionWord } from './words.ts'

/** A question as it was read. */
export interface QuestionReading {
  draft: Draft
  /** The lower, the likelier. */
  cost: number
}

const A_SUBJECT = 3
const OF_CONTEXT = 2
const UNREAD = 8
const ANOTHER_VIEW = 1
/** A form opens for one record: `new orders` are those that are new, not New order. */
const A_FORM = 3
const AN_ASSUMPTION = 3.5
const A_DETOUR = 1.5

/** True when a question names anything of the object at all. */
export const isGrounded = ({
  selfAt,
  filters,
  measures,
  dimensions,
  groups,
  sort,
  wanted,
}: Draft) =>
  selfAt >= 0 ||
  wanted !== undefined ||
  measures.length > 0 ||
  dimensions.length > 0 ||
  sort.length > 0 ||
  filters.length > 0 ||
  groups.some(({ at }) => at !== undefined)

/** True where the object that the caller looks at is asked for: `how many are there?`. */
export const isOfContext = ({ aggregates, periods, ranking, limit, measures }: Draft): boolean =>
  aggregates.size > 0 ||
  periods.length > 0 ||
  measures.length > 0 ||
  (ranking ?? limit) !== undefined

/** True when its days are dates of a record that it refers to. */
const isDatedBehind = (draft: Draft): boolean =>
  (draft.periods.length > 0 || draft.groups.some(({ at }) => !at)) &&
  (dateOf(draft, draft.periods[0])?.depth ?? 0) > 0

/** True when it computes with a number that it does not name. */
const isAssuming = ({ aggregates, measures, ranking }: Draft): boolean =>
  measures.length === 0 &&
  (['sum', 'avg', 'min', 'max'].some((each) => aggregates.has(each as 'sum')) ||
    ranking?.of[0] === '@measure')

/** The readers in their order, by the kind of clause that they read. */
const CLAUSES: readonly (readonly [Clause, ...((draft: Draft) => void)[]])[] = [
  ['comparison', readCompared],
  ['period', readPeriods],
  ['period', readWeekdays],
  ['order', readSort, readRanking],
  ['group', readGroups],
  ['comparison', readAmounts],
  ['value', readAuthors, readMine, readOptions],
  ['presence', readStock, readDone, readPresence],
  ['order', readCountOfRows],
  ['rest', readWhen, readRest],
]

/** Reads a question for an object; its unknown words may be values of the data. */
export function readFor(
  subject: Subject,
  words: readonly QuestionWord[],
  asking: Asking,
  context?: string,
): QuestionReading {
  const { segments, cost } = cutQuestion(words, asking.language, subject)
  const draft = new Draft(subject, asking, segments)
  for (const [clause, ...readers] of CLAUSES) {
    draft.clause = clause
    for (const read of readers) read(draft)
  }
  readUnknown(draft)
  // Only now it is known whether a record is named.
  readWhen(draft)
  const isNamed = draft.selfAt >= 0
  const isContext = context?.toLowerCase() === subject.view.name.toLowerCase()
  const rank =
    cost +
    draft.unknown.length * UNREAD * 0.25 +
    draft.cost +
    (subject.isMain ? 0 : ANOTHER_VIEW) +
    (VIEW_TYPES[subject.view.viewType].opensNew ? A_FORM : 0) +
    (isGrounded(draft) || (isContext && isOfContext(draft)) ? 0 : UNREAD) +
    (isDatedBehind(draft) ? A_DETOUR : 0) +
    (isAssuming(draft) ? AN_ASSUMPTION : 0) -
    (isNamed ? A_SUBJECT : 0) -
    (isContext ? OF_CONTEXT : 0) +
    (draft.selfAt > 0 ? Math.min(draft.selfAt, 10) * 0.05 : 0)
  return { draft, cost: rank }
}

/** Reads runs of words that were not understood. */
function readUnknown(draft: Draft): void {
  for (let at = 0; at < draft.segments.length; at++) {
    if (!isOpen(draft, at)) continue
    let end = at + 1
    while (isOpen(draft, end) && !isOfItself(draft, end)) end++
    const segments = Array.from({ length: end - at }, (_, nth) => at + nth)
    const text = segments.map((each) => draft.segments[each]?.text ?? '').join(' ')
    draft.unknown.push({
      text,
      hint: draft.valuedBy.get(at) ?? findHint(draft, at),
      isHintOnly: draft.valuedBy.has(at),
      isNegated: isNegated(draft, at) || isOneMore(draft, at),
      isName: segments.some((each) => isNameAt(draft, each)),
      rowOf: draft.segments[at]?.words[0]?.rowOf,
      segments,
    })
    at = end - 1
  }
}

/** True for a text in quotes, and for a code behind another one: each is a value. */
function isOfItself({ segments }: Draft, at: number): boolean {
  const [before, kind] = [at - 1, at].map((each) => segments[each]?.words[0]?.kind)
  return kind === 'quoted' || (kind === 'code' && before === 'code')
}

const isNameAt = ({ segments }: Draft, at: number): boolean =>
  segments[at]?.words.some(
    ({ kind, text }) => kind === 'quoted' || kind === 'code' || /^\p{Lu}/u.test(text),
  ) === true

function isOpen(draft: Draft, at: number): boolean {
  const segment = draft.segments[at]
  if (!segment || !draft.isFree(at)) return false
  if (segment.known === undefined) return segment.words[0]?.text !== ','
  const { isStop, concepts, period, span, scale } = segment.known
  if (isStop || span !== undefined || scale !== undefined) return false
  return concepts.size === 0 && period.size === 0 ? segment.meanings.length === 0 : false
}

/** The field right before a value. */
function findHint(draft: Draft, at: number) {
  for (let before = at - 1; before >= 0 && before >= at - 3; before--) {
    const field = draft.field(before)
    if (field) return field
    if (!draft.isBare(before)) return undefined
  }
  return undefined
}

/** `not in Wien or Graz`: in neither of them. */
function isOneMore(draft: Draft, at: number): boolean {
  const last = draft.unknown.at(-1)
  const end = last?.segments.at(-1)
  if (!last?.isNegated || end === undefined) return false
  let before = at - 1
  while (before > end + 1 && draft.isBare(before)) before--
  const isJoined = draft.has(before, 'or') || draft.segments[before]?.text === ','
  return before === end + 1 && isJoined
}

function isNegated(draft: Draft, at: number): boolean {
  for (let before = at - 1; before >= 0 && before >= at - 3; before--) {
    if (draft.has(before, 'not')) {
      draft.use(before)
      return true
    }
    if (!draft.isBare(before) && !draft.field(before)) return false
  }
  return false
}

/** The request of a reading. */
export const requestOf = ({ draft }: QuestionReading): BuiltRequest => decide(draft)
