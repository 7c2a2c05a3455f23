/**
 * Imports and taking them back: `/api/v1/svc/object/import-data` (src/server/README.md, Object
 * endpoints).
 */
import { Elysia } from 'elysia'
import { Type } from '@sinclair/typebox'
import { undoImport, requireImport } from '../../engine/object/import/import-undo.ts'
import { ObjectActionResult } from '../../engine/object/schema.ts'
import type { AppContext } from '../../server/context.ts'
import { found, formGate, namedGate, textMember } from '../../server/gate.ts'
import type { Incoming } from '../../server/gate.ts'
import { planMutation } from '../../server/mutation.ts'
import { answerIdempotent, takeKeyNow, IDEMPOTENT } from '../../server/idempotent-response.ts'
import { Envelope } from '../../server/schema.ts'
import { receiveImport } from './import.ts'
import { MULTIPART } from '../../server/route-table.ts'

const text = (description: string, values?: readonly string[]) => ({
  type: 'string' as const,
  description,
  ...(values && { enum: [...values] }),
})

/** New prices by article number; other articles are added. */
const EXAMPLE = {
  objectName: 'products',
  mode: 'upsert',
  keyFields: 'Sku',
  onError: 'skip',
  file: 'Article number,Name,Group,Price,Cost\nAB-4711,Claw hammer,Hand tools,19.90,9.50\n',
}

/** The form, field by field; the file stands last. */
export const IMPORT_FORM = {
  type: 'object' as const,
  required: ['objectName', 'file'],
  properties: {
    objectName: text('Name or slug of the object; before the file'),
    format: text('csv, xlsx, jsonl, xls, xlsb or ods; else the name of the file tells'),
    mode: text('insert unless told', ['insert', 'update', 'upsert']),
    keyFields: text('Fields that tell a stored record, parted by commas; the key unless told'),
    onError: text('abort writes all rows or none; skip the good ones', ['abort', 'skip']),
    dryRun: text('true: everything is checked, nothing is written', ['true', 'false']),
    mapping: text('JSON object of heads and field names; null leaves a column out'),
    culture: text(
      'How the file writes numbers, days, yes and no, as de-DE or en-US; unless told the ' +
        'language of the request, where the file alone does not tell',
    ),
    keepKeys: text(
      'true: new records keep the Identity keys of the file, and numbers go on behind them; ' +
        'without it a file that has such keys is refused',
      ['true', 'false'],
    ),
    operationId: text('By which the hub tells how far the import is'),
    file: { type: 'string' as const, format: 'binary', description: 'Its first row is the head' },
  },
}

const IMPORT_DATA = {
  ...MULTIPART,
  ...IDEMPOTENT,
  requestBody: {
    required: true,
    content: { 'multipart/form-data': { schema: IMPORT_FORM, example: EXAMPLE } },
  },
  'x-gate': formGate(
    'Import on the object that the form names; to match records, View or List too',
  ),
  operationId: 'importData',
  summary: 'Import the rows of a file',
  description:
    'Heads are field names or labels, of any language. Lookups and options take labels as well ' +
    'as values, lists of keys a JSON list like `[1,2]`; blank cells are no value, or an empty ' +
    'list; columns that the file does not have keep what is stored. A row may point to ' +
    'a row of the same file, in any order. A formula without a stored ' +
    'value is a fault of its cell. What is not the caller’s to write is named in `Ignored`. A ' +
    'file with values for a key that the server gives is refused, unless `keepKeys=true` keeps ' +
    'them. Fields of the form stand before its file. All rows are checked like a ' +
    'submit and written in one transaction; stored records that moved meanwhile are not ' +
    'overwritten (409, `IMPORT_OVERTAKEN`). With ' +
    '`onError=abort` (default) one bad row refuses all: `fieldErrors` is keyed `Rows[12].Email` ' +
    'by the line of the file, its head being line 1, for the first 1,000. With `onError=skip` ' +
    '`ErrorFile` holds the rows that were left out, with a column Error. Body up to ' +
    '`Svc:Uploads:MaxImportBytes`. While an import is written, other writes wait, up to ' +
    '`Svc:Writer:MaxWait`; reads go on. Gate: Import; update and upsert also View or List.',
}

const UNDO_IMPORT = {
  ...IDEMPOTENT,
  'x-gate': namedGate(
    'Import on the object of the import, with Delete or Update as it takes; its maker or System',
    'path',
    (app, { request, params }) =>
      requireImport(planMutation(app, request, undefined), textMember(params, 'importId') ?? ''),
  ),
  operationId: 'undoImport',
  summary: 'Take an import back',
  description:
    'Removes the records that it made and puts back those that it changed, in one transaction, ' +
    'while nothing else has changed them and they are among the caller’s rows; else 409, which ' +
    'tells how many are not. For ' +
    '`Svc:Imports:UndoFor` after the import. Gate: Import, its maker or System; Delete for ' +
    'records that it made, Update for those that it changed.',
}

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
