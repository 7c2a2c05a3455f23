/** The object API: `/api/v1/svc/object` (src/server/README.md, Object endpoints). */
import { Elysia } from 'elysia'
import { renderMessage } from '../../kernel/messages.ts'
import { Grant } from '../../access/rights/grant.ts'
import { openFileSweeper } from '../../engine/files/uploads.ts'
import { RESULTS_MAX_BYTES } from '../../engine/floor.ts'
import { requireAnswerSize } from '../../engine/object/capped-rows.ts'
import { newContext } from '../../engine/object/context.ts'
import { loadFieldDataSet, loadFilterOptions } from '../../engine/object/form/field-dataset.ts'
import type { FormMode } from '../../engine/object/form/form-plan.ts'
import { loadForm } from '../../engine/object/form/load-form.ts'
import { openImportPurge } from '../../engine/object/import/import-log.ts'
import { requireView } from '../../engine/object/read/find-view.ts'
import { loadTable } from '../../engine/object/read/load-table.ts'
import { findMetadata } from '../../engine/object/read/metadata.ts'
import type { FieldDataSetRequest, FormRequest, TableRequest } from '../../engine/object/schema.ts'
import type { ViewUse } from '../../engine/object/view-access.ts'
import { deleteRow } from '../../engine/object/write/delete-row.ts'
import { loadNumber } from '../../engine/object/write/reservation.ts'
import { submit } from '../../engine/object/write/submit.ts'
import { findReport, type ReportUse } from '../../engine/report-pages/find-report.ts'
import { holdReport } from '../../engine/report-pages/held-report.ts'
import { executeAction } from '../../engine/workflow/execute-action.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { found } from '../../server/gate.ts'
import { answerIdempotent, planAgain, takeKey } from '../../server/idempotent-response.ts'
import { modelOf } from '../../server/language.ts'
import { planMutation } from '../../server/mutation.ts'
import { ok, okTagged, okTextTo } from '../../server/reply.ts'
import { callerOf, languageOf } from '../../server/session.ts'
import { exportJob } from './export-job.ts'
import { exportRoutes, findExportParts } from './export-routes.ts'
import { GERMAN } from './german.ts'
import { handlerRoutes, HANDLERS } from './handler-routes.ts'
import { importJob } from './import-job.ts'
import { findLimits, IMPORTS } from './import-limits.ts'
import { importRoutes } from './import-routes.ts'
import { findActionGates, findDeleteGates, findSubmitGates } from './object-gate.ts'
import * as operations from './operations.ts'
import { uploadRoutes } from './upload-routes.ts'
import { UPLOADS } from './upload.ts'

const AREA = {
  name: 'Objects',
  description:
    'Grids, forms and mutations. An object is addressed by its view name or slug. Structure ' +
    '(metadata) is fetched once; data is fetched apart from it and gated by permissions.',
}

