/** Words of a question that have two meanings of equal worth: neither is run. */
import { listPaths, type Span } from './cover.ts'
import type { BuiltRequest } from './decide.ts'
import { type Draft, findCalled, isDated, isDimension, isMeasure, listMainDates } from './draft.ts'
import type { Meaning, ReachedField } from './scope.ts'

/** Words that may mean two fields, or values of two. */
export interface Ambiguity {
  start: number
  end: number
  text: string
  /** The fields, the one that would have been taken first. */
  fields: readonly ReachedField[]
  /** True for days: a date is named before them, and not in their place. */
  isPeriod: boolean
  /** One record of the object whose name the words are, too. */
  nameOf?: string
}

/** The first words of a cover that have two meanings of equal worth. */
export function findAmbiguity(
  draft: Draft,
  request: BuiltRequest,
  cover: readonly Span[],
): Ambiguity | undefined {
  const asked = listPaths(request)
  for (const { start, end, text, meaning, field } of cover) {
    if (field === undefined || !asked.has(field.split(':')[0] ?? '')) continue
    const isDate = draft.subject.fields.some((at) => at.path === field.split(':')[0] && isDated(at))
    const isPeriod =
      meaning === 'period' || ((meaning === 'group' || meaning === 'order') && isDate)
    const of = { start, end, text, isPeriod }
    const found = isPeriod
      ? { ...of, fields: listDates(draft, field) }
      : findNamed(draft, { ...of, fields: [] })
    if (found && found.fields.length > 1) return found
  }
  return undefined
}

/** The dates that days may be of, where the question and the model name none. */
function listDates(draft: Draft, field: string): ReachedField[] {
  const [path = ''] = field.split(':')
  const isNamed =
    [...draft.periodFields.values()].some((at) => at.path === path) ||
    // `the oldest employee` is so by the date of birth.
    findCalled(draft.subject, draft.ranking?.of ?? [])?.path === path ||
    draft.segments.some(
      (_, at) => draft.clauseOf(at) !== undefined && draft.field(at, isDated)?.path === path,
    )
  return isNamed ? [] : listMainDates(draft.subject)
}

/** The words that may be of several fields: as a value that was found, an option, or a name. */
function findNamed(draft: Draft, of: Ambiguity): Ambiguity | undefined {
  const found = draft.unknown.find(({ segments }) => segments[0] === of.start)
  if (found?.found)
    return { ...of, fields: [found.found.at, ...(found.others ?? []).map(({ at }) => at)] }
  for (let at = of.start; at < of.end; at++) {
    const clause = draft.clauseOf(at)
    const { meanings = [], text = '' } = draft.segments[at] ?? {}
    if (clause === undefined) continue
    const fields = clause === 'value' ? listOptions(draft, at, meanings) : listFields(meanings)
    if (fields.length > 1) return { ...of, start: at, end: at + 1, text, fields }
  }
  return undefined
}

/** Options of several fields with one label, unless the question names their field, too. */
function listOptions(draft: Draft, at: number, all: readonly Meaning[]): ReachedField[] {
  const options = all.flatMap((each) => (each.kind === 'option' ? [each] : []))
  const [first] = options
  const even = options.filter(({ cost }) => cost === first?.cost).map((each) => each.at)
  // Joined with an option of one of them, `new or approved`, it is one of that field.
  const isTaken = draft.filters.some(
    ({ at: { path }, operator }) =>
      path === first?.at.path && operator !== 'in' && operator !== 'notIn',
  )
  const isBeside = [at - 1, at + 1, at - 2].some((beside) =>
    even.some(({ path }) => draft.field(beside)?.path === path),
  )
  return isTaken && !isBeside ? distinct(even) : []
}

/** Fields of the same name and kind, of which none is nearer. */
function listFields(all: readonly Meaning[]): ReachedField[] {
  const [first] = all
  if (first?.kind !== 'field') return []
  const kind = [isMeasure, isDated, isDimension].find((each) => each(first.at))
  const even = all.flatMap((each) =>
    each.kind === 'field' && each.cost === first.cost && kind?.(each.at) ? [each.at] : [],
  )
  return distinct(even)
}

/** Fields without those that show the same record: a key, and the label of its record. */
const distinct = (fields: readonly ReachedField[]): ReachedField[] =>
  fields.filter(
    (one, at) =>
      fields.findIndex((each) => each.via === one.via && each.label === one.label) === at,
  )

/** A field as words name it: `Customer: Region`. */
export const nameOfField = ({ via, label }: ReachedField): string =>
  via ? `${nameOfField(via)}: ${label}` : label
