/** Bulk edits of more than a thousand records: jobs, which tell their user by a notification. */
import { type Static, Type } from '@sinclair/typebox'
import { type Message, renderMessage, say } from '../../kernel/messages.ts'
import { named, orNull } from '../../kernel/schema.ts'
import { HOUR } from '../../kernel/setting.ts'
import { renderStored } from '../../kernel/stored-messages.ts'
import type { Tx } from '../../store/store.ts'
import { shareValidity } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { enqueueJob } from '../../engine/jobs/enqueue.ts'
import {
  type JobKind,
  type JobRow,
  type JobRun,
  ownerOf,
  type OwnResult,
} from '../../engine/jobs/job.ts'
import { planRun } from '../../engine/jobs/plan-run.ts'
import { requireFewWaiting } from '../../engine/jobs/waiting.ts'
import type { NoticeKind } from '../../engine/notifications/notice-kinds.ts'
import { planFailureNotice } from '../../engine/notifications/notify-failure.ts'
import { notifyUser } from '../../engine/notifications/notify-user.ts'
import { ManyResult, type SubmitManyRequest } from '../../engine/object/many-schema.ts'
import { planKeptMany } from '../../engine/object/many/many-plan.ts'
import type { ManyWork } from '../../engine/object/many/many-work.ts'
import {
  claimSelection,
  holdSelection,
  releaseSelection,
  requireHeld,
} from '../../engine/object/many/selection.ts'
import { submitMany } from '../../engine/object/many/submit-many.ts'
import { newMutation, writeMutation } from '../../engine/object/mutation.ts'
import type { ObjectActionResult } from '../../engine/object/schema.ts'
import type { RequestCall } from '../../server/call.ts'
import type { AppContext } from '../../server/context.ts'
import { followRun } from './follow-run.ts'
import { findLimits, IMPORTS } from './import-limits.ts'
import { fitFaults, saveDone } from './job-done.ts'
import { labelOf } from './job-label.ts'
import { describeView, findJobView, requireOwnJob } from './own-job.ts'

const MANY_JOB = 'submit-many'

/** Kind by which users choose the channel of its notifications. */
const KIND: NoticeKind = 'Import'

const TRIES = 3

/** Milliseconds of a run. */
const TIMEOUT_MS = HOUR

/** Bulk edits of one user that may wait or run. */
const WAITING_MAX = 20

/** Arguments of the job of a bulk edit: its records are kept beside. */
interface ManyOrder {
  Request: Pick<SubmitManyRequest, 'FormName' | 'Parameters' | 'OnError'>
  Selection: number
  Count: number
  TimeZone: string
}

/** Has the records changed later: what can be refused is refused by now. @throws tooMany */
export async function enqueueMany(
  app: AppContext,
  { mutation, plan, selection, parts }: ManyWork,
): Promise<ObjectActionResult> {
  const { caller } = mutation
  const { FormName, Parameters, OnError } = plan.request
  const id = await holdSelection(mutation, plan, selection)
  const order: ManyOrder = {
    Request: { FormName, Parameters, ...(OnError && { OnError }) },
    Selection: id,
    Count: selection.count,
    TimeZone: caller.timeZone,
  }
  const source = `submit-many/${plan.view.name}`
  return writeMutation(mutation, source, async (tx) => {
    await requireFewWaiting(
      tx,
      { name: MANY_JOB, userId: caller.userId, max: WAITING_MAX },
      say`You already have ${WAITING_MAX} bulk edits waiting. Please try again later.`,
    )
    await claimSelection(tx, id, app.clock.now())
    const JobId = await enqueueJob(tx, {
      name: MANY_JOB,
      arguments: { ...order },
      source,
      queue: 'imports',
      owner: ownerOf(caller, parts.language),
      attemptsMax: TRIES,
      now: app.clock.now(),
      // In the order in which they were sent: one may build upon another.
      exclusiveKey: `${MANY_JOB}:${caller.userId}`,
    })
    return { Action: 'submit-many', Keys: null, Ignored: [], Dispatch: [], JobId }
  })
}

/** See `JobKind`. It runs by the rights that its user has then. */
export function manyJob(app: AppContext): JobKind {
  const title = (job: JobRow): Message => say`Bulk edit of ${labelOf(app, job)} failed`
  const tellFailure = planFailureNotice({ kind: KIND, title })
  return {
    name: MANY_JOB,
    staysInside: true,
    timeoutMs: TIMEOUT_MS,
    run: (run) => changeLater(app, run),
    onFailure: async (tx, failed) => {
      await release(app, tx, failed.job)
      // One whose process ended after the commit was done all the same, and its user knows.
      if (failed.job.Result === null) await tellFailure(tx, failed)
    },
    onDeleted: (tx, job) => release(app, tx, job),
    describeOwn: (job, by) => {
      const view = findJobView(job, by, 'Update')
      const { Count: total } = orderOf(job)
      return view && { ...describeView(view), kind: 'bulkEdit', total, result: toOwnResult(job) }
    },
  }
}

