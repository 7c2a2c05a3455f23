/** The records that a command is about: one by its name, or several by what holds for them. */
import type { BuiltRequest } from './decide.ts'
import { type Draft, findNamed } from './draft.ts'
import { toPlain } from './words.ts'
import { writeWordsOf } from './write-words.ts'
import { RECORDS_MAX } from '../tools/propose.ts'

/** The query of the records of a command: their keys, one more than it takes. */
export interface CommandRecords {
  request: BuiltRequest
  /** True where the command is about all that are found: `all open orders of Coast`. */
  isSeveral: boolean
}

/** The records of a reading; undefined where it asks for figures, or holds for every record. */
export function toCommandRecords(draft: Draft, read: BuiltRequest): CommandRecords | undefined {
  const { Aggregates, GroupBy, ...request } = read
  if (Aggregates || GroupBy || draft.wanted) return undefined
  const isAll = saysEach(draft)
  const { Filters, Preset, With, Without, Limit } = request
  const isHeld = [Filters, Preset, With, Without, Limit].some((part) => part !== undefined)
  if (!isHeld && !isAll) return undefined
  const names = listNamed(draft)
  const isSeveral =
    isAll ||
    (Limit ?? 1) > 1 ||
    (isPlural(draft) && names.length !== 1) ||
    (names.length > 1 && names.every((operator) => operator === 'eq'))
  const Fields = draft.subject.view.keys.map(({ name }) => name)
  const most = isSeveral ? RECORDS_MAX + 1 : 2
  return { request: { ...request, Fields, Limit: Math.min(Limit ?? most, most) }, isSeveral }
}

/** True for `all`, `every`. */
function saysEach({ segments, asking }: Draft): boolean {
  const { each } = writeWordsOf(asking.language)
  return segments.some(({ words }) => words.some(({ plain }) => each.includes(plain)))
}

/** True where the records are named in the plural: `orders`, `Aufträgen`. */
function isPlural({ segments, selfAt, subject }: Draft): boolean {
  const said = toPlain(segments[selfAt]?.text ?? '')
  const [many, one] = [subject.label, subject.single].map(toPlain)
  return said !== one && (said === many || said === `${many}n`)
}

/**
 * The operators of the names that are said: one name of `the customers Acme` may be several by
 * mistake, `SO-2026-00012 and SO-2026-00013` are one each.
 */
function listNamed(draft: Draft): string[] {
  const named = findNamed(draft)
  if (!named) return []
  const said = draft.unknown.flatMap(({ found }) =>
    found?.at.path === named.at.path ? [found.operator] : [],
  )
  return said.length > 0 ? said : [named.operator]
}
