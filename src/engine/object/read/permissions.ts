/** Rights of a caller on a view, as `Permissions` of results: a hint for the client. */
import { joinTerms } from '../../../store/join-terms.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { StepField } from '../../../model/compiled/wizard.ts'
import { isOnSurface } from '../../../model/view-index.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import type { RowCondition } from '../../../access/rights/resource-access.ts'
import { isSeen } from './labels.ts'
import { composeRaw, composeRowCondition } from './masked.ts'
import type { FieldRight } from '../schema.ts'

const permissions = new WeakMap<Grant, Map<View, string>>()

/** `Permissions` as JSON text, made once for a grant and a view. */
export function findPermissions(view: View, grant: Grant): string {
  return permissions
    .getOrInsertComputed(grant, () => new Map<View, string>())
    .getOrInsertComputed(view, () => composePermissions(grant, planFieldRights(view, grant)))
}

/** Composes the permissions of one row, which hides or bars some fields more. */
export function composeRowPermissions(
  view: View,
  grant: Grant,
  row: Readonly<Record<string, FieldRight>>,
): string {
  if (Object.keys(row).length === 0) return findPermissions(view, grant)
  return composePermissions(grant, { ...row, ...planFieldRights(view, grant) })
}

const composePermissions = (grant: Grant, Fields: Record<string, FieldRight>): string =>
  JSON.stringify({ ...grant.permissions(), Fields })

/** Fields that the caller's roles narrow beyond the metadata for all callers. */
function planFieldRights(view: View, grant: Grant): Record<string, FieldRight> {
  const rights: Record<string, FieldRight> = {}
  for (const field of view.listed) {
    if (!isOnSurface(view, field)) continue
    if (!isSeen(grant, field)) rights[field.name] = 'Hidden'
    else if (isNarrowed(view, field, grant)) rights[field.name] = 'ReadOnly'
  }
  return rights
}

/** Tells whether a form may set the field, but this caller never may. */
function isNarrowed(view: View, field: Field, grant: Grant): boolean {
  if (field.link) return !field.readOnly && field.in.has('Form') && !isSettable(field, grant)
  const open = [true, false].filter((isNew) => isOpen(view, field, isNew))
  return open.length > 0 && open.every((isNew) => !isWritable(view, field, grant, isNew))
}

/** A field that rows hide, or let be written, each for itself. */
interface RowRight {
  name: string
  right: FieldRight
  condition: RowCondition
}

/** Rights that each row decides, hidden ones last: they say more. None where the roles agree. */
export function listRowRights(view: View, { access, resource }: Grant): RowRight[] {
  const { masked, guarded } = access
  if (resource !== view.resource || masked.size + guarded.Update.size === 0) return []
  const list = (rules: ReadonlyMap<string, RowCondition>, right: FieldRight): RowRight[] =>
    [...rules].flatMap(([key, condition]) => {
      const field = view.fieldByName.get(key)
      return field && isOnSurface(view, field) ? [{ name: field.name, right, condition }] : []
    })
  return [...list(guarded.Update, 'ReadOnly'), ...list(masked, 'Hidden')]
}

/** A text of `1` and `0` over a row of the view: for each right whether the row lifts it. */
export function composeRowRights(view: View, grant: Grant, rights: readonly RowRight[]): string {
  const cells = rights.map(({ condition }) => {
    const lifts = composeRaw(view, grant, composeRowCondition(condition))
    return `(coalesce(${lifts}, 0) <> 0)`
  })
  return cells.length > 0 ? joinTerms(cells, '||') : "''"
}

/** The rights that a text of `composeRowRights` leaves in force. */
export function readRowRights(
  rights: readonly RowRight[],
  flags: string,
): Record<string, FieldRight> {
  const found = rights.flatMap(({ name, right }, at) =>
    flags[at] === '1' ? [] : [[name, right] as const],
  )
  return Object.fromEntries(found)
}

/**
 * Tells whether a caller may set a field of a record by a submit: a column of the entity, or a
 * field that only the view's authored statement writes.
 */
export function isWritable(view: View, field: Field, grant: Grant, isNew: boolean): boolean {
  return isOpen(view, field, isNew) && maySet(field, grant, isNew)
}

/** Tells whether the caller's roles let a field be set, on some row at least. */
function maySet(field: Field, grant: Grant, isNew: boolean): boolean {
  const { readOnly, guarded } = grant.access
  const key = field.name.toLowerCase()
  if (!isSeen(grant, field) || readOnly.has(key)) return false
  return guarded[isNew ? 'Create' : 'Update'].get(key)?.length !== 0
}

/** Tells whether the model lets callers set a field by a submit. */
function isOpen(view: View, field: Field, isNew: boolean): boolean {
  const { column } = field
  const entity = view.entity
  if (!entity || field.readOnly || field.through !== undefined) return false
  if (!column) return field.in.has('Form') && (isNew ? view.insert : view.update) !== undefined
  if (column.kind !== 'declared') return false
  if (column.name === entity.company || column.compute || column.sequence) return false
  if (column.key && (!isNew || column.identity)) return false
  return field.in.has('Form') || column.key || field.hidden
}

/** Tells whether a caller may set a list of keys. */
export function isSettable(field: Field, grant: Grant): boolean {
  if (field.readOnly || !field.in.has('Form') || !isSeen(grant, field)) return false
  const { readOnly, guarded } = grant.access
  const key = field.name.toLowerCase()
  // A list is set on every row or on none.
  return !readOnly.has(key) && !guarded.Create.has(key) && !guarded.Update.has(key)
}

/** Tells if roles hide a field of a step; a step never shows a field that only some rows show. */
export function isStepHidden({ access }: Grant, name: string): boolean {
  const key = name.toLowerCase()
  return access.hidden.has(key) || access.masked.has(key)
}

/** Tells whether the model and the caller's roles let a request set a field of a step. */
export function mayGiveStep(grant: Grant, field: StepField): boolean {
  const { readOnly, guarded } = grant.access
  const key = field.name.toLowerCase()
  const isBarred = readOnly.has(key) || guarded.Create.has(key)
  return !field.readOnly && !isBarred && !isStepHidden(grant, key)
}