const orderOf = ({ Arguments }: JobRow): ManyOrder => JSON.parse(Arguments) as ManyOrder

function toOwnResult({ Result }: JobRow): OwnResult | null {
  if (Result === null) return null
  const { Rows, Updated, Failed, ImportId } = JSON.parse(Result) as ManyResult
  return { file: null, rows: Rows, written: Updated, failed: Failed, importId: ImportId }
}

const release = (app: AppContext, tx: Tx, job: JobRow): Promise<void> =>
  releaseSelection(tx, orderOf(job).Selection, app.clock.now())

async function changeLater(app: AppContext, run: JobRun): Promise<unknown> {
  // Committed by a run that was cut off before the job was marked as done.
  if (run.job.Result !== null) return JSON.parse(run.job.Result)
  const order = orderOf(run.job)
  const loaded = await run.requireCaller()
  const caller: Caller = { ...loaded, timeZone: order.TimeZone }
  shareValidity(loaded, caller)
  return planRun(app, run, async (model) => {
    const by = { engine: app, caller, model, traceId: `job-${run.job.Id}` }
    let done: ManyResult | undefined
    const mutation = newMutation(by, {
      recordResponse: async (tx, result) => {
        done = toDone(result as ObjectActionResult)
        await saveDone(tx, run, done)
        await release(app, tx, run.job)
        await notifyOwner(app, tx, { job: run.job, caller, done })
      },
    })
    const plan = planKeptMany(mutation, order.Request)
    const selection = await requireHeld(mutation, plan, order.Selection)
    const parts = {
      progress: followRun(app, run),
      undoForMs: app.settings.get(IMPORTS.undoFor),
      language: caller.language ?? 'en',
    }
    const user = String(caller.userId)
    const { bulkEdits } = findLimits(app)
    await bulkEdits.run(() => submitMany({ mutation, parts, plan, selection }), user)
    if (!done) throw new Error('A bulk edit ended without a result')
    return done
  })
}

/** The result as a job keeps it: the first of its faults, as many as there is room for. */
function toDone({ Many }: ObjectActionResult): ManyResult {
  if (!Many) throw new Error('A bulk edit has no counts')
  return { ...Many, Faults: fitFaults(Many.Faults) }
}

async function notifyOwner(
  app: AppContext,
  tx: Tx,
  { job, caller, done }: { job: JobRow; caller: Caller; done: ManyResult },
): Promise<void> {
  const { Updated, Skipped, Failed } = done
  const counts = say`updated ${Updated}, skipped ${Skipped}, failed ${Failed}`
  await notifyUser(tx, caller, {
    kind: KIND,
    title: renderMessage(say`Bulk edit of ${labelOf(app, job)}: ${counts}`, caller.language),
    body: null,
    level: Failed > 0 ? 'warning' : 'success',
    url: null,
    now: app.clock.now(),
  })
}

/** The bulk edit of a job, for who asked for it. */
export const ManyJob = named(
  'ManyJob',
  Type.Object({
    JobId: Type.Integer(),
    State: Type.String(),
    Done: Type.Integer(),
    Total: Type.Integer(),
    Error: orNull(Type.String()),
    Many: orNull(ManyResult),
  }),
)

type ManyJob = Static<typeof ManyJob>

/** The job of a bulk edit, for who asked for it. @throws notFound */
export const requireManyJob = (
  call: Pick<RequestCall, 'app' | 'caller' | 'model'>,
  id: number,
): Promise<JobRow> =>
  requireOwnJob(call, id, {
    name: MANY_JOB,
    verb: 'Update',
  })

/** How far the job is, and what it came to. */
export function describeManyJob(app: AppContext, job: JobRow, language: string): ManyJob {
  const { Id, State, Error: error, Result } = job
  const { Count } = orderOf(job)
  const { Done = 0 } = app.jobs.findRun(Id)?.latest ?? {}
  const Many = Result === null ? null : (JSON.parse(Result) as ManyResult)
  return {
    JobId: Id,
    State,
    Done: Many ? Count : Done,
    Total: Count,
    Error: error === null ? null : renderStored(error, language),
    Many,
  }
}
