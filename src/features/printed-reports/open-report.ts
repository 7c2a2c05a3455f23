/** Finds a requested report, passes its gate, and gathers the parts that make it. */
import { validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import type { Model } from '../../model/model.ts'
import { requireValidCaller } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { runReport } from '../../engine/extensions/run-report.ts'
import { PRINTED_REPORTS } from '../../engine/floor.ts'
import { planDrawing } from '../../engine/printed-reports/draw-report.ts'
import { planExtensionReport } from '../../engine/printed-reports/extension-report.ts'
import {
  listPrintedReports,
  requirePrintedReport,
} from '../../engine/printed-reports/find-printed-report.ts'
import type { ReportAccess, ReportParts } from '../../engine/printed-reports/make-report.ts'
import type {
  GivenParameters,
  OpenReport,
  PrintedReport,
  ReportFileFormat,
} from '../../engine/printed-reports/printed-report.ts'
import { readReportLimits } from '../../engine/report-pages/load-report.ts'
import type { AppContext } from '../../server/context.ts'

/** The caller of a report. */
export interface ReportCaller {
  caller: Caller
  /** The model that serves now. */
  readonly model: Model
  language: string
  traceId: string
}

/** Which report with which parameters, as they came. */
export interface ReportOrder {
  key: string
  given: GivenParameters
}

/** A report that its caller may have, with its parameters. */
export interface RequestedReport extends ReportOrder {
  report: PrintedReport
  open: OpenReport
  /** The one that it was planned with. */
  model: Model
}

/** Lists reports of the engine, of the model and of extensions, in this order. */
export async function listReports(
  app: AppContext,
  { caller, language, traceId, model }: ReportCaller,
): Promise<PrintedReport[]> {
  const { reports } = await app.extensions.load()
  const api = {
    engine: app,
    reader: app.queryCache,
    extensions: app.extensions,
    log: app.log,
    caller,
    language,
    traceId,
    get model() {
      return app.models.get()
    },
  }
  const theirs = [...reports.values()].map((declared) =>
    planExtensionReport(declared.part, (order) => runReport(app.extensions, declared, order, api)),
  )
  return [...listPrintedReports(model), ...theirs]
}

/** The gate of a report. @throws notFound, denied, validation: before any data is touched */
export async function openReport(
  app: AppContext,
  by: ReportCaller,
  { key, given }: ReportOrder,
): Promise<RequestedReport> {
  await app.extensions.load()
  const { caller, model, language, traceId } = by
  const report = requirePrintedReport(
    await listReports(app, { caller, model, language, traceId }),
    key,
  )
  return { key, given, report, model, open: report.open({ engine: app, caller, model }, given) }
}

/** The format of a name in any case; without a name the first one. @throws validation */
export function requireFormat({ formats }: PrintedReport, name: string): ReportFileFormat {
  const wanted = name.toLowerCase()
  const format = wanted === '' ? formats[0] : formats.find((each) => each === wanted)
  if (!format) throw validation({ format: say`Format must be one of: ${formats.join(', ')}` })
  return format
}

/** Plans the access of a file: it ends with the caller's rights, or with the planned model. */
export function planAccess(
  app: AppContext,
  { caller, traceId, signal }: Pick<ReportAccess, 'caller' | 'traceId' | 'signal'>,
  { model, open }: RequestedReport,
): ReportAccess {
  const revalidate = () =>
    app.models.requireHeld(model, open.documents) ?? requireValidCaller(caller)
  return { caller, now: app.clock.now(), traceId, signal, revalidate }
}

const partsOf = new WeakMap<AppContext, ReportParts>()

/** Finds the parts of an app's reports: one semaphore for all of them. */
export const findReportParts = (app: AppContext): ReportParts =>
  partsOf.getOrInsertComputed(app, () => ({
    store: app.store,
    files: app.made,
    semaphore: new Semaphore(app.settings.get(PRINTED_REPORTS.concurrency)),
    reading: {
      setting: PRINTED_REPORTS.timeout.name,
      timeoutMs: app.settings.get(PRINTED_REPORTS.timeout),
      limits: readReportLimits(app.settings),
    },
    draw: planDrawing(app),
  }))
