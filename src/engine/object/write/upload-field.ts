/** Which field an upload is for, found before its file is read. */
import { validation } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { ActionParameter, RowAction } from '../../../model/compiled/action.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { Model } from '../../../model/model.ts'
import type { Caller } from '../../../access/callers/caller.ts'
import { Grant } from '../../../access/rights/grant.ts'
import { findAccess, type ResourceAccess, WRITING } from '../../../access/rights/resource-access.ts'
import { isWritable, mayGiveStep } from '../read/permissions.ts'

/** Names in the form of an upload. */
interface UploadNames {
  objectName: string
  fieldName: string
  /** The view whose field it is, where the object has it in several; '' for the object itself. */
  viewId: string
}

/** A File field that the caller may fill. */
export interface UploadField {
  field: Pick<Field, 'name' | 'label' | 'maxCount' | 'maxBytes' | 'accept'>
  /** Names of what the upload may become part of. */
  entity: string
  column: string
  /** The gate that was passed: any of the rights on the resource. */
  resource: string
  rights: readonly string[]
}

/**
 * The field that an upload is for. A field that the caller may not fill, or that is not a File,
 * gets the same answer as a field that does not exist.
 * @throws denied without Create and Update, validation for a name that is not declared.
 */
export function requireUploadField(model: Model, caller: Caller, names: UploadNames): UploadField {
  const object = findObject(model, names.objectName)
  if (!object) throw validation({ objectName: say`There is no object with this name` })
  if (object.wizard) return requireStepField(model, caller, object, names.fieldName)
  const view = names.viewId === '' ? object : findObject(model, names.viewId)
  const entity = view?.entity
  if (!entity || entity !== object.entity) throw unknownView(names.viewId)
  const parameter = findParameter(model, caller, view, names.fieldName)
  const { resource } = view
  if (parameter) {
    const { action, field } = parameter
    const rights = [action.capability ?? 'Update']
    return { field, entity: entity.name, column: field.name, resource, rights }
  }
  const grant = Grant.require(caller, model, view.resource, WRITING)
  const field = view.fieldByName.get(names.fieldName.toLowerCase())
  if (!field || FIELD_KINDS[field.type].structure !== 'files' || !mayFill(view, field, grant))
    throw unknownField()
  return { field, entity: entity.name, column: columnOf(field), resource, rights: WRITING }
}

/** A File field of a wizard's step; its uploads are for the wizard alone. */
function requireStepField(
  model: Model,
  caller: Caller,
  view: View,
  fieldName: string,
): UploadField {
  const { resource, wizard } = view
  const grant = Grant.require(caller, model, resource, ['Create'])
  const key = fieldName.toLowerCase()
  const fields = wizard?.steps.flatMap((step) => step.fields) ?? []
  const field = fields.find((each) => each.name.toLowerCase() === key)
  if (!field || FIELD_KINDS[field.type].structure !== 'files' || !mayGiveStep(grant, field))
    throw unknownField()
  const entity = uploadOwner(view).name
  return { field, entity, column: field.name, resource, rights: ['Create'] }
}

/** Owner of uploads of a wizard's steps in `svc_uploads`: `wizard Order`, no entity's name. */
export const uploadOwner = ({ name }: Pick<View, 'name'>): { name: string } => ({
  name: `wizard ${name}`,
})

const unknownField = () =>
  validation({ fieldName: say`There is no file field with this name that you can upload to here` })

/** A File parameter of an action that the caller may run. */
function findParameter(
  model: Model,
  caller: Caller,
  view: View,
  fieldName: string,
): { action: RowAction; field: ActionParameter } | undefined {
  const name = fieldName.toLowerCase()
  const isMeant = ({ type, name: own }: ActionParameter) =>
    FIELD_KINDS[type].structure === 'files' && own.toLowerCase() === name
  const action = view.rowActions.find(({ parameters }) => parameters.some(isMeant))
  if (!action || !mayRun(model, caller, view, action)) return undefined
  const field = action.parameters.find(isMeant)
  return field && { action, field }
}

const mayRun = (model: Model, caller: Caller, view: View, { capability }: RowAction): boolean => {
  const access = findAccess(model, caller, view.resource)
  if (capability === undefined) return access.verbs.has('Update')
  return caller.isSystem || access.capabilities.has(capability) || isVerb(access, capability)
}

const isVerb = ({ verbs }: ResourceAccess, capability: string): boolean =>
  [...verbs].some((verb) => verb === capability)

const findObject = (model: Model, name: string): View | undefined =>
  model.viewByKey.get(name.toLowerCase())

const unknownView = (viewId: string) =>
  viewId === ''
    ? validation({ objectName: say`This object is read-only` })
    : validation({ viewId: say`This object has no view with this name` })

const mayFill = (view: View, field: Field, grant: Grant): boolean =>
  (grant.may('Create') && isWritable(view, field, grant, true)) ||
  (grant.may('Update') && isWritable(view, field, grant, false))

/** Name that binds an upload to a field: its column, or its name where only a statement has it. */
export const columnOf = (field: Field): string => field.column?.name ?? field.name
