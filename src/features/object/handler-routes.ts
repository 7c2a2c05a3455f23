/** Pluggable file formats: `/api/v1/svc/handlers` (src/server/README.md, Scripts and handlers). */
import { Type } from '@sinclair/typebox'
import { invalid } from '../../kernel/failure.ts'
import { textMember } from '../../kernel/members.ts'
import { say } from '../../kernel/messages.ts'
import { parseJsonExactly } from '../../kernel/numerals.ts'
import { named } from '../../kernel/schema.ts'
import { toExportFormat, toImportFormat } from '../../engine/extensions/handler-format.ts'
import { ExportTableRequest, ObjectActionResult } from '../../engine/object/schema.ts'
import { Formats } from '../../engine/sheets/formats.ts'
import type { RequestCall } from '../../server/call.ts'
import { AUTHENTICATED, namedGate, passObjectGate } from '../../server/gate.ts'
import { IDEMPOTENT } from '../../server/idempotent-response.ts'
import { ok } from '../../server/reply.ts'
import { MULTIPART } from '../../server/route-table.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { EXPORT_GATE, exportBy } from './export-routes.ts'
import {
  type FoundHandler,
  HandlerEntry,
  listHandlers,
  planUse,
  requireHandler,
} from './handler.ts'
import type { FormFields } from './import-form.ts'
import { IMPORT_FORM, receiveImport } from './import-routes.ts'

/** Area of the handlers in the OpenAPI document. */
export const HANDLERS = {
  name: 'Handlers',
  description: 'File formats of exports and imports: the engine’s own and those of extensions.',
}

const LIST_HANDLERS = {
  'x-gate': AUTHENTICATED,
  operationId: 'listHandlers',
  summary: 'The file formats that the caller may export to and import from',
  description:
    'csv, xlsx and jsonl are the engine’s own; extensions in the data folder add others ' +
    '(`appengine types` tells how). One entry for each Kind.',
}

const EXPORT_BY_HANDLER = {
  'x-gate': namedGate(
    'Export on the Resource of the handler, View and Export on the object',
    'body',
    async (call) => {
      const handler = await requireHandler(call, textMember(call.params, 'name') ?? '', 'Export')
      return { handler, use: passObjectGate(EXPORT_GATE, call) }
    },
  ),
  'x-example': {
    ObjectName: 'orders',
    Filters: [{ Field: 'Status', Operator: 'eq', Value: 'new' }],
    Fields: ['Number', 'OrderedAt', 'Total'],
  },
  operationId: 'exportByHandler',
  summary: 'Export a grid in a handler’s format',
  description:
    'As export-data; `Format` is one of the handler’s Formats, and `Parameters` hold the ' +
    'handler’s own, too. An extension writes the file in a process of its own, which is ended ' +
    'after `Svc:Scripts:Timeout`. Gate: Export on its Resource; View and Export on the object.',
}

const HANDLER_FORM = named(
  'HandlerImportRequest',
  Type.Unsafe({
    ...IMPORT_FORM,
    properties: {
      ...IMPORT_FORM.properties,
      format: { type: 'string', description: 'One of the handler’s Formats' },
      parameters: { type: 'string', description: 'The handler’s, a JSON object' },
    },
  }),
)

const IMPORT_BY_HANDLER = {
  ...MULTIPART,
  ...IDEMPOTENT,
  requestBody: {
    required: true,
    content: {
      'multipart/form-data': {
        schema: HANDLER_FORM,
      },
    },
  },
  'x-gate': namedGate('Import on the Resource of the handler and on the object', 'path', (call) =>
    requireHandler(call, textMember(call.params, 'name') ?? '', 'Import'),
  ),
  operationId: 'importByHandler',
  summary: 'Import the rows of a file in a handler’s format',
  description:
    'As import-data. An extension reads the file in a process of its own, which is ended after ' +
    '`Svc:Scripts:Timeout`. Gate: Import on its Resource and on the object.',
}

const byName = Type.Object({
  name: Type.String({ description: 'Name of the handler', examples: ['csv'] }),
})

/** Gates: of the handler, before anything is read, and of the object. */
export const HANDLER_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/handlers',
  area: HANDLERS.name,
  routes: [
    route(
      'GET',
      '',
      { response: Envelope(Type.Array(HandlerEntry)), detail: LIST_HANDLERS },
      async (call) => ok(await listHandlers(call)),
    ),
    route(
      'POST',
      '/:name/export',
      {
        params: byName,
        body: ExportTableRequest,
        response: Envelope(ObjectActionResult),
        detail: EXPORT_BY_HANDLER,
      },
      async (call) => {
        const { handler } = await call.found
        const findUse = async () => (await call.found).use
        return ok(await exportBy(call, handler, { body: call.body, findUse }))
      },
    ),
    route(
      'POST',
      '/:name/import',
      { params: byName, response: Envelope(ObjectActionResult), detail: IMPORT_BY_HANDLER },
      async (call) => importBy(call, await call.found),
    ),
  ],
}

async function importBy(call: RequestCall, handler: FoundHandler): Promise<Response> {
  if ('builtIn' in handler) {
    const choose = () => ({ formats: call.app.formats, format: handler.builtIn })
    return receiveImport(call, choose)
  }
  return receiveImport(call, (fields) => {
    const parameters = readParameters(fields)
    const use = planUse(call, handler, { format: fields.get('format'), parameters })
    const format = toImportFormat(use)
    const formats = new Formats()
    formats.addImport(format)
    // Left-out rows are given back in their own format, or as csv if the handler cannot write.
    const { CanExport } = handler.handler.part
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
    const given = parseJsonExactly(text)
    if (typeof given === 'object' && given !== null && !Array.isArray(given)) return { ...given }
  } catch {
    // Refused below, like any other text that is not an object.
  }
  throw invalid(say`parameters must be a JSON object`)
}
