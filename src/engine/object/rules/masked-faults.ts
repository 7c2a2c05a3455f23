/**
 * Faults of fields that the caller may not see, described without the field: neither its name nor
 * its label, nor what the author says of it.
 */
import { Failure, type FieldErrors } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { Column, Entity } from '../../../model/compiled/entity.ts'
import type { View } from '../../../model/compiled/view.ts'
import { isOnSurface, listViewsOf } from '../../../model/view-index.ts'
import { findAccess } from '../../../access/rights/resource-access.ts'
import type { Context } from '../context.ts'
import { isServed } from '../read/find-view.ts'
import type { RecordKey } from '../record/record.ts'
import { findHidden } from './row-rules.ts'
import type { ViewAccess, ViewUse } from '../view-access.ts'

/** Tells whether a caller may learn that a rule of a field does not hold, by the field's name. */
export type ShowsField = (name: string) => boolean

/** Replaces the fault of a field that is not named. */
export const HIDDEN_RULE = say`The record violates a rule on data that is hidden from you`

const NONE: ReadonlySet<string> = new Set()

/** The failure without fields that are not named: their faults are under '', the record itself. */
export function maskFaults(error: unknown, shows: ShowsField): unknown {
  if (!(error instanceof Failure) || !error.fieldErrors) return error
  const entries = Object.entries(error.fieldErrors)
  if (entries.every(([name]) => shows(name))) return error
  const { kind, code } = error
  const fieldErrors = maskErrors(error.fieldErrors, shows)
  const text = fieldErrors[''] ?? HIDDEN_RULE
  return new Failure(kind, text, { code, fieldErrors })
}

/** The same for faults by field name. */
export function maskErrors(faults: FieldErrors, shows: ShowsField): FieldErrors {
  const masked: FieldErrors = {}
  for (const [name, message] of Object.entries(faults)) {
    if (shows(name)) masked[name] = message
    else masked[''] ??= HIDDEN_RULE
  }
  return masked
}

/**
 * Fields and columns that the caller of a view may know of its records: fields that the view serves
 * and the row shows, and columns that another view of the entity serves.
 * @param hidden Lower-case names of the fields that the row hides.
 */
export function shownFieldsOf(
  { view, grant, context }: ViewUse,
  hidden: ReadonlySet<string> = NONE,
): ShowsField {
  return (name) => {
    const key = name.toLowerCase()
    const own =
      view.fieldByName.get(key) ??
      view.linked.find((field) => field.name.toLowerCase() === key) ??
      view.fields.find(({ column }) => column?.name.toLowerCase() === key)
    if (own && isServed(view, grant, own) && !hidden.has(own.name.toLowerCase())) return true
    const column = own?.column ?? view.entity?.columnByName.get(key)
    if (view.entity && column) return showsColumn(context, view.entity, { column, but: view })
    return own === undefined
  }
}

/** Runs work on a record; its faults name nothing that is hidden of the record. */
export async function masking<T>(
  access: ViewAccess,
  key: RecordKey | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Failure) || !error.fieldErrors) throw error
    const hidden = key ? await findHidden(access, key) : NONE
    throw maskFaults(error, shownFieldsOf(access, hidden))
  }
}

/**
 * Tells whether a view of the entity serves a column to the caller: one that they have a right to,
 * any where they have a right to none. A fault that no caller has caused is described in full.
 * @param inRow True where other code asks which rows hide it; else every row must show it.
 */
export function showsColumn(
  { caller, model }: Context,
  entity: Entity,
  { column, but, inRow = false }: { column: Column; but?: View; inRow?: boolean },
): boolean {
  if (!caller) return true
  const views = listViewsOf(model, entity.name)
  const held = views.filter(({ resource }) => findAccess(model, caller, resource).verbs.size > 0)
  return (held.length > 0 ? held : views).some((view) => {
    if (view === but) return false
    const { hidden, masked } = findAccess(model, caller, view.resource)
    return view.fields.some((field) => {
      const name = field.name.toLowerCase()
      const isShown = !hidden.has(name) && (inRow || !masked.has(name))
      return field.column?.name === column.name && isOnSurface(view, field) && isShown
    })
  })
}
