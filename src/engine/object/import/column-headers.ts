/** What the heads of a file say: a field by its name, its label in any language, or as mapped. */
import type { Grant } from '../../../access/grant.ts'
import { invalid } from '../../../kernel/failure.ts'
import { renderMessage, say } from '../../../kernel/messages.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { isSettable, isWritable } from '../read/permissions.ts'
import { isServed } from '../read/find-view.ts'
import { toHeadKey, type ImportRequest } from './import-request.ts'

/** A field that a head says. */
export interface SaidField {
  field: Field
  /** The texts below are what records are called, rather than their keys. */
  isLabel: boolean
}

/** Heads that a file with errors adds, in the languages of the engine. */
export const ERROR_HEADS: readonly string[] = ['Error', 'Fehler']

/** What heads are looked up in. */
export interface HeaderScope {
  view: View
  grant: Grant
  request: Pick<ImportRequest, 'mode' | 'keyFields' | 'mapping' | 'keepKeys'>
}

/** The caller's language, then those of the model. */
export const listLanguages = ({ caller, model }: Grant): (string | undefined)[] => [
  caller.language,
  ...model.languages,
]

/** Whether new records keep the values of a field that is their key and that the server gives. */
export const keepsKey = (
  { column, name }: Field,
  { grant, request }: { grant: Grant; request: Pick<ImportRequest, 'mode' | 'keepKeys'> },
): boolean =>
  request.keepKeys &&
  request.mode !== 'update' &&
  column?.identity === true &&
  !grant.access.readOnly.has(name.toLowerCase())

/** Whether a file may bring values of a field: a file cannot bring files. */
export function takesValues(field: Field, scope: HeaderScope): boolean {
  const { view, grant, request } = scope
  if (field.link) return isSettable(field, grant)
  // A file has many rows at once: what only some of them let be written, it does not write.
  if (hasRowRule(field, grant)) return false
  if (field.type === 'File') return false
  if (keepsKey(field, scope)) return true
  return (
    (request.mode !== 'update' && isWritable(view, field, grant, true)) ||
    (request.mode !== 'insert' && isWritable(view, field, grant, false))
  )
}

const hasRowRule = ({ name }: Field, { access: { masked, guarded } }: Grant): boolean =>
  [masked, guarded.Create, guarded.Update].some((rules) => rules.has(name.toLowerCase()))

/**
 * What each head says; undefined for one that says nothing, or is left out. Names come before
 * labels. But a head says the field that takes values and bears it as its label, where the field of
 * that name takes none, or is said by another head as well. @throws invalid for an unknown head.
 */
export function matchHeaders(
  headers: readonly (string | null)[],
  scope: HeaderScope,
): (SaidField | undefined)[] {
  const known = listHeaders(headers, scope)
  const found = headers.map((head) =>
    head === null || head.trim() === '' ? undefined : findHead(head, known, scope),
  )
  const idOf = ({ field, isLabel }: SaidField) => `${isLabel} ${field.name}`
  const counts = Map.groupBy(
    found.flatMap((said) => said ?? []),
    idOf,
  )
  const count = (said: SaidField) => counts.get(idOf(said))?.length ?? 0
  return found.map((said, at) => {
    const key = toHeadKey(headers[at] ?? '')
    const other = scope.request.mapping.has(key) ? undefined : known.taking.get(key)
    if (!said || !other || count(other) > 0) return said
    return isOfUse(said.field, scope) && count(said) === 1 ? said : other
  })
}

/** Whether the column of a field is read: for its values, or to find records. */
function isOfUse(field: Field, scope: HeaderScope): boolean {
  const { view, request } = scope
  if (takesValues(field, scope) || field.column?.kind === 'stamp') return true
  return (
    view.keys.includes(field) ||
    request.keyFields.some((name) => name.toLowerCase() === field.name.toLowerCase())
  )
}

interface Known {
  said: Map<string, SaidField>
  /** By labels alone, of fields that take values. */
  taking: Map<string, SaidField>
}

