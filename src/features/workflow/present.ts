/** Instances as their answers show them: as they are at the end of a transaction. */
import { textMember } from '../../kernel/members.ts'
import type { Tx } from '../../store/store.ts'
import { Grant } from '../../access/rights/grant.ts'
import { takeDispatch } from '../../engine/object/after-write/pending-events.ts'
import { newContext } from '../../engine/object/context.ts'
import { requireEntity, toRecordKey } from '../../engine/object/record/record.ts'
import { describeInstance, loadInstance } from '../../engine/workflow/instance-result.ts'
import { findInstance, type InstanceRow } from '../../engine/workflow/instance-rows.ts'
import {
  findInstanceUse,
  findUse,
  type InstanceUse,
  requireInstance,
  type WorkflowCall,
} from '../../engine/workflow/instance-use.ts'
import type { WorkflowInstance } from '../../engine/workflow/schema.ts'
import { findTask, missingTask, type TaskRow } from '../../engine/workflow/task-rows.ts'
import type { PinnedInstance } from '../../engine/workflow/versions.ts'
import type { RequestCall } from '../../server/call.ts'

/** Reads an id from a path; NaN, which no row has, for text that is not a number. */
const idOf = (params: unknown): number => {
  const text = textMember(params, 'id') ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
}

/** The instance that a path names, as the caller sees it. @throws missingInstance */
export const instanceOf = (call: RequestCall): Promise<InstanceUse> =>
  requireInstance(call, idOf(call.params))

/** A task with the instance that it belongs to. */
export interface TaskUse {
  task: TaskRow
  found: InstanceUse
}

/** The task that a path names, of a record that the caller sees. @throws missingTask */
export const taskOf = (call: RequestCall): Promise<TaskUse> => requireTask(call, idOf(call.params))

/** A task of a record that the caller sees. @throws missingTask */
export async function requireTask(by: WorkflowCall, id: number): Promise<TaskUse> {
  const task = Number.isSafeInteger(id) ? await findTask(by.engine.store, id) : undefined
  const found = task && (await findInstanceUse(by, task.InstanceId))
  if (!task || !found) throw missingTask()
  return { task, found }
}

/**
 * An instance as a transaction leaves it; to one who does not see its record any more no more than
 * where it is. What follows from a move may have deleted the record, and ended the instance so.
 */
export async function presentInstance(
  call: RequestCall,
  { tx, instance, of }: { tx: Tx; instance: InstanceRow; of: Omit<PinnedInstance, 'instance'> },
): Promise<WorkflowInstance> {
  const { app, caller, model, language } = call
  const pinned = { ...of, instance }
  const Dispatch = takeDispatch(tx)
  const seen = await findUse({ engine: app, caller, model }, pinned, tx)
  if (seen) return { ...(await loadInstance(tx, { ...pinned, ...seen }, language)), Dispatch }
  const last = (await findInstance(tx, instance.Id)) ?? instance
  const grant = Grant.ofCause(caller, model, of.view.resource)
  const entity = requireEntity(of.view)
  const use = { view: of.view, grant, entity, context: newContext(app, caller, model) }
  const key = toRecordKey(use, JSON.parse(instance.RecordKey) as (string | number)[])
  const entry = describeInstance({ ...of, instance: last, use, key }, null, language)
  return { ...entry, Branches: [], History: [], Tasks: [], Actions: [], Dispatch }
}
