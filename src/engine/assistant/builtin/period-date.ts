/** The date that the days of a question are about. */
import { toWords } from '../../../model/names.ts'
import { type Draft, findMainDate, isDated } from './draft.ts'
import type { Period } from './periods.ts'
import type { ReachedField } from './scope.ts'
import { toPlain } from './words.ts'

/** The date field of a period; none where several could be meant. */
export const dateOf = (draft: Draft, period: Period | undefined): ReachedField | undefined =>
  (period && draft.periodFields.get(period)) ??
  draft.periodFields.values().next().value ??
  draft.verbDate ??
  findMainDate(draft.subject) ??
  findSaleDate(draft)

/** `sold in 1997`: of the dates of the record behind, the one that is called as a sale is. */
function findSaleDate(draft: Draft): ReachedField | undefined {
  if (!draft.segments.some((_, at) => draft.has(at, 'sold'))) return undefined
  const { subject, asking } = draft
  const isCalled = (at: ReachedField): boolean =>
    [at.label, toWords(at.field.name)].some((name) =>
      asking.language.saleDates.some((noun) => toPlain(name).startsWith(noun)),
    )
  const [only, ...others] = subject.fields.filter(
    (at) => at.depth === 1 && isDated(at) && !at.field.hidden && isCalled(at),
  )
  return others.length === 0 ? only : undefined
}
