/** Questions that could be answered, nearest to one that could not. */
import { VIEW_TYPES } from '../../../model/compiled/view.ts'
import { findMainDate, findMainMeasure, isDimension } from './draft.ts'
import type { Language } from './language.ts'
import type { ReachedField, Subject } from './scope.ts'
import { type QuestionWord, stemText, toStem } from './words.ts'

const SUGGESTIONS = 3

/** Three questions about the objects whose words come nearest, made of their own labels. */
export function suggest(
  { patterns, ...language }: Language,
  subjects: readonly Subject[],
  words: readonly QuestionWord[],
): string[] {
  const typed = new Set(words.map(({ plain }) => toStem(plain, language)))
  const ranked = subjects
    .map((subject) => ({ subject, hits: countHits(subject, typed, language) }))
    .toSorted((one, other) => other.hits - one.hits)
  const [first, ...rest] = ranked.map(({ subject }) => subject)
  if (!first) return []
  const made = [
    ...fill(patterns, first),
    ...rest.flatMap((each) => fill(patterns, each).slice(0, 1)),
  ]
  return [...new Set(made)].slice(0, SUGGESTIONS)
}

function countHits(
  subject: Subject,
  typed: ReadonlySet<string>,
  language: Pick<Language, 'endings' | 'keptEndings'>,
): number {
  const own = stemText(`${subject.label} ${subject.single}`, language)
  const isNamed = own.some((stem) => typed.has(stem)) ? 5 : 0
  const fields = subject.fields.filter(
    ({ depth, label }) => depth === 0 && stemText(label, language).some((stem) => typed.has(stem)),
  )
  const isGrid = VIEW_TYPES[subject.view.viewType].isGrid ? 0.5 : 0
  // Among equals, the object that shows most.
  const size = subject.fields.filter(({ depth }) => depth === 0).length / 100
  return isNamed + fields.length + isGrid + size
}

function fill(patterns: Language['patterns'], subject: Subject): string[] {
  const isShown = ({ field, depth }: ReachedField): boolean => depth === 0 && !field.hidden
  const dimension = subject.fields.find(
    (at) => isShown(at) && isDimension(at) && (at.field.options.length > 0 || at.field.references),
  )
  const measure = findMainMeasure(subject)
  const date = findMainDate(subject)
  const put = (pattern: string, ...names: readonly (string | undefined)[]): string[] =>
    names.every((name) => name !== undefined)
      ? [names.reduce((text, name, at) => text.replace(`{${at}}`, name), pattern)]
      : []
  return [
    ...put(patterns.count, subject.label),
    ...put(patterns.group, subject.label, dimension?.label),
    ...(date ? put(patterns.sum, measure?.label, subject.label) : []),
    ...put(patterns.top, subject.label, measure?.label),
  ]
}
