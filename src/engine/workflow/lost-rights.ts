/**
 * Tasks of users who have lost the right to them: locked, gone from the company, without their role
 * or without View. Claimed tasks go back to the others; a task without any user goes to the role of
 * Escalate, else to the administrators, and history and notification say so.
 */
import { Loop } from '../../kernel/background.ts'
import { Failure } from '../../kernel/failure.ts'
import type { Log } from '../../kernel/log.ts'
import type { Tx } from '../../store/store.ts'
import type { ModelText } from '../../model/model-text.ts'
import type { Model } from '../../model/model.ts'
import { ADMIN_ROLE } from '../../access/callers/caller.ts'
import type { Callers } from '../../access/callers/callers.ts'
import { Grant } from '../../access/rights/grant.ts'
import { saveNotifications, translateTexts } from '../notifications/save-notifications.ts'
import type { Context } from '../object/context.ts'
import type { ObjectEngine } from '../object/mutation.ts'
import type { QueryCache } from '../object/read/query-cache.ts'
import { toTableSet } from '../object/read/table-set.ts'
import { addHistory } from './history.ts'
import { findInstance, loadBranches, updateInstance } from './instance-rows.ts'
import { settleTasks } from './settle-tasks.ts'
import { TASK_KIND, writeTaskNotice } from './task-notice.ts'
import {
  addAssignee,
  findTask,
  HAVE_TASK,
  haveTask,
  listHolders,
  type TaskRow,
} from './task-rows.ts'
import { findPinned } from './versions.ts'

const LOOK_MS = 30_000

/** Tables that rights follow from. */
const RIGHTS = toTableSet(['svc_users', 'svc_user_roles', 'svc_user_companies'])

/** The engine of the sweep, with callers and their cache. */
interface TaskSweepEngine extends ObjectEngine {
  readonly callers: Callers
  readonly queryCache: QueryCache
  readonly log: Log
}

/** Sweeps after each change of rights, and at the start. */
export function openTaskSweep(engine: TaskSweepEngine): Loop {
  const { queryCache, models, log } = engine
  let last: { model: Model; versions: ReturnType<QueryCache['versionsOf']> } | undefined
  const sweep = async (): Promise<void> => {
    if (last?.model === models.get() && queryCache.holds(last.versions)) return
    const now = { model: models.get(), versions: queryCache.versionsOf(RIGHTS) }
    await passOnTasks(engine)
    last = now
  }
  return new Loop({
    name: 'tasks of lost rights',
    everyMs: LOOK_MS,
    log,
    steps: [sweep],
    failure: 'tasks of users who lost a right could not be passed on',
  })
}

const DIRECT = `SELECT DISTINCT a.UserId, a.CompanyId, t.Workflow, t.State
  FROM svc_workflow_assignees a JOIN svc_workflow_tasks t ON t.Id = a.TaskId
  WHERE a.IsOpen = 1 AND a.UserId IS NOT NULL`

const OF_USER = `SELECT t.Id FROM svc_workflow_assignees a JOIN svc_workflow_tasks t
  ON t.Id = a.TaskId WHERE a.IsOpen = 1 AND a.UserId = @user AND a.CompanyId = @company
  AND t.Workflow = @workflow AND t.State = @state`

/** Matches users `u` who have a task of an outer query. */
const HAVE_IT = HAVE_TASK.replaceAll('@except', 't.ExceptUserId')
  .replaceAll('@company', 't.CompanyId')
  .replaceAll('@task', 't.Id')

/** Tasks that no user has, and tasks claimed by users who do not have them. */
const LEFT = `SELECT t.Id FROM svc_workflow_tasks t WHERE t.Status = 'Open' AND NOT EXISTS (
  SELECT 1 FROM main.svc_users u WHERE (t.ClaimedBy IS NULL OR u.Id = t.ClaimedBy)
    AND ${HAVE_IT})`

interface DirectRow {
  UserId: number
  CompanyId: number
  Workflow: string
  State: string
  [name: string]: number | string
}

/**
 * Passes on tasks that no user has, and moves on tasks that the remaining users have decided;
 * resolves to how many tasks that were.
 */
export async function passOnTasks(engine: TaskSweepEngine): Promise<number> {
  const { store, models } = engine
  const model = models.get()
  let count = 0
  const direct = await store.all<DirectRow>({ sql: DIRECT, args: {}, runs: 'lane' })
  for (const row of direct) {
    if (await mayStill(engine, model, row)) continue
    const { UserId: user, CompanyId: company, Workflow: workflow, State: state } = row
    const args = { user, company, workflow, state }
    const tasks = await store.all<{ Id: number }>({ sql: OF_USER, args, runs: 'lane' })
    for (const { Id } of tasks) if (await passOn(engine, Id, user)) count++
  }
  const left = await store.all<{ Id: number }>({ sql: LEFT, args: {}, runs: 'lane' })
  for (const { Id } of left) if (await passOn(engine, Id, undefined)) count++
  return count + (await settleTasks(engine))
}

