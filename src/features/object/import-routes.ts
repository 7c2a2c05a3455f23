/**
 * Imports and taking them back: `/api/v1/svc/object/import-data` (src/server/README.md, Object
 * endpoints).
 */
import { Elysia } from 'elysia'
import { Type } from '@sinclair/typebox'
import { undoImport } from '../../engine/object/import/import-undo.ts'
import { ObjectActionResult } from '../../engine/object/schema.ts'
import type { AppContext } from '../../server/context.ts'
import { found, type Incoming } from '../../server/gate.ts'
import { planMutation } from '../../server/mutation.ts'
import { answerIdempotent, takeKeyNow } from '../../server/idempotent-response.ts'
import { Envelope } from '../../server/schema.ts'
import { receiveImport } from './import.ts'
import { IMPORT_DATA, UNDO_IMPORT } from './import-operations.ts'

/** Gate: Import on the object that the form names, before its file is read. */
export function importRoutes(app: AppContext) {
  return new Elysia({ prefix: '/api/v1/svc/object', strictPath: true, tags: ['Objects'] })
    .post('/import-data', ({ request }) => receiveImport(app, request), {
      response: Envelope(ObjectActionResult),
      detail: IMPORT_DATA,
    })
    .post(
      '/import-data/:importId/undo',
      ({ params, request }) =>
        answerIdempotent(request, (recordResponse) =>
          undoImport(planMutation(app, request, recordResponse), params.importId),
        ),
      {
        params: Type.Object({ importId: Type.String({ description: 'ImportId of its answer' }) }),
        response: Envelope(ObjectActionResult),
        // Who may not take it back gets no remembered answer either.
        transform: async ({ request, params }: Incoming) => {
          const { grant } = await found(app, UNDO_IMPORT, { request, params })
          const gate = { resource: grant.resource, rights: ['Import'] }
          await takeKeyNow(app, { request, body: {} }, () => [gate])
        },
        detail: UNDO_IMPORT,
      },
    )
}
