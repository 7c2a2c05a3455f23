/** The task of a state that was entered: its users, its due time, and their notifications. */
import type { SqlArg } from '../../store/sql.ts'
import type { Assignment, WorkflowState } from '../../model/compiled/workflow.ts'
import { ADMIN_ROLE } from '../../access/callers/caller.ts'
import { namedUsers } from '../../access/users/recipients.ts'
import { saveNotifications, translateTexts } from '../notifications/save-notifications.ts'
import { runStatement } from '../object/after-write/authored-statement.ts'
import { addHistory } from './history.ts'
import type { Move } from './instance-move.ts'
import type { BranchRow } from './instance-rows.ts'
import { bindRecord, loadFresh, type MovedRecord } from './moved-record.ts'
import { enqueueAt, ESCALATION_JOB, planDue, REMINDER_JOB, TASK_MAIL_JOB } from './schedule.ts'
import { TASK_KIND, writeTaskNotice } from './task-notice.ts'
import {
  addAssignee,
  endTasks,
  hasHolder,
  HAVE_TASK,
  haveTask,
  insertTask,
  type NewAssignee,
} from './task-rows.ts'
import { subtractTime } from './work-time.ts'

/** A task, with the facts that notifications need. */
interface OpenedTask {
  id: number
  company: number
  except: number | null
  dueAt: Date | undefined
}

/** Opens the task of a state for its assignees. */
export async function openTask(
  move: Move,
  branch: BranchRow | undefined,
  state: WorkflowState,
  assignment: Assignment,
): Promise<void> {
  const { record, instance } = move
  const { tx, context, workflow, company } = record
  const users = await findUsers(record, assignment)
  const zone = users.length === 1 && !assignment.role ? await loadZone(record, users[0]) : undefined
  const dueAt = await planDue(record, assignment.dueIn, zone)
  const except = assignment.isStarterExcepted ? instance.StartedBy : null
  const id = await insertTask(tx, {
    InstanceId: instance.Id,
    BranchId: branch?.Id ?? null,
    CompanyId: company,
    Entry: (branch ?? instance).Entry,
    Workflow: workflow.name,
    State: state.name,
    ExceptUserId: except,
    DueAt: dueAt?.toISOString() ?? null,
    CreatedAt: context.now.toISOString(),
  })
  const task: OpenedTask = { id, company, except, dueAt }
  const assignees: NewAssignee[] = users.map((userId) => ({ userId }))
  if (assignment.role) assignees.push({ role: assignment.role })
  for (const each of assignees) await assign(move, task, each)
  if (!(await hasHolder(tx, task)))
    await giveAway(move, branch, task, assignment.escalate ?? ADMIN_ROLE)
  await tellHolders(move, state, task)
  await planReminders(move, task, assignment)
}

const assign = ({ record: { tx, company } }: Move, { id, dueAt }: OpenedTask, to: NewAssignee) =>
  addAssignee(tx, { id, company, dueAt: dueAt?.toISOString() ?? null }, to)

/** Gives a task without users to a role, so that it is not lost; the history says so. */
async function giveAway(
  move: Move,
  branch: BranchRow | undefined,
  task: OpenedTask,
  role: string,
): Promise<void> {
  const { record, instance } = move
  await assign(move, task, { role })
  const { State } = branch ?? instance
  const entry = { action: 'assign', branch, from: State, to: State, comment: role }
  await addHistory(record, instance, entry)
}

/** Ids of active users of the company that the assignment names by User or Sql, for this record. */
async function findUsers(
  record: MovedRecord,
  { user, sql }: Pick<Assignment, 'user' | 'sql'>,
): Promise<number[]> {
  const { tx, context, view, workflow, company } = record
  if (sql || user !== undefined) await loadFresh(record)
  const values = bindRecord(record)
  const ids: number[] = []
  if (sql) {
    const run = { context, owner: view, of: `${workflow.name}.Assign`, company }
    const whole = { ...run, shadowScope: 'company' as const, values, former: undefined }
    const { rows } = await runStatement(tx, whole, sql)
    ids.push(...rows.map((row) => Number(Object.values(row)[0] ?? Number.NaN)))
  }
  const name = user === undefined ? null : fill(user, values)
  if (ids.length === 0 && name === null) return []
  const named = { role: null, user: name, ids: ids.filter(Number.isSafeInteger) }
  const { where, args } = namedUsers(named, company)
  const rows = await tx.all<{ Id: number }>(
    `SELECT u.Id FROM main.svc_users u WHERE ${where}`,
    args,
  )
  return rows.map(({ Id }) => Id)
}

/** Fills a text with the columns that it names; without a value, it names no user. */
const fill = (text: string, values: ReadonlyMap<string, SqlArg>): string =>
  text.replace(/\{([A-Za-z][A-Za-z0-9_]*)\}/g, (_, name: string) =>
    String(values.get(name.toLowerCase()) ?? ''),
  )

async function loadZone({ tx }: MovedRecord, user: number | undefined) {
  const row = await tx.get<{ TimeZone: string | null }>(
    'SELECT TimeZone FROM main.svc_users WHERE Id = @id',
    { id: user ?? null },
  )
  return row?.TimeZone ?? undefined
}

async function tellHolders(move: Move, state: WorkflowState, task: OpenedTask): Promise<void> {
  const { record } = move
  const { tx, context, workflow, view, entity } = record
  const { language } = context.caller ?? {}
  const write = (spoken?: string) => writeTaskNotice(workflow.label, state.label, spoken)
  await saveNotifications(
    tx,
    {
      ...translateTexts(context.model, language, write),
      kind: TASK_KIND,
      level: 'info',
      object: view.name,
      entity: entity.name,
      recordKey: move.instance.RecordKey,
      url: null,
      companyId: task.company,
      fromUserId: context.caller?.userId ?? null,
      now: context.now,
    },
    { where: HAVE_TASK, args: haveTask(task) },
  )
}

async function planReminders(
  { record }: Move,
  { id, dueAt }: OpenedTask,
  { remind, escalate, isMailed }: Assignment,
): Promise<void> {
  const { tx, context, workflow, company } = record
  const about = { company, source: workflow.name, now: context.now }
  const order = { Task: id }
  const { language } = context.caller ?? {}
  if (isMailed) await enqueueAt(tx, TASK_MAIL_JOB, order, { ...about, language })
  if (!dueAt) return
  if (remind) {
    const row = await tx.get<{ TimeZone: string }>(
      'SELECT TimeZone FROM main.svc_companies WHERE Id = @company',
      { company },
    )
    const at = subtractTime(dueAt, remind, row?.TimeZone ?? 'UTC')
    if (at > context.now) await enqueueAt(tx, REMINDER_JOB, order, { ...about, dueAt: at })
  }
  if (escalate) await enqueueAt(tx, ESCALATION_JOB, order, { ...about, dueAt })
}

/** Closes the task of a branch, of the instance itself, or all of them. */
export const closeTasks = (
  { record, instance }: Move,
  branch: BranchRow | undefined | 'all',
  status: 'Done' | 'Cancelled',
): Promise<void> =>
  endTasks(record.tx, {
    instance: instance.Id,
    status,
    at: record.context.now.toISOString(),
    branch: branch === 'all' ? 'all' : (branch?.Id ?? null),
  })
