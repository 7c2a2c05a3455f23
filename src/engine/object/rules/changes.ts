/**
 * Changes from a request's Parameters: the mass-assignment sanitizer and the rules that fields
 * carry. A value that this caller may not write is dropped; the rest is saved.
 */
import type { FieldErrors } from '../../../kernel/failure.ts'
import { type Message, plain, say } from '../../../kernel/messages.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import { listConditionFields } from '../../../model/compiled/field-condition.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { checkField } from '../../../model/fields/check.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import { isWritable } from '../read/permissions.ts'
import { type ConditionEvaluation, holdsRule, holdsWhen } from './field-condition.ts'
import { type Draft, isAsStored, parseValue } from '../value.ts'

/** Changes of one record, by field. */
export type Changes = Map<Field, SqlValue>

/** A request that changes are read from. */
interface ChangeRequest {
  view: View
  grant: Grant
  /** By lower-case name. */
  parameters: ReadonlyMap<string, unknown>
  /** Lower-case names of the fields that hold a detail to its parent: the engine gives them. */
  parents: ReadonlySet<string>
  /** Lower-case names of the fields that the caller may not write on this row. */
  barred?: ReadonlySet<string>
  /** The row that is changed, by column; undefined for a new one. */
  stored?: SqlRow
}

/** Changes and faults that were read from the parameters of a request. */
export interface ReadChanges {
  changes: Changes
  /** Faults of the rest, by field name. */
  faults: FieldErrors
  /** Lower-case names of the fields whose values are those that are stored. */
  unchanged: Set<string>
}

/** Typed changes, faults of the rest, and the fields that are stored as given. */
export function readChanges(
  { view, grant, parameters, parents, barred, stored }: ChangeRequest,
  isNew: boolean,
): ReadChanges {
  const changes: Changes = new Map()
  const faults: FieldErrors = {}
  const unchanged = new Set<string>()
  for (const [name, value] of parameters) {
    const field = view.fieldByName.get(name)
    if (!field) continue
    const isParent = isNew && parents.has(name) && field.column?.kind === 'declared'
    if (!isParent && (barred?.has(name) || !isWritable(view, field, grant, isNew))) continue
    const parsed = parseValue(field, value)
    if (stored && field.column) {
      const cell = stored[field.column.name] ?? null
      if (isAsStored(field, { given: value, parsed, stored: cell })) {
        unchanged.add(name)
        continue
      }
    }
    if (parsed.fault === undefined) changes.set(field, parsed.value)
    else faults[field.name] = parsed.fault
  }
  return { changes, faults, unchanged }
}

/**
 * The record as it would be stored, by lower-case field and column name. `stored` may hold further
 * output columns of the view, which stay as they were; an empty text in it is not a value. Few
 * cells of a draft are ever asked for, so it is not a copy.
 */
export function planDraft(entity: Entity, stored: SqlRow | undefined, changes: Changes): Draft {
  const moved = new Map<string, SqlValue>()
  for (const [field, value] of changes) {
    moved.set(field.name.toLowerCase(), value)
    if (field.column && field.column.name !== field.name)
      moved.set(field.column.name.toLowerCase(), value)
  }
  return {
    get: (name) => {
      const value = moved.get(name)
      if (value !== undefined || !stored) return value
      const cell = findCell(entity, stored, name)
      return cell === '' ? null : cell
    },
  }
}

/** A cell of a row by its lower-case name; undefined where the row has none. */
export function findCell(entity: Entity, row: SqlRow, name: string): SqlValue | undefined {
  const column = entity.columnByName.get(name)
  const value = column && row[column.name]
  if (value !== undefined) return value
  let found: SqlValue | undefined
  for (const each in row) if (each.toLowerCase() === name) found = row[each]
  return found
}

/** Tells whether a rule of the view looks at an output column that the entity does not have. */
export function needsOutput(view: View): boolean {
  const isOutput = (name: string | undefined) => {
    const field = name === undefined ? undefined : view.fieldByName.get(name.toLowerCase())
    return field !== undefined && field.column === undefined
  }
  return (
    view.fields.some(({ requiredWhen, visibleWhen, readOnlyWhen }) =>
      [requiredWhen, visibleWhen, readOnlyWhen].some(
        (when) => when !== undefined && listConditionFields(when).some(isOutput),
      ),
    ) ||
    view.validates.some(
      (rule) => rule.kind === 'compare' && (isOutput(rule.field) || isOutput(rule.compare)),
    )
  )
}

/**
 * Drops what VisibleWhen or ReadOnlyWhen bars for the record as it would be stored: again after
 * each drop, since what was dropped may have been what let another one through. Values that are not
 * of `given` are defaults, which only VisibleWhen bars.
 */
