/** The object API: `/api/v1/svc/object` (src/server/README.md, Object endpoints). */
import { Elysia } from 'elysia'
import { Type } from '@sinclair/typebox'
import { requireAnswerSize } from '../../engine/object/capped-rows.ts'
import { deleteRow } from '../../engine/object/write/delete-row.ts'
import { loadFieldDataSet } from '../../engine/object/lookup/field-dataset.ts'
import { requireView } from '../../engine/object/find-view.ts'
import { loadForm, type FormMode } from '../../engine/object/read/form.ts'
import { loadTable } from '../../engine/object/read/load-table.ts'
import { findMetadata } from '../../engine/object/read/metadata.ts'
import { newContext } from '../../engine/object/write/mutation.ts'
import { loadNumber } from '../../engine/object/after-write/reservation.ts'
import { executeRowAction } from '../../engine/object/write/row-action.ts'
import {
  DeleteRowRequest,
  ExecuteRowActionRequest,
  FieldDataSetRequest,
  FieldDataSetResult,
  FormRequest,
  FormResult,
  MetadataResult,
  ObjectActionResult,
  SequenceNumberRequest,
  SubmitRequest,
  TableRequest,
  TableResult,
} from '../../engine/object/schema.ts'
import { submit } from '../../engine/object/write/submit.ts'
import type { Verb } from '../../model/model.ts'
import type { AppContext } from '../../server/context.ts'
import { modelOf } from '../../server/language.ts'
import { requireGrant, type Incoming } from '../../server/gate.ts'
import { planMutation } from '../../server/mutation.ts'
import { answerOnce, takeKey } from '../../server/once.ts'
import { ok, okText } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf, languageOf } from '../../server/session.ts'
import { findActionGates, findDeleteGates, findSubmitGates, requireActionGate } from './gate.ts'
import * as operations from './operations.ts'

const byName = Type.Object({ name: Type.String({ description: 'Name or slug of the object' }) })

/** Gates stand on each route; metadata and label ask for authentication alone. */
export function objectRoutes(app: AppContext) {
  return new Elysia({ prefix: '/api/v1/svc/object', strictPath: true, tags: ['Objects'] })
    .get('/:name/metadata', ({ params, request }) => metadata(app, params.name, request), {
      params: byName,
      response: Envelope(MetadataResult),
      detail: operations.GET_METADATA,
    })
    .post('/:name/table', ({ params, body, request }) => table(app, params.name, body, request), {
      params: byName,
      body: TableRequest,
      response: Envelope(TableResult),
      detail: operations.LOAD_TABLE,
    })
    .post(
      '/:name/form',
      ({ params, body, request }) => form(app, params.name, body, request, 'Form'),
      {
        params: byName,
        body: FormRequest,
        response: Envelope(FormResult),
        detail: operations.LOAD_FORM,
      },
    )
    .post(
      '/:name/view',
      ({ params, body, request }) => form(app, params.name, body, request, 'View'),
      {
        params: byName,
        body: FormRequest,
        response: Envelope(FormResult),
        detail: operations.LOAD_VIEW,
      },
    )
    .post(
      '/submit',
      ({ body, request }) =>
        answerOnce(request, (seal) => submit(planMutation(app, request, seal, body), body)),
      {
        body: SubmitRequest,
        response: Envelope(ObjectActionResult),
        transform: takeKey(app, findSubmitGates),
        detail: operations.SUBMIT,
      },
    )
    .post(
      '/delete-row',
      ({ body, request }) =>
        answerOnce(request, (seal) => deleteRow(planMutation(app, request, seal, body), body)),
      {
        body: DeleteRowRequest,
        response: Envelope(ObjectActionResult),
        transform: takeKey(app, findDeleteGates),
        detail: operations.DELETE_ROW,
      },
    )
    .post(
      '/execute-row-action',
      ({ body, request }) =>
        answerOnce(request, (seal) =>
          executeRowAction(planMutation(app, request, seal, body), body),
        ),
      {
        body: ExecuteRowActionRequest,
        response: Envelope(ObjectActionResult),
        transform: [
          ({ request, body }: Incoming) => requireActionGate(app, request, body),
          takeKey(app, findActionGates),
        ],
        detail: operations.EXECUTE_ROW_ACTION,
      },
    )
    .post('/field-dataset', ({ body, request }) => fieldDataSet(app, body, request), {
      body: FieldDataSetRequest,
      response: Envelope(FieldDataSetResult),
      detail: operations.LOAD_FIELD_DATASET,
    })
    .post(
      '/sequence-number',
      async ({ body, request }) => {
        const caller = callerOf(request)
        const model = modelOf(app, request)
        const now = app.clock.now()
        return ok(await loadNumber({ store: app.store, model, caller, now }, body))
      },
      {
        body: SequenceNumberRequest,
        response: Envelope(Type.String()),
        detail: operations.GET_SEQUENCE_NUMBER,
      },
    )
    .get(
      '/label/:objectName',
      ({ params, request }) => ok(requireView(modelOf(app, request), params.objectName).label),
      {
        params: Type.Object({ objectName: Type.String() }),
        response: Envelope(Type.String()),
        detail: operations.GET_LABEL,
      },
    )
}

const limitOf = (app: AppContext) => ({ bytes: app.settings.get('Svc:Results:MaxBytes') })

const FORM_VERBS: readonly Verb[] = ['View', 'Update']

function metadata(app: AppContext, name: string, request: Request): Response {
  const { json, etag } = findMetadata(requireView(modelOf(app, request), name), languageOf(request))
  const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' }
  const known = request.headers.get('if-none-match')
  if (known?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)) {
    return new Response(null, { status: 304, headers })
  }
  const response = okText(json)
  for (const [header, value] of Object.entries(headers)) response.headers.set(header, value)
  return response
}

async function table(
  app: AppContext,
  name: string,
  body: TableRequest,
  request: Request,
): Promise<Response> {
  const { view, grant, context } = requireGrant(app, request, name, ['View'], body.AllCompanies)
  return okText(
    requireAnswerSize(await loadTable(app.kept, view, body, grant, context), limitOf(app)),
  )
}

async function form(
  app: AppContext,
  name: string,
  body: FormRequest,
  request: Request,
  mode: FormMode,
): Promise<Response> {
  const verbs = mode === 'Form' ? FORM_VERBS : (['View'] as const)
  const granted = requireGrant(app, request, name, verbs, body.AllCompanies)
  const text = await loadForm({ reader: app.kept, ...granted }, body, mode)
  return okText(requireAnswerSize(text, limitOf(app)))
}

async function fieldDataSet(app: AppContext, body: FieldDataSetRequest, request: Request) {
  const caller = callerOf(request)
  const model = modelOf(app, request)
  const context = newContext(app, caller, model)
  const options = await loadFieldDataSet({ reader: app.kept, caller, model, context }, body)
  requireAnswerSize(JSON.stringify(options), limitOf(app))
  return ok(options)
}
