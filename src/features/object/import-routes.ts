/**
 * Imports and taking them back: `/api/v1/svc/object/import-data` (src/server/README.md, Object
 * endpoints). The form is received, its file on the disk, before its rows are read.
 */
import { Type } from '@sinclair/typebox'
import { textMember } from '../../kernel/members.ts'
import { idDigits, named } from '../../kernel/schema.ts'
import { cancelOwnJob } from '../../engine/jobs/own-jobs.ts'
import { ImportPreview } from '../../engine/object/import-schema.ts'
import { importData } from '../../engine/object/import/import-data.ts'
import { previewImport } from '../../engine/object/import/import-preview.ts'
import type { ImportRequest } from '../../engine/object/import/import-request.ts'
import { requireImport, undoImport, undoRight } from '../../engine/object/import/import-undo.ts'
import type { ImportFile } from '../../engine/object/import/import-work.ts'
import { ObjectActionResult } from '../../engine/object/schema.ts'
import type { Formats } from '../../engine/sheets/formats.ts'
import type { RequestCall } from '../../server/call.ts'
import { AUTHENTICATED, formGate, namedGate } from '../../server/gate.ts'
import {
  answerIdempotent,
  IDEMPOTENT,
  type RecordResponse,
  takeKey,
} from '../../server/idempotent-response.ts'
import { planMutation } from '../../server/mutation.ts'
import { ok } from '../../server/reply.ts'
import { MULTIPART } from '../../server/route-table.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { type ChooseFormat, receiveForm } from './import-form.ts'
import { answerLater, describeImportJob, ImportJob, requireImportJob } from './import-job.ts'
import { findLimits, planParts } from './import-limits.ts'

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

/** Customers of an earlier program, with their numbers and authors. */
const HISTORY_EXAMPLE = {
  objectName: 'customers',
  takeover: 'true',
  file:
    'Id,Code,Name,Region,Active,CreatedAt,CreatedBy\n' +
    '90001,K-0815,Old Mill,Hills,true,2011-03-01T08:00:00Z,\n',
}

/** The form, field by field; the file comes last. */
export const IMPORT_FORM = {
  type: 'object' as const,
  required: ['objectName', 'file'],
  properties: {
    objectName: text('Name or slug of the object; before the file'),
    format: text('csv, xlsx, jsonl, xls, xlsb or ods; else the name of the file tells'),
    mode: text('insert where it is left out', ['insert', 'update', 'upsert']),
    keyFields: text('Fields that tell a stored record, parted by commas; the key by default'),
    onError: text('abort writes all rows or none; skip the good ones', ['abort', 'skip']),
    dryRun: text('true: everything is checked, nothing is written', ['true', 'false']),
    mapping: text('JSON object of heads and field names; null leaves a column out'),
    sheet: text('Of a workbook; else the first, with those that continue it'),
    cells: text('Mended cells by line and head: `{"12": {"Price": "19.90"}}`'),
    culture: text(
      'How the file writes numbers, days, yes and no, as de-DE or en-US; by default the ' +
        'language of the request, where the file alone does not tell: of a column of days as ' +
        '03/04/2026 one with a day over 12 tells the order for all, and what nothing tells ' +
        '(plain en is written in both orders) is refused (`DAY_ORDER_UNKNOWN`)',
    ),
    keepKeys: text(
      'true: new records keep the Identity keys of the file and its numbers of sequences, and ' +
        'the server continues after them; without it a file that has such is refused',
      ['true', 'false'],
    ),
    takeover: text(
      'true: history comes in as it was, for System alone: keys, numbers, read-only and tracking ' +
        'columns of the file are kept (keepKeys is meant), nothing is notified, mailed, sent to ' +
        'webhooks or begun in a workflow, and the audit log names it',
      ['true', 'false'],
    ),
    operationId: text('By which the hub tells how far the import is'),
    background: text(
      'true: a job imports the file, and a notification tells how it went; the answer is `JobId`',
      ['true', 'false'],
    ),
    file: { type: 'string' as const, format: 'binary', description: 'Its first row is the head' },
  },
}

const { objectName, format, sheet, file } = IMPORT_FORM.properties