function findHead(
  head: string,
  known: Known,
  { request, view }: HeaderScope,
): SaidField | undefined {
  const key = toHeadKey(head)
  const mapped = request.mapping.get(key)
  if (mapped === null) return undefined
  const found =
    mapped === undefined
      ? (known.said.get(key) ?? known.taking.get(key))
      : known.said.get(toHeadKey(mapped))
  if (found) return found
  if (mapped === undefined && ERROR_HEADS.some((each) => toHeadKey(each) === key)) return undefined
  throw invalid(say`'${view.label}' has no field '${(mapped ?? head).slice(0, 80)}'`, {
    code: 'UNKNOWN_HEAD',
  })
}

/**
 * Everything that a head may say. Names come before labels, labels of this language before others;
 * a label that two fields bear says neither, but a record's label goes with its key.
 */
function listHeaders(headers: readonly (string | null)[], scope: HeaderScope): Known {
  const { view, grant } = scope
  const known: Known = { said: new Map(), taking: new Map() }
  const { said } = known
  const byName = new Map(listAll(view).map((field) => [field.name.toLowerCase(), field]))
  const own = (name: string) => byName.get(name.toLowerCase())
  const all = listAll(view).filter((field) => isServed(view, grant, field))
  for (const field of all) {
    if (field.labelOf === undefined) said.set(toHeadKey(field.name), { field, isLabel: false })
  }
  for (const field of all) {
    const of = field.labelOf === undefined ? undefined : own(field.labelOf)
    const key = toHeadKey(field.name)
    if (of && !said.has(key)) said.set(key, { field: of, isLabel: true })
  }
  const given = new Set(headers.map((head) => toHeadKey(head ?? '')))
  for (const language of listLanguages(grant)) {
    const labelled = listLabelled(view, language)
    addLabels(known, labelled, { own, scope })
    addParted(said, labelled, { own, given })
  }
  return known
}

const listAll = (view: View): Field[] => [...view.fieldByName.values(), ...view.linked]

/** A field with its label in a language. */
interface Labelled {
  field: Field
  label: string
}

const listLabelled = (view: View, language: string | undefined): Labelled[] =>
  listAll(view).map((field) => ({ field, label: renderMessage(field.label, language) }))

/** Where the key's header has its name added (`planHeaders`), the bare label is the label's. */
function addParted(
  said: Map<string, SaidField>,
  labelled: readonly Labelled[],
  { own, given }: { own: (name: string) => Field | undefined; given: ReadonlySet<string> },
): void {
  for (const { field: each, label } of labelled) {
    const { name, labelOf } = each
    if (labelOf === undefined || !given.has(toHeadKey(`${label} (${labelOf})`))) continue
    const field = own(labelOf)
    if (field && said.has(toHeadKey(name))) said.set(toHeadKey(label), { field, isLabel: true })
  }
}

function addLabels(
  { said, taking }: Known,
  all: readonly Labelled[],
  { own, scope }: { own: (name: string) => Field | undefined; scope: HeaderScope },
): void {
  const labels = new Map<string, Set<Field>>()
  const labelled = new Set<string>()
  for (const { field, label } of all) {
    const of = own(field.labelOf ?? field.name)
    if (!of || !isServed(scope.view, scope.grant, field)) continue
    const key = toHeadKey(label)
    labels.set(key, (labels.get(key) ?? new Set()).add(of))
    if (field.labelOf !== undefined) labelled.add(key)
    const long = toHeadKey(`${label} (${field.name})`)
    if (!said.has(long)) said.set(long, { field: of, isLabel: field.labelOf !== undefined })
  }
  for (const [key, fields] of labels) {
    const isLabel = labelled.has(key)
    const [field, ...others] = fields
    if (field && others.length === 0 && !said.has(key)) said.set(key, { field, isLabel })
    const [taker, ...more] = [...fields].filter((each) => takesValues(each, scope))
    if (taker && more.length === 0 && !taking.has(key)) taking.set(key, { field: taker, isLabel })
  }
}
