/** The cover of a question: each of its words belongs to exactly one meaning. */
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { type BuiltRequest, decide, listSent, nameOfAggregate, type SentFilter } from './decide.ts'
import {
  type Clause,
  type Draft,
  type DraftFilter,
  isDated,
  isList,
  isMeasure,
  type RelatedDraft,
} from './draft.ts'
import { dateOf } from './period-date.ts'
import type { ReachedField } from './scope.ts'
import { stemText, toPlain } from './words.ts'
import type { InterpretedWords } from '../item.ts'

/** Words that follow each other, with their one meaning. */
export interface Span {
  /** The segments: from the first to before the last. */
  start: number
  end: number
  text: string
  meaning: InterpretedWords['Meaning']
  /** The field of the request that they are about, a part of a date behind a colon. */
  field: string | undefined
  /** The value that is asked for, as the request has it. */
  value: unknown
}

type Read = Pick<Span, 'meaning'> & Partial<Pick<Span, 'field' | 'value'>>

/** The cover of a question whose unknown words are resolved. */
export function coverOf(draft: Draft, request: BuiltRequest): Span[] {
  const spans: Span[] = []
  for (const [at, { text }] of draft.segments.entries()) {
    const read = readSegment({ draft, request, at })
    const last = spans.at(-1)
    if (last && mayJoin(last, read)) {
      last.end = at + 1
      last.text += isGlued(draft, at) ? text : ` ${text}`
      last.field ??= read.field
      last.value ??= read.value
    } else {
      const { meaning, field, value } = read
      spans.push({ start: at, end: at + 1, text, meaning, field, value })
    }
  }
  const { related } = draft
  if (!related || draft.takenOver.has('related')) return spans
  const others = coverRelated(related, draft.segments.length)
  return related.isFirst ? [...others, ...spans] : [...spans, ...others]
}

/** The words for rows that refer to the records: fields there are none of the records. */
function coverRelated({ rows, word, member }: RelatedDraft, from: number): Span[] {
  const cover = coverOf(rows, decide(rows)).map((span): Span => {
    const [start, end] = [span.start + from + 1, span.end + from + 1]
    return { ...span, start, end, field: undefined }
  })
  const meaning = member === 'With' ? 'filler' : 'negation'
  // `never sold` names the rows, and denies them.
  if (word === undefined)
    return member === 'With'
      ? cover
      : cover.map((span) => (span.meaning === 'object' ? { ...span, meaning } : span))
  const said = { meaning, field: undefined, value: undefined } as const
  return [{ ...said, start: from, end: from + 1, text: word }, ...cover]
}

const isGlued = ({ segments }: Draft, at: number): boolean =>
  segments[at]?.words[0]?.isGlued === true

/** Numbers, days and texts that a question names and its request does not ask for. */
export function listPassedOver(draft: Draft, request: BuiltRequest): string[] {
  const asked = listPaths(request)
  const { fields, lists } = draft.subject
  return coverOf(draft, request).flatMap(({ field, start, text }) => {
    const at = [...fields, ...lists].find(({ path }) => path === field)
    const isNamed = at && (isMeasure(at) || isDated(at) || isList(at) || isPlainText(at))
    if (!isNamed || asked.has(at.path)) return []
    return isHeardElsewhere(draft, start, asked) ? [] : [text]
  })
}

/** True for a text that stands for itself: a phone number, not a customer or a status. */
const isPlainText = ({ field }: ReachedField): boolean =>
  FIELD_KINDS[field.type].isText && field.references === undefined && field.options.length === 0

/** `orders shipped by country`: the verb says which country. */
function isHeardElsewhere(
  { segments, subject, asking: { language } }: Draft,
  at: number,
  asked: ReadonlySet<string>,
): boolean {
  const nouns = language.verbs.get(stemText(segments[at]?.text ?? '', language).join(' ')) ?? []
  const names = subject.fields
    .filter(({ path }) => asked.has(path))
    .flatMap(({ label, field }) => [label, field.name].map(toPlain))
  return nouns.some((noun) => names.some((name) => name.startsWith(noun)))
}

/** True for words that say one thing together: `by` and `region`, `over` and `1000`. */
function mayJoin(last: Read, next: Read): boolean {
  if (last.meaning !== next.meaning) return false
  const isOne = (one: unknown, other: unknown): boolean =>
    one === undefined || other === undefined || JSON.stringify(one) === JSON.stringify(other)
  return isOne(last.field, next.field) && isOne(last.value, next.value)
}

