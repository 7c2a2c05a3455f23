/** Tasks as users who see their record get them. */
import { renderMessage } from '../../kernel/messages.ts'
import type { Reader } from '../../store/store.ts'
import { toWireKey } from '../object/write/result.ts'
import type { InstanceUse } from './instance-use.ts'
import type { WorkflowTask } from './schema.ts'
import { labelOfState } from './state-label.ts'
import type { TaskRow } from './task-rows.ts'
import { loadUserNames } from './user-labels.ts'

const ASSIGNEES = `SELECT TaskId, UserId, Role FROM svc_workflow_assignees
  WHERE IsOpen = 1 AND TaskId IN (SELECT value FROM json_each(@ids)) ORDER BY Id`

interface AssigneeRow {
  TaskId: number
  UserId: number | null
  Role: string | null
  [name: string]: number | string | null
}

/** Tasks with their instances. */
export async function describeTasks(
  reader: Pick<Reader, 'all'>,
  tasks: readonly { task: TaskRow; found: InstanceUse }[],
  language: string,
): Promise<WorkflowTask[]> {
  const [first] = tasks
  if (!first) return []
  const ids = JSON.stringify(tasks.map(({ task }) => task.Id))
  const rows = await reader.all<AssigneeRow>(ASSIGNEES, { ids })
  const ofTask = Map.groupBy(rows, ({ TaskId }) => TaskId)
  const users = [...rows.map(({ UserId }) => UserId), ...tasks.map(({ task }) => task.ClaimedBy)]
  const nameOf = await loadUserNames(reader, first.task.CompanyId, users)
  return tasks.map(({ task, found }) => {
    const { workflow, view, key, use } = found
    const { Id, InstanceId, State, ClaimedBy, DueAt, CreatedAt } = task
    const assignees = (ofTask.get(Id) ?? []).map(({ UserId, Role }) => ({
      UserId,
      Role,
      Name: nameOf(UserId),
    }))
    const [only] = assignees
    return {
      Id,
      InstanceId,
      Workflow: workflow.name,
      State,
      ClaimedBy,
      DueAt,
      CreatedAt,
      Label: renderMessage(workflow.label, language),
      Object: view.name,
      Keys: toWireKey(key),
      StateLabel: labelOfState(workflow, State, language),
      Assignee: ClaimedBy === null ? (only?.Name ?? only?.Role ?? null) : nameOf(ClaimedBy),
      Assignees: assignees,
      IsOverdue: DueAt !== null && DueAt < use.context.now.toISOString(),
    }
  })
}
