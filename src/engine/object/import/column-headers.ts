/** Heads of a file: a field by its name, its label in any language, or as mapped. */
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { Column } from '../../../model/compiled/entity.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import type { ImportRequest } from './import-request.ts'
import { isHistory } from './takeover.ts'
import { Heads, isAmbiguous, type Said, type SaidField, toHeadKey } from '../read/heads.ts'
import { isSettable, isWritable } from '../read/permissions.ts'

/** Heads that a file with errors adds, in the languages of the engine. */
const ERROR_HEADS: readonly string[] = ['Error', 'Fehler']

/** The scope that heads are looked up in. */
export interface HeaderScope {
  view: View
  grant: Grant
  request: Pick<ImportRequest, 'mode' | 'keyFields' | 'mapping' | 'keepKeys' | 'takeover'>
  /** Places of heads that are a detail's. */
  elsewhere?: ReadonlySet<number> | undefined
  /** Heads of a detail: a Name that is a Label, too, says the field that takes values. */
  isDetail?: boolean | undefined
}

/**
 * True when new records keep the values of a field that the server gives otherwise: their key, or a
 * number of a sequence.
 */
export const keepsKey = (
  { column, name }: Field,
  { grant, request }: { grant: Grant; request: Pick<ImportRequest, 'mode' | 'keepKeys'> },
): boolean =>
  request.keepKeys &&
  request.mode !== 'update' &&
  isGivenByServer(column) &&
  !grant.access.readOnly.has(name.toLowerCase())

/** True when new records get the values of a column from the server: a key, or a number. */
export const isGivenByServer = (column: Column | undefined): boolean =>
  column !== undefined && (column.identity || column.sequence !== undefined)

/** True when a file may bring values of a field: a file cannot bring files. */
export function takesValues(field: Field, scope: HeaderScope): boolean {
  const { view, grant, request } = scope
  if (field.link) return request.takeover || isSettable(field, grant)
  // A file has many rows at once: what only some of them let be written, it does not write.
  if (hasRowRule(field, grant)) return false
  if (FIELD_KINDS[field.type].structure === 'files') return false
  if (keepsKey(field, scope)) return true
  if (request.takeover) return isTakenOver(field, scope)
  return (
    (request.mode !== 'update' && isWritable(view, field, grant, true)) ||
    (request.mode !== 'insert' && isWritable(view, field, grant, false))
  )
}

/** The company of a row is read, to be held against the caller's. */
const isTakenOver = (field: Field, { view, request }: HeaderScope): boolean =>
  isHistory(field) && (request.mode !== 'update' || !view.keys.includes(field))

const hasRowRule = ({ name }: Field, { access: { masked, guarded } }: Grant): boolean =>
  [masked, guarded.Create, guarded.Update].some((rules) => rules.has(name.toLowerCase()))

/**
 * The meaning of each head; undefined for one without, or left out. `areMembers` says that
 * the heads are members of objects, where a name is a name.
 * @throws invalid for an unknown head, and for one that says more than one field
 */
export function matchHeaders(
  headers: readonly (string | null)[],
  scope: HeaderScope,
  areMembers = false,
): (SaidField | undefined)[] {
  const lookup = planLookup(headers, scope, areMembers)
  const { heads } = lookup
  return headers.map((head, at) => {
    if (head === null || head.trim() === '' || scope.elsewhere?.has(at)) return undefined
    const mapped = scope.request.mapping.get(toHeadKey(head))
    if (mapped === null) return undefined
    if (mapped !== undefined) return requireSaid(mapped, heads.findMember(mapped), { heads, scope })
    const said = lookup.find(head)
    return said === undefined && isErrorHead(head)
      ? undefined
      : requireSaid(head, said, { heads, scope })
  })
}

/** Finds what heads say, each beside the others of its file. */
function planLookup(
  headers: readonly (string | null)[],
  { view, grant }: Pick<HeaderScope, 'view' | 'grant'>,
  areMembers: boolean,
): { heads: Heads; find: (head: string) => Said } {
  const heads = new Heads(view, grant)
  const given = new Set(headers.map((head) => toHeadKey(head ?? '')))
  const find = (head: string): Said =>
    areMembers ? heads.findMember(head) : (heads.findBeside(head, given) ?? heads.find(head))
  return { heads, find }
}

/** Names that a mapping has for the fields of heads; null for a head that says none surely. */
export function proposeNames(
  headers: readonly (string | null)[],
  scope: HeaderScope,
  areMembers = false,
): (string | null)[] {
  const { heads, find } = planLookup(headers, scope, areMembers)
  return headers.map((head) => {
    const said = head === null ? undefined : find(head)
    const sure = said && isAmbiguous(said) ? pickTaker(head ?? '', said, { heads, scope }) : said
    return sure && isOffered(sure.field, scope) ? heads.nameOf(sure) : null
  })
}

/** True when a file may bring values of a field, or tell stored records by it. */
const isOffered = (field: Field, scope: HeaderScope): boolean =>
  scope.view.keys.includes(field) || takesValues(field, scope)

/** True when it is the column that a file with errors adds. */
export const isErrorHead = (head: string): boolean =>
  ERROR_HEADS.some((each) => toHeadKey(each) === toHeadKey(head))

/** A label that several fields bear says the one among them that takes values. */
function requireSaid(
  head: string,
  said: Said,
  { heads, scope }: { heads: Heads; scope: HeaderScope },
): SaidField {
  const shown = head.slice(0, HEAD_SHOWN)
  if (said === undefined) {
    throw invalid(say`'${scope.view.label}' has no field '${shown}'`, { code: 'UNKNOWN_HEAD' })
  }
  if (!isAmbiguous(said)) return said
  const taker = pickTaker(head, said, { heads, scope })
  if (taker) return taker
  const sure = said.map((each) => `'${heads.explain(each)}'`).join(', ')
  throw invalid(say`Column '${shown}' matches several fields. Rename it to one of: ${sure}`, {
    code: 'AMBIGUOUS_HEAD',
  })
}

/** The one field of several that a head says and that takes values. */
function pickTaker(
  head: string,
  said: readonly SaidField[],
  { heads, scope }: { heads: Heads; scope: HeaderScope },
): SaidField | undefined {
  if (heads.isName(head) && !scope.isDetail) return undefined
  const [taker, ...others] = said.filter(({ field }) => takesValues(field, scope))
  return others.length === 0 ? taker : undefined
}

/** Characters of a head that a message shows. */
const HEAD_SHOWN = 80