interface Place {
  draft: Draft
  request: BuiltRequest
  at: number
}

function readSegment(place: Place): Read {
  const { draft, at } = place
  const found = draft.unknown.find(({ segments }) => segments.includes(at))?.found
  if (found) return toValue(found)
  const period = draft.periods.find(
    (each) => !draft.takenOver.has(each) && each.start <= at && at < each.end,
  )
  if (period) return { meaning: 'period', field: dateOf(draft, period)?.path, value: period.value }
  const days = draft.asking.language.weekdays.get(draft.segments[at]?.words[0]?.plain ?? '')
  const weekday = days && draft.filters.find(({ part }) => part === 'weekday')
  if (weekday) {
    const { at: date, value } = weekday
    return { meaning: 'period', field: `${date.path}:weekday`, value }
  }
  const clause = draft.clauseOf(at)
  if (clause === undefined) return { meaning: draft.has(at, 'either') ? 'comparison' : 'filler' }
  if (draft.has(at, 'not', 'without') && draft.segments[at]?.meanings.length === 0)
    return { meaning: 'negation' }
  return READERS[clause](place)
}

const toValue = ({ at, value }: Pick<DraftFilter, 'at' | 'value'>): Read => ({
  meaning: 'value',
  field: at.path,
  value,
})

/** The meanings of words by the clause that they were read as. */
const READERS: Readonly<Record<Clause, (place: Place) => Read>> = {
  period: readNamed,
  order: readOrder,
  group: readGroup,
  comparison: readComparison,
  value: readValue,
  presence: (place) => (fieldAt(place) ? readNamed(place) : { meaning: 'comparison' }),
  rest: readRest,
}

/** The field that words name: of several the one that the request asks for. */
function fieldAt({ draft, request, at }: Place): ReachedField | undefined {
  const named = (draft.segments[at]?.meanings ?? []).flatMap((each) =>
    each.kind === 'field' || each.kind === 'flag' ? [each.at] : [],
  )
  const asked = listPaths(request)
  return named.find(({ path }) => asked.has(path)) ?? named[0]
}

/** The groups of a request, and those that an average is over. */
const listGroupsOf = ({ GroupBy, Aggregates }: BuiltRequest): string[] => [
  ...(GroupBy ?? []),
  ...(Aggregates ?? []).flatMap(({ Per }) => Per ?? []),
]

/** The fields that a request is about; the measures by themselves. */
export function listPaths(request: BuiltRequest): Set<string> {
  const ofFilter = (filter: SentFilter): string[] =>
    'Logic' in filter
      ? filter.Filters.flatMap(ofFilter)
      : [
          filter.Field.split(':')[0] ?? '',
          ...(filter.ValueField === undefined ? [] : [filter.ValueField]),
        ]
  return new Set([
    ...(request.Aggregates ?? []).flatMap(({ Field }) => Field ?? []),
    ...(request.Aggregates ?? []).flatMap(({ Filters }) => listSent(Filters).flatMap(ofFilter)),
    ...listGroupsOf(request).map((name) => name.split(':')[0] ?? ''),
    ...(request.Filters ?? []).flatMap(ofFilter),
    ...(request.Sort ?? []).map(({ Field }) => Field),
    ...(request.Having ?? []).map(({ Field }) => Field),
    ...(request.Fields ?? []),
  ])
}

function readNamed(place: Place): Read {
  const at = fieldAt(place)
  return at && isMeasure(at) ? readMeasure(place, at) : { meaning: 'field', field: at?.path }
}

const readMeasure = ({ request }: Place, { path }: ReachedField): Read => ({
  meaning: 'measure',
  field: path,
  value: request.Aggregates?.find(({ Field }) => Field === path)?.Function,
})

function readOrder(place: Place): Read {
  const named = fieldAt(place)
  if (named && isMeasure(named)) return readMeasure(place, named)
  if (place.draft.meaning(place.at, 'self')) return readSelf(place)
  const { Sort, Limit, Aggregates } = place.request
  const [sort] = Sort ?? []
  const over = Aggregates?.find((each) => nameOfAggregate(each) === sort?.Field)
  const field = over ? (over.Field ?? undefined) : sort?.Field
  return { meaning: 'order', field, value: Limit ?? sort?.Direction }
}

