/** Words that were read by the language or the model, and are the very name of a record too. */
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { type Ambiguity, nameOfField } from './ambiguity.ts'
import { type Draft, findNamed } from './draft.ts'
import type { Lookups } from './lookups.ts'
import { findTarget, type ReachedField } from './scope.ts'
import { findValue } from './values.ts'
import { toPlain } from './words.ts'
import { writeWordsOf } from './write-words.ts'

/** Fields whose records are asked for the name. */
const PLACES_MAX = 6

/**
 * The words of a name that were read as something else, where a name is said: `revenue of Total`,
 * `how many orders does Note have`. Both may be meant.
 */
export async function findNameClash(
  lookups: Lookups,
  draft: Draft,
): Promise<Ambiguity | undefined> {
  if (findNamed(draft)) return undefined
  for (const [at, { text }] of draft.segments.entries()) {
    if (!isReadName(draft, at)) continue
    for (const place of listNamed(draft)) {
      const unknown = { hint: place, isHintOnly: true, isNegated: false, isName: true }
      const found = await findValue(lookups, draft, { ...unknown, text, segments: [at] })
      if (!found || found.isPart || found.filter.at.path !== place.path) continue
      const fields = [place]
      const nameOf =
        place.depth === 0 && !findTarget(place.field, place.grant)
          ? draft.subject.single
          : nameOfField(place)
      return { start: at, end: at + 1, text, fields, isPeriod: false, nameOf }
    }
  }
  return undefined
}

/** True for words written as a name, behind a word that a name follows, and read otherwise. */
function isReadName(draft: Draft, at: number): boolean {
  const { words = [], meanings = [] } = draft.segments[at] ?? {}
  const isUnknown = draft.unknown.some(({ segments }) => segments.includes(at))
  const isWritten = words.every(({ kind, text }) =>
    kind === 'word' ? /^\p{Lu}/u.test(text) || words.length > 1 : kind === 'number',
  )
  const isCapital = /^[\p{Lu}\p{N}]/u.test(words[0]?.text ?? '')
  if (at === 0 || isUnknown || !isWritten || !isCapital) return false
  // An object, and a record that is asked for by another name, are no names themselves.
  if (meanings.some(({ kind }) => kind === 'self')) return false
  const before = draft.segments[at - 1]
  const last = before?.words.at(-1)?.plain ?? ''
  const names = before?.meanings.some(
    (each) => each.kind === 'field' && findTarget(each.at.field, each.at.grant) !== undefined,
  )
  const isRecord = toPlain(before?.text ?? '') === toPlain(draft.subject.single)
  return writeWordsOf(draft.asking.language).owners.includes(last) || names === true || isRecord
}

/** Fields that name records: of others, and of the record itself. */
function listNamed({ subject: { fields, view } }: Draft): ReachedField[] {
  const display = view.entity?.display ?? []
  return fields
    .filter(
      ({ depth, field }) =>
        depth === 0 && FIELD_KINDS[field.type].isText && display.includes(field.column?.name ?? ''),
    )
    .concat(
      fields.filter(
        ({ depth, field, grant }) =>
          depth <= 1 && field.column?.kind !== 'tracking' && findTarget(field, grant) !== undefined,
      ),
    )
    .slice(0, PLACES_MAX)
}
