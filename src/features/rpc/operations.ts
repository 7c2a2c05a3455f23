/** The operations of procedures as the OpenAPI document tells them. */
import { Type } from '@sinclair/typebox'
import { AUTHENTICATED, namedGate } from '../../server/gate.ts'
import { IDEMPOTENCY_PARAMETER } from '../../server/once.ts'
import { Envelope } from '../../server/schema.ts'
import { CallRequest, CallResult, ProcedureDescription, ProcedureEntry } from './schema.ts'

const EXECUTE = namedGate('Execute on the resource of the procedure')
const byName = Type.Object({ name: Type.String({ description: 'Name of the procedure' }) })

export const LIST_PROCEDURES = {
  response: Envelope(Type.Array(ProcedureEntry)),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'listProcedures',
    summary: 'The procedures that the caller may execute',
    description: 'Gate: authentication.',
  },
}

export const GET_PROCEDURE = {
  params: byName,
  response: Envelope(ProcedureDescription),
  detail: {
    'x-gate': EXECUTE,
    operationId: 'getProcedure',
    summary: 'A procedure with its parameters and results',
    description: 'Gate: Execute on its Resource, which is its Name unless it says another.',
  },
}

export const CALL_PROCEDURE = {
  params: byName,
  body: CallRequest,
  response: Envelope(CallResult),
  detail: {
    parameters: [IDEMPOTENCY_PARAMETER],
    'x-gate': EXECUTE,
    operationId: 'callProcedure',
    summary: 'Call a procedure',
    description:
      'Its declared parameters are checked like those of a row action; no other name is bound. A ' +
      'procedure that reads sees one state of the data; one that writes runs in one transaction, ' +
      'with rules, audit and events, and honours Idempotency-Key. More rows or bytes than ' +
      '`Svc:Results:MaxRows` and `MaxBytes` are a 400 that names the limit. Gate: Execute on its ' +
      'Resource, which is its Name unless it says another.',
  },
}
