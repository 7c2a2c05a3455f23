/** Averages over groups: `average number of orders per customer`, of one number for each. */
import type { Draft } from './draft.ts'
import type { Aggregate } from '../../object-explorer/schema.ts'

/**
 * The average over the one group of a question: of its records, or of a number that is added up
 * over days. A price per category is that of its rows.
 */
export function findMean(draft: Draft, groups: readonly string[]): Aggregate | undefined {
  const { aggregates, measures, isTrend } = draft
  const [group, ...others] = groups
  if (!aggregates.has('avg') || group === undefined || others.length > 0) return undefined
  if (isTrend || measures.length > 1 || isOrdered(draft) || !isPer(draft)) return undefined
  const [measure] = measures
  const isCount = measure === undefined && (aggregates.has('count') || draft.selfAt >= 0)
  const isAddedUp =
    measure?.depth === 0 && measure.field.synonyms !== undefined && group.includes(':')
  if (!isCount && !isAddedUp) return undefined
  return { ...(measure && { Field: measure.path }), Function: 'avg', Per: group, As: 'average' }
}

/** True where the groups themselves are wanted. */
const isOrdered = ({ ranking, having, show, limit, sort }: Draft): boolean =>
  (ranking ?? having ?? show ?? limit) !== undefined || sort.length > 0

/** True where groups are named by `per`, or by an adverb as `monthly`; not by `by`. */
const isPer = (draft: Draft): boolean =>
  draft.groups.length === 1 &&
  draft.segments.every(
    (_, at) => draft.isFree(at) || !draft.has(at, 'groupBy') || draft.has(at, 'per'),
  )
