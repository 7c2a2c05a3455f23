/**
 * Exports, the files that they make, and templates for imports (src/server/README.md, Object
 * endpoints).
 */
import { Type } from '@sinclair/typebox'
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { oneOf } from '../../kernel/schema.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import { requireValidCaller } from '../../access/callers/caller-validity.ts'
import { toExportFormat } from '../../engine/extensions/handler-format.ts'
import { EXPORTS } from '../../engine/floor.ts'
import { type ExportParts, exportTable } from '../../engine/object/export/export.ts'
import { makeImportTemplate } from '../../engine/object/import/import-template.ts'
import { ExportTableRequest, ObjectActionResult } from '../../engine/object/schema.ts'
import type { ViewUse } from '../../engine/object/view-access.ts'
import { Formats } from '../../engine/sheets/formats.ts'
import type { RequestCall } from '../../server/call.ts'
import type { AppContext } from '../../server/context.ts'
import { answerFile } from '../../server/file-answer.ts'
import { AUTHENTICATED, everyGate, objectGate } from '../../server/gate.ts'
import { planAgain } from '../../server/idempotent-response.ts'
import { ok } from '../../server/reply.ts'
import { type Call, route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { enqueueExport } from './export-job.ts'
import { type FoundHandler, planUse, requireHandler, requireHandlerOf } from './handler.ts'

const WHOLE = {
  'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
} as const

const GET_EXPORT_FILE = {
  params: Type.Object({ fileName: Type.String({ description: 'A bare file name' }) }),
  detail: {
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
      416: { description: 'The requested range is outside the file' },
    },
  },
}

const GET_IMPORT_TEMPLATE = {
  params: Type.Object({
    name: Type.String({ description: 'Name or slug of the object', examples: ['orders'] }),
  }),
  query: Type.Object({
    format: Type.Optional(oneOf(['xlsx', 'csv'], { default: 'xlsx' })),
  }),
  response: Envelope(ObjectActionResult),
  detail: {
    'x-gate': objectGate('path', 'Import'),
    operationId: 'getImportTemplate',
    summary: 'A file to fill in for an import',
    description:
      'The heads of what an import takes, references and options under their labels; in a ' +
      'workbook with the options to choose from and what belongs where. It is fetched by ' +
      '`File.Url`. Gate: Import.',
  },
}

/** A name that is not there, has expired or is another company's reads the same. */
async function answerMadeFile({ app, caller, request }: RequestCall, name: string) {
  const made = await app.made.find(name, caller.companyId)
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

export const EXPORT_GATE = everyGate('ObjectName', 'View', 'Export')

const EXPORT_DATA = {
  body: ExportTableRequest,
  response: Envelope(ObjectActionResult),
  detail: {
    'x-gate': EXPORT_GATE,
    'x-example': {
      ObjectName: 'orders',
      Format: 'xlsx',
      Filters: [{ Field: 'Status', Operator: 'eq', Value: 'new' }],
    },
    operationId: 'exportData',
    summary: 'Export a grid',
    description:
      'All rows that the grid has for these filters, in its order, of one state of the data: ' +
      'never cut short. csv, xlsx (a second sheet past 1,048,575 rows) or jsonl. The file is ' +
      'fetched by `File.Url`, by callers of the same company, until it expires; what one user ' +
      'has lying is bounded (429). With `Background` it is made by a job with the rights of ' +
      'then, and a notification has the file. Gate: View and Export.',
  },
}

/** Each declares its gate. */
export const EXPORT_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/object',
  area: 'Objects',
  routes: [
    route('POST', '/export-data', EXPORT_DATA, async (call) => ok(await exportAny(call))),
    route('GET', '/export-file/:fileName', GET_EXPORT_FILE, (call) =>
      answerMadeFile(call, call.params.fileName),
    ),
    route('GET', '/:name/import-template', GET_IMPORT_TEMPLATE, async (call) => {
      const options = { format: call.query.format, language: call.language }
      return ok(await makeImportTemplate(findExportParts(call.app), call.found, options))
    }),
  ],
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
async function exportAny(call: Call<typeof EXPORT_DATA>): Promise<ObjectActionResult> {
  const { app, body } = call
  const { Format: format } = body
  if (body.Background === true) return enqueueExport(app, call.found, body, call.language)
  const asked = { body, findUse: () => call.found }
  if (format === undefined || app.formats.exportNames.includes(format.toLowerCase()))
    return exportData(call, findExportParts(app), asked)
  const name = await requireHandlerOf(call, format)
  return exportBy(call, await requireHandler(call, name, 'Export'), asked)
}

/** An export as it was asked for. */
interface AskedExport {
  body: ExportTableRequest
  /** Finds the grid as the caller may export it now. @throws denied, notFound */
  findUse: () => ViewUse | undefined | Promise<ViewUse | undefined>
}

/** Exports by a handler; the name of a format of the engine is one, too. */
export async function exportBy(
  call: RequestCall,
  handler: FoundHandler,
  { body, findUse }: AskedExport,
): Promise<ObjectActionResult> {
  const { app, caller } = call
  const parts = findExportParts(app)
  if ('builtIn' in handler)
    return exportData(call, parts, { body: { ...body, Format: handler.builtIn }, findUse })
  const use = planUse(call, handler, { format: body.Format, parameters: body.Parameters })
  const format = toExportFormat(use)
  const formats = new Formats()
  formats.addExport(format)
  const asked = { body: { ...body, Format: format.name }, findUse }
  const run = () => exportData(call, { ...parts, formats }, asked)
  return app.extensions.semaphore.run(run, String(caller.userId))
}

/** Exports for a caller with View and Export. @throws denied, what `exportTable` throws */
async function exportData(
  call: RequestCall,
  parts: ExportParts,
  { body, findUse }: AskedExport,
): Promise<ObjectActionResult> {
  const { app, traceId, signal } = call
  return planAgain(call, async () => {
    const use = await findUse()
    if (!use) throw new Error('An export that names no grid has been refused')
    const { view, grant, context } = use
    const served = call.model
    const revalidate = () => app.models.requireHeld(served) ?? requireValidCaller(grant.caller)
    const granted = { view, grant: grant.over(body.AllCompanies), context }
    return exportTable(parts, { ...granted, revalidate, traceId, signal }, body)
  })
}
