/**
 * `takeover=true`: history that comes in as it was. Every stored column that the file has is kept,
 * also those that no form sets; no notification, mail or workflow is started. What the data itself
 * comes to holds: types, rules, references, computed columns, search and the audit log.
 */
import { denied, type FieldErrors } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import type { ImportRequest } from './import-request.ts'
import type { History } from '../mutation.ts'

/** History is what System answers for: others could write who did what, and when. @throws denied */
export function requireTakeover({ takeover }: Pick<ImportRequest, 'takeover'>, grant: Grant): void {
  if (!takeover || grant.caller.isSystem) return
  throw denied(say`Only System can import history. Leave out takeover, or ask a System user.`)
}

/**
 * A view as its records are taken over: by their columns. An authored Insert or Update would begin
 * each record again, with numbers, states and rows of its own.
 */
export const viewOfHistory = (view: View): View => ({
  ...view,
  insert: undefined,
  update: undefined,
})

/** True when a field is a column that history has: not what is computed, or tells of changes. */
export const isHistory = ({ column, through, labelOf }: Field): boolean =>
  column !== undefined &&
  through === undefined &&
  labelOf === undefined &&
  column.kind !== 'stamp' &&
  !column.compute

/**
 * True when a stored record gets a history's value: what it is known by, and whose it is, stays.
 */
export const isHistoryOfStored = (field: Field, { company }: Entity): boolean =>
  isHistory(field) && !field.column?.key && field.column?.name !== company

/** Facts of an import when its head is read. */
interface TakeoverScope {
  request: Pick<ImportRequest, 'takeover'>
  entity: Entity
  grant: Grant
  columns: { values: readonly { field: Field }[] }
}

/** Columns kept of records that a plan takes over; undefined for every other import. */
export function planHistory({ request, entity, columns }: TakeoverScope): History | undefined {
  if (!request.takeover) return undefined
  const tracked = columns.values.flatMap(({ field: { column } }) =>
    column?.kind === 'tracking' ? [column.name] : [],
  )
  return { entity, keeps: new Set(tracked) }
}

/** The fault of a row that names its company: only the caller's is allowed. */
export function checkCompany(
  { request, entity, columns, grant }: TakeoverScope,
  values: readonly SqlValue[],
): FieldErrors | undefined {
  if (!request.takeover || entity.company === undefined) return undefined
  const at = columns.values.findIndex(({ field }) => field.column?.name === entity.company)
  const value = values[at] ?? null
  const field = columns.values[at]?.field
  if (!field || value === null || value === grant.caller.companyId) return undefined
  return { [field.name]: say`${field.label} must be the company you are signed in to` }
}
