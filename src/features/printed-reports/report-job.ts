/** Reports in the background: jobs, with a notification for their file. */
import { renderMessage, say } from '../../kernel/messages.ts'
import type { Model } from '../../model/model.ts'
import { scopeOf, shareValidity } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { MadeFileRow } from '../../engine/files/generated-files.ts'
import { enqueueJob } from '../../engine/jobs/enqueue.ts'
import { type JobKind, type JobRun, ownerOf } from '../../engine/jobs/job.ts'
import { planRun } from '../../engine/jobs/plan-run.ts'
import { requireFewWaiting } from '../../engine/jobs/waiting.ts'
import type { NoticeKind } from '../../engine/notifications/notice-kinds.ts'
import { planFailureNotice } from '../../engine/notifications/notify-failure.ts'
import { notifyUser } from '../../engine/notifications/notify-user.ts'
import { keepReport } from '../../engine/printed-reports/make-report.ts'
import type { RequestCall } from '../../server/call.ts'
import type { AppContext } from '../../server/context.ts'
import type { RecordResponse } from '../../server/idempotent-response.ts'
import {
  findReportParts,
  openReport,
  planAccess,
  type ReportCaller,
  type ReportOrder,
  type RequestedReport,
  requireFormat,
} from './open-report.ts'

const REPORT_JOB = 'report-file'

/** Kind by which users choose the channel of its notifications. */
const KIND: NoticeKind = 'Report'

/** Reports of one user that may wait or run. */
const WAITING_MAX = 20

const TRIES = 3

const SOURCE = 'report/'

/** Arguments of a report job. */
interface ReportJobOrder {
  Key: string
  Format: string
  Parameters: Record<string, string>
  TimeZone: string
}

/** Answer to a request for a report in the background. */
interface EnqueuedReport {
  JobId: number
}

/**
 * Has the file made later; known faults are refused at once. Resolves to the Id of its job.
 * @throws validation, tooMany for a user who has many waiting
 */
export async function enqueueReport(
  { app, caller, language }: RequestCall,
  { report, open, given }: RequestedReport,
  { format, recordResponse }: { format: string; recordResponse: RecordResponse },
): Promise<EnqueuedReport> {
  const Format = requireFormat(report, format)
  await open.check?.()
  const order: ReportJobOrder = {
    Key: report.key,
    Format,
    Parameters: { ...given },
    TimeZone: caller.timeZone,
  }
  return app.store.write(async (tx) => {
    const refusal = say`You already have ${WAITING_MAX} reports waiting. Please try again later.`
    const mine = { name: REPORT_JOB, userId: caller.userId, max: WAITING_MAX }
    await requireFewWaiting(tx, mine, refusal)
    const JobId = await enqueueJob(tx, {
      name: REPORT_JOB,
      arguments: { ...order },
      owner: ownerOf(caller, language),
      source: SOURCE + report.key,
      queue: 'low',
      attemptsMax: TRIES,
      now: app.clock.now(),
    })
    await recordResponse(tx, { JobId })
    return { JobId }
  }, scopeOf(caller))
}

/** See `JobKind`. It runs by the rights that its user has then. */
export const reportJob = (app: AppContext): JobKind => ({
  name: REPORT_JOB,
  run: (run) => makeLater(app, run),
  onFailure: planFailureNotice({
    kind: KIND,
    title: ({ Source }) => say`Report ${Source.slice(SOURCE.length)} could not be created`,
  }),
})

async function makeLater(app: AppContext, run: JobRun): Promise<{ FileName: string }> {
  const order = run.arguments as unknown as ReportJobOrder
  const loaded = await run.requireCaller()
  const caller: Caller = { ...loaded, timeZone: order.TimeZone }
  shareValidity(loaded, caller)
  const { file, label } = await planRun(app, run, async (model) => {
    const requested = await openReport(app, toReportCaller(run, caller, model), toOrder(order))
    const { report, open } = requested
    const format = requireFormat(report, order.Format)
    const access = planAccess(
      app,
      { caller, traceId: traceIdOf(run), signal: run.signal },
      requested,
    )
    const asked = { report: open, format }
    return { file: await keepReport(findReportParts(app), access, asked), label: report.label }
  })
  await notifyOwner(app, caller, file, renderMessage(label, caller.language))
  return { FileName: file.ShownName }
}

const traceIdOf = ({ job }: JobRun): string => `job-${job.Id}`

const toOrder = ({ Key: key, Parameters: given }: ReportJobOrder): ReportOrder => ({ key, given })

const toReportCaller = (run: JobRun, caller: Caller, model: Model): ReportCaller => ({
  caller,
  model,
  language: run.job.Language ?? 'en',
  traceId: traceIdOf(run),
})

async function notifyOwner(
  { store, clock, made }: AppContext,
  caller: Caller,
  { Name, ShownName }: MadeFileRow,
  label: string,
): Promise<void> {
  const title = renderMessage(say`Report ${label} is ready`, caller.language)
  const notice = { kind: KIND, title, body: ShownName, level: 'success' } as const
  await store.write(
    (tx) => notifyUser(tx, caller, { ...notice, url: made.urlOf(Name), now: clock.now() }),
    { company: caller.companyId },
  )
}
