/** The object routes with their gates and schemas, and their text in the OpenAPI document. */
import { Type } from '@sinclair/typebox'
import { textMember } from '../../kernel/members.ts'
import { MetadataResult } from '../../engine/object/metadata-schema.ts'
import { requireView } from '../../engine/object/read/find-view.ts'
import {
  DeleteRowRequest,
  ExecuteRowActionRequest,
  FieldDataSetRequest,
  FieldDataSetResult,
  FormRequest,
  FormResult,
  ObjectActionResult,
  SequenceNumberRequest,
  SubmitRequest,
  TableRequest,
  TableResult,
} from '../../engine/object/schema.ts'
import { findAction, requireActionGrant } from '../../engine/object/write/mutation-rights.ts'
import { DIRECT } from '../../server/direct-route.ts'
import { AUTHENTICATED, namedGate, objectGate } from '../../server/gate.ts'
import { IDEMPOTENT } from '../../server/idempotent-response.ts'
import { TAGGED } from '../../server/reply.ts'
import { SAFE } from '../../server/route-table.ts'
import { Envelope } from '../../server/schema.ts'

const byName = Type.Object({
  name: Type.String({ description: 'Name or slug of the object', examples: ['orders'] }),
})

const KEY_HELP = 'The key and the parents, by field name.'

export const GET_METADATA = {
  params: byName,
  response: Envelope(MetadataResult),
  detail: {
    ...TAGGED,
    'x-gate': AUTHENTICATED,
    operationId: 'getObjectMetadata',
    summary: 'The definition of an object',
    description:
      'Fields, keys, sections, presets, details, actions and rules, the same for every caller ' +
      'and without any SQL. A preset with `Default` is the client’s to begin with: the server ' +
      'applies none that a request does not name. Carries an ETag; `If-None-Match` is answered ' +
      'with 304.',
  },
}

export const LOAD_TABLE = {
  params: byName,
  body: TableRequest,
  response: Envelope(TableResult),
  detail: {
    ...SAFE,
    ...DIRECT,
    'x-gate': objectGate('path', 'View'),
    'x-example': {
      Filters: [{ Field: 'Status', Operator: 'eq', Value: 'new' }],
      Sort: [{ Field: 'OrderedAt', Direction: 'desc' }],
      Page: 1,
      PageSize: 20,
    },
    operationId: 'loadTable',
    summary: 'A page of rows',
    description:
      'Rows are held to the caller’s company and List filter. Filters take the operators eq ne ' +
      'lt le gt ge contains notContains startsWith notStartsWith endsWith notEndsWith in notIn ' +
      'between isNull isNotNull; dates also take words (today, thisWeek, lastMonth, last7Days, ' +
      'yearToDate …) in the caller’s zone. Gate: View.',
  },
}

export const LOAD_FORM = {
  params: byName,
  body: FormRequest,
  response: Envelope(FormResult),
  detail: {
    ...SAFE,
    ...DIRECT,
    'x-gate': objectGate('path', 'View', 'Update'),
    'x-example': { Parameters: { Id: 400 } },
    operationId: 'loadForm',
    summary: 'One record for editing, or the defaults of a new one',
    description:
      `${KEY_HELP} Without a key: the values that a new record begins with. ` +
      'Gate: View or Update.',
  },
}

export const LOAD_VIEW = {
  params: byName,
  body: FormRequest,
  response: Envelope(FormResult),
  detail: {
    ...SAFE,
    ...DIRECT,
    'x-gate': objectGate('path', 'View'),
    'x-example': { Parameters: { Id: 400 } },
    operationId: 'loadView',
    summary: 'One record, read-only',
    description: `${KEY_HELP} Gate: View.`,
  },
}

export const SUBMIT = {
  body: SubmitRequest,
  response: Envelope(ObjectActionResult),
  detail: {
    ...IDEMPOTENT,
    ...DIRECT,
    'x-gate': objectGate('FormName', 'Create', 'Update'),
    'x-example': {
      FormName: 'orders',
      Parameters: { Id: 400, Reference: 'PO 4711', RowVersion: '1' },
    },
    operationId: 'submit',
    summary: 'Create or update a record',
    description:
      'The key of a stored record makes it an update, none makes a create. What the caller may ' +
      'not write is dropped. A stale RowVersion is answered with 409 and what has changed; ' +
      '`OnConflict: "merge"` lets through a change that touches none of the fields that moved. ' +
      'Gate: Create or Update.',
  },
}

