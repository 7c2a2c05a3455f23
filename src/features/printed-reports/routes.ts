/** Code-defined reports: `/report` (src/server/README.md, Reports). */
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Elysia } from 'elysia'
import type { Background } from '../../kernel/background.ts'
import { invalid, validation } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { JOBS } from '../../engine/floor.ts'
import { openDeliverer } from '../../engine/mail/deliverer.ts'
import {
  listPrintedReports,
  requirePrintedReport,
} from '../../engine/printed-reports/find-printed-report.ts'
import { planMailReports } from '../../engine/printed-reports/mail-report.ts'
import { makeReport } from '../../engine/printed-reports/make-report.ts'
import type { GivenParameters, ReportCall } from '../../engine/printed-reports/printed-report.ts'
import { findGiven } from '../../engine/printed-reports/report-parameters.ts'
import {
  listScheduledReports,
  planReportMails,
} from '../../engine/printed-reports/scheduled-reports.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { streamFile } from '../../server/file-answer.ts'
import { AUTHENTICATED, namedGate, textMember } from '../../server/gate.ts'
import {
  answerIdempotent,
  IDEMPOTENT,
  planAgain,
  takeKeyNow,
} from '../../server/idempotent-response.ts'
import { holdOpen } from '../../server/idle.ts'
import { modelOf } from '../../server/language.ts'
import { ok } from '../../server/reply.ts'
import { callOf, found, type Incoming } from '../../server/route-call.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf, languageOf, standBy, traceIdOf } from '../../server/session.ts'
import { GERMAN } from './german.ts'
import {
  findReportParts,
  listReports,
  openReport,
  planAccess,
  type ReportAsker,
  requireFormat,
} from './open-report.ts'
import { enqueueReport, reportJob } from './report-job.ts'
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
const GATE = namedGate(BY_REPORT, 'path', ({ app, request, params }) => {
  const key = textMember(params, 'key') ?? ''
  return openReport(app, askerOf(app, request), { key, given: readQuery(request) })
})

/** The same for parameters in the body. */
const BODY_GATE = namedGate(BY_REPORT, 'body', ({ app, request, params, body }) => {
  const given = readParameters(body)
  const key = textMember(params, 'key') ?? ''
  return given && openReport(app, askerOf(app, request), { key, given })
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
      'Made in its turn and sent as it is read from the disk; it is kept nowhere. Parameters of ' +
      'the report go beside `format` and `inline`, checked by their types; unknown ones are ' +
      'ignored. It is whole or refused. Gate: that of the report.',
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
function reportRoutes(app: AppContext) {
  return new Elysia({ strictPath: true, tags: [AREA.name] })
    .get('/report', async ({ request }) => ok(await list(app, request)), LIST_REPORTS)
    .get(
      '/report/:key',
      ({ params, request, server }) =>
        holdOpen(server, request, () => planAgain(request, () => make(app, request, params))),
      MAKE_REPORT,
    )
    .post(
      '/report/:key',
      ({ params, body, request }) => enqueue(app, { request, params, body }, body),
      {
        ...ENQUEUE_REPORT,
        transform: async ({ request, params, body }: Incoming) =>
          takeReportKey(app, { request, params, body }),
      },
    )
}

const askerOf = (app: AppContext, request: Request): ReportAsker => ({
  caller: callerOf(request),
  language: languageOf(request),
  traceId: traceIdOf(request),
  get model() {
    return modelOf(app, request)
  },
})

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

async function list(app: AppContext, request: Request): Promise<PrintedReportEntry[]> {
  const asker = askerOf(app, request)
  const { caller, language, model } = asker
  const reports = await listReports(app, asker)
  return reports
    .filter((report) => report.isListed({ engine: app, caller, model }))
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

async function make(app: AppContext, request: Request, params: unknown): Promise<Response> {
  const requested = await found(app, MAKE_REPORT.detail, { request, params })
  const { report, open, given } = requested
  if (readFlag(given, 'background'))
    throw invalid(say`Use POST with Background in its body to create a report in the background`)
  const format = requireFormat(report, findGiven(given, 'format'))
  const wantsInline = readFlag(given, 'inline')
  const access = planAccess(app, askerOf(app, request), requested, request.signal)
  const asked = { report: open, format }
  const { mayBeInline, ...file } = await makeReport(findReportParts(app), access, asked)
  standBy(request)
  return streamFile(request, { ...file, isInline: wantsInline && mayBeInline })
}

function readFlag(given: GivenParameters, name: string): boolean {
  const text = findGiven(given, name).toLowerCase()
  if (text !== '' && text !== 'true' && text !== 'false')
    throw validation({ [name]: say`must be true or false` })
  return text === 'true'
}

/** After the gate, which a body that is to be refused has not reached. */
async function takeReportKey(app: AppContext, incoming: Incoming): Promise<void> {
  const requested = await BODY_GATE.evaluate(callOf(app, incoming))
  if (requested === undefined) return
  const { open } = requested
  await takeKeyNow(app, incoming, () => open.gates)
}

async function enqueue(
  app: AppContext,
  incoming: Incoming,
  { Format, Background }: PrintedReportRequest,
): Promise<Response> {
  const { request } = incoming
  if (Background !== true)
    throw invalid(say`Set Background, or use GET to create the report right away`)
  return answerIdempotent(request, async (recordResponse) => {
    const requested = await found(app, ENQUEUE_REPORT.detail, incoming)
    const asked = { asker: askerOf(app, request), format: Format ?? '' }
    return enqueueReport(app, requested, asked, recordResponse)
  })
}

/** Opens the mails with reports, which leave by themselves, each made as its causer. */
const openReportMails = (app: AppContext): Background => {
  const require = ({ model }: ReportCall, key: string) =>
    requirePrintedReport(listPrintedReports(model), key)
  const made = { engine: app, callers: app.callers, reports: findReportParts(app), require }
  return openDeliverer(app, planMailReports(made)).loop
}

/** See `Feature`. */
export const reportFeature: Feature = {
  areas: [AREA],
  routes: [reportRoutes],
  translations: { de: GERMAN },
  background: [openReportMails],
  jobs: [planReportMails, reportJob],
  recurring: [(app) => listScheduledReports(app, app.settings.get(JOBS.timeZone))],
}
