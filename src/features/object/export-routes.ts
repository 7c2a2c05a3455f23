/**
 * Exports, the files that they make, and templates for imports (src/server/README.md, Object
 * endpoints).
 */
import { Elysia } from 'elysia'
import { Type } from '@sinclair/typebox'
import { makeImportTemplate } from '../../engine/object/import/import-template.ts'
import { ExportTableRequest, ObjectActionResult } from '../../engine/object/schema.ts'
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { AppContext } from '../../server/context.ts'
import { AUTHENTICATED, found, objectGate } from '../../server/gate.ts'
import { answerFile } from '../../server/file-answer.ts'
import { ok } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf, languageOf } from '../../server/session.ts'
import { EXPORT_DATA, exportAny, findExportParts } from './export-by.ts'

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
    'The heads of what an import takes; in a workbook with the options to choose from and what ' +
    'belongs where. It is fetched by `File.Url`. Gate: Import.',
}

/** Gates stand on each route. */
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
