/** Decides the explorer's query that answers a question, from its draft. */
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { Operator } from '../../../model/operators.ts'
import { findMean } from './averages.ts'
import {
  type Draft,
  findCalled,
  findMainDate,
  findMainInstant,
  findMainMeasure,
  findNamed,
  findSold,
  isMeasure,
} from './draft.ts'
import { dateOf } from './period-date.ts'
import type { Period } from './periods.ts'
import { AGGREGATES } from './read-rest.ts'
import type { ReachedField } from './scope.ts'
import { findParts, listShares } from './shares.ts'
import { listTracked } from './tracked.ts'
import type { QueryRequest } from '../../object-explorer/schema.ts'
import { type DatePart, TIME_PARTS } from '../../object/date-parts.ts'

/** A filter as it is sent. */
export type SentFilter =
  | { Field: string; Operator: Operator; Value?: unknown; ValueField?: string }
  | { Logic: 'or'; Filters: SentFilter[] }

/** The conditions of one aggregate. */
export const listSent = (filters: unknown): SentFilter[] =>
  Array.isArray(filters) ? (filters as SentFilter[]) : []

/** The explorer's query of a reading. */
export type BuiltRequest = Omit<QueryRequest, 'Filters'> & { Filters?: SentFilter[] }

/** The fields that a record is called by. */
function listTitles({ subject }: Draft): string[] {
  const { entity, keys, fieldByName } = subject.view
  const shown = (entity?.display ?? []).filter((name) => fieldByName.has(name.toLowerCase()))
  return shown.length > 0 ? shown : keys.map(({ name }) => name)
}

/** Decides a query of the name of a record, and of who changed it. */
function decideHistory(draft: Draft, request: BuiltRequest): BuiltRequest {
  const names = listTitles(draft)
  const [changedAt] = listTracked(draft).filter(({ field }) => /changed.*at/i.test(field.name))
  if (changedAt) request.Sort = [{ Field: changedAt.path, Direction: 'desc' }]
  return { ...request, Fields: [...names, ...listTracked(draft).map(({ path }) => path)] }
}

/** The request of a reading. */
export function decide(draft: Draft): BuiltRequest {
  const request: BuiltRequest = { ObjectName: draft.subject.view.name }
  const { filters, part } = listConditions(draft)
  if (filters.length > 0) request.Filters = isEither(draft) ? joinByOr(filters) : filters
  if (draft.preset !== undefined) request.Preset = draft.preset
  if (draft.related) request[draft.related.member] = [draft.related.related]
  if (draft.isHistory) return decideHistory(draft, request)
  const groups = listGroups(draft)
  const mean = findMean(draft, groups)
  if (mean) return { ...request, Aggregates: [mean] }
  const aggregates =
    draft.show === 'share' ? listShares(draft, part) : listAggregates(draft, groups.length > 0)
  if (aggregates.length === 0 && groups.length === 0) return decideRows(draft, request)
  if (groups.length > 0) request.GroupBy = groups
  const named = listNamed(draft, groups)
  if (named.length > 0) request.Filters = [...(request.Filters ?? []), ...named]
  request.Aggregates = aggregates.length > 0 ? aggregates : [{ Function: 'count' }]
  const having = planHaving(draft, request.Aggregates)
  if (having) request.Having = [having]
  const sort = listGroupSort(draft, request)
  if (sort.length > 0) request.Sort = sort
  const isOne = draft.isSingle && draft.ranking && !isBestOfEach(draft)
  const limit = draft.limit ?? (isOne ? 1 : undefined)
  if (limit !== undefined) request.Limit = limit
  return request
}

