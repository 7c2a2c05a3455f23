/**
 * What of a request's Parameters becomes a change: the mass-assignment sanitizer and the rules that
 * fields carry. What is not writable for this caller is dropped, and the submit goes on.
 */
import type { Grant } from '../../access/grant.ts'
import type { FieldErrors } from '../../kernel/failure.ts'
import { checkField } from '../../model/fields/check.ts'
import type { Entity, Field, View } from '../../model/model.ts'
import type { SqlRow, SqlValue } from '../../store/sql.ts'
import { parseValue } from './value.ts'
import { holdsRule, holdsWhen } from './wire-condition.ts'

/** Changes of one record, by field. */
export type Changes = Map<Field, SqlValue>

/** Whether a caller may set a field of a record by a submit. */
export function isWritable(view: View, field: Field, grant: Grant, isNew: boolean): boolean {
  const { column } = field
  const entity = view.entity
  if (!column || !entity || column.kind !== 'declared' || field.readOnly) return false
  if (column.name === entity.company || column.compute || column.sequence) return false
  if (column.key && (!isNew || column.identity)) return false
  if (!grant.sees(field.name) || grant.access.readOnly.has(field.name.toLowerCase())) return false
  return field.in.has('Form') || column.key || field.hidden
}

/** Typed changes and what was wrong with the rest, by field name. */
export function readChanges(
  view: View,
  parameters: ReadonlyMap<string, unknown>,
  grant: Grant,
  isNew: boolean,
): { changes: Changes; faults: FieldErrors } {
  const changes: Changes = new Map()
  const faults: FieldErrors = {}
  for (const [name, value] of parameters) {
    const field = view.fieldByName.get(name)
    if (!field || !isWritable(view, field, grant, isNew)) continue
    const parsed = parseValue(field, value)
    if (parsed.fault === undefined) changes.set(field, parsed.value)
    else faults[field.name] = parsed.fault
  }
  return { changes, faults }
}

/** The record as it would be stored, by lower-case field and column name. */
export function planDraft(
  entity: Entity,
  stored: SqlRow | undefined,
  changes: Changes,
): Map<string, SqlValue> {
  const draft = new Map<string, SqlValue>()
  for (const column of entity.columns) {
    draft.set(column.name.toLowerCase(), stored?.[column.name] ?? null)
  }
  for (const [field, value] of changes) {
    draft.set(field.name.toLowerCase(), value)
    if (field.column) draft.set(field.column.name.toLowerCase(), value)
  }
  return draft
}

/** Drops what VisibleWhen or ReadOnlyWhen bars for the record as it would be stored. */
export function dropBarred(
  view: View,
  entity: Entity,
  stored: SqlRow | undefined,
  changes: Changes,
): void {
  const draft = planDraft(entity, stored, changes)
  for (const field of [...changes.keys()]) {
    const isBarred =
      (field.readOnlyWhen && holdsWhen(field.readOnlyWhen, draft, view)) ||
      (field.visibleWhen && !holdsWhen(field.visibleWhen, draft, view))
    if (isBarred) changes.delete(field)
  }
}

/** What is checked of a record before its statement runs. */
export interface Check {
  view: View
  entity: Entity
  stored: SqlRow | undefined
  changes: Changes
  zone: string
}

/** Every rule that fields carry and every rule that compares; one message a field. */
export function checkChanges({ view, entity, stored, changes, zone }: Check): FieldErrors {
  const draft = planDraft(entity, stored, changes)
  const faults: FieldErrors = {}
  for (const field of view.fields) {
    const message = checkOne(field, { view, stored, changes }, draft)
    if (message !== undefined) faults[field.name] = message
  }
  const find = (name: string) =>
    view.fieldByName.get(name.toLowerCase()) ?? entity.columnByName.get(name.toLowerCase())
  for (const rule of [...view.validates, ...entity.validates]) {
    if (rule.kind !== 'compare' || holdsRule(rule, find, draft, zone)) continue
    faults[rule.field ?? ''] ??= rule.message
  }
  return faults
}

/** A stored value that nobody touches is not judged anew by rules that came after it. */
function checkOne(
  field: Field,
  { view, stored, changes }: Pick<Check, 'view' | 'stored' | 'changes'>,
  draft: ReadonlyMap<string, SqlValue>,
): string | undefined {
  const { column } = field
  if (!column || column.kind !== 'declared' || column.identity) return undefined
  const isGivenByServer = column.name === view.entity?.company || column.sequence || column.compute
  if (isGivenByServer) return undefined
  const value = draft.get(field.name.toLowerCase()) ?? null
  const isDemanded = field.requiredWhen !== undefined && holdsWhen(field.requiredWhen, draft, view)
  if (isDemanded && value === null) return `${field.label} is required`
  if (stored && !changes.has(field)) return undefined
  return checkField(value, field)
}
