/** Questions that could be answered, nearest to one that could not. */
import { VIEW_TYPES } from '../../../model/compiled/view.ts'
import { type Draft, findMainDate, findMainMeasure, isDimension } from './draft.ts'
import type { Language } from './language.ts'
import type { ReachedField, Subject } from './scope.ts'
import { type Endings, type QuestionWord, stemText, toStem } from './words.ts'

/** The objects whose words come nearest to those of a question, the nearest first. */
export function rankSubjects({
  language,
  subjects,
  words,
}: {
  language: Language
  subjects: readonly Subject[]
  words: readonly QuestionWord[]
}): Subject[] {
  const typed = new Set(words.map(({ plain }) => toStem(plain, language)))
  return subjects
    .map((subject) => ({ subject, hits: countHits(subject, typed, language) }))
    .toSorted((one, other) => other.hits - one.hits)
    .map(({ subject }) => subject)
}

function countHits(subject: Subject, typed: ReadonlySet<string>, language: Endings): number {
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

/**
 * Questions about an object, made of its own labels; those about a field that the question names
 * come first.
 */
export function listPatterns(
  { patterns }: Language,
  subject: Subject,
  draft?: Pick<Draft, 'subject' | 'dimensions' | 'measures' | 'groups'>,
): string[] {
  const isShown = ({ field, depth }: ReachedField): boolean => depth === 0 && !field.hidden
  const named = draft?.subject === subject ? draft : undefined
  const grouped = named?.groups.flatMap(({ at }) => (at && isDimension(at) ? [at] : [])) ?? []
  const asked = [...grouped, ...(named?.dimensions ?? [])].find(isShown)
  const dimension =
    asked ??
    subject.fields.find(
      (at) =>
        isShown(at) && isDimension(at) && (at.field.options.length > 0 || at.field.references),
    )
  const measure = named?.measures.find(isShown) ?? findMainMeasure(subject)
  const date = findMainDate(subject)
  const put = (pattern: string, ...names: readonly (string | undefined)[]): string[] =>
    names.every((name) => name !== undefined)
      ? [names.reduce((text, name, at) => text.replace(`{${at}}`, name), pattern)]
      : []
  const count = put(patterns.count, subject.label)
  const group = put(patterns.group, subject.label, dimension?.label)
  return [
    ...(asked ? [...group, ...count] : [...count, ...group]),
    ...(date ? put(patterns.sum, measure?.label, subject.label) : []),
    ...put(patterns.top, subject.label, measure?.label),
  ]
}
