/** Tasks that are claimed, given back and delegated. */
import { Failure, invalid, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'
import type { Callers } from '../../access/callers/callers.ts'
import { usersOf } from '../../access/users/recipients.ts'
import { saveNotifications, translateTexts } from '../notifications/save-notifications.ts'
import { type Mutation, writeMutation } from '../object/mutation.ts'
import { addHistory } from './history.ts'
import { mayTake } from './instance-result.ts'
import { findInstance, loadBranches, updateInstance } from './instance-rows.ts'
import { findUse, type InstanceUse, requireStillSeen } from './instance-use.ts'
import { TASK_KIND, writeTaskNotice } from './task-notice.ts'
import { addAssignee, findTask, missingTask, type TaskRow } from './task-rows.ts'
import { requireMovable } from './versions.ts'
import { requireSeat } from './votes.ts'

/** A task that the caller has, with its instance. */
interface OwnTask {
  tx: Tx
  task: TaskRow
  /** The user by whose right: the caller, or one who is away. */
  holder: number
}

/** One transaction on an open task of the caller's. @throws missingTask, invalid */
function onOwnTask<T>(
  mutation: Mutation,
  { task, found }: { task: TaskRow; found: InstanceUse },
  work: (on: OwnTask) => Promise<void>,
  present: (tx: Tx) => Promise<T>,
): Promise<T> {
  requireMovable(found)
  return writeMutation(mutation, found.view.name, async (tx) => {
    const now = await findTask(tx, task.Id)
    if (!now) throw missingTask()
    await requireStillSeen(tx, mutation, found, missingTask)
    if (now.Status !== 'Open') throw invalid(say`The task is already done`, { code: 'TASK_DONE' })
    const by = { caller: mutation.caller, now: mutation.context.now }
    const { forUserId } = await requireSeat(tx, now, by)
    await work({ tx, task: now, holder: forUserId ?? mutation.caller.userId })
    return present(tx)
  })
}

const CLAIM = 'UPDATE svc_workflow_tasks SET ClaimedBy = @user WHERE Id = @id'

/** Claims a task for its caller alone, or gives it back to the others who have it. */
export const claimTask = <T>(
  mutation: Mutation,
  of: { task: TaskRow; found: InstanceUse },
  isClaimed: boolean,
  present: (tx: Tx) => Promise<T>,
): Promise<T> =>
  onOwnTask(
    mutation,
    of,
    async ({ tx, task, holder }) => {
      const user = isClaimed ? holder : null
      if (task.ClaimedBy === user) return
      await tx.run(CLAIM, { id: task.Id, user })
      await note(tx, mutation, { task, action: isClaimed ? 'claim' : 'unclaim', comment: null })
    },
    present,
  )

/** The user who receives a task, with a comment. */
interface Receiver {
  userId: number
  comment: string | null
}

const TAKE_BACK = `UPDATE svc_workflow_assignees SET IsOpen = 0
  WHERE TaskId = @task AND UserId = @user AND IsOpen = 1`

/**
 * Gives a task to a user who may do what it takes; the caller no longer has it.
 * @throws validation for a user who may not
 */
export async function delegateTask<T>(
  mutation: Mutation,
  callers: Callers,
  of: { task: TaskRow; found: InstanceUse },
  { userId, comment }: Receiver,
  present: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { found } = of
  await requireReceiver(mutation, callers, of, userId)
  const work = async ({ tx, task, holder }: OwnTask): Promise<void> => {
    await tx.run(TAKE_BACK, { task: task.Id, user: holder })
    await tx.run(TAKE_BACK, { task: task.Id, user: userId })
    const given = { userId, fromUserId: holder }
    const { Id: id, CompanyId: company, DueAt: dueAt, ClaimedBy } = task
    await addAssignee(tx, { id, company, dueAt }, given)
    if (ClaimedBy !== null) await tx.run(CLAIM, { id, user: userId })
    await note(tx, mutation, { task, action: 'delegate', comment })
    await tell(tx, mutation, found, userId)
  }
  return onOwnTask(mutation, of, work, present)
}

/** Requires another user of the company who sees the record, with a right that the task takes. */
async function requireReceiver(
  { engine, model, caller }: Mutation,
  callers: Callers,
  { task, found }: { task: TaskRow; found: InstanceUse },
  userId: number,
): Promise<void> {
  const refuse = () => validation({ UserId: say`This user cannot take the task` })
  if (userId === caller.userId || userId === task.ExceptUserId) throw refuse()
  try {
    const owner = { userId, companyId: caller.companyId }
    const other = await callers.loadWithoutSession(owner)
    const seen = await findUse({ engine, caller: other, model }, found)
    const { workflow, view } = found
    if (!seen) throw refuse()
    for (const { from, after, capability } of workflow.transitions) {
      if (after !== undefined || !from.includes(task.State)) continue
      if (await mayTake(engine.store, { ...seen, view }, { capability, when: undefined })) return
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
  }
  throw refuse()
}

async function note(
  tx: Tx,
  { context }: Mutation,
  { task, action, comment }: { task: TaskRow; action: string; comment: string | null },
): Promise<void> {
  const instance = await findInstance(tx, task.InstanceId)
  if (!instance) throw missingTask()
  const moved = { ...instance, Version: instance.Version + 1 }
  const branch = (await loadBranches(tx, instance.Id)).find(({ Id }) => Id === task.BranchId)
  const entry = { action, branch, from: task.State, to: task.State, comment }
  await addHistory({ tx, context }, moved, entry)
  await updateInstance(tx, moved)
}

async function tell(
  tx: Tx,
  { context, caller }: Mutation,
  { workflow, view, instance, use }: InstanceUse,
  userId: number,
): Promise<void> {
  const { language, companyId } = caller
  await saveNotifications(
    tx,
    {
      ...translateTexts(context.model, language, (spoken) =>
        writeTaskNotice(workflow.label, null, spoken),
      ),
      kind: TASK_KIND,
      level: 'info',
      object: view.name,
      entity: use.entity.name,
      url: null,
      recordKey: instance.RecordKey,
      fromUserId: caller.userId,
      companyId,
      now: context.now,
    },
    usersOf(companyId, { named: { users: [userId], roles: [] } }),
  )
}
