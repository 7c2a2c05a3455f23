/** Code-defined reports: `/report` (src/server/README.md, Reports). */
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Background } from '../../kernel/background.ts'
import { invalid, unavailable, validation } from '../../kernel/failure.ts'
import { textMember } from '../../kernel/members.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { JOBS, PRINTED_REPORTS } from '../../engine/floor.ts'
import { openDeliverer } from '../../engine/mail/deliverer.ts'
import {
  listPrintedReports,
  requirePrintedReport,
} from '../../engine/printed-reports/find-printed-report.ts'
import { planMailReports } from '../../engine/printed-reports/mail-report.ts'
import { makeReport, openReportFile } from '../../engine/printed-reports/make-report.ts'
import type { GivenParameters, ReportCall } from '../../engine/printed-reports/printed-report.ts'
import { findGiven } from '../../engine/printed-reports/report-parameters.ts'
import {
  listScheduledReports,
  planReportMails,
} from '../../engine/printed-reports/scheduled-reports.ts'
import type { RequestCall } from '../../server/call.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { streamFile } from '../../server/file-answer.ts'
import { AUTHENTICATED, namedGate } from '../../server/gate.ts'
import {
  answerIdempotent,
  IDEMPOTENT,
  planAgain,
  takesKey,
} from '../../server/idempotent-response.ts'
import { holdOpen } from '../../server/idle.ts'
import { ok } from '../../server/reply.ts'
import { type Call, route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { standBy } from '../../server/session.ts'
import { GERMAN } from './german.ts'
import { awaitWork, ReportWork } from './handed-over.ts'
import {
  findReportParts,
  listReports,
  openReport,
  planAccess,
  requireFormat,
} from './open-report.ts'
import { enqueueReport, enqueueWork, reportJob } from './report-job.ts'
import {
  EnqueuedReport,
  PrintedReportEntry,
  PrintedReportKey,
  PrintedReportQuery,
  PrintedReportRequest,
} from './schema.ts'

const AREA = {
  name: 'Code-defined reports',
  description: 'Files that are made of records, grids and report pages, and by extensions.',
}

const BY_REPORT = 'by the report: List, with Export where it takes rows out, or View of the record'

/** @throws notFound, denied, validation: before any data is touched. */
const GATE = namedGate(BY_REPORT, 'path', (call) => {
  const key = textMember(call.params, 'key') ?? ''
  return openReport(call.app, call, { key, given: readQuery(call.request) })
})

/** The same for parameters in the body. */
const BODY_GATE = namedGate(BY_REPORT, 'body', (call) => {
  const given = readParameters(call.body)
  const key = textMember(call.params, 'key') ?? ''
  return given && openReport(call.app, call, { key, given })
})

const LIST_REPORTS = {
  response: Envelope(Type.Array(PrintedReportEntry)),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'listPrintedReports',
    summary: 'The code-defined reports that the caller may have made, with their parameters',
    description: 'Those of the engine, the prints of the model and those of extensions.',
  },
}

const WHOLE = {
  'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
} as const

const MAKE_REPORT = {
  params: PrintedReportKey,
  query: PrintedReportQuery,
  detail: {
    'x-gate': GATE,
    operationId: 'makePrintedReport',
    summary: 'One report as a file',
    description:
      'Made in its turn and sent as it is read from the disk. One that takes longer than ' +
      '`Svc:PrintedReports:JobAfter` (5 s) goes on as a job, also without its client: the job ' +
      'tells how far it is, the file is kept as an export is, and a notification of the kind ' +
      'Report has its address; any other is kept nowhere. Parameters of the report go beside ' +
      '`format` and `inline`, checked by their types; unknown ones are ignored. It is whole or ' +
      'refused. Gate: that of the report.',
    responses: { 200: { description: 'The file, under its own type', content: WHOLE } },
  },
}

const ENQUEUE_REPORT = {
  params: PrintedReportKey,
  body: PrintedReportRequest,
  response: Envelope(EnqueuedReport),
  detail: {
    ...IDEMPOTENT,
    'x-gate': BODY_GATE,
    operationId: 'enqueuePrintedReport',
    summary: 'One report as a file that a job makes',
    description:
      'With `Background`, for a report that takes long: a job makes it by the rights that its ' +
      'caller has then, and a notification of the kind Report has the file, which is kept as an ' +
      'export is. What is wrong with the parameters is refused at once, and so is the 21st ' +
      'report of one user that waits (429). Gate: that of the report.',
  },
}

