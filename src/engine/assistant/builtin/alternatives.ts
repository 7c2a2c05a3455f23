/** Other readings of single words of a question: another date, measure or field of a value. */
import { renderMessage } from '../../../kernel/messages.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { listPaths, type Span } from './cover.ts'
import { type BuiltRequest, listSent, nameOfAggregate, type SentFilter } from './decide.ts'
import { type Draft, isDated, isMeasure } from './draft.ts'
import { explain } from './explain.ts'
import type { ReachedField } from './scope.ts'
import { type DatePart, TIME_PARTS } from '../../object/date-parts.ts'

/** Another reading of words, with the query that it makes. */
interface OtherReading {
  field: string
  /** The value that the words are of that field. */
  value: unknown
  request: BuiltRequest
  /** In the language of the question. */
  explanation: string
}

/** Most other readings of the same words that are told. */
const OTHERS_MAX = 3

/** The other readings of a span, the likeliest first. */
export function listOthers(draft: Draft, request: BuiltRequest, span: Span): OtherReading[] {
  if (span.field === undefined) return []
  const [path = '', part] = span.field.split(':')
  const now = draft.subject.fields.find((at) => at.path === path)
  const others =
    span.meaning === 'value'
      ? listValued(draft, span)
      : now
        ? listFields(draft, span, now).map((at) => ({ at, value: span.value }))
        : []
  const told = new Set([sayIn(draft, request)])
  const readings: OtherReading[] = []
  for (const { at, value } of others) {
    if (at.path === path || !mayStandFor(at, part, request)) continue
    const swapped = swap(request, { from: path, to: at.path, of: span, value })
    // Two columns of one name, as a key and the label of its record, are no choice.
    const text = sayIn(draft, swapped)
    if (told.has(text)) continue
    told.add(text)
    const field = part === undefined ? at.path : `${at.path}:${part}`
    readings.push({ field, value, request: swapped, explanation: text })
    if (readings.length === OTHERS_MAX) break
  }
  return readings
}

const sayIn = (draft: Draft, request: BuiltRequest): string =>
  renderMessage(explain(draft, request), draft.asking.language.name)

/** The second-best date of a question that names none, else the second-best number. */
export function findSecond(
  draft: Draft,
  request: BuiltRequest,
  cover: readonly Span[],
): { date: OtherReading | undefined; measure: OtherReading | undefined } {
  const others = cover.flatMap((span) =>
    isNamed(draft, span.field) ? [] : listOthers(draft, request, span),
  )
  const find = (fits: (at: ReachedField) => boolean): OtherReading | undefined =>
    others.find(({ field }) =>
      draft.subject.fields.some((at) => at.path === field.split(':')[0] && fits(at)),
    )
  return { date: find(isDated), measure: find(isMeasure) }
}

/** An hour is no part of a day, and a field that is asked for already would be so twice. */
const mayStandFor = (
  { path, field }: ReachedField,
  part: string | undefined,
  request: BuiltRequest,
): boolean =>
  !listPaths(request).has(path) &&
  !(
    part !== undefined &&
    TIME_PARTS.has(part as DatePart) &&
    FIELD_KINDS[field.type].moment === 'day'
  )

/** True where words of the question name a field. */
const isNamed = ({ segments, used }: Draft, name: string | undefined): boolean =>
  segments.some(
    ({ meanings }, at) =>
      used.has(at) &&
      meanings.some((each) => each.kind === 'field' && each.at.path === name?.split(':')[0]),
  )

/** Fields that the same words name, or that are as good where no word names one. */
function listFields(draft: Draft, span: Span, now: ReachedField): ReachedField[] {
  const fits = isDated(now) ? isDated : isMeasure(now) ? isMeasure : undefined
  const words = draft.segments.slice(span.start, span.end)
  const named = words
    .flatMap(({ meanings }) => meanings)
    .flatMap((each) => (each.kind === 'field' && (fits?.(each.at) ?? true) ? [each.at] : []))
  if (named.length > 0) return [...new Set(named)].filter((at) => isAlike(at, now))
  if (!fits || isNamed(draft, span.field)) return []
  return draft.subject.fields.filter(
    (at) => fits(at) && at.depth === 0 && !at.field.hidden && at.field.column?.kind !== 'tracking',
  )
}

/** A number stands for a number and a day for a day; a reference for whatever groups rows. */
const isAlike = (one: ReachedField, other: ReachedField): boolean =>
  isDated(one) === isDated(other) && isMeasure(one) === isMeasure(other)

/** The other fields of which the words are a value. */
function listValued(draft: Draft, { start, end, field }: Span) {
  return draft.segments
    .slice(start, end)
    .flatMap(({ meanings }) => meanings)
    .flatMap((each) =>
      each.kind === 'option' && each.at.path !== field ? [{ at: each.at, value: each.value }] : [],
    )
}

interface Swap {
  from: string
  to: string
  of: Span
  value: unknown
}

/** The request with another field in the place of one, and of a condition its value. */
function swap(request: BuiltRequest, change: Swap): BuiltRequest {
  const { from, to, of, value } = change
  const isValue = of.meaning === 'value'
  const inFilter = (filter: SentFilter): SentFilter => {
    if ('Logic' in filter) return { ...filter, Filters: filter.Filters.map(inFilter) }
    if (filter.ValueField === from && !isValue) return { ...filter, ValueField: to }
    if (!isValue && filter.Field.split(':')[0] === from)
      return { ...filter, Field: `${to}${filter.Field.slice(from.length)}` }
    if (filter.Field !== from || !isValue) return filter
    const isOf = JSON.stringify(filter.Value) === JSON.stringify(of.value)
    return isOf ? { ...filter, Field: to, Value: value } : filter
  }
  const Filters = request.Filters?.map(inFilter)
  const Aggregates = request.Aggregates?.map((each) =>
    each.Filters ? { ...each, Filters: listSent(each.Filters).map(inFilter) } : each,
  )
  if (isValue) return { ...request, ...(Filters && { Filters }), ...(Aggregates && { Aggregates }) }
  const names = new Map(
    (request.Aggregates ?? []).map((each) => [
      nameOfAggregate(each),
      nameOfAggregate(each.Field === from ? { ...each, Field: to } : each),
    ]),
  )
  const put = (name: string): string => {
    if (name === from || name.startsWith(`${from}:`)) return `${to}${name.slice(from.length)}`
    return names.get(name) ?? name
  }
  return {
    ...request,
    ...(Filters && { Filters }),
    ...(request.GroupBy && { GroupBy: request.GroupBy.map(put) }),
    ...(Aggregates && {
      Aggregates: Aggregates.map((each) => (each.Field === from ? { ...each, Field: to } : each)),
    }),
    ...(request.Having && {
      Having: request.Having.map((each) => ({ ...each, Field: put(each.Field) })),
    }),
    ...(request.Sort && {
      Sort: request.Sort.map((each) => ({ ...each, Field: put(each.Field) })),
    }),
  }
}
