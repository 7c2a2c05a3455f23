/** Drafts that no query answers, and those whose answer would be a guess. */
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { findMean } from './averages.ts'
import { decide, listGroups } from './decide.ts'
import {
  type Draft,
  findMainMeasure,
  findSold,
  hasMainMeasure,
  isDated,
  isMeasure,
} from './draft.ts'
import { dateOf } from './period-date.ts'
import { isVagueShare } from './shares.ts'
import { isRemark } from './value-places.ts'

/** True for a draft that no query answers, or none that would not be a guess. */
export const isBeyondQueries = (draft: Draft): boolean =>
  isOfAggregates(draft) ||
  isGuessed(draft) ||
  isForecast(draft) ||
  isUndated(draft) ||
  isOfNothing(draft) ||
  isVagueShare(draft, listGroups(draft).length > 0) ||
  isDropped(draft) ||
  isCountedAgain(draft) ||
  isOfOthers(draft) ||
  isOfState(draft) ||
  isOfRemarks(draft)

/** True where the query has no place for a condition on groups, or for the field asked for. */
function isDropped(draft: Draft): boolean {
  const { Having, Fields } = decide(draft)
  const losesHaving = draft.having !== undefined && Having === undefined
  return losesHaving || (draft.wanted !== undefined && Fields === undefined)
}

/** True where a number of a record is added up over its many rows, and counts again and again. */
const isCountedAgain = (draft: Draft): boolean =>
  (decide(draft).Aggregates ?? []).some(
    ({ Field, Function: word }) =>
      (word === 'sum' || word === 'avg') &&
      draft.subject.fields.some((at) => at.path === Field && at.depth > 0),
  )

/** True where different remarks are counted: `how many notes` asks for none of them. */
const isOfRemarks = (draft: Draft): boolean =>
  (decide(draft).Aggregates ?? []).some(
    ({ Field, Function: word }) =>
      word === 'countDistinct' &&
      draft.subject.fields.some((at) => at.path === Field && isRemark(at.field)),
  )

/** True for `customers with revenue over their limit`: it compares fields of rows, and not sums. */
const isOfOthers = ({ filters, selfAt, dimensions }: Draft): boolean =>
  filters.some(({ other }) => other !== undefined) && selfAt < 0 && dimensions.length > 0

/**
 * True for `when was the last order shipped`: the day on which it got into a state is not the day
 * of the order, as it is of `the last order in Coast`.
 */
const isOfState = (draft: Draft): boolean =>
  draft.wanted !== undefined &&
  isDated(draft.wanted) &&
  draft.segments.some(
    (_, at) =>
      at > draft.selfAt &&
      draft.meaning(at, 'option') !== undefined &&
      draft.clauseOf(at) === 'value' &&
      !draft.isBare(at - 1),
  )

/** True where groups, figures or conditions are of a record that the rows are to be without. */
const isOfNothing = (draft: Draft): boolean =>
  draft.filters.some(({ at, operator }) => {
    const isUnder = (path: string): boolean => path.startsWith(`${at.path}.`)
    const reckoned = [
      ...listGroups(draft),
      ...(decide(draft).Aggregates ?? []).flatMap(({ Field }) => Field ?? []),
    ]
    const isOf = reckoned.some((path) => path === at.path || isUnder(path))
    return operator === 'isNull' && (isOf || draft.filters.some((each) => isUnder(each.at.path)))
  })

/** True where days are asked for, and no date or several could be meant. */
const isUndated = (draft: Draft): boolean =>
  (draft.isGrowth && draft.periods.length === 0) ||
  draft.periods.some((period) => !dateOf(draft, period)) ||
  ((draft.isTrend || draft.groups.some(({ at }) => !at)) && !dateOf(draft, draft.periods[0]))

/** `highest number of orders per customer`: of aggregates only averages are taken again. */
const isOfAggregates = (draft: Draft): boolean =>
  draft.aggregates.has('count') &&
  draft.measures.length === 0 &&
  (['avg', 'min', 'max'] as const).some((each) => draft.aggregates.has(each)) &&
  findMean(draft, listGroups(draft)) === undefined

/** `the best supplier`: by a number that is not named, where there are several or none. */
function isGuessed(draft: Draft): boolean {
  const { ranking, measures, aggregates, subject } = draft
  const isGrouped = listGroups(draft).length > 0
  // `the sum of the orders`, where an order has several numbers.
  const isReckoned = (['sum', 'avg', 'min', 'max'] as const).some((each) => aggregates.has(each))
  if (findMean(draft, listGroups(draft))) return false
  if (isReckoned && !ranking && measures.length === 0 && !aggregates.has('count'))
    return !hasMainMeasure(subject)
  // A movement of stock is no sale: that has an amount, too.
  const hasAmount = subject.fields.some(
    (at) => at.depth === 0 && isMeasure(at) && FIELD_KINDS[at.field.type].number === 'scaled',
  )
  if (ranking?.of[0] === '@sold') return !isGrouped || !hasAmount || !findSold(draft)
  if (ranking?.of[0] !== '@measure' || measures.length > 0 || aggregates.has('count')) return false
  // A sum over groups is of what its author has titled: prices are not added up.
  if (isGrouped) return findMainMeasure(subject)?.field.synonyms === undefined
  return !hasMainMeasure(subject)
}

/** `revenue next year`: a number of what has not happened. Plans have a date of their own. */
const isForecast = (draft: Draft): boolean =>
  draft.measures.length > 0 &&
  draft.periodFields.size === 0 &&
  draft.periods.some(({ from, operator }) => operator !== 'lt' && from > draft.asking.today)
