/** One record of a submit, created or updated inside the mutation's transaction. */
import type { Grant } from '../../access/grant.ts'
import { invalid, validation, type FieldErrors } from '../../kernel/failure.ts'
import type { View } from '../../model/model.ts'
import type { SqlRow } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import { checkChanges, dropBarred, readChanges, type Changes } from './changes.ts'
import { requireStamp } from './conflict.ts'
import { addDefaults, insertRecord, updateRecord } from './statement.ts'
import type { Mutation } from './mutation.ts'
import { checkRules } from './entity-rules.ts'
import {
  findStored,
  loadRow,
  loadSaved,
  notPermittedNow,
  readKey,
  requireEntity,
  requireStored,
  type RecordKey,
  type RecordScope,
} from './record.ts'
import { checkReferences } from './references.ts'

/** What one record is saved from. */
export interface SaveRequest {
  view: View
  grant: Grant
  /** By lower-case name. */
  parameters: Map<string, unknown>
  isNew: boolean
  merge: boolean
}

/** A record as it was saved. */
export interface Saved {
  action: 'created' | 'updated'
  key: RecordKey
  scope: RecordScope
}

/** Saves one record; the settle pass has not run yet. */
export async function saveRecord(tx: Tx, mutation: Mutation, request: SaveRequest): Promise<Saved> {
  const { view, grant, parameters } = request
  const entity = requireEntity(view)
  const scope: RecordScope = { tx, view, entity, grant, context: mutation.context }
  const key = readKey(view, entity, parameters)
  return key && !request.isNew
    ? saveStored(scope, mutation, request, key)
    : saveNew(scope, mutation, request, key)
}

async function saveStored(
  scope: RecordScope,
  mutation: Mutation,
  request: SaveRequest,
  key: RecordKey,
): Promise<Saved> {
  const { view, grant, parameters } = request
  grant.demand('Update')
  const permit = view.permits.find((candidate) => candidate.capability === 'Update')
  const { row, isPermitted } = await requireStored(scope, key, 'update', permit?.when)
  const { changes, faults } = readChanges(view, parameters, grant, false)
  const stamp = parameters.get('rowversion')
  await requireStamp(scope, key, row, {
    given: stamp,
    isRequired: mutation.engine.requireRowVersion,
    merge: request.merge ? changes : undefined,
  })
  if (!isPermitted) throw notPermittedNow()
  dropBarred(view, scope.entity, row, changes)
  await requireSound(scope, mutation, row, changes, faults)
  if (changes.size > 0 || view.update) await updateRecord(scope, key, changes, row, parameters)
  return { action: 'updated', key, scope }
}

async function saveNew(
  scope: RecordScope,
  mutation: Mutation,
  request: SaveRequest,
  key: RecordKey | undefined,
): Promise<Saved> {
  const { view, grant, parameters } = request
  grant.demand('Create')
  if (key?.values.some(({ column }) => column.identity)) {
    throw invalid('The key of a new record is given by the server: leave it out')
  }
  const { changes, faults } = readChanges(view, parameters, grant, true)
  const hidden = await addDefaults(scope, changes, faults, parameters)
  dropBarred(view, scope.entity, undefined, changes)
  await requireSound(scope, mutation, undefined, changes, faults)
  const created = await insertRecord(scope, changes, hidden, parameters)
  return { action: 'created', key: created, scope }
}

/** @throws validation with every fault that can be told before the statement runs. */
async function requireSound(
  scope: RecordScope,
  mutation: Mutation,
  stored: SqlRow | undefined,
  changes: Changes,
  faults: FieldErrors,
): Promise<void> {
  const { view, entity, grant, tx } = scope
  const zone = mutation.caller.timeZone
  const rules = checkChanges({ view, entity, stored, changes, zone })
  const company = entity.company
    ? (stored?.[entity.company] ?? mutation.caller.companyId)
    : mutation.caller.companyId
  const references = await checkReferences(tx, grant, changes, company)
  const all = { ...references, ...rules, ...faults }
  if (Object.keys(all).length > 0) throw validation(all)
}

/**
 * The view's rules in SQL, on the record as it is stored after the settle pass; those that compare
 * were judged before the statement. @throws validation.
 */
export async function requireViewRules({ action, key, scope }: Saved): Promise<void> {
  const { tx, view, entity, context } = scope
  const rules = view.validates.filter(({ kind }) => kind === 'sql')
  if (rules.length === 0) return
  const row = { ...(await loadRow(scope, key)), ...(await findStored(scope, key)) }
  const isNew = action === 'created'
  const faults = await checkRules(tx, rules, { entity, row, context, isNew })
  if (Object.keys(faults).length > 0) throw validation(faults)
}

/**
 * The record after the settle pass; nothing of it for a caller who sees no rows at all.
 * @throws invalid when it has left the caller's rows.
 */
export async function requireVisible(saved: Saved): Promise<Record<string, unknown>> {
  if (!saved.scope.grant.reads) return {}
  const values = await loadSaved(saved.scope, saved.key, 'read')
  if (values) return values
  throw invalid('The record would leave the rows that you may see', { code: 'OUTSIDE_OWN_ROWS' })
}