/** Routes of reports; each declares its gate. */
const REPORT_ROUTES: RouteGroup = {
  prefix: '',
  area: AREA.name,
  routes: [
    route('GET', '/report', LIST_REPORTS, async (call) => ok(await list(call))),
    route('GET', '/report/:key', MAKE_REPORT, (call) =>
      holdOpen(call.server, call.request, () => planAgain(call, () => make(call))),
    ),
    route('POST', '/report/:key', ENQUEUE_REPORT, enqueue, {
      // A body that is to be refused has not reached the gate.
      before: takesKey(async (call) => (await call.found)?.open.gates),
    }),
  ],
}

/** Reads the query; of a repeated parameter the first counts. */
function readQuery({ url }: Request): GivenParameters {
  const given = new Map<string, string>()
  for (const [name, value] of new URL(url).searchParams)
    if (!given.has(name)) given.set(name, value)
  return Object.fromEntries(given)
}

/** Reads parameters in the form of a query; undefined for a body that its validation refuses. */
function readParameters(body: unknown): GivenParameters | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const parameters: unknown = Reflect.get(body, 'Parameters') ?? {}
  if (!Value.Check(PrintedReportRequest.properties.Parameters, parameters)) return undefined
  const given = Object.entries(parameters).flatMap(([name, value]) => {
    if (value === null) return []
    return [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]] as const
  })
  return Object.fromEntries(given)
}

async function list(call: RequestCall): Promise<PrintedReportEntry[]> {
  const { app, language } = call
  const reports = await listReports(app, call)
  return reports
    .filter((report) => report.isListed(call))
    .map(({ key, name, label, description, parameters, formats }) => ({
      Key: key,
      Name: name,
      Label: renderMessage(label, language),
      Description: renderMessage(description, language),
      Parameters: parameters.map((each) => ({
        Name: each.Name,
        Label: each.Label,
        Type: each.Type,
        Required: each.Required,
        Default: each.Default,
      })),
      Formats: [...formats],
    }))
}

async function make(call: Call<typeof MAKE_REPORT>): Promise<Response> {
  const requested = await call.found
  const { report, open, given } = requested
  if (readFlag(given, 'background'))
    throw invalid(say`Use POST with Background in its body to create a report in the background`)
  const format = requireFormat(report, findGiven(given, 'format'))
  const wantsInline = readFlag(given, 'inline')
  const { app, signal } = call
  const parts = findReportParts(app)
  const work = new ReportWork(report.label, (stopped, onProgress) => {
    const access = planAccess(
      app,
      { caller: call.caller, traceId: call.traceId, signal: stopped },
      requested,
    )
    return makeReport(parts, { ...access, onProgress }, { report: open, format })
  })
  const { row, isKept } = await awaitWork(work, {
    app,
    signal,
    afterMs: app.settings.get(PRINTED_REPORTS.jobAfter),
    enqueue: (name) => enqueueWork(call, requested, { format, work: name }),
  })
  const { mayBeInline, ...file } = await openReportFile(parts, row, isKept)
  if (signal.aborted) {
    await file.file.close()
    throw unavailable(say`The request was cancelled`)
  }
  standBy(call)
  return streamFile(call.request, { ...file, isInline: wantsInline && mayBeInline })
}

function readFlag(given: GivenParameters, name: string): boolean {
  const text = findGiven(given, name).toLowerCase()
  if (text !== '' && text !== 'true' && text !== 'false')
    throw validation({ [name]: say`must be true or false` })
  return text === 'true'
}

/** A call that is not for the background is refused ahead of the mutation: its key stays free. */
function enqueue(call: Call<typeof ENQUEUE_REPORT>): Promise<Response> {
  const { Format, Background } = call.body
  if (Background !== true)
    throw invalid(say`Set Background, or use GET to create the report right away`)
  return answerIdempotent(call, async (recordResponse) =>
    enqueueReport(call, await call.found, { format: Format ?? '', recordResponse }),
  )
}

/** Opens the mails with reports, which leave by themselves, each made as its causer. */
const openReportMails = (app: AppContext): Background => {
  const require = ({ model }: ReportCall, key: string) =>
    requirePrintedReport(listPrintedReports(model), key)
  const { callers, reads } = app
  const made = { engine: app, callers, reads, reports: findReportParts(app), require }
  return openDeliverer(app, planMailReports(made)).loop
}

/** See `Feature`. */
export const reportFeature: Feature = {
  areas: [AREA],
  routes: [REPORT_ROUTES],
  translations: { de: GERMAN },
  background: [openReportMails],
  jobs: [planReportMails, reportJob],
  recurring: [(app) => listScheduledReports(app, app.settings.get(JOBS.timeZone))],
}
