/** Names from a request to parts of the compiled view. */
import type { Clock } from '../../../kernel/clock.ts'
import { invalid, notFound } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { RowAction } from '../../../model/compiled/action.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { Verb } from '../../../model/compiled/role.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { Model } from '../../../model/model.ts'
import { isOnSurface } from '../../../model/view-index.ts'
import type { Caller } from '../../../access/callers/caller.ts'
import { Grant } from '../../../access/rights/grant.ts'
import { newContext } from '../context.ts'
import { isSeen } from './labels.ts'
import type { ViewUse } from '../view-access.ts'

/** @throws notFound for a name or slug that no view bears. */
export function requireView(model: Model, key: string): View {
  const view = model.viewByKey.get(key.toLowerCase())
  if (!view) throw missingView()
  return view
}

const missingView = () =>
  notFound(say`There is no object with this name`, { code: 'OBJECT_NOT_FOUND' })

/**
 * The one gate to a view, for routes and for calls of extensions: the view of a name, as a caller
 * with one of the verbs uses it now. A wizard has no rows, and does not count as a view here.
 * @throws notFound, denied
 */
export function requireViewUse(
  engine: { clock: Clock },
  { caller, model }: { caller: Caller; model: Model },
  name: string,
  verbs: readonly Verb[],
): ViewUse {
  const view = requireView(model, name)
  if (view.wizard) throw missingView()
  const grant = Grant.require(caller, model, view.resource, verbs)
  return { view, grant, context: newContext(engine, caller, model) }
}

/**
 * Tells whether a caller gets the field on any surface: filters and the order of rows may not
 * reveal an unserved field either.
 */
export function isServed(view: View, grant: Grant, field: Field): boolean {
  return isOnSurface(view, field) && isSeen(grant, field)
}

/** The date that "per month" means for the rows of a view, where the caller gets it. */
export function findPeriod(view: View, grant: Grant): Field | undefined {
  const field = view.fields.find((each) => isPeriod(view, each))
  return field && isServed(view, grant, field) ? field : undefined
}

/** Tells whether a field is the Period of the entity whose rows a view shows. */
export const isPeriod = ({ entity }: View, { column }: Field): boolean =>
  entity?.period !== undefined &&
  column !== undefined &&
  entity.columnByName.get(entity.period.toLowerCase()) === column

/** Tells whether a Detail holds its rows to a parent by this field. */
export function isParent(model: Model, view: View, field: Field): boolean {
  return model.viewIndex.parents.get(view.name)?.has(field.name.toLowerCase()) ?? false
}

/** A field that the caller gets; hidden and missing ones read the same. */
export function requireField(view: View, grant: Grant, name: string): Field {
  const field = findField(view, grant, name)
  if (!field || !isServed(view, grant, field))
    throw invalid(say`Unknown field '${name.slice(0, 80)}'`, { code: 'UNKNOWN_FIELD' })
  return field
}

/** A field as of `requireField`, or a list of keys, which is not an output column. */
export function requireListed(view: View, grant: Grant, name: string): Field {
  const key = name.toLowerCase()
  const list = view.linked.find((each) => each.link && each.name.toLowerCase() === key)
  return list?.labelOf === undefined && list && isServed(view, grant, list)
    ? list
    : requireField(view, grant, name)
}

/** A field as of `requireListed`, or a list's label: shown, but not filtered or sorted by. */
export function requireShown(view: View, grant: Grant, name: string): Field {
  const key = name.toLowerCase()
  const label = view.linked.find((each) => each.labelOf && each.name.toLowerCase() === key)
  return label && isServed(view, grant, label) ? label : requireListed(view, grant, name)
}

/** A field that the caller sees, by name without regard to case. */
export function findField(view: View, grant: Grant, name: string): Field | undefined {
  const field = view.fieldByName.get(name.toLowerCase())
  return field && isSeen(grant, field) ? field : undefined
}

/** @throws notFound for an action that the view does not declare. */
export function requireRowAction(view: View, name: string): RowAction {
  const key = name.toLowerCase()
  const action = view.rowActions.find((candidate) => candidate.name.toLowerCase() === key)
  if (!action) throw notFound(say`There is no action with this name`, { code: 'ACTION_NOT_FOUND' })
  return action
}

/** Tells whether all key fields have a value. */
export function namesRecord(view: View, parameters: ReadonlyMap<string, unknown>): boolean {
  return view.keys.every((key) => {
    const value = parameters.get(key.name.toLowerCase())
    return value !== undefined && value !== null && value !== ''
  })
}
