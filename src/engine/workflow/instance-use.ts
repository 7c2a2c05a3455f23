/** Instances as a caller may use them: those of records that they see, with their state. */
import type { Reader, Tx } from '../../store/store.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import { newContext } from '../object/context.ts'
import type { Mutation, ObjectEngine } from '../object/mutation.ts'
import { isServed } from '../object/read/find-view.ts'
import { isReadable, type RecordKey, toRecordKey } from '../object/record/record.ts'
import { findHidden } from '../object/rules/row-rules.ts'
import type { EntityUse, ViewAccess } from '../object/view-access.ts'
import { findInstance, missingInstance } from './instance-rows.ts'
import { findPinned, type PinnedInstance } from './versions.ts'

/** An instance that a caller sees, with the right that shows it. */
export interface InstanceUse extends PinnedInstance {
  use: EntityUse
  key: RecordKey
}

/** The caller, with the engine and the model. */
export interface WorkflowCall {
  engine: ObjectEngine
  caller: Caller
  model: Model
}

/** An instance whose record the caller sees, with its state; undefined for any other. */
export async function findInstanceUse(
  by: WorkflowCall,
  id: number,
): Promise<InstanceUse | undefined> {
  const { engine, caller, model } = by
  const instance = Number.isSafeInteger(id) ? await findInstance(engine.store, id) : undefined
  if (instance?.CompanyId !== caller.companyId) return undefined
  const pinned = await findPinned(engine, model, instance)
  const seen = pinned && (await findUse(by, pinned))
  return seen && { ...pinned, ...seen }
}

/** Requires the same. @throws missingInstance for any other, and for a missing one */
export async function requireInstance(by: WorkflowCall, id: number): Promise<InstanceUse> {
  const found = await findInstanceUse(by, id)
  if (!found) throw missingInstance()
  return found
}

/** The use of an instance by a caller; undefined where its record or state is hidden from them. */
export async function findUse(
  by: WorkflowCall,
  pinned: PinnedInstance,
  reader: Reader = by.engine.store,
): Promise<Pick<InstanceUse, 'use' | 'key'> | undefined> {
  const use = findViewUse(by, pinned)
  if (!use) return undefined
  const values = JSON.parse(pinned.instance.RecordKey) as (string | number)[]
  const key = toRecordKey(use, values)
  if (!(await isReadable(reader, use, key))) return undefined
  return (await isStateHidden({ ...use, reader }, key, pinned)) ? undefined : { use, key }
}

type Flow = Pick<PinnedInstance, 'workflow' | 'view'>

const isStateHidden = async (access: ViewAccess, key: RecordKey, of: Flow): Promise<boolean> =>
  (await findHidden(access, key)).has(stateField(of)?.name.toLowerCase() ?? '')

/**
 * Checks again in a transaction: the record may have left the caller's rows, or hide its state.
 * @throws what `missing` makes
 */
export async function requireStillSeen(
  tx: Tx,
  mutation: Mutation,
  found: InstanceUse,
  missing = missingInstance,
): Promise<void> {
  if (!(await findUse(mutation, found, tx))) throw missing()
}

/** Checks the state alone, where the action judges the row: `check` of an `ActionRequest`. */
export const requireStateSeen =
  (found: InstanceUse, missing = missingInstance) =>
  async (access: ViewAccess): Promise<void> => {
    if (await isStateHidden(access, found.key, found)) throw missing()
  }

/** The field that shows the state of a record; undefined where the view has none. */
export const stateField = ({ workflow, view }: Pick<PinnedInstance, 'workflow' | 'view'>) =>
  view.fields.find(({ column }) => column?.name === workflow.stateColumn)

/** The view of a workflow as a caller may use it; undefined without View, or without its state. */
export function findViewUse(
  { engine, caller, model }: WorkflowCall,
  of: Pick<PinnedInstance, 'workflow' | 'view'>,
): EntityUse | undefined {
  const { view } = of
  const grant = Grant.find(caller, model, view.resource, 'View')
  const field = stateField(of)
  if (!grant || !view.entity || !field || !isServed(view, grant, field)) return undefined
  return { view, grant, entity: view.entity, context: newContext(engine, caller, model) }
}
