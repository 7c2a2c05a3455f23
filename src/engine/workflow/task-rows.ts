/** Tasks and their assignees, as they are stored. */
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { getRow, insertRow } from '../../store/rows.ts'
import type { SqlValue } from '../../store/sql.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { workflowTasks } from '../../store/tables/workflows.ts'
import { type Workflow, WORKFLOW_STATES } from '../../model/compiled/workflow.ts'

export type TaskRow = typeof workflowTasks.$inferSelect

/** Sorts after every instant. */
const NEVER_DUE = '~'

/** 404: the task does not exist, or the caller may not know of it. */
export const missingTask = () => notFound(say`There is no such task`, { code: 'TASK_NOT_FOUND' })

/** Tells whether a state gives a task; false for a state that the workflow no longer has. */
export const isTaskState = ({ states }: Workflow, state: string): boolean =>
  states.some(({ name, kind }) => name === state && WORKFLOW_STATES[kind].hasTask)

/** A task by its Id, open or not. */
export const findTask = (reader: Pick<Reader, 'get'>, id: number) =>
  getRow(reader, workflowTasks, 'WHERE Id = @id', { id })

const OPEN = `WHERE InstanceId = @instance
  AND BranchId IS @branch AND Status = 'Open' ORDER BY Id DESC LIMIT 1`

/** The open task of an instance or of one of its branches. */
export const findOpenTask = (
  reader: Pick<Reader, 'get'>,
  of: { instance: number; branch: number | null },
) => getRow(reader, workflowTasks, OPEN, of)

/** Stores a new task and resolves to its Id. */
export const insertTask = (
  tx: Tx,
  task: Pick<
    TaskRow,
    | 'InstanceId'
    | 'BranchId'
    | 'Entry'
    | 'CompanyId'
    | 'Workflow'
    | 'State'
    | 'ExceptUserId'
    | 'DueAt'
    | 'CreatedAt'
  >,
): Promise<number> => insertRow(tx, workflowTasks, { ...task, Status: 'Open' })

/** The assignee of a task: a user, or all holders of a role. */
export interface NewAssignee {
  userId?: number
  role?: string
  fromUserId?: number | null
}

const ASSIGN = `INSERT INTO svc_workflow_assignees
  (TaskId, CompanyId, UserId, Role, Due, IsOpen, FromUserId)
  VALUES (@task, @company, @user, @role, @due, 1, @from)`

/** Adds an assignee to a task, beside the present ones. */
export async function addAssignee(
  tx: Tx,
  { id, company, dueAt }: { id: number; company: number; dueAt: string | null },
  { userId, role, fromUserId }: NewAssignee,
): Promise<void> {
  const args: Record<string, SqlValue> = { task: id, company, due: dueAt ?? NEVER_DUE }
  await tx.run(ASSIGN, {
    ...args,
    user: userId ?? null,
    role: role ?? null,
    from: fromUserId ?? null,
  })
}

/** Rows by which a user `u` gave a task away without getting it back. */
const GIVEN_AWAY = `SELECT 1 FROM main.svc_workflow_assignees g
  WHERE g.TaskId = @task AND g.FromUserId = u.Id
    AND NOT EXISTS (SELECT 1 FROM main.svc_workflow_assignees b
      WHERE b.TaskId = @task AND b.UserId = u.Id AND b.Id >= g.Id)`

/**
 * Users `u` who have a task now: by name, or by a role. A user who is left out has no vote; nor has
 * one who gave the task away, even where it went on from there.
 */
export const HAVE_TASK = `u.Active AND u.Id IS NOT @except
  AND EXISTS (SELECT 1 FROM main.svc_user_companies m
    WHERE m.UserId = u.Id AND m.CompanyId = @company)
  AND NOT EXISTS (${GIVEN_AWAY})
  AND u.Id IN (
    SELECT a.UserId FROM main.svc_workflow_assignees a
      WHERE a.TaskId = @task AND a.IsOpen = 1 AND a.UserId IS NOT NULL
    UNION SELECT r.UserId FROM main.svc_workflow_assignees a
      JOIN main.svc_user_roles r
        ON r.Role = a.Role AND (r.CompanyId IS NULL OR r.CompanyId = @company)
      WHERE a.TaskId = @task AND a.IsOpen = 1)`

/** The arguments of `HAVE_TASK`. */
export const haveTask = (task: { id: number; company: number; except: number | null }) => ({
  task: task.id,
  company: task.company,
  except: task.except,
})

/** Ids of the users who have a task now. */
export async function listHolders(
  reader: Pick<Reader, 'all'>,
  task: { id: number; company: number; except: number | null },
): Promise<number[]> {
  const rows = await reader.all<{ Id: number }>(
    `SELECT u.Id FROM main.svc_users u WHERE ${HAVE_TASK}`,
    haveTask(task),
  )
  return rows.map(({ Id }) => Id)
}

/** Tells whether any user has a task now. */
export async function hasHolder(
  reader: Pick<Reader, 'get'>,
  task: { id: number; company: number; except: number | null },
): Promise<boolean> {
  const sql = `SELECT u.Id FROM main.svc_users u WHERE ${HAVE_TASK} LIMIT 1`
  return (await reader.get(sql, haveTask(task))) !== undefined
}

const CLOSE = `UPDATE svc_workflow_tasks SET Status = @status, EndedAt = @at
  WHERE InstanceId = @instance AND Status = 'Open' AND (@all OR BranchId IS @branch) RETURNING Id`

const CLOSE_ASSIGNEES = `UPDATE svc_workflow_assignees SET IsOpen = 0
  WHERE TaskId IN (SELECT value FROM json_each(@ids)) AND IsOpen = 1`

/** Closes the open tasks of an instance, or of one branch. */
export async function endTasks(
  tx: Tx,
  of: { instance: number; branch: number | null | 'all'; status: 'Done' | 'Cancelled'; at: string },
): Promise<void> {
  const { instance, branch, status, at } = of
  const isAll = branch === 'all'
  const rows = await tx.all<{ Id: number }>(CLOSE, {
    instance,
    status,
    at,
    all: isAll ? 1 : 0,
    branch: isAll ? null : branch,
  })
  if (rows.length === 0) return
  await tx.run(CLOSE_ASSIGNEES, { ids: JSON.stringify(rows.map(({ Id }) => Id)) })
  await tx.run(
    'DELETE FROM svc_workflow_links WHERE TaskId IN (SELECT value FROM json_each(@ids))',
    {
      ids: JSON.stringify(rows.map(({ Id }) => Id)),
    },
  )
}