/** `customers with orders`, `the best customers`: orders of nobody are not one's. */
function listNamed(draft: Draft, groups: readonly string[]): SentFilter[] {
  const isOfNamed = draft.having ?? draft.ranking ?? (hasRowsOf(draft) ? true : undefined)
  if (isOfNamed === undefined || isBestOfEach(draft)) return []
  return draft.subject.fields
    .filter(({ path, depth, field }) => groups.includes(path) && (depth > 0 || !field.required))
    .filter(({ path }) => !draft.filters.some(({ at }) => at.path === path))
    .map((at) => toFilter(at, 'isNotNull'))
}

/** The condition on groups, by the aggregate that it is about. */
function planHaving(
  { having }: Draft,
  aggregates: readonly SentAggregate[],
): NonNullable<QueryRequest['Having']>[number] | undefined {
  if (!having) return undefined
  const about = aggregates.find(({ Field, Function: word }) =>
    having.at ? word === 'sum' && Field === having.at.path : word === 'count' && !Field,
  )
  return about && { Field: nameOfAggregate(about), Operator: having.operator, Value: having.value }
}

function decideRows(draft: Draft, request: BuiltRequest): BuiltRequest {
  const wanted = listWanted(draft).map(({ path }) => path)
  const titles = listTitles(draft).filter((path) => !wanted.includes(path))
  if (wanted.length > 0) request.Fields = [...titles, ...wanted]
  const sort = draft.sort.map(({ at, direction }) => ({ Field: at.path, Direction: direction }))
  const ranked = draft.ranking && findRanked(draft)
  if (draft.ranking && ranked) {
    sort.push({ Field: ranked.path, Direction: draft.ranking.direction })
  }
  if (sort.length > 0) request.Sort = sort
  const limit = draft.limit ?? (draft.isSingle && draft.ranking ? 1 : undefined)
  if (limit !== undefined) request.Limit = limit
  return request
}

/** `the price of the product Ares`: what is asked for of a record that is named. */
function listWanted(draft: Draft): ReachedField[] {
  const { wanted, measures, dimensions, date, ranking, limit, sort, selfAt } = draft
  if (wanted) return [wanted]
  const named = findNamed(draft)
  const isOther = ranking !== undefined || limit !== undefined || sort.length > 0
  if (!named || NONE_OF.includes(named.operator) || isOther) return []
  // `revenue of SO-2026-00012` is a sum as well.
  const numbers = selfAt < 0 ? [] : measures
  const days = date && draft.periods.length === 0 ? [date] : []
  return [...numbers, ...dimensions, ...days].filter(({ depth }) => depth === 0)
}

const NONE_OF: readonly Operator[] = ['ne', 'notIn']

/** The field by which records are ranked. */
function findRanked(draft: Draft): ReachedField | undefined {
  const [measure] = draft.measures
  if (measure) return measure
  for (const name of draft.ranking?.of ?? []) {
    if (name === '@date') return draft.date ?? findMainDate(draft.subject)
    if (name === '@title') return findTitle(draft.subject)
    if (name === '@measure' || name === '@count') return findMainMeasure(draft.subject)
    const found = findCalled(draft.subject, [name])
    if (found) return found
  }
  return findMainMeasure(draft.subject)
}

/** The field of a record's name, for alphabetical order. */
const findTitle = ({ view, fields }: Draft['subject']): ReachedField | undefined => {
  const names = view.entity?.display ?? []
  const own = fields.filter(({ depth, field }) => depth === 0 && FIELD_KINDS[field.type].isText)
  return own.find(({ field }) => names.includes(field.name)) ?? own[0]
}

/** The conditions of the rows; of a share those apart that say the part. */
function listConditions(draft: Draft): { filters: SentFilter[]; part: SentFilter[] } {
  const parts = findParts(draft)
  const toSent = ({ at, operator, value, other, part }: Draft['filters'][number]): SentFilter =>
    part
      ? { Field: `${at.path}:${part}`, Operator: operator, Value: value }
      : other
        ? { Field: at.path, Operator: operator, ValueField: other.path }
        : toFilter(at, operator, value)
  const own = draft.filters.filter((each) => !parts.includes(each)).map(toSent)
  const periods = listPeriods(draft)
  // `what share of the revenue is of 2025`: the days are the part where nothing else is.
  const isOfDays = draft.show === 'share' && draft.filters.length === 0 && !hasGroups(draft)
  if (isOfDays) return { filters: [], part: periods }
  return { filters: [...own, ...periods], part: parts.map(toSent) }
}

