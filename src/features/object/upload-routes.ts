/** Temporary uploads: `/api/v1/svc/object/upload` (src/server/README.md, Object endpoints). */
import { Type } from '@sinclair/typebox'
import { renderMessage, say } from '../../kernel/messages.ts'
import { FileUploadResult, UPLOAD_FORM } from '../../engine/files/schema.ts'
import { deleteUpload } from '../../engine/files/uploads.ts'
import { AUTHENTICATED } from '../../server/gate.ts'
import { IDEMPOTENT } from '../../server/idempotent-response.ts'
import { ok } from '../../server/reply.ts'
import { MULTIPART } from '../../server/route-table.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { Uploading, uploadParts } from './upload.ts'

const UPLOAD = {
  response: Envelope(Type.Array(FileUploadResult)),
  detail: {
    ...MULTIPART,
    ...IDEMPOTENT,
    requestBody: { required: true, content: { 'multipart/form-data': { schema: UPLOAD_FORM } } },
    'x-gate': AUTHENTICATED,
    operationId: 'uploadFiles',
    summary: 'Upload files for a record',
    description:
      'Files wait for 24 hours; a submit that gives their keys to the File field takes them ' +
      'over. The names must come before the files: a caller who may not fill the field is ' +
      'refused before a file is read. Types are found in the files’ bytes. Limits: 100 MB a file ' +
      '(`Svc:Uploads:MaxFileBytes`), the column’s MaxBytes, Accept and MaxCount, and what a ' +
      'user’s waiting files may take together (`Svc:Uploads:UserQuota`). Gate: authentication, ' +
      'and Create or Update on the object.',
  },
}

const DELETE_UPLOAD = {
  params: Type.Object({
    uploadKey: Type.String({ examples: ['01a20064-4dfb-766c-8a31-5a1f6f9f8f11'] }),
  }),
  response: Envelope(Type.String()),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'deleteUpload',
    summary: 'Remove an upload before its submit',
    description: 'Of one’s own uploads; any other key is not there. Gate: authentication.',
  },
}

/** Gate: authentication; the caller must be able to fill the field. */
export function uploadRoutes(): RouteGroup {
  const uploading = new Uploading()
  return {
    prefix: '/api/v1/svc/object',
    area: 'Objects',
    routes: [
      route('POST', '/upload', UPLOAD, (call) => uploading.receive(call)),
      route('DELETE', '/upload/:uploadKey', DELETE_UPLOAD, async (call) => {
        await deleteUpload(uploadParts(call.app), call.caller, call.params.uploadKey)
        return ok(renderMessage(say`The upload was removed`, call.language))
      }),
    ],
  }
}
