/** Report pages: `/api/v1/svc/reports` (src/server/README.md, Reports). */
import { textMember } from '../../kernel/members.ts'
import { Grant } from '../../access/rights/grant.ts'
import { newContext } from '../../engine/object/context.ts'
import { requireReport } from '../../engine/report-pages/find-report.ts'
import { loadReport, readReportLimits } from '../../engine/report-pages/load-report.ts'
import {
  ReportDataRequest,
  ReportDataResult,
  ReportKey,
  ReportStructure,
} from '../../engine/report-pages/schema.ts'
import { findStructure } from '../../engine/report-pages/structure.ts'
import type { Feature } from '../../server/feature.ts'
import { AUTHENTICATED, namedGate } from '../../server/gate.ts'
import { envelopeOf, okEnvelope, okTagged, TAGGED } from '../../server/reply.ts'
import { SAFE } from '../../server/route-table.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'

const AREA = {
  name: 'Report pages',
  description:
    'Filters, datasets, widgets and layout of a report as a structure, and its data apart from ' +
    'it. A report is addressed by its Name or Slug.',
}

/** @throws notFound, denied: before anything but the key is used. */
const LIST = namedGate(
  'List on the resource of the report',
  'path',
  ({ app, caller, model, params }) => {
    const report = requireReport(model, textMember(params, 'key') ?? '')
    const grant = Grant.require(caller, model, report.name, ['List'])
    return { report, grant, context: newContext(app, caller, model) }
  },
)

const GET_STRUCTURE = {
  params: ReportKey,
  response: Envelope(ReportStructure),
  detail: {
    ...TAGGED,
    'x-gate': AUTHENTICATED,
    operationId: 'getReportStructure',
    summary: 'The structure of a report page',
    description:
      'Without any query text, the same for every caller, with an ETag: no SQL runs for it. ' +
      'Gate: authentication.',
  },
}

const LOAD_DATA = {
  params: ReportKey,
  body: ReportDataRequest,
  response: Envelope(ReportDataResult),
  detail: {
    ...SAFE,
    'x-gate': LIST,
    'x-example': { Arguments: { From: 'thisYear', To: 'today' } },
    operationId: 'loadReportData',
    summary: 'The data of a report page',
    description:
      'Each dataset that a visible widget reads runs once, all of them on one state of the data. ' +
      'With a required filter that is blank nothing runs. Arguments are texts; those of Date ' +
      'and DateTime filters may be words like thisMonth, in the caller’s zone. A dataset that a ' +
      'row filter of the caller does not fit has no rows, and says so in Error; one of more rows ' +
      'than `Svc:Reports:MaxRows` or more bytes than its share of `Svc:Results:MaxBytes` has the ' +
      'first of them, and says so in Truncated. Gate: List on the report’s resource, its Name.',
  },
}

const REPORTS: RouteGroup = {
  prefix: '/api/v1/svc/reports',
  area: AREA.name,
  routes: [
    route('GET', '/:key', GET_STRUCTURE, (call) => {
      const report = requireReport(call.model, call.params.key)
      return okTagged(call, findStructure(report, call.language))
    }),
    route('POST', '/:key/data', LOAD_DATA, async ({ app, body, found }) => {
      const grant = found.grant.over(body.AllCompanies)
      const limits = readReportLimits(app.settings)
      const data = await loadReport(app, { ...found, grant }, { arguments: body.Arguments, limits })
      return okEnvelope(envelopeOf(data))
    }),
  ],
}

/** See `Feature`. */
export const reportsFeature: Feature = {
  areas: [AREA],
  routes: [REPORTS],
}
