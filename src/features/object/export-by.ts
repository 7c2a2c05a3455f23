/** An export in one of the engine's formats, or by the handler of an extension. */
import { requireValidCaller } from '../../access/caller-validity.ts'
import { toExportFormat } from '../../engine/extensions/handler-format.ts'
import { exportTable } from '../../engine/object/export/export.ts'
import type { ExportParts } from '../../engine/object/export/export.ts'
import type { ExportTableRequest, ObjectActionResult } from '../../engine/object/schema.ts'
import { modelChanged } from '../../model/current.ts'
import { Formats } from '../../engine/sheets/formats.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import type { AppContext } from '../../server/context.ts'
import { planAgain } from '../../server/idempotent-response.ts'
import { everyGate, found } from '../../server/gate.ts'
import { callerOf, traceIdOf } from '../../server/session.ts'
import { planUse, requireHandler, requireHandlerOf } from './handler.ts'
import type { FoundHandler } from './handler.ts'
import { EXPORTS } from '../../engine/floor.ts'

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
    'one user has lying is bounded (429). Gate: View and Export.',
}

const partsOf = new WeakMap<AppContext, ExportParts>()

/** What the exports of an app are made with: one semaphore for all of them. */
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

/** Exports in the format that a request names, whoever knows it. */
export async function exportAny(
  app: AppContext,
  body: ExportTableRequest,
  request: Request,
): Promise<ObjectActionResult> {
  const { Format: format } = body
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
    const served = app.models.get()
    const judge = () => {
      if (app.models.get() !== served) throw modelChanged()
      return requireValidCaller(grant.caller)
    }
    const granted = { view, grant: grant.over(body.AllCompanies), context }
    const requested = { ...granted, judge, traceId: traceIdOf(request), signal: request.signal }
    return exportTable(parts, requested, body)
  })
}