const toFilter = ({ path }: ReachedField, operator: Operator, value?: unknown): SentFilter =>
  value === undefined
    ? { Field: path, Operator: operator }
    : { Field: path, Operator: operator, Value: value }

/** Values that conditions on one field have joined already: `new or approved`. */
const countJoined = ({ filters, periods }: Draft): number =>
  filters.reduce(
    (sum, { value }) => sum + (Array.isArray(value) ? value.length - 1 : 0),
    Math.max(0, periods.length - 1),
  )

/** Places that say `or` between two conditions, beyond those that one list of values answers. */
const countLoose = (draft: Draft): number =>
  draft.segments.filter((_, at) => draft.has(at, 'either')).length - countJoined(draft)

/** True where one `or` is between the only two conditions: `over 1000 or under 100`. */
const isEither = (draft: Draft): boolean =>
  countLoose(draft) === 1 && draft.filters.length === 2 && countOthers(draft) === 0

/** Conditions that are none on a field of the rows. */
const countOthers = ({ periods, preset, having }: Draft): number =>
  periods.length + (preset === undefined ? 0 : 1) + (having === undefined ? 0 : 1)

/** True where an `or` would be read as an `and`. */
export const losesOr = (draft: Draft): boolean =>
  countLoose(draft) > 0 && draft.filters.length + countOthers(draft) > 1 && !isEither(draft)

const joinByOr = (filters: SentFilter[]): SentFilter[] => [{ Logic: 'or', Filters: filters }]

function listPeriods(draft: Draft): SentFilter[] {
  const periods = draft.show === 'compare' ? completeComparison(draft) : draft.periods
  const own = periods.flatMap((period) => {
    const date = dateOf(draft, period)
    return date ? [toFilter(date, period.operator, period.value)] : []
  })
  const isSpan = ({ operator }: Period): boolean => operator === 'eq' || operator === 'between'
  const fields = new Set(periods.map((period) => dateOf(draft, period)))
  // `today or tomorrow`: no row is within two spans of days.
  if (draft.show !== 'compare' && own.length > 1 && fields.size === 1 && periods.every(isSpan))
    return [{ Logic: 'or', Filters: own }]
  const [first, second] = periods
  if (draft.show !== 'compare' || !first || !second) return own
  const date = dateOf(draft, first)
  if (!date) return own
  const [early, late] = [first, second].toSorted((one, other) => (one.from < other.from ? -1 : 1))
  if (!early || !late) return own
  const next = Temporal.PlainDate.from(early.to).add({ days: 1 }).toString()
  return next === late.from
    ? [toFilter(date, 'between', [early.from, late.to])]
    : [{ Logic: 'or', Filters: own }]
}

/** The period before one that is compared with it. */
export function completeComparison(draft: Draft): Period[] {
  const { periods } = draft
  const [only] = periods
  if (periods.length === 1 && only?.ends)
    return only.ends.map(({ from, to, span }) => {
      return { ...only, from, to, span, operator: 'between', value: [from, to] }
    })
  if (periods.length !== 1 || only?.span === undefined) return periods
  const today = Temporal.PlainDate.from(draft.asking.today)
  const from = Temporal.PlainDate.from(only.from)
  const isNow = only.from <= draft.asking.today && draft.asking.today <= only.to
  const length = only.span === 'quarter' ? { months: 3 } : { [`${only.span}s`]: 1 }
  const other = isNow || draft.isGrowth ? from.subtract(length) : from.add(length)
  const isFuture = Temporal.PlainDate.compare(other, today) > 0
  const start = isFuture ? from.subtract(length) : other
  const end = start.add(length).subtract({ days: 1 })
  const range = { from: start.toString(), to: end.toString() }
  return [...periods, { ...only, ...range, operator: 'between', value: [range.from, range.to] }]
}

