/** Exports in the background: jobs, with a notification for their file. */
import { invalid } from '../../kernel/failure.ts'
import { type Message, renderMessage, say } from '../../kernel/messages.ts'
import { requireValidCaller, scopeOf, shareValidity } from '../../access/callers/caller-validity.ts'
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
import { type ExportParts, exportTable, planExport } from '../../engine/object/export/export.ts'
import type { MadeFile } from '../../engine/object/import-schema.ts'
import { requireViewUse } from '../../engine/object/read/find-view.ts'
import type { ExportTableRequest, ObjectActionResult } from '../../engine/object/schema.ts'
import type { ViewUse } from '../../engine/object/view-access.ts'
import type { AppContext } from '../../server/context.ts'
import { followRun } from './follow-run.ts'
import { labelOf } from './job-label.ts'
import { describeView, findJobView } from './own-job.ts'

const EXPORT_JOB = 'table-export'

/** Kind by which users choose the channel of its notifications. */
const KIND: NoticeKind = 'Export'

/** Exports of one user that may wait or run. */
const WAITING_MAX = 20

const TRIES = 3

/** Arguments of an export job. */
interface ExportOrder {
  Request: ExportTableRequest
  TimeZone: string
}

/**
 * Has the file made later; what does not fit the view is refused at once. Throws tooMany for one
 * who has many waiting, invalid for a format of an extension.
 */
export async function enqueueExport(
  app: AppContext,
  { view, grant, context }: ViewUse,
  { Background: _, ...request }: ExportTableRequest,
  language: string,
): Promise<ObjectActionResult> {
  const { caller } = grant
  const format = request.Format?.toLowerCase() ?? 'csv'
  if (!app.formats.exportNames.includes(format))
    throw invalid(say`The format of an extension cannot be exported in the background`)
  planExport({ view, grant: grant.over(request.AllCompanies), context }, request)
  const now = app.clock.now()
  const order: ExportOrder = { Request: request, TimeZone: caller.timeZone }
  const JobId = await app.store.write(async (tx) => {
    const mine = { name: EXPORT_JOB, userId: caller.userId, max: WAITING_MAX }
    await requireFewWaiting(
      tx,
      mine,
      say`You already have ${WAITING_MAX} exports waiting. Please try again later.`,
    )
    return enqueueJob(tx, {
      name: EXPORT_JOB,
      arguments: { ...order },
      owner: ownerOf(caller, language),
      now,
      source: `export-data/${view.name}`,
      queue: 'low',
      attemptsMax: TRIES,
    })
  }, scopeOf(caller))
  return { Action: 'export', Keys: null, Ignored: [], Dispatch: [], JobId }
}

/** See `JobKind`. It runs by the rights that its user has then. */
export const exportJob = (app: AppContext, parts: ExportParts): JobKind => ({
  name: EXPORT_JOB,
  staysInside: true,
  run: (run) => exportLater(app, { ...parts, progress: followRun(app, run) }, run),
  describeOwn: (job, by) => {
    const view = findJobView(job, by, 'Export')
    return view && { ...describeView(view), kind: 'export', total: null, result: toOwnResult(job) }
  },
  onFailure: planFailureNotice({
    kind: KIND,
    title: (job) => say`Export of ${labelOf(app, job)} failed`,
  }),
})

function toOwnResult({ Result }: JobRow): OwnResult | null {
  if (Result === null) return null
  const { FileName: file, Rows: rows } = JSON.parse(Result) as MadeFile
  return { file, rows, written: null, failed: null, importId: null }
}

async function exportLater(app: AppContext, parts: ExportParts, run: JobRun): Promise<unknown> {
  const { Request: request, TimeZone: timeZone } = run.arguments as unknown as ExportOrder
  const loaded = await run.requireCaller()
  const caller: Caller = { ...loaded, timeZone }
  shareValidity(loaded, caller)
  const { made, label } = await planRun(app, run, async (model) => {
    const use = requireViewUse(app, { caller, model }, request.ObjectName, ['View'])
    const { view, grant, context } = use
    grant.requireVerb('Export')
    const revalidate = () => app.models.requireHeld(model) ?? requireValidCaller(caller)
    const access = {
      view,
      grant: grant.over(request.AllCompanies),
      context,
      revalidate,
      traceId: `job-${run.job.Id}`,
      signal: run.signal,
    }
    const asked = { ...request, OperationId: `job:${run.job.Id}` }
    return { made: await exportTable(parts, access, asked), label: view.label }
  })
  await notifyOwner(app, caller, made, label)
  return made.File
}

async function notifyOwner(
  { store, clock }: AppContext,
  caller: Caller,
  { File: file }: ObjectActionResult,
  label: string | Message,
): Promise<void> {
  const rows = file?.Rows ?? 0
  const title = rows === 1 ? say`Export of ${label}: 1 row` : say`Export of ${label}: ${rows} rows`
  const notice = {
    kind: KIND,
    title: renderMessage(title, caller.language),
    body: file?.FileName ?? null,
    level: 'success',
    url: file?.Url ?? null,
    now: clock.now(),
  } as const
  await store.write((tx) => notifyUser(tx, caller, notice), { company: caller.companyId })
}
