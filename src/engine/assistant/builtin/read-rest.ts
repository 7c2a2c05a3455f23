/** Reads what the other readers left: the object, its fields, aggregates, conditions on groups. */
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { type Operator, OPERATORS } from '../../../model/operators.ts'
import {
  type AggregateWord,
  type Draft,
  findMainDate,
  findSold,
  isDated,
  isDimension,
  isMeasure,
} from './draft.ts'
import type { ReachedField } from './scope.ts'
import { listTracked } from './tracked.ts'
import { HAVING_OPERATORS } from '../../object-explorer/schema.ts'

/** `customers with total revenue over 5000`: the sum of a group, not a number of one row. */
function readSumHaving(draft: Draft): void {
  const { filters, aggregates, dimensions, selfAt } = draft
  if (draft.having || selfAt >= 0 || dimensions.length === 0) return
  const isSummable = ({ field }: ReachedField): boolean =>
    aggregates.has('sum') || field.synonyms !== undefined
  const at = filters.findIndex(
    (filter) =>
      filter.at.depth === 0 &&
      filter.other === undefined &&
      isMeasure(filter.at) &&
      COMPARED.has(filter.operator) &&
      isSummable(filter.at),
  )
  const [filter] = at < 0 ? [] : filters.splice(at, 1)
  if (!filter) return
  draft.having = {
    at: filter.at,
    operator: filter.operator,
    value: filter.value as number | number[],
  }
}

/** Comparisons that a sum may be held to; equality of an amount is about one row. */
const COMPARED: ReadonlySet<Operator> = new Set(
  HAVING_OPERATORS.filter((name) => !OPERATORS[name].isEquality),
)

/** `who has the most open orders`: the one who is named in them, if there is one such. */
function readWho(draft: Draft): void {
  const isAsked = draft.has(0, 'who') && draft.ranking?.of[0] === '@count'
  if (!isAsked || draft.dimensions.length > 0 || draft.groups.length > 0) return
  const [only, ...others] = draft.subject.fields.filter(
    ({ field, depth }) =>
      depth === 0 && field.references === 'User' && field.column?.kind !== 'tracking',
  )
  if (!only || others.length > 0) return
  draft.dimensions.push(only)
  draft.isSingle = true
}

/** Reads the remaining words: the object, its fields, the aggregates. */
export function readRest(draft: Draft): void {
  for (let at = 0; at < draft.segments.length; at++) {
    if (!draft.isFree(at)) continue
    readWords(draft, at)
    const self = draft.meaning(at, 'self')
    const field = draft.segments[at]?.meanings.find(({ kind }) => kind === 'field')
    const isSelf = self !== undefined && (draft.selfAt < 0 || field === undefined)
    if (isSelf && (field === undefined || self.cost <= field.cost)) {
      draft.use(at)
      if (draft.selfAt < 0) draft.selfAt = at
      continue
    }
    const named = draft.field(at)
    // Summed over its many rows a number of the record behind them would count again and again.
    if (!named || draft.used.has(at) || (isMeasure(named) && named.depth > 0)) continue
    draft.use(at)
    draft.cost += field?.cost ?? 0
    if (named === draft.wanted || isOfAll(draft, at)) continue
    if (isMeasure(named)) pushNew(draft.measures, named)
    else if (isDimension(named)) pushNew(draft.dimensions, named)
    else if (isDated(named) && !draft.sort.some(({ at: each }) => each === named)) {
      for (const period of draft.periods)
        if (!draft.periodFields.has(period)) draft.periodFields.set(period, named)
      draft.date ??= named
      for (const group of draft.groups) if (group.part !== undefined) group.at ??= named
    }
  }
  readSumHaving(draft)
  readWho(draft)
}

/** `Gesamtumsatz aller Kunden` is one sum, not one for each of them. */
const isOfAll = (draft: Draft, at: number): boolean =>
  draft.has(at - 1, 'all') && draft.aggregates.has('sum') && draft.measures.length > 0

/** `when was the last order`: its day; of a record that is named also the day of the verb. */
export function readWhen(draft: Draft): void {
  const day = draft.wanted ?? findMainDate(draft.subject)
  const isNamed = draft.selfAt >= 0 && draft.filters.length + draft.unknown.length > 0
  const isAsked =
    draft.has(0, 'when') && !draft.isHistory && (draft.ranking?.of[0] === '@date' || isNamed)
  if (!isAsked || !day || draft.measures.length > 0 || draft.groups.length > 0) return
  draft.use(0)
  draft.wanted = day
}

