/** Questions that follow another one, and those that are whole by themselves. */
import { type Asking, type Draft, findNamed } from './draft.ts'
import { type QuestionReading, readFor } from './reading.ts'
import type { QuestionWord } from './words.ts'

/**
 * A question read for the object of the last one, where it can follow it: it names no object and
 * is short.
 */
export function followUp(
  last: Draft,
  words: readonly QuestionWord[],
  asking: Asking,
): QuestionReading | undefined {
  const reading = readFor(last.subject, words, asking)
  const { selfAt, segments } = reading.draft
  return selfAt >= 0 || segments.length > FOLLOWING_WORDS_MAX ? undefined : reading
}

const FOLLOWING_WORDS_MAX = 8

/**
 * True for a question that says what it is about: records, a number of them, or what is asked of a
 * record that it names. It inherits nothing; a condition, a period or a group alone does. One that
 * begins by shaping an answer (`group by region`) has to name its records.
 */
export function isWhole(draft: Draft | undefined, isReshaping: boolean): boolean {
  if (!draft) return false
  const { selfAt, measures, aggregates, dimensions, ranking, having, wanted, date } = draft
  if (selfAt >= 0 || isReshaping) return selfAt >= 0
  // `who has no manager` asks for records by a word of its own.
  const isOfWho = draft.has(0, 'who') && draft.filters.length > 0
  // `screws under 5 euros` names its records by their group; `under 5 euros` says which of them.
  const isValue =
    draft.clauseOf(0) === 'value' ||
    draft.unknown.some(({ segments, found }) => segments[0] === 0 && found !== undefined)
  return (
    isOfWho ||
    (isValue && draft.filters.length > 1) ||
    having !== undefined ||
    measures.length > 0 ||
    wanted !== undefined ||
    (dimensions.length > 0 && (aggregates.size > 0 || ranking !== undefined)) ||
    ((dimensions.length > 0 || date !== undefined || draft.isHistory) &&
      findNamed(draft)?.operator === 'eq')
  )
}