/** The groups of the request, by fields and parts of dates. */
export function listGroups(draft: Draft): string[] {
  const groups = draft.groups.flatMap(({ at, part }) => {
    const date = at ?? (part === undefined ? undefined : dateOfPart(draft, part))
    return date ? [part === undefined ? date.path : `${date.path}:${part}`] : []
  })
  const date = dateOf(draft, draft.periods[0])
  const compared = draft.show === 'compare' ? completeComparison(draft) : draft.periods
  const span = compared.find((each) => each.span !== undefined)?.span ?? 'month'
  if (draft.show === 'compare' && date && !draft.groups.some(({ part }) => part !== undefined))
    groups.unshift(`${date.path}:${span}`)
  if (draft.isTrend && date && groups.length === 0) groups.push(`${date.path}:month`)
  if (groups.length === 0 || isRankedByGroup(draft))
    for (const at of listSubjectGroups(draft)) if (!groups.includes(at.path)) groups.push(at.path)
  return groups
}

/** The date whose parts are groups; hours need an instant. */
function dateOfPart(draft: Draft, part: DatePart): ReachedField | undefined {
  const date = dateOf(draft, draft.periods[0])
  const isWhole = date && FIELD_KINDS[date.field.type].moment === 'day' && TIME_PARTS.has(part)
  return isWhole ? findMainInstant(draft.subject) : date
}

const hasGroups = (draft: Draft): boolean => listGroups(draft).length > 0

const isRankedByGroup = (draft: Draft): boolean =>
  draft.ranking !== undefined && draft.groups.length === 0

/** `which customers bought most`: the noun that is asked for, if it is not the object itself. */
function listSubjectGroups(draft: Draft): ReachedField[] {
  const isCounted = draft.aggregates.has('count')
  const isReckoned =
    draft.measures.length > 0 ||
    draft.ranking !== undefined ||
    draft.having !== undefined ||
    draft.show === 'share'
  if (isCounted && draft.ranking === undefined) return []
  if (findParts(draft).length > 0) return []
  // `customers in Austria` says which ones, not by which to group.
  const [first] = draft.dimensions.filter(
    ({ path }) => !draft.filters.some(({ at }) => at.path.startsWith(`${path}.`)),
  )
  if (!first || draft.ranking?.of.includes('@date')) return []
  if (!isReckoned && listWanted(draft).includes(first)) return []
  const isOf = draft.ranking === undefined && isBeforeSelf(draft)
  return isReckoned || draft.selfAt < 0 || isOf ? [first] : []
}

/** `the most expensive product per category`: the best of each group, not the best group. */
const isBestOfEach = ({ groups, ranking, rankedNoun, limit }: Draft): boolean =>
  groups.length > 0 &&
  ranking !== undefined &&
  !ranking.of.includes('@count') &&
  rankedNoun === 'self' &&
  limit === undefined

type SentAggregate = NonNullable<QueryRequest['Aggregates']>[number]

