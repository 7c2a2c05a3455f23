/**
 * The values that a record has now, as a request gives them: its defaults and options may depend
 * on them. A caller may not give a value that they may not write, and a record that they may not
 * pick is like a missing one.
 */
import type { SqlValue } from '../../../store/sql.ts'
import type { FieldFeatures } from '../../../model/compiled/field-features.ts'
import type { ParentLink } from '../../../model/compiled/view.ts'
import { quote } from '../../../model/sql/quote.ts'
import { Grant } from '../../../access/rights/grant.ts'
import { Bindings } from '../bindings.ts'
import { isReference } from './lookup.ts'
import type { OptionOwner } from './option-rows.ts'
import { findPick } from './pick.ts'
import type { QueryCache } from '../read/query-cache.ts'
import { composeOver } from '../read/row-forms.ts'
import { bindNames, findSource } from '../read/source.ts'
import { parseValue, toWire } from '../value.ts'
import type { ViewAccess } from '../view-access.ts'

/** The access by which present values are requested. */
interface PresentAccess extends ViewAccess<QueryCache, OptionOwner> {
  /** Tells whether the caller may give a field's value. */
  mayGive: (field: FieldFeatures) => boolean
  /** Links of fields that hold a record to its parent: the parent need only be visible. */
  parents: ReadonlyMap<string, readonly ParentLink[]> | undefined
  /** Values that the record holds, as the caller sees them, by lower-case name. */
  stored: ReadonlyMap<string, unknown>
}

/** Present values, with labels for values that refer to records. */
export interface Present {
  /** Values by lower-case name, as the wire has them. */
  values: ReadonlyMap<string, unknown>
  /** Labels by lower-case name; none for a parent that the caller sees and may not pick. */
  labels: ReadonlyMap<string, string | null>
}

/**
 * Takes the Parameters that the caller may give, over the values that the record holds. A name that
 * is not a field stays: it may be a parameter that the view declares.
 */
export async function takePresent(
  scope: PresentAccess,
  parameters: ReadonlyMap<string, unknown>,
): Promise<Present> {
  const values = new Map(scope.stored)
  const labels = new Map<string, string | null>()
  const waiting: Waiting[] = []
  for (const [name, given] of parameters) {
    const field = scope.view.fieldByName.get(name)
    if (!field) values.set(name, given)
    else if (scope.mayGive(field)) {
      const value = isReference(field) ? readKey(field, given) : null
      if (value === null) values.set(name, given)
      else if (!isStored(scope, name, value)) waiting.push({ name, field, value })
    }
  }
  await takeReferences(scope, waiting, { values, labels })
  return { values, labels }
}

/** A reference that the request gives. */
interface Waiting {
  name: string
  field: FieldFeatures
  value: SqlValue
}

/** Reads the key that a reference holds; null for a missing or malformed key. */
function readKey(field: FieldFeatures, given: unknown): SqlValue {
  if (given === undefined || Array.isArray(given)) return null
  const parsed = parseValue(field, given)
  return parsed.fault === undefined ? parsed.value : null
}

const isStored = ({ stored }: PresentAccess, name: string, value: SqlValue): boolean =>
  value !== null && stored.has(name) && String(stored.get(name)) === String(value)

/**
 * Takes references, whose options may depend on other references: a value that is not an option
 * yet is tried again while others are still being taken.
 */
async function takeReferences(
  scope: PresentAccess,
  waiting: readonly Waiting[],
  taken: { values: Map<string, unknown>; labels: Map<string, string | null> },
): Promise<void> {
  let left = waiting
  for (let isDone = left.length === 0; !isDone;) {
    const refused: Waiting[] = []
    for (const each of left) {
      if (!(await take(scope, each, taken))) refused.push(each)
    }
    isDone = refused.length === 0 || refused.length === left.length
    left = refused
  }
  for (const { name } of left) taken.values.delete(name)
}

async function take(
  scope: PresentAccess,
  { name, field, value }: Waiting,
  { values, labels }: { values: Map<string, unknown>; labels: Map<string, string | null> },
): Promise<boolean> {
  const label = await findPick({ ...scope, field, parameters: values }, value)
  if (label !== undefined) labels.set(name, label)
  const isTaken = label !== undefined || (await isParentSeen(scope, name, value))
  if (isTaken) values.set(name, toWire(field, value))
  return isTaken
}

/** Tells whether the value is the parent of a Detail, in a row that the caller sees. */
async function isParentSeen(
  { reader, grant, context, parents }: PresentAccess,
  name: string,
  value: SqlValue,
): Promise<boolean> {
  const { caller, model, allCompanies } = grant
  for (const { view: parent, field } of parents?.get(name) ?? []) {
    const view = model.views.get(parent)
    if (!view) continue
    const own =
      Grant.find(caller, model, view.resource, 'View', { allCompanies }) ??
      Grant.find(caller, model, view.resource, 'List', { allCompanies })
    if (own && (await isRow({ reader, view, grant: own, context }, field, value))) return true
  }
  return false
}

async function isRow(
  { reader, view, grant, context }: ViewAccess,
  field: string,
  value: SqlValue,
): Promise<boolean> {
  const source = findSource(view, grant, 'read')
  const bindings = new Bindings()
  bindNames(source.names, bindings, context, { view, parameters: new Map() })
  const same = `${quote(field)} = ${bindings.add(value)}`
  const sql = composeOver(
    source,
    (form) => `${form.with}SELECT 1 FROM ${form.from} ${form.where([], [same])} LIMIT 1`,
  )
  const { runs, of } = source
  return (await reader.text({ ...sql, args: bindings.args(), runs, of })) !== ''
}
