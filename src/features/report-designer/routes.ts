/** The report designer: `/api/v1/svc/report-designer` (src/server/README.md, Report designer). */
import { Elysia } from 'elysia'
import { JsonText } from '../../kernel/json-text.ts'
import { renderMessage } from '../../kernel/messages.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import { REPORTS_USER_QUOTA, RESULTS_MAX_BYTES } from '../../engine/floor.ts'
import { requireAnswerBytes } from '../../engine/object/capped-rows.ts'
import { newContext } from '../../engine/object/context.ts'
import { requirePreview, validateDefinition } from '../../engine/report-pages/definition.ts'
import { requireReport } from '../../engine/report-pages/find-report.ts'
import { loadReport, readReportLimits } from '../../engine/report-pages/load-report.ts'
import { REPORTS } from '../../engine/report-pages/report-kind.ts'
import type { ReportDraft } from '../../engine/report-pages/schema-designer.ts'
import { planStructure } from '../../engine/report-pages/structure.ts'
import { compareTexts } from '../../engine/versioned-documents/definition-text.ts'
import * as designer from '../../engine/versioned-documents/designer.ts'
import {
  type Document,
  findDraft,
  findSaver,
  isStale,
  loadVersions,
  loadVersionText,
  measureVersions,
} from '../../engine/versioned-documents/documents.ts'
import { requireVersion, toVersion } from '../../engine/versioned-documents/versions.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { modelOf } from '../../server/language.ts'
import { envelopeOf, ok, okEnvelope } from '../../server/reply.ts'
import { callerOf, languageOf, traceIdOf } from '../../server/session.ts'
import * as operations from './operations.ts'

const PREFIX = '/api/v1/svc/report-designer/definitions'
const OPTIONS = { strictPath: true, tags: [operations.AREA.name] }

const designerOf = (app: AppContext, request: Request): designer.Designer => ({
  kind: REPORTS,
  engine: app,
  caller: callerOf(request),
  model: modelOf(app, request),
  traceId: traceIdOf(request),
  quota: app.settings.get(REPORTS_USER_QUOTA),
})

const documentOf = (app: AppContext, request: Request, key: string): Promise<Document> =>
  designer.requireDocument(designerOf(app, request), key)

function definitionRoutes(app: AppContext) {
  return new Elysia({ prefix: PREFIX, ...OPTIONS })
    .get(
      '/:key',
      async ({ params, request }) => {
        const { slug, label } = requireReport(modelOf(app, request), params.key)
        const { name, versionHash, body } = await documentOf(app, request, params.key)
        return ok({
          Name: name,
          Slug: slug,
          Label: renderMessage(label, languageOf(request)),
          VersionHash: versionHash,
          DefinitionXml: body,
        })
      },
      operations.GET_DEFINITION,
    )
    .post(
      '/save',
      async ({ body, request }) =>
        ok(await designer.saveDefinition(designerOf(app, request), body)),
      operations.SAVE_DEFINITION,
    )
    .post(
      '/:key/validate',
      async ({ params, body, request }) => {
        const { name } = await documentOf(app, request, params.key)
        const { userId } = callerOf(request)
        const text = { body: body.DefinitionXml, name, userId }
        return ok(await validateDefinition(app.models, text))
      },
      operations.VALIDATE_DEFINITION,
    )
    .post(
      '/:key/publish',
      async ({ params, request }) =>
        ok(await designer.publishDraft(designerOf(app, request), params.key)),
      operations.PUBLISH_DRAFT,
    )
}