/** Tells whether a user who has tasks of a state by name may still see and decide such records. */
async function mayStill(
  { callers }: TaskSweepEngine,
  model: Model,
  { UserId: userId, CompanyId: companyId, Workflow, State }: DirectRow,
): Promise<boolean> {
  const workflow = model.workflows.get(Workflow)
  const view = model.views.get(workflow?.view ?? '')
  // Without the workflow or its view, rights cannot be checked either.
  if (!workflow || !view) return true
  const leaving = workflow.transitions.filter(
    ({ from, after }) => after === undefined && from.includes(State),
  )
  try {
    const caller = await callers.loadWithoutSession({ userId, companyId })
    const grant = Grant.find(caller, model, view.resource, 'View')
    const rights = leaving.map(({ capability }) => capability ?? 'Update')
    return grant !== undefined && (rights.length === 0 || rights.some((r) => grant.holds(r)))
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

/** A delegated task goes back from the user to the one who gave it. */
const CLOSE = `UPDATE svc_workflow_assignees SET IsOpen = 0, FromUserId = NULL
  WHERE TaskId = @task AND (UserId = @user OR FromUserId = @user)`

/** One task, in a transaction of its own. */
async function passOn(
  engine: TaskSweepEngine,
  id: number,
  user: number | undefined,
): Promise<boolean> {
  const { store, models, clock } = engine
  const seen = await findTask(store, id)
  const instance = seen && (await findInstance(store, seen.InstanceId))
  const pinned = instance && (await findPinned(engine, models.get(), instance))
  if (!seen || !pinned) return false
  const context: Context = { caller: undefined, now: clock.now(), model: models.get() }
  const state = pinned.workflow.states.find(({ name }) => name === seen.State)
  const fallback = state?.assignment?.escalate ?? ADMIN_ROLE
  return store.write(
    async (tx) => {
      const task = await findTask(tx, id)
      if (task?.Status !== 'Open') return false
      tx.facts.origin = { context, source: 'workflow', traceId: undefined }
      if (user !== undefined) await tx.run(CLOSE, { task: id, user })
      const of = { id, company: task.CompanyId, except: task.ExceptUserId }
      const holders = await listHolders(tx, of)
      const isClaimLost = task.ClaimedBy !== null && !holders.includes(task.ClaimedBy)
      if (isClaimLost)
        await tx.run('UPDATE svc_workflow_tasks SET ClaimedBy = NULL WHERE Id = @id', { id })
      const isLeft = holders.length === 0 && !(await hasRole(tx, id, fallback))
      if (!isLeft && !isClaimLost && user === undefined) return false
      const to = { id, company: task.CompanyId, dueAt: task.DueAt }
      if (isLeft) await addAssignee(tx, to, { role: fallback })
      await note(tx, context, task, isLeft ? fallback : null)
      await tell(tx, context, task, pinned.workflow.label)
      return true
    },
    { company: seen.CompanyId },
  )
}

const HAS_ROLE = `SELECT 1 AS Found FROM svc_workflow_assignees
  WHERE TaskId = @task AND Role = @role AND IsOpen = 1`

const hasRole = async (tx: Tx, task: number, role: string): Promise<boolean> =>
  (await tx.get(HAS_ROLE, { task, role })) !== undefined

async function note(tx: Tx, context: Context, task: TaskRow, role: string | null): Promise<void> {
  const instance = await findInstance(tx, task.InstanceId)
  if (!instance) return
  const moved = { ...instance, Version: instance.Version + 1 }
  const branch = (await loadBranches(tx, instance.Id)).find(({ Id }) => Id === task.BranchId)
  const entry = { action: 'reassign', branch, from: task.State, to: task.State, comment: role }
  await addHistory({ tx, context }, moved, entry)
  await updateInstance(tx, moved)
}

async function tell(
  tx: Tx,
  { now, model }: Context,
  task: TaskRow,
  label: ModelText,
): Promise<void> {
  const of = { id: task.Id, company: task.CompanyId, except: task.ExceptUserId }
  await saveNotifications(
    tx,
    {
      ...translateTexts(model, undefined, (language) => writeTaskNotice(label, null, language)),
      kind: TASK_KIND,
      level: 'info',
      object: null,
      entity: null,
      recordKey: null,
      url: null,
      fromUserId: null,
      companyId: task.CompanyId,
      now,
    },
    { where: HAVE_TASK, args: haveTask(of) },
  )
}
