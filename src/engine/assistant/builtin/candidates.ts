/** Names and forms of questions that may stand behind the words of one that is being typed. */
import { renderMessage } from '../../../kernel/messages.ts'
import { isDimension, isMeasure } from './draft.ts'
import type { Language } from './language.ts'
import type { ReachedField, Subject } from './scope.ts'
import { listPatterns } from './suggest.ts'

/** The kinds of completions. */
export const COMPLETION_KINDS = ['Object', 'Field', 'Option', 'Measure', 'Period', 'Form'] as const

/** Words that may come next. */
export interface Candidate {
  words: string
  kind: (typeof COMPLETION_KINDS)[number]
}

/** The words before those that are completed. */
export interface TypedHead {
  language: Language
  /** The objects whose fields and options may follow. */
  owners: readonly Subject[]
  /** All objects to ask about, those that show most first. */
  subjects: readonly Subject[]
  /** True where the words, or what the caller looks at, name the object. */
  isNamed: boolean
  /** True where there are no words. */
  isEmpty: boolean
}

/** References on the way to a field that is offered. */
const DEPTH_MAX = 1

/** Candidates of each kind, the likeliest first. */
export function listCandidates({
  language,
  owners,
  subjects,
  isNamed,
  isEmpty,
}: TypedHead): Candidate[][] {
  const of = (kind: Candidate['kind'], words: readonly string[]): Candidate[] =>
    words.map((each) => ({ words: each, kind }))
  const fields = owners.flatMap((owner) => listShown(owner))
  const measures = fields.filter(isMeasure)
  const others = fields.filter((at) => !isMeasure(at))
  const objects = of(
    'Object',
    subjects.map(({ label }) => label),
  )
  const forms = isEmpty
    ? owners.flatMap((owner) => listPatterns(language, owner))
    : isNamed
      ? listTails(language, fields)
      : []
  return [
    of('Form', forms),
    objects,
    of(
      'Measure',
      measures.map(({ label }) => label),
    ),
    of('Option', listOptions(others, language)),
    of('Period', language.periodNames),
    of(
      'Field',
      others.map(({ label }) => label),
    ),
  ]
}

const listShown = ({ fields }: Subject): ReachedField[] =>
  fields
    .filter(({ field, depth }) => depth <= DEPTH_MAX && !field.hidden)
    .toSorted((one, other) => one.depth - other.depth)

const listOptions = (fields: readonly ReachedField[], { name }: Language): string[] =>
  fields.flatMap(({ field }) => field.options.map(({ label }) => renderMessage(label, name)))

/** Ends of the forms of questions: `per month`, `by Region`. */
function listTails({ patterns }: Language, fields: readonly ReachedField[]): string[] {
  const [, by = ''] = /\{0\}\s+(.*)\{1\}/u.exec(patterns.group) ?? []
  const [, monthly = ''] = /\{1\}\s+(.*)$/u.exec(patterns.sum) ?? []
  const groups = fields.filter(
    (at) => isDimension(at) && (at.field.options.length > 0 || at.field.references !== undefined),
  )
  return [...groups.slice(0, 2), undefined, ...groups.slice(2)].map((at) =>
    at ? `${by}${at.label}` : monthly,
  )
}
