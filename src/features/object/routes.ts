/** The object API: `/api/v1/svc/object` (src/server/README.md, Object endpoints). */
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
import type { FieldDataSetRequest } from '../../engine/object/schema.ts'
import { deleteRow } from '../../engine/object/write/delete-row.ts'
import {
  listActionRights,
  listDeleteRights,
  listSubmitRights,
} from '../../engine/object/write/mutation-rights.ts'
import { loadNumber } from '../../engine/object/write/reservation.ts'
import { submit } from '../../engine/object/write/submit.ts'
import { findReport, type ReportUse } from '../../engine/report-pages/find-report.ts'
import { holdReport } from '../../engine/report-pages/held-report.ts'
import { executeAction } from '../../engine/workflow/execute-action.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { planAgain } from '../../server/idempotent-response.ts'
import { mutationRoute, planMutation } from '../../server/mutation.ts'
import { ok, okTagged, okTextTo } from '../../server/reply.ts'
import { type Call, route, type RouteGroup } from '../../server/route.ts'
import { exportJob } from './export-job.ts'
import { EXPORT_ROUTES, findExportParts } from './export-routes.ts'
import { GERMAN } from './german.ts'
import { HANDLER_ROUTES, HANDLERS } from './handler-routes.ts'
import { importJob } from './import-job.ts'
import { findLimits, IMPORTS } from './import-limits.ts'
import { IMPORT_ROUTES } from './import-routes.ts'
import * as operations from './operations.ts'
import { manyJob } from './submit-many-job.ts'
import { SUBMIT_MANY_ROUTES } from './submit-many-route.ts'
import { uploadRoutes } from './upload-routes.ts'
import { UPLOADS } from './upload.ts'

const AREA = {
  name: 'Objects',
  description:
    'Grids, forms and mutations. An object is addressed by its view name or slug. Structure ' +
    '(metadata) is fetched once; data is fetched apart from it and gated by permissions.',
}

/** Each declares its gate; metadata and label need a token only. */
const OBJECTS: RouteGroup = {
  prefix: '/api/v1/svc/object',
  area: AREA.name,
  routes: [
    route('GET', '/:name/metadata', operations.GET_METADATA, (call) => {
      const view = requireView(call.model, call.params.name)
      const importBytesMax = call.app.settings.get(IMPORTS.maxBytes)
      return okTagged(call, findMetadata(view, call.language, importBytesMax))
    }),
    route('POST', '/:name/table', operations.LOAD_TABLE, (call) => loadTableOf(call)),
    route('POST', '/:name/form', operations.LOAD_FORM, (call) => loadFormOf(call, 'Form')),
    route('POST', '/:name/view', operations.LOAD_VIEW, (call) => loadFormOf(call, 'View')),
    mutationRoute('POST', '/submit', operations.SUBMIT, {
      gates: ({ model, body }) => listSubmitRights(model, body),
      run: (call, recordResponse) =>
        submit(planMutation(call, recordResponse, call.body), call.body),
    }),
    mutationRoute('POST', '/delete-row', operations.DELETE_ROW, {
      gates: ({ model, body }) => listDeleteRights(model, body),
      run: (call, recordResponse) =>
        deleteRow(planMutation(call, recordResponse, call.body), call.body),
    }),
    mutationRoute('POST', '/execute-row-action', operations.EXECUTE_ROW_ACTION, {
      gates: ({ model, body }) => listActionRights(model, body),
      run: (call, recordResponse) =>
        executeAction(planMutation(call, recordResponse, call.body), call.body),
    }),
    route('POST', '/field-dataset', operations.LOAD_FIELD_DATASET, (call) => loadOptions(call)),
    route('POST', '/sequence-number', operations.GET_SEQUENCE_NUMBER, async (call) =>
      ok(await planAgain(call, () => loadNumber(planMutation(call), call.body))),
    ),
    route('GET', '/label/:objectName', operations.GET_LABEL, (call) => {
      const { label } = requireView(call.model, call.params.objectName)
      return ok(renderMessage(label, call.language))
    }),
  ],
}

const limitOf = (app: AppContext) => ({ bytes: app.settings.get(RESULTS_MAX_BYTES) })

async function loadTableOf(call: Call<typeof operations.LOAD_TABLE>): Promise<Response> {
  const { app, body } = call
  const { view, grant, context } = call.found
  const access = { reader: app.queryCache, view, grant: grant.over(body.AllCompanies), context }
  const text = await loadTable({ ...access, request: body })
  return okTextTo(call, requireAnswerSize(text, limitOf(app)))
}

async function loadFormOf(
  call: Call<typeof operations.LOAD_FORM>,
  mode: FormMode,
): Promise<Response> {
  const { app, body } = call
  const { view, grant, context } = call.found
  const access = { reader: app.queryCache, view, grant: grant.over(body.AllCompanies), context }
  const text = await loadForm(access, body, mode)
  return okTextTo(call, requireAnswerSize(text, limitOf(app)))
}

async function loadOptions({
  app,
  caller,
  model,
  body,
}: Call<typeof operations.LOAD_FIELD_DATASET>) {
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
  if (!caller) throw new Error('Options need a caller')
  const grant = Grant.find(caller, model, report.name, 'List')
  const held = await holdReport(app, { report, grant, context })
  return loadFilterOptions({ reader: app.queryCache, caller, model, context }, held.report, body)
}

/** See `Feature`. */
export const objectFeature: Feature = {
  areas: [AREA, HANDLERS],
  routes: [OBJECTS, EXPORT_ROUTES, IMPORT_ROUTES, SUBMIT_MANY_ROUTES, uploadRoutes, HANDLER_ROUTES],
  settings: [UPLOADS, IMPORTS],
  jobs: [(app) => exportJob(app, findExportParts(app)), importJob, manyJob],
  background: [
    ...[openFileSweeper, openImportPurge, ({ made }: AppContext) => made.openSweeper()],
    (app) => findLimits(app).kept.openSweeper(),
  ],
  translations: { de: GERMAN },
}
