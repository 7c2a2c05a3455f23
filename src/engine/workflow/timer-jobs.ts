/** Timers, reminders and escalations when they are due: jobs of the engine's own. */
import { notFound } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { View } from '../../model/compiled/view.ts'
import type { Workflow } from '../../model/compiled/workflow.ts'
import type { Model } from '../../model/model.ts'
import type { CompanyOfWork } from '../../access/callers/engine-caller.ts'
import { loadCompaniesOfWork } from '../../access/companies.ts'
import type { JobKind, JobRun } from '../jobs/job.ts'
import { planRun } from '../jobs/plan-run.ts'
import { saveNotifications, translateTexts } from '../notifications/save-notifications.ts'
import { raiseAction } from '../object/after-write/pending-events.ts'
import type { Context } from '../object/context.ts'
import type { ObjectEngine } from '../object/mutation.ts'
import { addHistory } from './history.ts'
import { openMove } from './instance-move.ts'
import { findInstance, type InstanceRow, loadBranches, updateInstance } from './instance-rows.ts'
import { takeTransition } from './move.ts'
import { loadOwnRecord } from './moved-record.ts'
import {
  ESCALATION_JOB,
  REMINDER_JOB,
  type TaskOrder,
  TIMER_JOB,
  type TimerOrder,
} from './schedule.ts'
import { TASK_KIND } from './task-notice.ts'
import { addAssignee, findTask, HAVE_TASK, haveTask, type TaskRow } from './task-rows.ts'
import { pin } from './versions.ts'

/** See `JobKind`: fires the transition of a timer. */
export const timerJob = (engine: ObjectEngine): JobKind => ({
  name: TIMER_JOB,
  staysInside: true,
  run: (run) => planRun(engine, run, (model) => fire(engine, model, run)),
})

/** See `JobKind`: reminds the users who have a task that it is due soon. */
export const reminderJob = (engine: ObjectEngine): JobKind => ({
  name: REMINDER_JOB,
  staysInside: true,
  run: (run) => planRun(engine, run, (model) => onTask(engine, { model, run }, remind)),
})

/** See `JobKind`: assigns an overdue task to a further role. */
export const escalationJob = (engine: ObjectEngine): JobKind => ({
  name: ESCALATION_JOB,
  staysInside: true,
  run: (run) => planRun(engine, run, (model) => onTask(engine, { model, run }, escalate)),
})

/** The engine at work in a company. @throws notFound for one that is closed: a dead letter */
async function openContext(
  { store, clock }: ObjectEngine,
  model: Model,
  id: number | null,
): Promise<Context & { company: CompanyOfWork }> {
  const company = (await loadCompaniesOfWork(store)).find((each) => each.id === id)
  if (!company) throw notFound(say`The company is closed`, { code: 'COMPANY_CLOSED' })
  return { caller: undefined, company, now: clock.now(), model }
}

async function fire(engine: ObjectEngine, model: Model, run: JobRun): Promise<unknown> {
  const order = run.arguments as unknown as TimerOrder
  const context = await openContext(engine, model, run.job.CompanyId)
  const stored = await findInstance(engine.store, order.Instance)
  if (!stored || !isWaitedFor(stored, order)) return { Fired: false }
  const pinned = await pin(engine, model, stored)
  const { workflow, view } = pinned
  const { entity } = view
  const transition = workflow.transitions[order.Transition]
  if (!entity || !transition) return { Fired: false }
  const company = context.company.id
  return writeOwn(engine, { context, model, source: view.name, run }, async (tx) => {
    const instance = await findInstance(tx, order.Instance)
    if (!instance || !isWaitedFor(instance, order)) return { Fired: false }
    const branches = await loadBranches(tx, instance.Id)
    const branch = branches.find(({ Id }) => Id === order.Branch)
    const place = order.Branch === null ? instance : branch
    if (place?.State !== order.State || place.Entry !== order.Entry) return { Fired: false }
    const key = JSON.parse(instance.RecordKey) as (string | number)[]
    const own = { tx, context, workflow, view, entity, key, company }
    const found = await loadOwnRecord(own, transition.when)
    if (!found?.holds) return { Fired: false }
    const move = openMove(found.record, instance)
    await takeTransition(move, branch, { transition, said: {}, given: [['comment', null]] })
    const raised = entity.company ? company : null
    raiseAction(tx, { view, key, action: transition.action, company: raised })
    return { Fired: true }
  })
}

