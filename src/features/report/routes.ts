/** Code-defined reports: `/report` (src/server/README.md, Reports). */
import { Elysia } from 'elysia'
import { Type } from '@sinclair/typebox'
import { requireValidCaller } from '../../access/caller-validity.ts'
import { JOBS, PRINTED_REPORTS } from '../../engine/floor.ts'
import {
  listPrintedReports,
  requirePrintedReport,
} from '../../engine/printed-reports/find-printed-report.ts'
import { openDeliverer } from '../../engine/mail/deliverer.ts'
import {
  listScheduledReports,
  planReportMails,
} from '../../engine/printed-reports/scheduled-reports.ts'
import { planMailReports } from '../../engine/printed-reports/mail-report.ts'
import { runReport } from '../../engine/extensions/run-report.ts'
import { planDrawing } from '../../engine/printed-reports/draw-report.ts'
import { planExtensionReport } from '../../engine/printed-reports/extension-report.ts'
import { makeReport, type ReportParts } from '../../engine/printed-reports/make-report.ts'
import type {
  GivenParameters,
  OpenReport,
  PrintedReport,
  ReportCall,
  ReportFormat,
} from '../../engine/printed-reports/printed-report.ts'
import { findGiven } from '../../engine/printed-reports/report-parameters.ts'
import { validation } from '../../kernel/failure.ts'
import { readReportLimits } from '../../engine/reports/load-report.ts'
import type { Background } from '../../kernel/background.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import { modelChanged } from '../../model/current.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { streamFile } from '../../server/file-answer.ts'
import { AUTHENTICATED, found, namedGate, textMember } from '../../server/gate.ts'
import { holdOpen } from '../../server/idle.ts'
import { planAgain } from '../../server/idempotent-response.ts'
import { modelOf } from '../../server/language.ts'
import { ok } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf, languageOf, traceIdOf } from '../../server/session.ts'
import { GERMAN } from './german.ts'
import { PrintedReportEntry, PrintedReportKey, PrintedReportQuery } from './schema.ts'

const AREA = {
  name: 'Code-defined reports',
  description: 'Files that are made of records, grids and report pages, and by extensions.',
}

/** What a request for a file asks for, as its gate has found it. */
interface RequestedReport {
  report: PrintedReport
  open: OpenReport
  given: GivenParameters
}

/** @throws notFound, denied, validation: before any data is touched. */
const GATE = namedGate(
  'by the report: List, with Export where it takes rows out, or View of the record',
  'path',
  async (app, { request, params }): Promise<RequestedReport> => {
    const reports = await listReports(app, request)
    const report = requirePrintedReport(reports, textMember(params, 'key') ?? '')
    const given = readGiven(request)
    return { report, open: report.open(callOf(app, request), given), given }
  },
)

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
      'Made in its turn and sent as it is read from the disk; it is kept nowhere. Parameters of ' +
      'the report stand beside `format` and `inline`, checked by their types; unknown ones are ' +
      'ignored. It is whole or refused. Gate: that of the report.',
    responses: { 200: { description: 'The file, under its own type', content: WHOLE } },
  },
}

/** Gates stand on each route. */
function reportRoutes(app: AppContext) {
  const parts = planParts(app)
  return new Elysia({ strictPath: true, tags: [AREA.name] })
    .get('/report', async ({ request }) => ok(await list(app, request)), LIST_REPORTS)
    .get(
      '/report/:key',
      ({ params, request, server }) =>
        holdOpen(server, request, () =>
          planAgain(request, () => make(app, parts, request, params)),
        ),
      MAKE_REPORT,
    )
}