export const DELETE_ROW = {
  body: DeleteRowRequest,
  response: Envelope(ObjectActionResult),
  detail: {
    ...IDEMPOTENT,
    ...DIRECT,
    'x-gate': objectGate('ObjectName', 'Delete'),
    'x-example': {
      ObjectName: 'orders',
      Parameters: { Id: 383 },
      RowVersion: '1',
    },
    operationId: 'deleteRow',
    summary: 'Delete a record',
    description: 'Gate: Delete.',
  },
}

export const EXECUTE_ROW_ACTION = {
  body: ExecuteRowActionRequest,
  response: Envelope(ObjectActionResult),
  detail: {
    ...IDEMPOTENT,
    ...DIRECT,
    'x-gate': namedGate('the capability of the action, else Update', 'body', (call): undefined => {
      const name = textMember(call.body, 'ObjectName')
      if (name === undefined) return
      requireActionGrant(call, findAction(requireView(call.model, name), call.body))
    }),
    'x-example': {
      ObjectName: 'orders',
      ActionName: 'Approve',
      Parameters: { Id: 396, Remark: 'Checked' },
    },
    operationId: 'executeRowAction',
    summary: 'Run a declared action',
    description:
      'On the row of the key in Parameters, on the rows of Keys, or on none, as the action ' +
      'declares. Gate: the action’s capability, or Update.',
  },
}

export const LOAD_FIELD_DATASET = {
  body: FieldDataSetRequest,
  response: Envelope(FieldDataSetResult),
  detail: {
    ...SAFE,
    'x-gate': AUTHENTICATED,
    'x-example': {
      FormName: 'order-entry',
      FieldName: 'CustomerId',
      SearchText: 'C-00003',
    },
    operationId: 'loadFieldDataSet',
    summary: 'The options of a field',
    description:
      'Rows of the field’s DataSet, of the view that it looks up (those that the caller may ' +
      'List), of the company’s users, or its static options, as `{Value, Label}` and the ' +
      'query’s further columns, every value a string. Parameters hold the record’s present ' +
      'values, of which those count that the caller may write and may pick, the key and ' +
      'parents; of the rest what the stored record holds. The options may depend on them, and ' +
      'the value that the stored record has is labelled also where it is no option any more. ' +
      'One exact hit of SearchText comes alone. A field whose Default depends on others and ' +
      'that has no rows of its own gives that default as the one entry; `Default: true` asks ' +
      'for it elsewhere. Gate: authentication; who may not see the form, or may not run the ' +
      'action whose parameter it is, gets none of its rows.',
  },
}

export const GET_SEQUENCE_NUMBER = {
  body: SequenceNumberRequest,
  response: Envelope(Type.String()),
  detail: {
    'x-gate': AUTHENTICATED,
    'x-example': { SequenceName: 'OrderNumber' },
    operationId: 'getSequenceNumber',
    summary: 'A number of a sequence, as a preview or reserved',
    description:
      'Without Reserve: the number that the next new record would draw; nothing is used up. ' +
      'With Reserve it is the caller’s for 24 hours: a submit that gives it in that field uses ' +
      'it, and one that is not used goes out again, the lowest first, so that no number is ' +
      'lost. At most 100 of a sequence at a time. `{Field:Name}` of the format is filled from ' +
      'Parameters as a new record would be, and from the record when it is stored. Gate: ' +
      'authentication; to those who may not Create a record that draws from the sequence, it is ' +
      'not there (404).',
  },
}

export const GET_LABEL = {
  params: Type.Object({ objectName: Type.String({ examples: ['orders'] }) }),
  response: Envelope(Type.String()),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'getObjectLabel',
    summary: 'The display label of an object',
    description: 'Gate: authentication.',
  },
}
