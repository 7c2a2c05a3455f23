/** The operations of `/api/v1/impersonation` as the OpenAPI document tells them. */
import { AUTHENTICATED, rolesGate } from '../../server/gate.ts'
import { Envelope } from '../../server/schema.ts'
import { Tokens } from '../../server/token-schema.ts'
import { StartRequest } from './schema.ts'

export const START = {
  body: StartRequest,
  response: Envelope(Tokens),
  detail: {
    'x-gate': rolesGate('System'),
    operationId: 'startImpersonation',
    summary: 'Act as another user for some minutes',
    description:
      'The tokens are the user’s, with their rights and rows in the company of their last ' +
      'sign-in, and carry the claim `act` (RFC 8693). All that is written is audited under both ' +
      'names. The session ends after its minutes, with the session that began it, and when the ' +
      'impersonator is locked or is System no longer. Passwords, second factors, users, roles ' +
      'and companies cannot be changed in it. Gate: System.',
  },
}

export const STOP = {
  response: Envelope(Tokens),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'stopImpersonation',
    summary: 'Be oneself again',
    description:
      'Ends the session that acts as another user and gives new tokens of the one that began ' +
      'it, which lives no longer for it. 400 from any other session. From another network than ' +
      'the one that began it, it only ends (401 IMPERSONATION_ENDED): go on with your own tokens.',
  },
}
