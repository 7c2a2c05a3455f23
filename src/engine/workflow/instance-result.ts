/** An instance as its viewers see it: history, open tasks, and actions that they may take now. */
import { renderMessage } from '../../kernel/messages.ts'
import { allRows } from '../../store/rows.ts'
import type { Reader } from '../../store/store.ts'
import { workflowHistory, workflowTasks } from '../../store/tables/workflows.ts'
import type { Transition } from '../../model/compiled/workflow.ts'
import { isOnSurface } from '../../model/view-index.ts'
import { Grant } from '../../access/rights/grant.ts'
import { describeParameter } from '../object/read/metadata.ts'
import { purposeOf } from '../object/read/source.ts'
import { composeHolds } from '../object/record/reached-rows.ts'
import { planByKey } from '../object/record/record.ts'
import { toWireKey } from '../object/write/result.ts'
import { branchesOf, type BranchRow, loadBranches } from './instance-rows.ts'
import type { InstanceUse } from './instance-use.ts'
import type { WorkflowInstance, WorkflowInstanceEntry } from './schema.ts'
import { labelOfState } from './state-label.ts'
import { describeTasks } from './task-result.ts'
import { findOpenTask, isTaskState } from './task-rows.ts'
import { loadUserNames } from './user-labels.ts'
import { findSeat } from './votes.ts'

const HISTORY = 'WHERE InstanceId = @id ORDER BY Id LIMIT 10000'

const OPEN_TASKS = `WHERE InstanceId = @id AND Status = 'Open' ORDER BY Id`

/** The instance without parts that only its own page shows. */
export function describeInstance(
  { instance, workflow, view, use, key }: InstanceUse,
  starter: string | null,
  language: string,
): WorkflowInstanceEntry {
  const { Id, State, Status, Version, VersionHash, StartedAt, EndedAt } = instance
  return {
    Id,
    Workflow: workflow.name,
    Label: renderMessage(workflow.label, language),
    Object: view.name,
    Keys: toWireKey(key),
    State,
    Status,
    Version,
    VersionHash,
    StateLabel: labelOfState(workflow, State, language),
    IsCurrent: use.context.model.workflows.get(workflow.name)?.versionHash === VersionHash,
    StartedAt,
    StartedBy: starter,
    EndedAt,
  }
}

/** The whole instance. */
export async function loadInstance(
  reader: Reader,
  found: InstanceUse,
  language: string,
): Promise<WorkflowInstance> {
  const { instance, isOutdated } = found
  const isMovable = instance.Status === 'Running' && !isOutdated
  const args = { id: instance.Id }
  const history = await allRows(reader, workflowHistory, HISTORY, args)
  const branches = isOutdated
    ? await loadBranches(reader, instance.Id)
    : await branchesOf(reader, found)
  const tasks = hasTasks(found, branches)
    ? await allRows(reader, workflowTasks, OPEN_TASKS, args)
    : []
  const ids = history.flatMap(({ UserId, ForUserId }) => [UserId, ForUserId])
  const { caller } = found.use.grant
  const users = [...ids, instance.StartedBy]
  const nameOf = await loadUserNames(reader, instance.CompanyId, users, caller)
  const each = tasks.map((task) => ({ task, found }))
  return {
    ...describeInstance(found, nameOf(instance.StartedBy), language),
    Branches: branches.map(({ Id, State, EnteredAt }) => ({ Id, State, EnteredAt })),
    History: history.map(({ At, UserId, ForUserId, Action, FromState, ToState, Comment }) => ({
      At,
      By: nameOf(UserId),
      For: nameOf(ForUserId),
      Action,
      From: FromState,
      To: ToState,
      Comment,
    })),
    Tasks: await describeTasks(reader, each, language),
    Actions: isMovable ? await listActions(reader, found, branches, language) : [],
  }
}

/** Tells whether one of the states gives a task; true where the version is unknown. */
const hasTasks = (
  { instance, workflow, isOutdated }: InstanceUse,
  branches: readonly BranchRow[],
): boolean =>
  isOutdated === true || [instance, ...branches].some(({ State }) => isTaskState(workflow, State))

/** Lists the actions that the caller may take now, each once. */
async function listActions(
  reader: Reader,
  found: InstanceUse,
  branches: readonly BranchRow[],
  language: string,
): Promise<WorkflowInstance['Actions']> {
  const { workflow, view, instance } = found
  const isDescribed = (name: string | undefined): boolean => {
    const field = name === undefined ? undefined : view.fieldByName.get(name.toLowerCase())
    return field === undefined || isOnSurface(view, field)
  }
  const actions = new Map<string, WorkflowInstance['Actions'][number]>()
  const isOpen = openOnce(reader, found)
  for (const branch of [undefined, ...branches]) {
    const { State } = branch ?? instance
    const leaving = workflow.transitions.filter(
      ({ from, after, action }) =>
        after === undefined && from.includes(State) && !actions.has(action),
    )
    if (leaving.length === 0) continue
    const isTask = isTaskState(workflow, State)
    const at = { instance: instance.Id, branch: branch?.Id ?? null }
    const task = isTask ? await findOpenTask(reader, at) : undefined
    const { caller } = found.use.grant
    const by = { caller, now: found.use.context.now }
    if (isTask && !(task && (await findSeat(reader, task, by)))) continue
    for (const transition of leaving) {
      if (!(await isOpen(transition))) continue
      actions.set(transition.action, {
        Action: transition.action,
        To: transition.to,
        TaskId: task?.Id ?? null,
        Label: renderMessage(transition.label, language),
        Parameters: transition.parameters.map((parameter) =>
          describeParameter(parameter, { isDescribed, language }),
        ),
      })
    }
  }
  return [...actions.values()]
}

/** `mayTake`, evaluated once for all transitions of one right and condition. */
function openOnce(reader: Reader, found: InstanceUse) {
  const known = new Map<string, Promise<boolean>>()
  return (transition: Transition): Promise<boolean> =>
    known.getOrInsertComputed(JSON.stringify([transition.capability, transition.when?.text]), () =>
      mayTake(reader, found, transition),
    )
}

/** True if the caller's right reaches the record, which they see, and the condition holds. */
export async function mayTake(
  reader: Reader,
  { use, key, view }: Pick<InstanceUse, 'use' | 'key' | 'view'>,
  { capability, when }: Pick<Transition, 'capability' | 'when'>,
): Promise<boolean> {
  const { caller, model } = use.grant
  const right = capability ?? 'Update'
  const grant = Grant.findCapability(caller, model, view.resource, right)
  if (!grant) return false
  if (!when && grant.filters(right) === undefined) return true
  const condition = when ? composeHolds(when) : '1'
  const select = [`open ${condition}`, () => `(${condition}) AS open`] as const
  const row = await reader.get(planByKey({ ...use, grant }, key, purposeOf(right), select))
  return row?.open === 1
}