function readGroup(place: Place): Read {
  const { draft, request, at } = place
  const groups = listGroupsOf(request)
  const named = fieldAt(place)
  if (named && isMeasure(named)) return readMeasure(place, named)
  const part = draft.segments[at]?.known?.part
  const field =
    groups.find((name) => named !== undefined && name.split(':')[0] === named.path) ??
    groups.find((name) => part !== undefined && name.endsWith(`:${part}`))
  return { meaning: 'group', field }
}

function readComparison(place: Place): Read {
  const { draft, at } = place
  if (draft.meaning(at, 'self')) return readSelf(place)
  if (fieldAt(place)) return readNamed(place)
  const compared = draft.filters.find(({ other }) => other && isBeside(draft, at, other))
  if (compared)
    return { meaning: 'comparison', field: compared.at.path, value: compared.other?.path }
  const number = draft.number(at)?.value
  const holds = (value: unknown): boolean =>
    number !== undefined && [value].flat().some((each) => each === number)
  const filter = draft.filters.find((each) => isMeasure(each.at) && holds(each.value))
  if (filter) return { meaning: 'comparison', field: filter.at.path, value: filter.value }
  const having = draft.having && holds(draft.having.value) ? place.request.Having?.[0] : undefined
  return { meaning: 'comparison', field: having?.Field, value: having?.Value }
}

/** True where the words behind a place name the field. */
const isBeside = (draft: Draft, at: number, { path }: ReachedField): boolean => {
  let next = at + 1
  while (draft.isBare(next)) next++
  return (
    draft.segments[next]?.meanings.some((each) => 'at' in each && each.at.path === path) === true
  )
}

function readValue(place: Place): Read {
  const { draft, at } = place
  const meanings = draft.segments[at]?.meanings ?? []
  for (const each of meanings) {
    if (each.kind !== 'option' && each.kind !== 'flag') continue
    const filter = draft.filters.find(({ at: { path } }) => path === each.at.path)
    if (!filter) continue
    return toValue({ at: each.at, value: each.kind === 'option' ? each.value : filter.value })
  }
  const preset = draft.meaning(at, 'preset')
  if (preset && preset.name === draft.preset) return { meaning: 'value', value: preset.name }
  if (draft.has(at, 'created', 'changed', 'createdBy', 'changedBy')) {
    const author = draft.filters.find((each) => each.at.field.column?.kind === 'tracking')
    return { meaning: 'field', field: author?.at.path }
  }
  if (meanings.length > 0) return readNamed(place)
  const { userId } = draft.asking.caller
  const own = draft.filters.find(({ value, named }) => value === userId && named !== undefined)
  return own ? toValue(own) : { meaning: 'value' }
}

const readSelf = ({ request }: Place): Read => ({ meaning: 'object', value: request.ObjectName })

function readRest(place: Place): Read {
  const { draft, request, at } = place
  const word = request.Aggregates?.find((each) =>
    (['count', 'sum', 'avg', 'min', 'max'] as const).some(
      (name) => draft.has(at, name) && each.Function.startsWith(name),
    ),
  )
  const named = fieldAt(place)
  const isSelf = draft.meaning(at, 'self') !== undefined
  if (!named && !isSelf && word)
    return { meaning: 'measure', field: word.Field ?? undefined, value: word.Function }
  if (isSelf && (!named || !listPaths(request).has(named.path))) return readSelf(place)
  if (named && isMeasure(named)) return readMeasure(place, named)
  if (named) return readNoun(place, named)
  if (draft.has(at, 'compare', 'before')) return { meaning: 'comparison' }
  if (draft.has(at, 'trend')) return { meaning: 'group', field: request.GroupBy?.[0] }
  return { meaning: draft.has(at, 'history') ? 'field' : 'measure' }
}

function readNoun({ request }: Place, named: ReachedField): Read {
  const group = listGroupsOf(request).find((name) => name.split(':')[0] === named.path)
  if (group !== undefined && !isDated(named)) return { meaning: 'group', field: group }
  const over = request.Aggregates?.find(({ Field }) => Field === named.path)
  return over
    ? { meaning: 'measure', field: named.path, value: over.Function }
    : { meaning: 'field', field: named.path }
}
