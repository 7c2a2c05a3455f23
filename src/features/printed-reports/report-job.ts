/** Reports in the background: jobs, with a notification for their file. */
import { Failure } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import type { ModelText } from '../../model/model-text.ts'
import type { Model } from '../../model/model.ts'
import { scopeOf, shareValidity } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { MadeFileRow } from '../../engine/files/generated-files.ts'
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
import {
  makeReport,
  type ProgressUnit,
  type ReportAccess,
} from '../../engine/printed-reports/make-report.ts'
import type { RequestCall } from '../../server/call.ts'
import type { AppContext } from '../../server/context.ts'
import type { RecordResponse } from '../../server/idempotent-response.ts'
import { type ReportWork, takeWork } from './handed-over.ts'
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
  /** For the list of the user's jobs, in the language of the request; earlier orders have none. */
  Label?: string
  /** Name of the work that was begun for a request, in the process that began it. */
  Work?: string
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
  return writeJob(
    { app, caller, language },
    { ...planOrder({ caller, language }, report, given), Format },
    recordResponse,
  )
}

/** Has a job take over the work of a name, which was begun for a request. @throws tooMany */
export const enqueueWork = (
  call: RequestCall,
  { report, given }: RequestedReport,
  { format: Format, work: Work }: { format: string; work: string },
): Promise<EnqueuedReport> =>
  writeJob(call, { ...planOrder(call, report, given), Format, Work }, async () => {})

const planOrder = (
  { caller, language }: Pick<RequestCall, 'caller' | 'language'>,
  { key, label }: RequestedReport['report'],
  given: RequestedReport['given'],
): Omit<ReportJobOrder, 'Format'> => ({
  Key: key,
  Parameters: { ...given },
  TimeZone: caller.timeZone,
  Label: renderMessage(label, language),
})

function writeJob(
  { app, caller, language }: Pick<RequestCall, 'app' | 'caller' | 'language'>,
  order: ReportJobOrder,
  recordResponse: RecordResponse,
): Promise<EnqueuedReport> {
  return app.store.write(async (tx) => {
    const refusal = say`You already have ${WAITING_MAX} reports waiting. Please try again later.`
    const mine = { name: REPORT_JOB, userId: caller.userId, max: WAITING_MAX }
    await requireFewWaiting(tx, mine, refusal)
    const JobId = await enqueueJob(tx, {
      name: REPORT_JOB,
      arguments: { ...order },
      owner: ownerOf(caller, language),
      source: SOURCE + order.Key,
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
  staysInside: true,
  run: (run) => makeLater(app, run),
  onDeleted: (_, { Arguments }) => takeWork(app, readOrder(Arguments).Work)?.stop(),
  onFailure: planFailureNotice({
    kind: KIND,
    title: ({ Source }) => say`Report ${Source.slice(SOURCE.length)} could not be created`,
  }),
  describeOwn: (job) => {
    const { Key, Label = Key } = readOrder(job.Arguments)
    return { kind: 'report', label: Label, object: null, total: null, result: toOwnResult(job) }
  },
})

const readOrder = (text: string): ReportJobOrder => JSON.parse(text) as ReportJobOrder

/** Result of a report job: the name under which its file is saved, and the one that fetches it. */
interface ReportDone {
  FileName: string
  /** Results of earlier versions have none. */
  File?: string
}

function toOwnResult({ Result }: JobRow): OwnResult | null {
  if (Result === null) return null
  const { File: file = null } = JSON.parse(Result) as ReportDone
  return { file, rows: null, written: null, failed: null, importId: null }
}

async function makeLater(app: AppContext, run: JobRun): Promise<ReportDone> {
  const order = run.arguments as unknown as ReportJobOrder
  const work = takeWork(app, order.Work)
  const taken = work && (await takeOver(run, work))
  const { caller, file, label } = taken ?? (await makeAnew(app, run, order))
  await notifyOwner(app, caller, file, renderMessage(label, caller.language))
  return { FileName: file.ShownName, File: file.Name }
}

/** A file, its report's label, and the caller that it was made for. */
interface MadeReport {
  caller: Caller
  file: MadeFileRow
  label: ModelText
}

/** Waits for a work that was begun for a request; undefined where it ended with its session. */
async function takeOver(run: JobRun, work: ReportWork): Promise<MadeReport | undefined> {
  const stop = (): void => work.stop()
  run.signal.addEventListener('abort', stop)
  try {
    const caller = await run.requireCaller()
    work.follow(({ done, of }) => tellProgress(run, caller, done, of))
    return { caller, file: await work.file, label: work.label }
  } catch (error) {
    stop()
    // The user signed out meanwhile: the job has the rights that they have without a session.
    if (error instanceof Failure && error.kind === 'unauthorized') return undefined
    throw error
  } finally {
    run.signal.removeEventListener('abort', stop)
  }
}

async function makeAnew(app: AppContext, run: JobRun, order: ReportJobOrder): Promise<MadeReport> {
  const loaded = await run.requireCaller()
  const caller: Caller = { ...loaded, timeZone: order.TimeZone }
  shareValidity(loaded, caller)
  const made = await planRun(app, run, async (model) => {
    const requested = await openReport(app, toReportCaller(run, caller, model), toOrder(order))
    const { report, open } = requested
    const format = requireFormat(report, order.Format)
    const waiting = { caller, traceId: traceIdOf(run), signal: run.signal }
    const access: ReportAccess = {
      ...planAccess(app, waiting, requested),
      onProgress: (done, of) => tellProgress(run, caller, done, of),
    }
    const asked = { report: open, format }
    return { file: await makeReport(findReportParts(app), access, asked), label: report.label }
  })
  return { caller, ...made }
}

function tellProgress(run: JobRun, { language }: Caller, done: number, of: ProgressUnit): void {
  const message = of === 'pages' ? say`${done} pages written` : say`${done} rows written`
  run.progress(done, null, renderMessage(message, language))
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
