/**
 * What of a request's Parameters becomes a change: the mass-assignment sanitizer and the rules that
 * fields carry. What is not writable for this caller is dropped, and the submit goes on.
 */
import type { Grant } from '../../../access/grant.ts'
import type { FieldErrors } from '../../../kernel/failure.ts'
import { type Message, plain, say } from '../../../kernel/messages.ts'
import { checkField } from '../../../model/fields/check.ts'
import type { Entity, Field, View } from '../../../model/model.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import { isWritable } from '../read/permissions.ts'
import { parseValue } from '../value.ts'
import { holdsRule, holdsWhen, type Draft, type Evaluate } from '../read/field-condition.ts'

/** Changes of one record, by field. */
export type Changes = Map<Field, SqlValue>

/** What changes are read from. */
export interface ChangeRequest {
  view: View
  grant: Grant
  /** By lower-case name. */
  parameters: ReadonlyMap<string, unknown>
  /** Lower-case names of the fields that hold a detail to its parent: the engine gives them. */
  parents: ReadonlySet<string>
  /** Lower-case names of the fields that the caller may not write on this row. */
  barred?: ReadonlySet<string>
}

/** Typed changes and what was wrong with the rest, by field name. */
export function readChanges(
  { view, grant, parameters, parents, barred }: ChangeRequest,
  isNew: boolean,
): { changes: Changes; faults: FieldErrors } {
  const changes: Changes = new Map()
  const faults: FieldErrors = {}
  for (const [name, value] of parameters) {
    const field = view.fieldByName.get(name)
    if (!field) continue
    const isParent = isNew && parents.has(name) && field.column?.kind === 'declared'
    if (!isParent && (barred?.has(name) || !isWritable(view, field, grant, isNew))) continue
    const parsed = parseValue(field, value)
    if (parsed.fault === undefined) changes.set(field, parsed.value)
    else faults[field.name] = parsed.fault
  }
  return { changes, faults }
}

/**
 * The record as it would be stored, by lower-case field and column name. `stored` may hold further
 * output columns of the view, which stay as they were.
 */
export function planDraft(
  entity: Entity,
  stored: SqlRow | undefined,
  changes: Changes,
): Map<string, SqlValue> {
  const draft = new Map<string, SqlValue>()
  for (const name of lowerNames(entity)) draft.set(name, null)
  for (const name in stored) draft.set(name.toLowerCase(), stored[name] ?? null)
  for (const [field, value] of changes) {
    draft.set(field.name.toLowerCase(), value)
    if (field.column && field.column.name !== field.name) {
      draft.set(field.column.name.toLowerCase(), value)
    }
  }
  return draft
}

const names = new WeakMap<Entity, string[]>()

/** Names of the columns, put into lower case once. */
function lowerNames(entity: Entity): string[] {
  let known = names.get(entity)
  if (!known) names.set(entity, (known = entity.columns.map(({ name }) => name.toLowerCase())))
  return known
}

/** Whether a rule of the view looks at an output column that is no column of the entity. */
export function needsOutput(view: View): boolean {
  const isOutput = (name: string | undefined) => {
    const field = name === undefined ? undefined : view.fieldByName.get(name.toLowerCase())
    return field !== undefined && field.column === undefined
  }
  return (
    view.fields.some(({ requiredWhen, visibleWhen, readOnlyWhen }) =>
      [requiredWhen, visibleWhen, readOnlyWhen].some((when) => isOutput(when?.field)),
    ) ||
    view.validates.some(
      (rule) => rule.kind === 'compare' && (isOutput(rule.field) || isOutput(rule.compare)),
    )
  )
}

/**
 * Drops what VisibleWhen or ReadOnlyWhen bars for the record as it would be stored: again after
 * each drop, since what was dropped may have been what let another one through.
 */
export function dropBarred({ entity, stored, changes, ...judge }: Check): void {
  const isOpen = ({ readOnlyWhen, visibleWhen }: Field) => !readOnlyWhen && !visibleWhen
  for (let isDone = [...changes.keys()].every(isOpen); !isDone;) {
    const draft = planDraft(entity, stored, changes)
    isDone = true
    for (const field of [...changes.keys()]) {
      if (isBarred(field, draft, judge) && changes.delete(field)) isDone = false
    }
  }
}

/** Whether VisibleWhen or ReadOnlyWhen bars a field in a record. */
export function isBarred(field: Field, draft: Draft, judge: Evaluate): boolean {
  if (field.readOnlyWhen && holdsWhen(field.readOnlyWhen, draft, judge)) return true
  return isUnseen(field, draft, judge)
}

/** Whether VisibleWhen hides a field: then nobody can give it a value, and none is demanded. */
const isUnseen = (field: Field, draft: Draft, judge: Evaluate): boolean =>
  field.visibleWhen !== undefined && !holdsWhen(field.visibleWhen, draft, judge)

/** What is checked of a record before its statement runs. */
export interface Check extends Evaluate {
  view: View
  entity: Entity
  stored: SqlRow | undefined
  changes: Changes
}

/** Every rule that fields carry and every rule that compares; one message a field. */
export function checkChanges(check: Check): FieldErrors {
  const { view, entity, stored, changes, zone } = check
  const draft = planDraft(entity, stored, changes)
  const faults: FieldErrors = {}
  for (const field of view.fields) {
    const message = checkOne(field, check, draft)
    if (message !== undefined) faults[field.name] = message
  }
  const find = (name: string) =>
    view.fieldByName.get(name.toLowerCase()) ?? entity.columnByName.get(name.toLowerCase())
  for (const rule of [...view.validates, ...entity.validates]) {
    if (rule.kind !== 'compare' || holdsRule(rule, find, draft, zone)) continue
    faults[rule.field ?? ''] ??= plain(rule.message)
  }
  return faults
}

/** A stored value that nobody touches is not judged anew by rules that came after it. */
function checkOne(
  field: Field,
  check: Check,
  draft: ReadonlyMap<string, SqlValue>,
): Message | undefined {
  const { column } = field
  const { view, stored, changes } = check
  if (!column) return changes.has(field) ? checkField(changes.get(field) ?? null, field) : undefined
  if (column.kind !== 'declared' || column.identity) return undefined
  const isGivenByServer = column.name === view.entity?.company || column.sequence || column.compute
  if (isGivenByServer) return undefined
  const value = draft.get(field.name.toLowerCase()) ?? null
  if (value === null && isUnseen(field, draft, check)) return undefined
  const isDemanded = field.requiredWhen !== undefined && holdsWhen(field.requiredWhen, draft, check)
  if (isDemanded && value === null) return say`${field.label} is required`
  if (stored && !changes.has(field)) return undefined
  return checkField(value, field)
}
