/** What the OpenAPI document says of exports and templates. A data table. */
import { AUTHENTICATED, everyGate, objectGate } from '../../server/gate.ts'

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

const WHOLE = {
  'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
} as const

export const GET_EXPORT_FILE = {
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

export const GET_IMPORT_TEMPLATE = {
  'x-gate': objectGate('path', 'Import'),
  operationId: 'getImportTemplate',
  summary: 'A file to fill in for an import',
  description:
    'The heads of what an import takes; in a workbook with the options to choose from and what ' +
    'belongs where. It is fetched by `File.Url`. Gate: Import.',
}
