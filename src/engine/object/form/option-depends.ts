/** Values that the options or the default of a field depend on, as the record has them now. */
import type { RowAction } from '../../../model/compiled/action.ts'
import type { FieldFeatures } from '../../../model/compiled/field-features.ts'
import type { View } from '../../../model/compiled/view.ts'
import { quote } from '../../../model/sql/quote.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import { Bindings } from '../bindings.ts'
import { isReference } from './lookup.ts'
import type { OptionOwner } from './option-rows.ts'
import { takePresent } from './present-values.ts'
import { parseParameter } from '../parameters.ts'
import { isParent, isServed, namesRecord } from '../read/find-view.ts'
import { isWritable } from '../read/permissions.ts'
import { composeJsonObject, projectPair } from '../read/projection.ts'
import type { QueryCache } from '../read/query-cache.ts'
import { composeOver } from '../read/row-forms.ts'
import { bindNames, findSource } from '../read/source.ts'
import type { ViewAccess } from '../view-access.ts'

/** An action, or a step of a wizard, that asks for parameters. */
export interface AskedParameters extends Pick<RowAction, 'parameters'> {
  /** Tells whether a caller may give one of them; left out, each. */
  mayGive?: (grant: Grant, parameter: FieldFeatures) => boolean
}

/** A field of a form, or a parameter of one of its actions. */
interface DependAccess extends ViewAccess<QueryCache> {
  action: AskedParameters | undefined
  field: FieldFeatures
}

/** The fields of the form, and the action's parameters over them. */
export function ownerOf({ view, action }: Pick<DependAccess, 'view' | 'action'>): OptionOwner {
  if (!action) return view
  const own = action.parameters.map((each) => [each.name.toLowerCase(), each] as const)
  return { name: view.name, fieldByName: new Map([...view.fieldByName, ...own]) }
}

/**
 * The values by lower-case name that options or, where it is requested, the default depend on: what
 * the caller may write as the request has it, the rest as their row holds it.
 */
export async function loadPresent(
  scope: DependAccess,
  given: ReadonlyMap<string, unknown>,
  isDefault: boolean,
): Promise<ReadonlyMap<string, unknown>> {
  const { view, action, grant } = scope
  const owner = ownerOf(scope)
  const names = listDepends(owner, scope.field, isDefault)
  if (names.size === 0) return new Map()
  const isNew = !namesRecord(view, given)
  const mayGive = (field: FieldFeatures): boolean =>
    action
      ? action.parameters.some((each) => each === field) && (action.mayGive?.(grant, field) ?? true)
      : mayGiveField(view, grant, field.name, isNew)
  const wanted = new Map([...given].filter(([name]) => names.has(name)))
  const stored = isNew ? new Map<string, unknown>() : await loadStored(scope, given, names)
  const parents = grant.model.viewIndex.parents.get(view.name)
  const present = await takePresent({ ...scope, view: owner, mayGive, parents, stored }, wanted)
  return present.values
}

/** Tells whether a caller may give a record's value: one they may write, its key, its parent. */
export function mayGiveField(view: View, grant: Grant, name: string, isNew: boolean): boolean {
  const field = view.fieldByName.get(name.toLowerCase())
  if (!field) return false
  const { entity } = view
  if (!entity) return isServed(view, grant, field)
  if (grant.allCompanies && field.column?.name === entity.company) return true
  if (isWritable(view, field, grant, isNew) || isParent(grant.model, view, field)) return true
  return !isNew && view.keys.includes(field)
}

/** Names in lower case, with the names that the options of references among them depend on. */
function listDepends(owner: OptionOwner, field: FieldFeatures, isDefault: boolean): Set<string> {
  const own = isDefault && field.default?.kind === 'query' ? field.default.sql.parameters : []
  const names = new Set<string>()
  const add = (list: readonly string[]): void => {
    for (const name of list.map((each) => each.toLowerCase())) {
      const other = names.has(name) ? undefined : owner.fieldByName.get(name)
      names.add(name)
      if (other && isReference(other)) add(listOptionNames(other))
    }
  }
  add([...own, ...listOptionNames(field)])
  return names
}

const listOptionNames = ({ dataSet, lookup }: FieldFeatures): readonly string[] => [
  ...(dataSet?.sql.parameters ?? []),
  ...(lookup?.where?.parameters ?? []),
]

/** Loads some fields of the caller's row; nothing of a row that they do not see. */
async function loadStored(
  { reader, view, grant, context }: DependAccess,
  given: ReadonlyMap<string, unknown>,
  names: ReadonlySet<string>,
): Promise<Map<string, unknown>> {
  const fields = view.fields.filter(
    (field) => names.has(field.name.toLowerCase()) && isServed(view, grant, field),
  )
  if (fields.length === 0 || !grant.reads || view.keys.length === 0) return new Map()
  const source = findSource(view, grant, 'read')
  const bindings = new Bindings()
  bindNames(source.names, bindings, context, { view, parameters: given })
  const keys = view.keys.map((key) => {
    const value = parseParameter(key.name, view, given.get(key.name.toLowerCase()))
    return `${quote(key.name)} = ${bindings.add(value)}`
  })
  const row = composeJsonObject(fields.map((field) => projectPair(field, view, grant)))
  const sql = composeOver(
    source,
    (form) => `${form.with}SELECT ${row} FROM ${form.from} ${form.where([], keys)} LIMIT 1`,
  )
  const { runs, of } = source
  const found = await reader.text({ ...sql, args: bindings.args(), runs, of })
  const values = found === '' ? {} : (JSON.parse(found) as Record<string, unknown>)
  return new Map(Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]))
}
