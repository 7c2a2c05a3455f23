/** What the OpenAPI document says of handlers. */
import { AUTHENTICATED, namedGate } from '../../server/gate.ts'
import { IDEMPOTENCY_PARAMETER } from '../../server/once.ts'
import { MULTIPART } from '../../server/route-table.ts'
import { IMPORT_FORM } from './import-operations.ts'

export const LIST_HANDLERS = {
  'x-gate': AUTHENTICATED,
  operationId: 'listHandlers',
  summary: 'The file formats that the caller may export to and import from',
  description:
    'csv, xlsx and jsonl are the engine’s own; extensions in the data folder add others ' +
    '(`appengine types` tells how). One entry for each Kind.',
}

export const EXPORT_BY_HANDLER = {
  'x-gate': namedGate('Export on the Resource of the handler, View and Export on the object'),
  operationId: 'exportByHandler',
  summary: 'Export a grid in a handler’s format',
  description:
    'As export-data; `Format` is one of the handler’s Formats, and `Parameters` hold the ' +
    'handler’s own, too. An extension writes the file in a process of its own, which is ended ' +
    'after `Svc:Scripts:Timeout`. Gate: Export on its Resource; View and Export on the object.',
}

export const IMPORT_BY_HANDLER = {
  ...MULTIPART,
  parameters: [IDEMPOTENCY_PARAMETER],
  requestBody: {
    required: true,
    content: {
      'multipart/form-data': {
        schema: {
          ...IMPORT_FORM,
          properties: {
            ...IMPORT_FORM.properties,
            format: { type: 'string' as const, description: 'One of the handler’s Formats' },
            parameters: { type: 'string' as const, description: 'The handler’s, a JSON object' },
          },
        },
      },
    },
  },
  'x-gate': namedGate('Import on the Resource of the handler and on the object'),
  operationId: 'importByHandler',
  summary: 'Import the rows of a file in a handler’s format',
  description:
    'As import-data. An extension reads the file in a process of its own, which is ended after ' +
    '`Svc:Scripts:Timeout`. Gate: Import on its Resource and on the object.',
}
