/** Shares: which conditions say the part, which the whole, and the figures that tell both. */
import { type Draft, type DraftFilter, isMeasure } from './draft.ts'
import type { Aggregate } from '../../object-explorer/schema.ts'

/** The conditions that say the part: `percentage of cancelled orders`; the others say the whole. */
export function findParts(draft: Draft): readonly DraftFilter[] {
  if (draft.show !== 'share') return []
  const groupAt = draft.segments.findIndex((_, at) => draft.has(at, 'groupBy') && !draft.isFree(at))
  const before = draft.filters.filter(
    (filter) => groupAt < 0 || placeOf(draft, filter) < groupAt || placeOf(draft, filter) < 0,
  )
  const copula = findCopula(draft)
  // `what percentage of orders in Coast was cancelled`: the verb is between whole and part.
  const said = before.filter((filter) => copula >= 0 && placeOf(draft, filter) > copula)
  return before.length > 1 && said.length > 0 ? said : before
}

/** The place of the words of a condition; -1 where they name nothing of the model. */
const placeOf = ({ segments, unknown }: Draft, { at }: DraftFilter): number => {
  const named = segments.findIndex(({ meanings }) =>
    meanings.some((each) => each.kind !== 'field' && 'at' in each && each.at.path === at.path),
  )
  const found = unknown.find((each) => each.found?.at.path === at.path)
  return named >= 0 ? named : (found?.segments[0] ?? -1)
}

/** The place of a verb as `was` behind the records; -1 without one. */
const findCopula = ({ segments, selfAt, asking: { language } }: Draft): number =>
  segments.findIndex(
    ({ words }, at) => at > selfAt && selfAt >= 0 && language.copulas.has(words[0]?.plain ?? ''),
  )

/** True where a share has no part, more than one could be meant, or it is of something else. */
export function isVagueShare(draft: Draft, isGrouped: boolean): boolean {
  if (draft.show !== 'share') return false
  const { filters, periods, groups, measures, aggregates, having, preset } = draft
  const parts = findParts(draft)
  const isApart = parts.length > 1 && parts.length === filters.length
  const isOfRecords = isGrouped && groups.length === 0 && measures.length === 0
  const isOfNothing = isOfRecords || (!isGrouped && filters.length === 0 && periods.length === 0)
  const isOther = (['avg', 'min', 'max'] as const).some((each) => aggregates.has(each))
  return (
    isApart || isOfNothing || isOther || measures.length > 1 || !!having || preset !== undefined
  )
}

/** The part and the whole with their share, or each group with its own. */
export function listShares({ measures }: Draft, part: readonly unknown[]): Aggregate[] {
  const [measure] = measures.filter(isMeasure)
  const of = measure && { Field: measure.path }
  const all: Aggregate = { ...of, Function: measure ? 'sum' : 'count' }
  const share: Aggregate = { ...of, Function: 'share' }
  if (part.length === 0) return [all, share]
  const Filters = [...part]
  return [
    { ...all, Filters, As: PART },
    { ...all, As: WHOLE },
    { ...share, Filters, As: SHARE },
  ]
}

/** The columns of a share of one part. */
export const [PART, WHOLE, SHARE] = ['part', 'whole', 'share']