function versionRoutes(app: AppContext) {
  const bytes = app.settings.get(RESULTS_MAX_BYTES)
  const versionOf = async (request: Request, document: Document, hash: string) => {
    const version = await requireVersion(app.store, callerOf(request), document, hash)
    return { version, text: await loadVersionText(app.store, version) }
  }
  return new Elysia({ prefix: `${PREFIX}/:key/versions`, ...OPTIONS })
    .get(
      '',
      async ({ params, query: { limit, offset }, request }) => {
        const document = await documentOf(app, request, params.key)
        if (limit === undefined)
          requireAnswerBytes(await measureVersions(app.store, document), bytes)
        const versions = await loadVersions(app.store, document, callerOf(request), {
          ...(limit !== undefined && { limit: Number(limit) }),
          offset: Number(offset ?? 0),
        })
        return ok(versions.map(toVersion))
      },
      operations.LIST_VERSIONS,
    )
    .get(
      '/:versionHash',
      async ({ params, request }) => {
        const document = await documentOf(app, request, params.key)
        const { version, text } = await versionOf(request, document, params.versionHash)
        return ok({ ...toVersion(version), DefinitionXml: text })
      },
      operations.GET_VERSION,
    )
    .get(
      '/:versionHash/diff/:otherHash',
      async ({ params, request }) => {
        const { key, versionHash, otherHash } = params
        const document = await documentOf(app, request, key)
        const from = await versionOf(request, document, versionHash)
        const to = await versionOf(request, document, otherHash)
        const lines = await compareTexts([from.text, to.text], callerOf(request).userId)
        const hashes = { From: from.version.versionHash, To: to.version.versionHash }
        const names = JSON.stringify(hashes).slice(0, -1)
        return okEnvelope(envelopeOf(new JsonText(`${names},"Lines":${lines.text}}`)))
      },
      operations.DIFF_VERSIONS,
    )
}

async function preview(app: AppContext, request: Request, key: string) {
  const { name, draft } = await designer.requireDraft(designerOf(app, request), key)
  const { userId } = callerOf(request)
  return { name, ...(await requirePreview(app.models, { body: draft.body, name, userId })) }
}

function draftRoutes(app: AppContext) {
  const limits = readReportLimits(app.settings)
  const show = async (request: Request, key: string) =>
    ok(await loadDraft(app, await documentOf(app, request, key), callerOf(request)))
  return new Elysia({ prefix: `${PREFIX}/:key/draft`, ...OPTIONS })
    .get('', ({ params, request }) => show(request, params.key), operations.GET_DRAFT)
    .post(
      '',
      async ({ params, body, request }) => {
        await designer.storeDraft(designerOf(app, request), params.key, body)
        return show(request, params.key)
      },
      operations.SAVE_DRAFT,
    )
    .delete(
      '',
      async ({ params, request }) =>
        ok(await designer.discardDraft(designerOf(app, request), params.key)),
      operations.DISCARD_DRAFT,
    )
    .get(
      '/structure',
      async ({ params, request }) => {
        const { report } = await preview(app, request, params.key)
        return ok(planStructure(report, languageOf(request)))
      },
      operations.GET_DRAFT_STRUCTURE,
    )
    .post(
      '/data',
      async ({ params, body, request }) => {
        const { model, report, name } = await preview(app, request, params.key)
        const caller = callerOf(request)
        // The stored report's name: a draft that calls itself otherwise escapes no row filter.
        const grant = Grant.find(caller, model, name, 'List')?.over(body.AllCompanies)
        const use = { report, grant, context: newContext(app, caller, model), isDraft: true }
        const data = await loadReport(app, use, { arguments: body.Arguments, limits })
        return okEnvelope(envelopeOf(data))
      },
      operations.LOAD_DRAFT_DATA,
    )
}

async function loadDraft(
  app: AppContext,
  document: Document,
  caller: Caller,
): Promise<ReportDraft | null> {
  const draft = await findDraft(app.store, document)
  if (!draft) return null
  const { body: DefinitionXml, notes: Notes, savedAt: SavedAt } = draft
  const SavedBy = (await findSaver(app.store, draft.savedBy, caller)) ?? null
  const IsStale = await isStale(app.store, document, draft)
  return { DefinitionXml, Notes, IsStale, SavedAt, SavedBy }
}

/** See `Feature`. */
export const reportDesignerFeature: Feature = {
  areas: [operations.AREA],
  routes: [definitionRoutes, versionRoutes, draftRoutes],
}
