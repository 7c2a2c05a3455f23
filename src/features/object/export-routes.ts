/**
 * Exports, the files that they make, and templates for imports (src/server/README.md, Object
 * endpoints).
 */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import { requireValidCaller } from '../../access/callers/caller-validity.ts'
import { toExportFormat } from '../../engine/extensions/handler-format.ts'
import { EXPORTS } from '../../engine/floor.ts'
import { type ExportParts, exportTable } from '../../engine/object/export/export.ts'
import { makeImportTemplate } from '../../engine/object/import/import-template.ts'
import { ExportTableRequest, ObjectActionResult } from '../../engine/object/schema.ts'
import { Formats } from '../../engine/sheets/formats.ts'
import type { AppContext } from '../../server/context.ts'
import { answerFile } from '../../server/file-answer.ts'
import { AUTHENTICATED, everyGate, found, objectGate } from '../../server/gate.ts'
import { planAgain } from '../../server/idempotent-response.ts'
import { modelOf } from '../../server/language.ts'
import { ok } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf, languageOf, traceIdOf } from '../../server/session.ts'
import { enqueueExport } from './export-job.ts'
import { type FoundHandler, planUse, requireHandler, requireHandlerOf } from './handler.ts'

const WHOLE = {
  'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
} as const

const GET_EXPORT_FILE = {
  'x-gate': AUTHENTICATED,
  operationId: 'getExportFile',
  summary: 'A file that was made',
  description:
    'As an attachment, to callers of the company that it was made in. Any other name, and one ' +
    'that has expired, is 404. Range and If-None-Match are honoured. Gate: authentication.',
  responses: {
    200: { description: 'The file, under its own type', content: WHOLE },
    206: { description: 'The range that was asked for', content: WHOLE },
    304: { description: 'The client has the file, by its ETag' },
    416: { description: 'The file has no such bytes' },
  },
}

const GET_IMPORT_TEMPLATE = {
  'x-gate': objectGate('path', 'Import'),
  operationId: 'getImportTemplate',
  summary: 'A file to fill in for an import',
  description:
    'The heads of what an import takes, references and options under their labels; in a workbook ' +
    'with the options to choose from and what belongs where. It is fetched by `File.Url`. ' +
    'Gate: Import.',
}

/** Routes of exports; each declares its gate. */
export function exportRoutes(app: AppContext) {
  const parts = findExportParts(app)
  return new Elysia({ prefix: '/api/v1/svc/object', strictPath: true, tags: ['Objects'] })
    .post('/export-data', async ({ body, request }) => ok(await exportAny(app, body, request)), {
      body: ExportTableRequest,
      response: Envelope(ObjectActionResult),
      detail: EXPORT_DATA,
    })
    .get('/export-file/:fileName', ({ params, request }) => file(app, params.fileName, request), {
      params: Type.Object({ fileName: Type.String({ description: 'A bare file name' }) }),
      detail: GET_EXPORT_FILE,
    })
    .get(
      '/:name/import-template',
      async ({ params, query, request }) => {
        const granted = found(app, GET_IMPORT_TEMPLATE, { request, params })
        const options = { format: query.format, language: languageOf(request) }
        return ok(await makeImportTemplate(parts, granted, options))
      },
      {
        params: Type.Object({
          name: Type.String({ description: 'Name or slug of the object', examples: ['orders'] }),
        }),
        query: Type.Object({
          format: Type.Optional(Type.String({ description: 'xlsx (default) or csv' })),
        }),
        response: Envelope(ObjectActionResult),
        detail: GET_IMPORT_TEMPLATE,
      },
    )
}

/** A name that is not there, has expired or is another company's reads the same. */
async function file(app: AppContext, name: string, request: Request): Promise<Response> {
  const made = await app.made.find(name, callerOf(request).companyId)
  const answer =
    made &&
    (await answerFile(request, {
      path: made.path,
      fileName: made.ShownName,
      contentType: made.ContentType,
      size: made.Size,
      sha256: made.Sha256,
      isInline: false,
    }))
  if (answer) return answer
  throw notFound(say`There is no such file, or it has expired`, { code: 'FILE_NOT_FOUND' })
}

export const EXPORT_DATA = {
  'x-gate': everyGate('ObjectName', 'View', 'Export'),
  'x-example': {
    ObjectName: 'orders',
    Format: 'xlsx',
    Filters: [{ Field: 'Status', Operator: 'eq', Value: 'new' }],
  },
  operationId: 'exportData',
  summary: 'Export a grid',
  description:
    'All rows that the grid has for these filters, in its order, of one state of the data: never ' +
    'cut short. csv, xlsx (a second sheet past 1,048,575 rows) or jsonl. The file is fetched by ' +
    '`File.Url`, by callers of the same company, until it expires; what ' +
    'one user has lying is bounded (429). With `Background` it is made by a job with the rights ' +
    'of then, and a notification has the file. Gate: View and Export.',
}

const partsOf = new WeakMap<AppContext, ExportParts>()

/** Finds the parts of an app's exports: one semaphore for all of them. */
export function findExportParts(app: AppContext): ExportParts {
  let parts = partsOf.get(app)
  if (!parts) {
    parts = {
      store: app.store,
      formats: app.formats,
      files: app.made,
      semaphore: new Semaphore(app.settings.get(EXPORTS.concurrency)),
      progress: app.progress,
      timeoutMs: app.settings.get(EXPORTS.timeout),
    }
    partsOf.set(app, parts)
  }
  return parts
}

/** Exports in the format that a request names, the engine's or an extension's. */
async function exportAny(
  app: AppContext,
  body: ExportTableRequest,
  request: Request,
): Promise<ObjectActionResult> {
  const { Format: format } = body
  if (body.Background === true) {
    const use = found(app, EXPORT_DATA, { request, body })
    return enqueueExport(app, use, body, languageOf(request))
  }
  if (format === undefined || app.formats.exportNames.includes(format.toLowerCase()))
    return exportData(app, findExportParts(app), body, request)
  const name = await requireHandlerOf(app, request, format)
  return exportBy(app, await requireHandler(app, request, name, 'Export'), body, request)
}

/** Exports by a handler; the name of a format of the engine is one, too. */
export async function exportBy(
  app: AppContext,
  handler: FoundHandler,
  body: ExportTableRequest,
  request: Request,
): Promise<ObjectActionResult> {
  const parts = findExportParts(app)
  if ('builtIn' in handler)
    return exportData(app, parts, { ...body, Format: handler.builtIn }, request)
  const use = planUse(app, request, handler, { format: body.Format, parameters: body.Parameters })
  const format = toExportFormat(use)
  const formats = new Formats()
  formats.addExport(format)
  const requested = { ...body, Format: format.name }
  const run = () => exportData(app, { ...parts, formats }, requested, request)
  return app.extensions.semaphore.run(run, String(callerOf(request).userId))
}

/** Exports for a caller with View and Export. @throws denied, what `exportTable` throws */
async function exportData(
  app: AppContext,
  parts: ExportParts,
  body: ExportTableRequest,
  request: Request,
): Promise<ObjectActionResult> {
  return planAgain(request, () => {
    const { view, grant, context } = found(app, EXPORT_DATA, { request, body })
    const served = modelOf(app, request)
    const revalidate = () => app.models.requireHeld(served) ?? requireValidCaller(grant.caller)
    const granted = { view, grant: grant.over(body.AllCompanies), context }
    const requested = {
      ...granted,
      revalidate,
      traceId: traceIdOf(request),
      signal: request.signal,
    }
    return exportTable(parts, requested, body)
  })
}
