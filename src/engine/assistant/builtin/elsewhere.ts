/** Words that mean nothing for the object of a question, and are a value of another one. */
import { Draft, type DraftFilter, type UnknownText } from './draft.ts'
import type { Lookups } from './lookups.ts'
import type { Subject } from './scope.ts'
import { findValue } from './values.ts'

/** A value of another object. */
export interface Elsewhere {
  subject: Subject
  filter: DraftFilter
  /** The value as the data have it. */
  name: string
  /** The records that the caller sees with it. */
  count: number
}

/** Objects that a word is looked for in. */
const SUBJECTS_MAX = 6

/** The first other object of which a word is a value that the caller sees. */
export async function findElsewhere(
  lookups: Lookups,
  subjects: readonly Subject[],
  { draft, unknown }: { draft: Draft; unknown: UnknownText },
): Promise<Elsewhere | undefined> {
  const others = subjects.filter(({ isMain, view }) => isMain && view !== draft.subject.view)
  for (const other of others.slice(0, SUBJECTS_MAX)) {
    const subject = { ...other, fields: other.fields.filter(({ depth }) => depth === 0) }
    const asked: UnknownText = { ...unknown, hint: undefined, isHintOnly: false, segments: [] }
    const found = await findValue(lookups, new Draft(subject, draft.asking, []), asked)
    if (!found || found.isPart || found.filter.operator !== 'eq') continue
    const { filter } = found
    const Filters = [{ Field: filter.at.path, Operator: 'eq', Value: filter.value }]
    const request = { ObjectName: other.view.name, Aggregates: [{ Function: 'count' as const }] }
    const [row] = await lookups.ask(other, { ...request, Filters })
    const count = Number(row?.count ?? 0)
    if (count > 0)
      return { subject: other, filter, name: filter.named ?? String(filter.value), count }
  }
  return undefined
}
