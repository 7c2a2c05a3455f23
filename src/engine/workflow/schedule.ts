/** Later steps of an instance: jobs that wait for their instant, enqueued with the move. */
import type { Tx } from '../../store/store.ts'
import type { WorkDuration } from '../../model/compiled/workflow.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import { runStatement } from '../object/after-write/authored-statement.ts'
import type { Move } from './instance-move.ts'
import type { BranchRow } from './instance-rows.ts'
import { bindRecord, loadFresh, type MovedRecord } from './moved-record.ts'
import { addWorkTime, type WorkTime } from './work-time.ts'

export const TIMER_JOB = 'workflow-timer'
export const REMINDER_JOB = 'workflow-reminder'
export const ESCALATION_JOB = 'workflow-escalation'
export const TASK_MAIL_JOB = 'workflow-task-mail'

/** Arguments of a timer: the transition, and the stay in a state that it belongs to. */
export interface TimerOrder {
  Instance: number
  Branch: number | null
  State: string
  Entry: number
  /** Number of the transition in its version. */
  Transition: number
  VersionHash: string
}

/** Arguments of jobs about a task. */
export interface TaskOrder {
  Task: number
}

/** Sets the timers of the state that was entered. */
export async function scheduleTransitions(
  { record, instance }: Move,
  branch: BranchRow | undefined,
): Promise<void> {
  const { tx, context, workflow, company } = record
  const place = branch ?? instance
  let time: WorkTime | undefined
  for (const [at, { from, after }] of workflow.transitions.entries()) {
    if (!after || !from.includes(place.State)) continue
    time ??= await loadWorkTime(record)
    const order: TimerOrder = {
      Instance: instance.Id,
      Branch: branch?.Id ?? null,
      State: place.State,
      Entry: place.Entry,
      Transition: at,
      VersionHash: instance.VersionHash,
    }
    await enqueueAt(
      tx,
      TIMER_JOB,
      { ...order },
      {
        company,
        source: workflow.name,
        now: context.now,
        dueAt: addWorkTime(context.now, after, time),
      },
    )
  }
}

/** The company of a job, its source, and its time; now by default. */
interface JobTime {
  company: number
  source: string
  now: Date
  dueAt?: Date
  /** Language of the resulting texts. */
  language?: string | undefined
}

/** Enqueues a job of the engine for a company, now or at an instant. */
export async function enqueueAt(
  tx: Tx,
  name: string,
  order: Record<string, unknown>,
  { company, source, now, dueAt, language }: JobTime,
): Promise<void> {
  await enqueueJob(tx, {
    name,
    arguments: order,
    source,
    now,
    dueAt,
    owner: { userId: null, companyId: company, language },
  })
}

const ZONE = 'SELECT TimeZone FROM main.svc_companies WHERE Id = @company'

/** The working time of the record's company: its zone, its days off as they are now. */
async function loadWorkTime(record: MovedRecord): Promise<WorkTime> {
  const { tx, company, workflow } = record
  const row = await tx.get<{ TimeZone: string }>(ZONE, { company })
  const holidays = await loadHolidays(record)
  return { zone: row?.TimeZone ?? 'UTC', calendar: workflow.calendar, holidays }
}

async function loadHolidays(record: MovedRecord): Promise<ReadonlySet<string>> {
  const { tx, context, view, workflow, company } = record
  const sql = workflow.calendar?.holidays
  if (!sql) return new Set()
  await loadFresh(record)
  const { rows } = await runStatement(
    tx,
    {
      context,
      owner: view,
      of: `${workflow.name}.Calendar`,
      company,
      shadowScope: 'company',
      values: bindRecord(record),
      former: undefined,
    },
    sql,
  )
  return new Set(rows.map((row) => String(Object.values(row)[0] ?? '').slice(0, 10)))
}

/** The due time by working time; undefined for a task that is never due. */
export async function planDue(
  record: MovedRecord,
  dueIn: WorkDuration | undefined,
  zone: string | undefined,
): Promise<Date | undefined> {
  if (!dueIn) return undefined
  const time = await loadWorkTime(record)
  return addWorkTime(record.context.now, dueIn, { ...time, zone: zone ?? time.zone })
}