function pushNew(list: ReachedField[], field: ReachedField): void {
  if (!list.some(({ path }) => path === field.path)) list.push(field)
}

export const AGGREGATES: readonly AggregateWord[] = ['count', 'sum', 'avg', 'min', 'max']

/** Reads from the words which aggregates to compute, and how to show them. */
function readWords(draft: Draft, at: number): void {
  const hasField = draft.segments[at]?.meanings.some(({ kind }) => kind === 'field') === true
  if (readPieces(draft, at)) return
  const isTaken = (word: string): boolean => draft.aggregates.has(word as AggregateWord)
  for (const word of AGGREGATES) {
    if (!draft.has(at, word)) continue
    if (word === 'count' && readNumberOf(draft, at)) continue
    // `average total` is the average of Total.
    const isNamed = word === 'sum' && ['avg', 'min', 'max'].some(isTaken)
    if (hasField && (isNamed || !hasMeasureAfter(draft, at))) continue
    draft.aggregates.add(word)
    draft.use(at)
  }
  if (draft.has(at, 'distinct')) draft.isDistinct = true
  if (draft.has(at, 'share')) draft.show = 'share'
  if (draft.has(at, 'compare', 'before', 'growth')) draft.show = 'compare'
  if (draft.has(at, 'growth')) draft.isGrowth = true
  if (draft.has(at, 'trend')) draft.isTrend = true
  if (draft.has(at, 'history') && listTracked(draft).length > 0 && !isOfOtherDay(draft, at)) {
    draft.isHistory = true
    draft.use(at)
  }
  const isShown = draft.has(at, 'distinct', 'share', 'compare', 'before', 'growth', 'trend')
  if (isShown && !hasField) draft.use(at)
}

/** `when was it placed`, `wer hat die meisten`: not who wrote a record, and when. */
function isOfOtherDay(draft: Draft, at: number): boolean {
  if (draft.has(at, 'who') && draft.ranking?.of[0] === '@count') return true
  if (!draft.has(at, 'when')) return false
  return !draft.segments.some(
    (_, other) =>
      draft.has(other, 'created', 'changed', 'createdBy', 'changedBy') ||
      (other !== at && draft.has(other, 'history')),
  )
}

/** `how many pieces`: the sum of their number, not a count of rows. */
function readPieces(draft: Draft, at: number): boolean {
  const next = draft.skip(at + 1)
  if (!draft.has(at, 'count') || !draft.isFree(next)) return false
  const isSaid = draft.has(next, 'pieces') && !draft.segments[next]?.meanings.length
  const pieces = isSaid || isNameSold(draft, next) ? findSold(draft) : undefined
  if (!pieces) return false
  draft.aggregates.add('sum')
  pushNew(draft.measures, pieces)
  draft.use(at, ...(isSaid ? [next] : []))
  return true
}

/** `how many Ashwood were sold`: pieces of what has that name. */
function isNameSold(draft: Draft, from: number): boolean {
  const { segments } = draft
  let end = from
  while (draft.isFree(end) && !segments[end]?.known && !segments[end]?.meanings.length) end++
  return end > from && segments.some((_, at) => at >= end && draft.has(at, 'sold'))
}

/** `the phone number of Stonebow`: a text that is called a number, not a count. */
function readNumberOf(draft: Draft, at: number): boolean {
  const field = draft.field(at - 1, isDimension)
  const isText = field !== undefined && FIELD_KINDS[field.field.type].isText
  const noun = draft.segments[at]?.words[0]?.plain ?? ''
  if (!isText || draft.meaning(at - 1, 'self') || !draft.asking.language.numberNouns.has(noun))
    return false
  // Of another record than the rows are, it is a column of many.
  if (field.depth > 0) {
    draft.cost += A_COLUMN
    return false
  }
  draft.wanted = field
  const named = draft.dimensions.findIndex(({ path }) => path === field.path)
  if (named >= 0) draft.dimensions.splice(named, 1)
  draft.use(at)
  return true
}

/** Cost of a reading that counts what is asked for as the number of one record. */
const A_COLUMN = 8

/** `total` before a field is a sum; alone it may be the field of that name. */
function hasMeasureAfter(draft: Draft, from: number): boolean {
  for (let at = from + 1; at < draft.segments.length; at++)
    if (draft.isFree(at) && draft.field(at, isMeasure)) return true
  return draft.measures.length > 0
}