const PREVIEW_FORM = {
  type: 'object' as const,
  required: ['objectName', 'file'],
  properties: { objectName, format, sheet, file },
}

const PREVIEW_EXAMPLE = { objectName: 'products', file: EXAMPLE.file }

const IMPORT_DATA = {
  response: Envelope(ObjectActionResult),
  detail: {
    ...MULTIPART,
    ...IDEMPOTENT,
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': {
          schema: named('ImportTableRequest', Type.Unsafe(IMPORT_FORM)),
          examples: {
            prices: { summary: 'New prices', value: EXAMPLE },
            history: { summary: 'History', value: HISTORY_EXAMPLE },
          },
        },
      },
    },
    'x-gate': formGate(
      'Import on the object that the form names; to match records, View or List too; for a ' +
        'takeover System',
    ),
    operationId: 'importData',
    summary: 'Import the rows of a file',
    description:
      'Heads are field names or labels, of any language. A reference under its Name (`TeamId`) ' +
      'takes keys, and labels too; under its Label (`Team`) labels, and no number that the ' +
      'server gave; options likewise. A head that is one field’s Name and another’s Label is ' +
      'refused (`AMBIGUOUS_HEAD`) unless `mapping` names the field. Lists take a JSON list like ' +
      '`[1,2]`, or labels as `red, blue`; blank cells are no value, or an empty list; columns ' +
      'that the file does not have keep what is stored. A row may point to a row of the same ' +
      'file, in any order. A formula without a stored value is a fault of its cell. What is not ' +
      'the caller’s to write is named in `Ignored`. A file with values for a key or a number ' +
      'that the server gives is refused (`KEYS_NOT_KEPT`), unless `keepKeys=true` keeps them. ' +
      'With `takeover=true` System brings history in as it was: every stored column of the file ' +
      'but computed ones is kept, no effect runs, and rules hold all the same; all others get ' +
      '401. The form sends its fields before its file. All rows are checked like a submit and ' +
      'written in one transaction; stored records that moved meanwhile are not overwritten (409, ' +
      '`IMPORT_OVERTAKEN`). With `onError=abort` (default) one bad row refuses all: ' +
      '`fieldErrors` is keyed `Rows[12].Email` by the line of the file, its head being line 1, ' +
      'for the first 1,000. With `onError=skip` `ErrorFile` holds the rows that were left out, ' +
      'with a column Error; a dry run lists the first in `Faults`. Body up to ' +
      '`Svc:Uploads:MaxImportBytes`. With `background=true` a job does it with the rights at ' +
      'that time, one import of a user after another: progress is ' +
      'told under `job:<JobId>`, a notification (kind Import) has the counts, or what is wrong; ' +
      'at most 20 may wait (429). While an import is written, other writes wait, up to ' +
      '`Svc:Writer:MaxWait`; reads go on. Gate: Import; update and upsert also View or List.',
  },
}

const UNDO_IMPORT = {
  params: Type.Object({ importId: Type.String({ description: 'ImportId of its answer' }) }),
  response: Envelope(ObjectActionResult),
  detail: {
    ...IDEMPOTENT,
    'x-gate': namedGate(
      'Import on the object of the import (Update where it is a bulk edit), with Delete or ' +
        'Update as it takes; its maker or System',
      'path',
      (call) => requireImport(planMutation(call), textMember(call.params, 'importId') ?? ''),
    ),
    operationId: 'undoImport',
    summary: 'Take an import or a bulk edit back',
    description:
      'Removes the records that it made and puts back those that it changed, in one transaction, ' +
      'while nothing else has changed them and they are among the caller’s rows; else 409, which ' +
      'tells how many are not. For `Svc:Imports:UndoFor` after the import. Gate: Import (of a ' +
      'bulk edit Update), its maker or System; Delete for records that it made, Update for those ' +
      'that it changed.',
  },
}

