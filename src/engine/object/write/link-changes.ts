/**
 * Lists of keys of a submit (`Through`): the list replaces the stored one, and only the rows of the
 * middle entity that differ are written, so that the audit shows only changes.
 */
import type { FieldErrors } from '../../../kernel/failure.ts'
import { newId } from '../../../kernel/ids.ts'
import { Message, say } from '../../../kernel/messages.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import type { Field, Link } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { isGeneratedKey } from '../../../model/sql/generated-key.ts'
import { quote } from '../../../model/sql/quote.ts'
import { loadDefault } from '../read/defaults.ts'
import { isSettable } from '../read/permissions.ts'
import { findStored, type RecordKey } from '../record/record.ts'
import { composeInsert } from '../record/stored-rows.ts'
import { isBarred } from '../rules/changes.ts'
import { mapConstraint } from '../rules/constraint.ts'
import { type ConditionEvaluation, holdsWhen } from '../rules/field-condition.ts'
import { findFaultyReference, type PointingCheck } from '../rules/references.ts'
import { parseKey } from '../value.ts'
import type { RecordAccess } from '../view-access.ts'

/** Longest list of one field. */
const LINKS_MAX = 5000

/** Keys that a list gains and loses. */
export interface LinkChange {
  link: Link
  add: SqlValue[]
  remove: SqlValue[]
}

/** The lists of a request, compared with the stored ones. */
export interface LinkPlan {
  /** Lower-case names of the lists that were taken from the request. */
  taken: Set<string>
  changes: LinkChange[]
  faults: FieldErrors
}

/** A request that lists are read from. */
interface LinkRequest {
  /** By lower-case name. */
  parameters: ReadonlyMap<string, unknown>
  /** The key of a stored record. */
  key: RecordKey | undefined
  evaluation: ConditionEvaluation
}

/** Tells whether a request names a list of the view. */
export const namesLinks = (view: View, parameters: ReadonlyMap<string, unknown>): boolean =>
  view.linked.some((field) => parameters.has(field.name.toLowerCase()))

/** Plans the lists of one record. What the caller may not set is dropped. */
export async function planLinks(
  check: PointingCheck & { view: View },
  request: LinkRequest,
): Promise<LinkPlan> {
  const plan: LinkPlan = { taken: new Set(), changes: [], faults: {} }
  for (const field of check.view.linked) {
    if (!field.link || field.labelOf !== undefined) continue
    const isTaken = isGiven(check, request, field)
    if (isTaken) plan.taken.add(field.name.toLowerCase())
    const planned = await planLink(check, request, { field, link: field.link, isTaken })
    if (planned instanceof Message) plan.faults[field.name] = planned
    else if (planned && planned.add.length + planned.remove.length > 0) plan.changes.push(planned)
  }
  return plan
}

/** Tells whether a request sets the list, and may. */
function isGiven(
  { grant, draft }: PointingCheck,
  { parameters, evaluation }: LinkRequest,
  field: Field,
): boolean {
  const isNamed = parameters.get(field.name.toLowerCase()) !== undefined
  return isNamed && isSettable(field, grant) && !isBarred(field, draft(), evaluation)
}

/** Plans what a list gains and loses, or finds its fault; undefined where it stays as it is. */
async function planLink(
  check: PointingCheck,
  { parameters, key, evaluation }: LinkRequest,
  { field, link, isTaken }: { field: Field; link: Link; isTaken: boolean },
): Promise<LinkChange | Message | undefined> {
  const { reader } = check
  const draft = check.draft()
  const given = parameters.get(field.name.toLowerCase())
  const isHidden = isBarred(field, draft, evaluation)
  const isDemanded =
    field.requiredWhen !== undefined && holdsWhen(field.requiredWhen, draft, evaluation)
  if (!isTaken && (isHidden || (!isDemanded && (key || !field.required)))) return undefined
  const stored = key ? await loadLinked(reader, link, key) : []
  const wanted = isTaken ? readList(field, given) : stored
  if (wanted instanceof Message) return wanted
  if ((field.required || isDemanded) && wanted.length === 0) return say`${field.label} is required`
  const change = planChange(link, stored, wanted)
  for (const value of change.add) {
    const fault = await findFaultyReference(check, field, value, true)
    if (fault !== undefined) return fault
  }
  return change
}

