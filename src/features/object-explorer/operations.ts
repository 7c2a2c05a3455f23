/** The operations of the object explorer as the OpenAPI document tells them. */
import { Type } from '@sinclair/typebox'
import { QueryRequest, QueryResult } from '../../engine/explorer/schema.ts'
import { AUTHENTICATED, objectGate } from '../../server/gate.ts'
import { SAFE } from '../../server/route-table.ts'
import { Envelope } from '../../server/schema.ts'
import { ObjectDescription, ObjectNode } from './schema.ts'

export const LIST_OBJECTS = {
  response: Envelope(Type.Array(ObjectNode)),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'listObjects',
    summary: 'The objects that the caller may list, by entity',
    description: 'Gate: authentication.',
  },
}

export const DESCRIBE_OBJECT = {
  params: Type.Object({ name: Type.String({ description: 'Name or slug of the object' }) }),
  response: Envelope(ObjectDescription),
  detail: {
    'x-gate': objectGate('path', 'List'),
    operationId: 'describeObject',
    summary: 'An object with its fields, its relations and where it is used',
    description: 'As far as the caller sees them: fields, other objects, reports. Gate: List.',
  },
}

export const RUN_QUERY = {
  body: QueryRequest,
  response: Envelope(QueryResult),
  detail: {
    ...SAFE,
    'x-gate': objectGate('ObjectName', 'List'),
    operationId: 'queryObject',
    summary: 'An ad-hoc query over an object',
    description:
      'Rows of Fields, or groups of GroupBy with Aggregates, held to the caller’s rows and ' +
      'fields. Sums of Decimals are exact; an average has the decimals of its field (at least ' +
      'two; six for whole numbers). Groups of references and options have their label beside ' +
      'them, as `<Field>__Label`. A date is grouped by `:day`, `:month`, `:quarter` or `:year` ' +
      'in the caller’s zone. Gate: List.',
  },
}