/** Routes of objects; each declares its gate, and metadata and label need a token only. */
function objectRoutes(app: AppContext) {
  return new Elysia({ prefix: '/api/v1/svc/object', strictPath: true, tags: [AREA.name] })
    .get(
      '/:name/metadata',
      ({ params, request }) => metadata(app, params.name, request),
      operations.GET_METADATA,
    )
    .post(
      '/:name/table',
      ({ params, body, request }) =>
        table(
          app,
          { request, body },
          found(app, operations.LOAD_TABLE.detail, { request, params }),
        ),
      operations.LOAD_TABLE,
    )
    .post(
      '/:name/form',
      ({ params, body, request }) =>
        form(
          app,
          { request, body, mode: 'Form' },
          found(app, operations.LOAD_FORM.detail, { request, params }),
        ),
      operations.LOAD_FORM,
    )
    .post(
      '/:name/view',
      ({ params, body, request }) =>
        form(
          app,
          { request, body, mode: 'View' },
          found(app, operations.LOAD_VIEW.detail, { request, params }),
        ),
      operations.LOAD_VIEW,
    )
    .post(
      '/submit',
      ({ body, request }) =>
        answerIdempotent(request, (recordResponse) =>
          submit(planMutation(app, request, recordResponse, body), body),
        ),
      { ...operations.SUBMIT, transform: takeKey(app, findSubmitGates) },
    )
    .post(
      '/delete-row',
      ({ body, request }) =>
        answerIdempotent(request, (recordResponse) =>
          deleteRow(planMutation(app, request, recordResponse, body), body),
        ),
      { ...operations.DELETE_ROW, transform: takeKey(app, findDeleteGates) },
    )
    .post(
      '/execute-row-action',
      ({ body, request }) =>
        answerIdempotent(request, (recordResponse) =>
          executeAction(planMutation(app, request, recordResponse, body), body),
        ),
      { ...operations.EXECUTE_ROW_ACTION, transform: takeKey(app, findActionGates) },
    )
    .post(
      '/field-dataset',
      ({ body, request }) => fieldDataSet(app, body, request),
      operations.LOAD_FIELD_DATASET,
    )
    .post(
      '/sequence-number',
      async ({ body, request }) =>
        ok(await planAgain(request, () => loadNumber(planMutation(app, request, undefined), body))),
      operations.GET_SEQUENCE_NUMBER,
    )
    .get(
      '/label/:objectName',
      ({ params, request }) => {
        const { label } = requireView(modelOf(app, request), params.objectName)
        return ok(renderMessage(label, languageOf(request)))
      },
      operations.GET_LABEL,
    )
}

const limitOf = (app: AppContext) => ({ bytes: app.settings.get(RESULTS_MAX_BYTES) })

const metadata = (app: AppContext, name: string, request: Request): Response =>
  okTagged(request, findMetadata(requireView(modelOf(app, request), name), languageOf(request)))

async function table(
  app: AppContext,
  { request, body }: { request: Request; body: TableRequest },
  { view, grant, context }: ViewUse,
): Promise<Response> {
  const access = { reader: app.queryCache, view, grant: grant.over(body.AllCompanies), context }
  const text = await loadTable({ ...access, request: body })
  return okTextTo(request, requireAnswerSize(text, limitOf(app)))
}

async function form(
  app: AppContext,
  { request, body, mode }: { request: Request; body: FormRequest; mode: FormMode },
  { view, grant, context }: ViewUse,
): Promise<Response> {
  const access = { reader: app.queryCache, view, grant: grant.over(body.AllCompanies), context }
  const text = await loadForm(access, body, mode)
  return okTextTo(request, requireAnswerSize(text, limitOf(app)))
}

async function fieldDataSet(app: AppContext, body: FieldDataSetRequest, request: Request) {
  const caller = callerOf(request)
  const model = modelOf(app, request)
  const context = newContext(app, caller, model)
  const parts = { reader: app.queryCache, caller, model, context }
  const isView = model.viewByKey.has(body.FormName.toLowerCase())
  const report = isView ? undefined : findReport(model, body.FormName)
  const options = await (report
    ? loadOptionsOf(app, { report, context }, body)
    : loadFieldDataSet(parts, body))
  requireAnswerSize(JSON.stringify(options), limitOf(app))
  return ok(options)
}

/** Options of a filter, of the report as its reader may have it. */
async function loadOptionsOf(
  app: AppContext,
  { report, context }: Pick<ReportUse, 'report' | 'context'>,
  body: FieldDataSetRequest,
) {
  const { caller, model } = context
  if (!caller) throw new Error('Options are asked for by somebody')
  const grant = Grant.find(caller, model, report.name, 'List')
  const held = await holdReport(app, { report, grant, context })
  return loadFilterOptions({ reader: app.queryCache, caller, model, context }, held.report, body)
}

/** See `Feature`. */
export const objectFeature: Feature = {
  areas: [AREA, HANDLERS],
  routes: [objectRoutes, exportRoutes, importRoutes, uploadRoutes, handlerRoutes],
  settings: [UPLOADS, IMPORTS],
  jobs: [(app) => exportJob(app, findExportParts(app)), importJob],
  background: [
    ...[openFileSweeper, openImportPurge, ({ made }: AppContext) => made.openSweeper()],
    (app) => findLimits(app).kept.openSweeper(),
  ],
  translations: { de: GERMAN },
}