export function dropBarred(
  check: Check,
  given: ReadonlyMap<Field, SqlValue> = check.changes,
): void {
  const { view, entity, stored, changes } = check
  for (let isDone = !findRules(view, entity).bars; !isDone;) {
    const draft = planDraft(entity, stored, changes)
    isDone = true
    for (const field of [...changes.keys()]) {
      const bars = given.has(field) ? isBarred : isInvisible
      if (bars(field, draft, check) && changes.delete(field)) isDone = false
    }
  }
}

/** Tells whether VisibleWhen or ReadOnlyWhen bars a field in a record. */
export function isBarred(field: Field, draft: Draft, evaluation: ConditionEvaluation): boolean {
  if (field.readOnlyWhen && holdsWhen(field.readOnlyWhen, draft, evaluation)) return true
  return isInvisible(field, draft, evaluation)
}

/** Tells whether VisibleWhen hides a field: it then takes no value, and none is required. */
const isInvisible = (field: Field, draft: Draft, evaluation: ConditionEvaluation): boolean =>
  field.visibleWhen !== undefined && !holdsWhen(field.visibleWhen, draft, evaluation)

/** A record as it is checked before its statement runs. */
export interface Check extends ConditionEvaluation {
  view: View
  entity: Entity
  stored: SqlRow | undefined
  changes: Changes
}

/** Traits of the rules of a view; the same for every record. */
interface Rules {
  /** A condition may bar a field. */
  bars: boolean
  /** A rule looks from one field at another. */
  looksAround: boolean
  /** Fields that a new record may not lack, where no rule looks around. */
  demanded: readonly { field: Field; message: Message }[]
}

const rulesOf = new WeakMap<View, Rules>()

function findRules(view: View, entity: Entity): Rules {
  let known = rulesOf.get(view)
  if (!known) rulesOf.set(view, (known = planRules(view, entity)))
  return known
}

function planRules(view: View, entity: Entity): Rules {
  const bars = view.fields.some((field) => field.visibleWhen ?? field.readOnlyWhen)
  const compares = [...view.validates, ...entity.validates].some(({ kind }) => kind === 'compare')
  const demanded = view.fields.flatMap((field) => {
    const message = field.column && isValidated(entity, field) ? checkField(null, field) : undefined
    return message === undefined ? [] : [{ field, message }]
  })
  const looksAround = bars || compares || view.fields.some(({ requiredWhen }) => requiredWhen)
  return { bars, looksAround, demanded }
}

/**
 * Every rule that fields carry and every rule that compares, one message a field, in the order of
 * the view. Where no rule looks from one field at another, only given fields are checked.
 */
export function checkChanges(check: Check): FieldErrors | undefined {
  const { looksAround, demanded } = findRules(check.view, check.entity)
  return looksAround ? checkWhole(check) : checkEach(check, demanded)
}

function checkEach(
  { view, entity, stored, changes }: Check,
  demanded: Rules['demanded'],
): FieldErrors | undefined {
  let faults: FieldErrors | undefined
  for (const [field, value] of changes) {
    const message = isValidated(entity, field, value) ? checkField(value, field) : undefined
    if (message !== undefined) (faults ??= {})[field.name] = message
  }
  if (!stored) {
    for (const { field, message } of demanded) {
      if (!isGiven(field, changes)) (faults ??= {})[field.name] = message
    }
  }
  return faults && sortFaults(view, faults)
}

/** As `planDraft` has it: by itself, or by a field of its column. */
function isGiven(field: Field, changes: Changes): boolean {
  if (changes.has(field)) return true
  const name = field.name.toLowerCase()
  return [...changes.keys()].some(({ column }) => column?.name.toLowerCase() === name)
}

const sortFaults = ({ fields }: View, faults: FieldErrors): FieldErrors =>
  Object.fromEntries(
    fields.flatMap(({ name }) => (faults[name] === undefined ? [] : [[name, faults[name]]])),
  )

function checkWhole(check: Check): FieldErrors | undefined {
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
  return Object.keys(faults).length > 0 ? faults : undefined
}

/** Keys and numbers that the server gives are not checked; a number that a file brings is. */
function isValidated(entity: Entity, field: Field, value: SqlValue = null): boolean {
  const { column } = field
  if (!column) return true
  if (column.kind !== 'declared' || column.identity) return false
  if (column.sequence && value === null) return false
  return column.name !== entity.company && !column.compute
}

/** A stored value left as it is, is not checked again by rules that came after it. */
function checkOne(field: Field, check: Check, draft: Draft): Message | undefined {
  const { entity, stored, changes } = check
  if (!field.column)
    return changes.has(field) ? checkField(changes.get(field) ?? null, field) : undefined
  if (!isValidated(entity, field, changes.get(field))) return undefined
  const value = draft.get(field.name.toLowerCase()) ?? null
  if (value === null && isInvisible(field, draft, check)) return undefined
  const isDemanded = field.requiredWhen !== undefined && holdsWhen(field.requiredWhen, draft, check)
  if (isDemanded && value === null) return say`${field.label} is required`
  if (stored && !changes.has(field)) return undefined
  return checkField(value, field)
}
