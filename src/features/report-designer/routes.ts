/** The report designer: `/api/v1/svc/report-designer` (src/server/README.md, Report designer). */
import { renderMessage } from '../../kernel/messages.ts'
import { Grant } from '../../access/rights/grant.ts'
import { newContext } from '../../engine/object/context.ts'
import { requirePreview, validateDefinition } from '../../engine/report-pages/definition.ts'
import { requireReport } from '../../engine/report-pages/find-report.ts'
import { loadReport, readReportLimits } from '../../engine/report-pages/load-report.ts'
import { REPORTS } from '../../engine/report-pages/report-kind.ts'
import { planStructure } from '../../engine/report-pages/structure.ts'
import { requireDraft } from '../../engine/versioned-documents/designer.ts'
import { listDocuments } from '../../engine/versioned-documents/list-documents.ts'
import type { RequestCall } from '../../server/call.ts'
import { designerOf, designerRoutes } from '../../server/designer-routes.ts'
import type { Feature } from '../../server/feature.ts'
import { envelopeOf, ok, okEnvelope } from '../../server/reply.ts'
import { type Call, route, type RouteGroup } from '../../server/route.ts'
import * as operations from './operations.ts'

const DEFINITIONS: RouteGroup = {
  prefix: '/api/v1/svc/report-designer/definitions',
  area: operations.AREA.name,
  routes: [
    route('GET', '', operations.LIST_DEFINITIONS, async (call) => ok(await listReports(call))),
    ...designerRoutes({
      kind: REPORTS,
      operations,
      savePath: '/save',
      describe: (call, { name }) => {
        const { slug, label } = requireReport(call.model, name)
        return { Slug: slug, Label: renderMessage(label, call.language) }
      },
      validate: ({ app, caller }, text) =>
        validateDefinition(app.models, { ...text, userId: caller.userId }),
    }),
    route('GET', '/:key/draft/structure', operations.GET_DRAFT_STRUCTURE, async (call) => {
      const { report } = await openPreview(call, call.params.key)
      return ok(planStructure(report, call.language))
    }),
    route('POST', '/:key/draft/data', operations.LOAD_DRAFT_DATA, (call) => loadDraftData(call)),
  ],
}

/** The stored reports that the model has, by name. */
async function listReports({ app, caller, model, language }: RequestCall) {
  const documents = await listDocuments(app.store, REPORTS.type, caller)
  return documents.flatMap(({ name, versionHash, hasDraft, isStale, savedAt, savedBy }) => {
    const report = model.reports.get(name)
    if (!report) return []
    return {
      Name: name,
      Slug: report.slug,
      Label: renderMessage(report.label, language),
      VersionHash: versionHash,
      HasDraft: hasDraft,
      IsStale: isStale,
      SavedAt: savedAt,
      SavedBy: savedBy ?? null,
    }
  })
}

/** The report of a draft, with the name of the stored one. @throws notFound, invalid */
async function openPreview(call: RequestCall, key: string) {
  const { name, draft } = await requireDraft(designerOf(call, REPORTS), key)
  const text = { body: draft.body, name, userId: call.caller.userId }
  return { name, ...(await requirePreview(call.app.models, text)) }
}

async function loadDraftData(call: Call<typeof operations.LOAD_DRAFT_DATA>) {
  const { app, caller, body } = call
  const { model, report, name } = await openPreview(call, call.params.key)
  // The stored report's name: a draft that calls itself otherwise escapes no row filter.
  const grant = Grant.find(caller, model, name, 'List')?.over(body.AllCompanies)
  const use = { report, grant, context: newContext(app, caller, model), isDraft: true }
  const limits = readReportLimits(app.settings)
  return okEnvelope(envelopeOf(await loadReport(app, use, { arguments: body.Arguments, limits })))
}

/** See `Feature`. */
export const reportDesignerFeature: Feature = {
  areas: [operations.AREA],
  routes: [DEFINITIONS],
}
