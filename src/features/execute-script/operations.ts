/** The operations of `/api/v1/svc/execute-script` as the OpenAPI document tells them. */
import { Type } from '@sinclair/typebox'
import { AUTHENTICATED, namedGate } from '../../server/gate.ts'
import { Envelope } from '../../server/schema.ts'
import { ExecuteScriptRequest, ExecuteScriptResult, ScriptEntry } from './schema.ts'

export const LIST_REGISTERED_SCRIPTS = {
  response: Envelope(Type.Array(ScriptEntry)),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'listRegisteredScripts',
    summary: 'The scripts that the caller may execute, with their parameters',
    description: 'Extensions in the data folder register them; `appengine types` tells how.',
  },
}

export const EXECUTE_SCRIPT = {
  body: ExecuteScriptRequest,
  response: Envelope(ExecuteScriptResult),
  detail: {
    'x-gate': namedGate('Execute on the Resource of the script'),
    operationId: 'executeScript',
    summary: 'Run a script and wait for its result',
    description:
      'The script runs in a process of its own, as the caller: what it reads and writes is held ' +
      'to their company and their permissions, and what it has written before it fails stays. ' +
      'One that takes longer than `Svc:Scripts:Timeout` or more memory than ' +
      '`Svc:Scripts:MaxMemory` is ended: 400. Gate: Execute on its Resource.',
  },
}