const isWaitedFor = ({ Status, VersionHash }: InstanceRow, order: TimerOrder): boolean =>
  Status === 'Running' && VersionHash === order.VersionHash

/** One transaction of the engine's own, in the company of the work. */
function writeOwn<T>(
  engine: ObjectEngine,
  by: { context: Context & { company: CompanyOfWork }; model: Model; source: string; run: JobRun },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { context, model, source, run } = by
  const company = context.company.id
  return engine.store.write(
    (tx) => {
      tx.facts.origin = { context, source, traceId: `job-${run.job.Id}` }
      return work(tx)
    },
    { company, revalidate: () => engine.models.requireHeld(model) },
  )
}

/** A task that is still open, with all that work on it needs. */
interface OpenTask {
  tx: Tx
  context: Context
  task: TaskRow
  instance: InstanceRow
  workflow: Workflow
  view: View
}

async function onTask(
  engine: ObjectEngine,
  { model, run }: { model: Model; run: JobRun },
  work: (on: OpenTask) => Promise<void>,
): Promise<unknown> {
  const { Task: id } = run.arguments as unknown as TaskOrder
  const context = await openContext(engine, model, run.job.CompanyId)
  const open = await findOpen(engine.store, id)
  if (!open) return { Done: false }
  const { workflow, view } = await pin(engine, model, open.instance)
  return writeOwn(engine, { context, model, source: 'workflow', run }, async (tx) => {
    const now = await findOpen(tx, id)
    if (now?.instance.VersionHash !== open.instance.VersionHash) return { Done: false }
    await work({ tx, context, workflow, view, ...now })
    return { Done: true }
  })
}

/** An open task, with its instance. */
async function findOpen(reader: Pick<Reader, 'get'>, id: number) {
  const task = await findTask(reader, id)
  const instance = task && (await findInstance(reader, task.InstanceId))
  if (task?.Status !== 'Open' || instance?.Status !== 'Running') return undefined
  return { task, instance }
}

const remind = (on: OpenTask): Promise<void> =>
  tell(on, 'warning', (label) => say`Due soon: ${label}`)

async function escalate(on: OpenTask): Promise<void> {
  const { tx, context, task, instance, workflow } = on
  if (task.EscalatedAt !== null) return
  const state = workflow.states.find(({ name }) => name === task.State)
  const role = state?.assignment?.escalate
  if (!role) return
  await tx.run('UPDATE svc_workflow_tasks SET EscalatedAt = @at, ClaimedBy = NULL WHERE Id = @id', {
    at: context.now.toISOString(),
    id: task.Id,
  })
  await addAssignee(tx, { id: task.Id, company: task.CompanyId, dueAt: task.DueAt }, { role })
  const moved = { ...instance, Version: instance.Version + 1 }
  const entry = { action: 'escalate', from: task.State, to: task.State, comment: role }
  const branch = (await loadBranches(tx, instance.Id)).find(({ Id }) => Id === task.BranchId)
  await addHistory({ tx, context }, moved, { ...entry, branch })
  await updateInstance(tx, moved)
  await tell(on, 'error', (label) => say`Overdue: ${label}`)
}

async function tell(
  { tx, context, task, instance, workflow, view }: OpenTask,
  level: string,
  title: (label: string) => Parameters<typeof renderMessage>[0],
): Promise<void> {
  const state = workflow.states.find(({ name }) => name === task.State)
  const of = { id: task.Id, company: task.CompanyId, except: task.ExceptUserId }
  await saveNotifications(
    tx,
    {
      kind: TASK_KIND,
      level,
      object: view.name,
      entity: instance.Entity,
      ...translateTexts(context.model, undefined, (language) => ({
        title: renderMessage(title(renderMessage(workflow.label, language)), language),
        body: state ? renderMessage(state.label, language) : null,
      })),
      recordKey: instance.RecordKey,
      url: null,
      companyId: task.CompanyId,
      fromUserId: null,
      now: context.now,
    },
    { where: HAVE_TASK, args: haveTask(of) },
  )
}