const IMPORT_PREVIEW = {
  response: Envelope(ImportPreview),
  detail: {
    ...MULTIPART,
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': {
          schema: named('ImportPreviewRequest', Type.Unsafe(PREVIEW_FORM)),
          examples: { prices: { summary: 'New prices', value: PREVIEW_EXAMPLE } },
        },
      },
    },
    'x-gate': formGate('Import on the object that the form names'),
    operationId: 'previewImport',
    summary: 'Read the beginning of a file',
    description:
      'Sheets, head and first 20 rows, the field that each head says, and those that columns may ' +
      'be mapped to. Of a text its beginning is enough. Gate: Import.',
  },
}

const OF_JOB = {
  params: Type.Object({ jobId: idDigits('JobId of its answer', 1) }),
  response: Envelope(ImportJob),
}

const GET_IMPORT_JOB = {
  ...OF_JOB,
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'getImportJob',
    summary: 'How far an import in the background is',
    description: 'Gate: who asked for it, with Import still.',
  },
}

const CANCEL_IMPORT_JOB = {
  ...OF_JOB,
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'cancelImportJob',
    summary: 'Cancel an import in the background',
    description: 'Nothing of it is written. Gate: who asked for it.',
  },
}

/** Gate: Import on the object that the form names, before its file is read. */
export const IMPORT_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/object',
  area: 'Objects',
  routes: [
    route('POST', '/import-data', IMPORT_DATA, (call) => receiveImport(call)),
    route('POST', '/import-preview', IMPORT_PREVIEW, (call) => preview(call)),
    route('GET', '/import-data/:jobId', GET_IMPORT_JOB, async (call) => {
      const job = await requireImportJob(call, Number(call.params.jobId))
      return ok(describeImportJob(call.app, job, call.language))
    }),
    route('DELETE', '/import-data/:jobId', CANCEL_IMPORT_JOB, async (call) => {
      const job = await requireImportJob(call, Number(call.params.jobId))
      await cancelOwnJob(call.app, call.caller, job)
      const left = await requireImportJob(call, job.Id)
      return ok(describeImportJob(call.app, left, call.language))
    }),
    route(
      'POST',
      '/import-data/:importId/undo',
      UNDO_IMPORT,
      (call) =>
        answerIdempotent(call, (recordResponse) =>
          undoImport(planMutation(call, recordResponse), call.params.importId),
        ),
      {
        // A caller who may not take it back gets no remembered answer either.
        before: async (call) => {
          const { grant, entry } = await call.found
          await takeKey(call, [{ resource: grant.resource, rights: [undoRight(entry)] }], {})
        },
      },
    ),
  ],
}

async function preview(call: RequestCall) {
  await using received = await receiveForm(call)
  const { app, language, locale } = call
  const { requested, file } = received
  const parts = planParts(app, { formats: app.formats, progress: app.progress, language, locale })
  return ok(
    await findLimits(app).previews.run(
      () => previewImport(planMutation(call), parts, requested, file),
      String(call.caller.userId),
    ),
  )
}

/**
 * Receives a form with its file, and imports it when its turn comes, or has a job do it.
 * @throws what `importData` throws, tooLarge, tooMany, unavailable.
 */
export async function receiveImport(call: RequestCall, choose?: ChooseFormat): Promise<Response> {
  await using received = await receiveForm(call, choose)
  const { requested, fields, file: sent, formats } = received
  if (requested.background) {
    if (requested.format === undefined) await formats.requireReadable(sent)
    return await answerLater(call, { requested, fields, file: sent })
  }
  // The file is there as long as this function runs.
  const { semaphore } = findLimits(call.app)
  return await answerIdempotent(call, (recordResponse) =>
    semaphore.run(
      () => importFile(call, recordResponse, requested, { file: sent, formats }),
      String(call.caller.userId),
    ),
  )
}

function importFile(
  call: RequestCall,
  recordResponse: RecordResponse,
  requested: ImportRequest,
  sent: { file: ImportFile; formats: Formats },
): Promise<ObjectActionResult> {
  const { app, language, locale } = call
  const { formats } = sent
  // An import is found done by a repeat under its key; a check is of no use to who has left.
  const signal = requested.dryRun ? call.signal : undefined
  const parts = planParts(app, { formats, progress: app.progress, language, locale, signal })
  return importData(planMutation(call, recordResponse), parts, requested, sent.file)
}
