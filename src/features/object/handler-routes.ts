/** Pluggable file formats: `/api/v1/svc/handlers` (src/server/README.md, Scripts and handlers). */
import { Elysia } from 'elysia'
import { Type } from '@sinclair/typebox'
import { toExportFormat, toImportFormat } from '../../engine/extensions/handler-format.ts'
import { ExportTableRequest, ObjectActionResult } from '../../engine/object/schema.ts'
import { Formats } from '../../engine/sheets/formats.ts'
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { AppContext } from '../../server/context.ts'
import { requireGrant, textMember } from '../../server/gate.ts'
import type { Incoming } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import { EXPORT_VERBS, exportBy } from './export-by.ts'
import { planUse, requireHandler } from './handler.ts'
import { HandlerEntry, listHandlers } from './handler-list.ts'
import * as operations from './handler-operations.ts'
import { receiveImport } from './import.ts'
import type { FormFields } from './import.ts'

const byName = Type.Object({ name: Type.String({ description: 'Name of the handler' }) })

/** Gates: of the handler, before anything is read, and of the object. */
export function handlerRoutes(app: AppContext) {
  return new Elysia({ prefix: '/api/v1/svc/handlers', strictPath: true, tags: ['Handlers'] })
    .get('', async ({ request }) => ok(await listHandlers(app, request)), {
      response: Envelope(Type.Array(HandlerEntry)),
      detail: operations.LIST_HANDLERS,
    })
    .post(
      '/:name/export',
      async ({ params, body, request }) => ok(await exportBy(app, params.name, body, request)),
      {
        params: byName,
        body: ExportTableRequest,
        response: Envelope(ObjectActionResult),
        transform: async ({ request, params, body }: Incoming) =>
          requireExportGate(app, { request, params, body }),
        detail: operations.EXPORT_BY_HANDLER,
      },
    )
    .post('/:name/import', ({ params, request }) => importBy(app, params.name, request), {
      params: byName,
      response: Envelope(ObjectActionResult),
      detail: operations.IMPORT_BY_HANDLER,
    })
}

/** Both gates, before the body is held against its schema. */
async function requireExportGate(app: AppContext, { request, params, body }: Incoming) {
  await requireHandler(app, request, textMember(params, 'name') ?? '', 'Export')
  const object = textMember(body, 'ObjectName')
  if (object === undefined) return
  const { grant } = requireGrant(app, request, object, EXPORT_VERBS)
  for (const verb of EXPORT_VERBS) grant.demand(verb)
}

async function importBy(app: AppContext, name: string, request: Request): Promise<Response> {
  const found = await requireHandler(app, request, name, 'Import')
  if ('builtIn' in found) {
    const choose = () => ({ formats: app.formats, format: found.builtIn })
    return receiveImport(app, request, choose)
  }
  return receiveImport(app, request, (fields) => {
    const parameters = readParameters(fields)
    const use = planUse(app, request, found, { format: fields.get('format'), parameters })
    const format = toImportFormat(use)
    const formats = new Formats()
    formats.addImport(format)
    // What is left out is given back as it came, or as csv where the handler writes nothing.
    const { CanExport } = found.handler.part
    const own = CanExport ? toExportFormat(use) : formats.requireExport('csv')
    formats.addExport({ ...own, name: format.name })
    return { formats, format: format.name }
  })
}

/** The form's field `parameters`: a JSON object. */
function readParameters(fields: FormFields): Record<string, unknown> | undefined {
  const text = fields.get('parameters')?.trim()
  if (!text) return undefined
  try {
    const given: unknown = JSON.parse(text)
    if (typeof given === 'object' && given !== null && !Array.isArray(given)) return { ...given }
  } catch {
    // Told below, like any other text that is no object.
  }
  throw invalid(say`parameters is a JSON object`)
}
