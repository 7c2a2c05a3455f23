/** Questions for records that no row of another object refers to: `customers without orders`. */
import { decide } from './decide.ts'
import type { Asking, Draft } from './draft.ts'
import { stemOf } from './language.ts'
import { readFor } from './reading.ts'
import type { Subject } from './scope.ts'
import type { QuestionWord } from './words.ts'
import type { RelatedRows } from '../../object-explorer/schema.ts'
import { isContextName } from '../../object/context.ts'

/** The records that are asked for, and the rows that they are to be without. */
interface LackingPair {
  records: Draft
  rows: Draft
  /** The word between them. */
  word: string
  /** The field of the rows that names the record. */
  field: string
}

/** The only way to read a question as records without rows; undefined for none, and for several. */
export function findLacking(
  words: readonly QuestionWord[],
  subjects: readonly Subject[],
  asking: Asking,
): LackingPair | undefined {
  const { language } = asking
  const places = words.flatMap((word, at) => {
    const known = word.kind === 'word' && language.phrases.get(stemOf(word, language))
    return known && known.concepts.has('without') ? [at] : []
  })
  const [at = 0] = places
  const word = words[at]
  if (places.length !== 1 || at === 0 || !word) return undefined
  const read = (part: readonly QuestionWord[]): Draft[] =>
    listMain(subjects).map((subject) => readFor(subject, part, asking).draft)
  const rows = read(words.slice(at + 1)).filter(isOfRows)
  if (rows.length === 0) return undefined
  const records = read(words.slice(0, at)).filter(isOfRecords)
  const pairs = records.flatMap((each) =>
    rows.flatMap((other) => {
      const field = findReference(other.subject, each.subject)
      return field === undefined ? [] : [{ records: each, rows: other, word: word.text, field }]
    }),
  )
  return pairs.length === 1 ? pairs[0] : undefined
}

/** One view of each entity: two of them would be two readings of the same. */
function listMain(subjects: readonly Subject[]): Subject[] {
  const main = subjects.filter(({ isMain, view }) => isMain && view.entity)
  return main.filter(
    ({ view }, at) => main.findIndex((each) => each.view.entity === view.entity) === at,
  )
}

/** Of other nouns before the word, as `orders of customers`, either may be without. */
const isOfRecords = ({ selfAt, dimensions, measures, having, ranking, show, wanted }: Draft) =>
  selfAt >= 0 &&
  dimensions.length + measures.length === 0 &&
  [having, ranking, show, wanted].every((part) => part === undefined)

/** A condition behind the noun may be one of the records: only days are of what happened. */
function isOfRows(draft: Draft): boolean {
  const { selfAt, segments, groups, measures, dimensions, aggregates, sort } = draft
  return (
    selfAt >= 0 &&
    groups.length + measures.length + dimensions.length + sort.length + aggregates.size === 0 &&
    segments.every((_, at) => at <= selfAt || draft.isBare(at) || draft.clauseOf(at) === 'period')
  )
}

/** The one field of the rows that names a record. */
function findReference(rows: Subject, { view }: Subject): string | undefined {
  const { model } = rows.grant
  const isKeyed = view.keys.length === 1 && view.keys[0]?.column?.key === true
  if (!isKeyed || rows.view.entity === view.entity) return undefined
  if (!rows.view.query.parameters.every((name) => isContextName(name, model))) return undefined
  const found = rows.fields.filter(({ depth, field }) => {
    const { references, lookup, multiple, link, column } = field
    const entity = lookup ? model.views.get(lookup.view)?.entity?.name : references
    const isOne = depth === 0 && !multiple && !link && column?.kind !== 'tracking'
    return isOne && entity === view.entity?.name
  })
  return found.length === 1 ? found[0]?.field.name : undefined
}

/** The rows as they are asked for; undefined where more than conditions are asked of them. */
export function toRelated({ rows, field }: LackingPair): RelatedRows | undefined {
  const { ObjectName, Filters, Preset, ...others } = decide(rows)
  if (Object.keys(others).length > 0) return undefined
  return {
    ObjectName,
    Field: field,
    ...(Filters && { Filters }),
    ...(Preset !== undefined && { Preset }),
  }
}