/** A list of keys, each once; no value is an empty list. */
export function readList(field: Field, given: unknown): SqlValue[] | Message {
  if (given === null || given === '') return []
  if (!Array.isArray(given)) return say`${field.label} must be a list of keys`
  if (given.length > LINKS_MAX) return say`${field.label} can have at most ${LINKS_MAX} keys`
  const values = new Set<SqlValue>()
  for (const item of given) {
    const parsed = parseKey(field, item)
    if (parsed.fault !== undefined) return parsed.fault
    if (parsed.value !== null) values.add(parsed.value)
  }
  return [...values]
}

function planChange(
  link: Link,
  stored: readonly SqlValue[],
  wanted: readonly SqlValue[],
): LinkChange {
  const [had, has] = [new Set(stored), new Set(wanted)]
  return {
    link,
    add: wanted.filter((value) => !had.has(value)),
    remove: stored.filter((value) => !has.has(value)),
  }
}

async function loadLinked(reader: Reader, link: Link, key: RecordKey): Promise<SqlValue[]> {
  const { entity, own, other } = link
  const sql =
    `SELECT ${quote(other.name)} AS value FROM main.${quote(entity.table)} ` +
    `WHERE ${quote(own.name)} = @own`
  const rows = await reader.all(sql, { own: ownValue(key) })
  return rows.map(({ value }) => value ?? null)
}

const ownValue = (key: RecordKey): SqlValue => key.values[0]?.value ?? null

/**
 * Writes what differs; the after-write pass finds it in the change log like every other change.
 */
export async function saveLinks(
  access: RecordAccess,
  key: RecordKey,
  changes: readonly LinkChange[],
): Promise<void> {
  if (changes.length === 0) return
  const record = await findStored(access, key)
  for (const { link, add, remove } of changes) {
    const { entity, own, other } = link
    const table = `main.${quote(entity.table)}`
    const where = `${quote(own.name)} = @own AND ${quote(other.name)} = @other`
    for (const value of remove) {
      const args = { own: ownValue(key), other: value }
      await mapConstraint(access, () =>
        access.reader.run(`DELETE FROM ${table} WHERE ${where}`, args),
      )
    }
    const values = add.length > 0 ? await planMiddle(access, link, key, record) : new Map()
    for (const value of add) {
      values.set(other.name, value)
      for (const { name } of entity.keys.filter(isGeneratedKey)) values.set(name, newId())
      const { sql, args } = composeInsert(entity, values)
      await mapConstraint(access, () => access.reader.run(sql, args))
    }
  }
}

/** A row of the middle entity: both sides, the record's company, and its defaults. */
async function planMiddle(
  access: RecordAccess,
  { entity, own, other }: Link,
  key: RecordKey,
  record: SqlRow | undefined,
): Promise<Map<string, SqlValue>> {
  const values = new Map<string, SqlValue>()
  const { grant, context, entity: main } = access
  const defaults = { ...access, parameters: new Map() }
  for (const column of entity.columns) {
    if (isGeneratedKey(column)) values.set(column.name, null)
    if (column.kind !== 'declared' || !column.default) continue
    values.set(column.name, await loadDefault(column, defaults))
  }
  if (entity.concurrency) values.set(stampOf(entity), context.now.getTime())
  if (entity.company !== undefined) {
    values.set(entity.company, record?.[main.company ?? ''] ?? grant.caller.companyId)
  }
  values.set(own.name, ownValue(key))
  values.set(other.name, null)
  return values
}

const stampOf = (entity: Entity): string =>
  entity.columns.find(({ kind }) => kind === 'stamp')?.name ?? ''