function listAggregates(draft: Draft, isGrouped: boolean): SentAggregate[] {
  if (isBestOfEach(draft)) {
    const best = findRanked(draft)
    const word = draft.ranking?.direction === 'asc' ? 'min' : 'max'
    if (best) return [{ Field: best.path, Function: word }]
  }
  const sold = draft.ranking?.of[0] === '@sold' ? findSold(draft) : undefined
  if (sold && isGrouped) return [{ Field: sold.path, Function: 'sum' }]
  if (draft.having)
    return [
      draft.having.at ? { Field: draft.having.at.path, Function: 'sum' } : { Function: 'count' },
    ]
  const { aggregates, measures, dimensions } = draft
  const isCount = aggregates.has('count') || draft.ranking?.of[0] === '@count'
  const [dimension] = dimensions
  if (isCount && !(measures.length > 0 && aggregates.size > 1)) {
    if (dimension && !isGrouped && (draft.isDistinct || draft.selfAt < 0 || isBeforeSelf(draft)))
      return [{ Field: dimension.path, Function: 'countDistinct' }]
    return isGrouped || aggregates.has('count') ? [{ Function: 'count' }] : []
  }
  const words = AGGREGATES.filter((each) => each !== 'count' && aggregates.has(each))
  const [main] = measures.length > 0 ? measures : [findMainMeasure(draft.subject)]
  if (words.length > 0 && main && !(draft.ranking && draft.selfAt >= 0 && !isGrouped)) {
    const over = measures.length > 0 ? measures : [main]
    return over.flatMap(({ path }) => words.map((word) => ({ Field: path, Function: word })))
  }
  const [summed] = measures
  if (summed && !draft.ranking && isSummed(draft, summed))
    return measures.map(({ path }) => ({ Field: path, Function: 'sum' }))
  if (measures.length > 0 && (isGrouped || (draft.selfAt < 0 && !draft.ranking)))
    return measures.map(({ path }) => ({ Field: path, Function: 'sum' }))
  if (
    isGrouped &&
    draft.ranking &&
    main &&
    draft.ranking.of[0] === '@measure' &&
    (draft.selfAt < 0 || draft.rankedNoun === 'self')
  )
    return [{ Field: main.path, Function: 'sum' }]
  return isGrouped ? [{ Function: 'count' }] : []
}

/**
 * `total of the orders`, `revenue of shipped orders`: a field named like an aggregate, or the one
 * with Synonyms, before its records.
 */
const isSummed = (draft: Draft, { path, field }: ReachedField): boolean =>
  draft.segments.some(
    (_, at) =>
      at < draft.selfAt &&
      (draft.has(at, 'sum') || field.synonyms !== undefined) &&
      draft.field(at, isMeasure)?.path === path,
  )

/** `how many customers placed orders`: the first noun is counted. */
const isBeforeSelf = (draft: Draft): boolean => {
  const at = placeOfDimension(draft)
  return at >= 0 && at < draft.selfAt
}

/** The place of the noun of the first dimension; -1 without one. */
const placeOfDimension = ({ dimensions: [dimension], segments }: Draft): number =>
  segments.findIndex(({ meanings }) =>
    meanings.some((each) => each.kind === 'field' && each.at.path === dimension?.path),
  )

/** True for `customers with orders`, which asks for those who have them; not `customer orders`. */
const hasRowsOf = (draft: Draft): boolean =>
  draft.groups.length === 0 &&
  draft.dimensions[0]?.field.references !== undefined &&
  isBeforeSelf(draft) &&
  draft.selfAt > placeOfDimension(draft) + 1

/** The column of an aggregate: `sum_Total`. */
export const nameOfAggregate = ({ Field, Function: word, As }: SentAggregate): string =>
  As ?? (Field ? `${word}_${Field.replaceAll('.', '_')}` : word)

function listGroupSort(draft: Draft, { Aggregates, GroupBy }: BuiltRequest) {
  const [first] = Aggregates ?? []
  if (!first || !GroupBy?.length) return []
  const named = draft.sort.flatMap(({ at, direction }) => {
    const over = Aggregates?.find(({ Field }) => Field === at.path)
    const group = GroupBy.find((each) => each === at.path || each.startsWith(`${at.path}:`))
    const field = over ? nameOfAggregate(over) : group
    return field === undefined ? [] : [{ Field: field, Direction: direction }]
  })
  if (named.length > 0) return named
  return draft.ranking && !isBestOfEach(draft)
    ? [{ Field: nameOfAggregate(first), Direction: draft.ranking.direction }]
    : []
}