/** Those of the engine, of the model and of extensions, in this order. */
async function listReports(app: AppContext, request: Request): Promise<PrintedReport[]> {
  const { reports } = await app.extensions.load()
  const api = {
    ...{ engine: app, reader: app.queryCache, extensions: app.extensions, log: app.log },
    ...{ caller: callerOf(request), language: languageOf(request), traceId: traceIdOf(request) },
    get model() {
      return modelOf(app, request)
    },
  }
  const theirs = [...reports.values()].map((declared) =>
    planExtensionReport(declared.part, (order) => runReport(app.extensions, declared, order, api)),
  )
  return [...listPrintedReports(modelOf(app, request)), ...theirs]
}

const callOf = (app: AppContext, request: Request): ReportCall => ({
  engine: app,
  caller: callerOf(request),
  model: modelOf(app, request),
})

/** Of a parameter that comes twice the first counts. */
function readGiven({ url }: Request): GivenParameters {
  const given = new Map<string, string>()
  for (const [name, value] of new URL(url).searchParams)
    if (!given.has(name)) given.set(name, value)
  return Object.fromEntries(given)
}

async function list(app: AppContext, request: Request): Promise<PrintedReportEntry[]> {
  const call = callOf(app, request)
  const language = languageOf(request)
  const reports = await listReports(app, request)
  return reports
    .filter((report) => report.isListed(call))
    .map(({ key, name, label, description, parameters, formats }) => ({
      Key: key,
      Name: name,
      Label: renderMessage(label, language),
      Description: renderMessage(description, language),
      Parameters: parameters.map((each) => ({
        ...{ Name: each.Name, Label: each.Label, Type: each.Type },
        ...{ Required: each.Required, Default: each.Default },
      })),
      Formats: [...formats],
    }))
}

const planParts = (app: AppContext): ReportParts => ({
  store: app.store,
  files: app.made,
  semaphore: new Semaphore(app.settings.get(PRINTED_REPORTS.concurrency)),
  reading: {
    setting: PRINTED_REPORTS.timeout.name,
    timeoutMs: app.settings.get(PRINTED_REPORTS.timeout),
    limits: readReportLimits(app.settings),
  },
  draw: planDrawing(app),
})

async function make(
  app: AppContext,
  parts: ReportParts,
  request: Request,
  params: unknown,
): Promise<Response> {
  const { report, open, given } = await found(app, MAKE_REPORT.detail, { request, params })
  const format = requireFormat(report, given)
  const wantsInline = readInline(given)
  const served = app.models.get()
  const caller = callerOf(request)
  const access = {
    ...{ caller, now: app.clock.now(), traceId: traceIdOf(request), signal: request.signal },
    revalidate: () => {
      if (app.models.get() !== served) throw modelChanged()
      return requireValidCaller(caller)
    },
  }
  const { mayBeInline, ...file } = await makeReport(parts, access, { report: open, format })
  return streamFile(request, { ...file, isInline: wantsInline && mayBeInline })
}

function requireFormat({ formats }: PrintedReport, given: GivenParameters): ReportFormat {
  const name = findGiven(given, 'format').toLowerCase()
  const format = name === '' ? formats[0] : formats.find((each) => each === name)
  if (!format) throw validation({ format: say`Format is one of: ${formats.join(', ')}` })
  return format
}

function readInline(given: GivenParameters): boolean {
  const text = findGiven(given, 'inline').toLowerCase()
  if (text !== '' && text !== 'true' && text !== 'false')
    throw validation({ inline: say`true or false` })
  return text === 'true'
}

/** Mails with reports leave by themselves, each made as whoever caused it. */
const openReportMails = (app: AppContext): Background => {
  const require = ({ model }: ReportCall, key: string) =>
    requirePrintedReport(listPrintedReports(model), key)
  const { callers, models } = app
  const made = { engine: app, callers, models, reports: planParts(app), require }
  return openDeliverer(app, planMailReports(made)).loop
}

/** See `Feature`. */
export const reportFeature: Feature = {
  areas: [AREA],
  routes: [reportRoutes],
  german: GERMAN,
  background: [openReportMails],
  jobs: [planReportMails],
  recurring: [(app) => listScheduledReports(app, app.settings.get(JOBS.timeZone))],
}
