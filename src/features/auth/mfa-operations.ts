/** The operations of `/api/v1/auth/mfa` as the OpenAPI document tells them. */
import { Type } from '@sinclair/typebox'
import { AUTHENTICATED, authenticatedBefore, OPEN } from '../../server/gate.ts'
import { Envelope } from '../../server/schema.ts'
import { Tokens } from '../../server/token-schema.ts'
import { MfaChallenge, MfaChallengeRequest, MfaConfirmRequest } from './mfa-schema.ts'
import { MfaDisableRequest, MfaSetup, MfaSetupRequest } from './mfa-schema.ts'
import { MfaVerifyRequest, RecoveryCodes } from './mfa-schema.ts'

export const SET_UP_MFA = {
  body: MfaSetupRequest,
  response: Envelope(MfaSetup),
  detail: {
    'x-gate': authenticatedBefore('set up second factor'),
    operationId: 'setUpMfa',
    summary: 'Make a secret for the caller’s authenticator app',
    description:
      'Asks for the password. Nothing asks for a code before the secret is confirmed. 409 when a ' +
      'second factor is confirmed already.',
  },
}

export const CONFIRM_MFA = {
  body: MfaConfirmRequest,
  response: Envelope(RecoveryCodes),
  detail: {
    'x-gate': authenticatedBefore('set up second factor'),
    operationId: 'confirmMfa',
    summary: 'Confirm the second factor by a code of it',
    description:
      'From then on sign-ins ask for a code. Ends the caller’s other sessions, and tells them by ' +
      'mail.',
  },
}

export const DISABLE_MFA = {
  body: MfaDisableRequest,
  response: Envelope(Type.Null()),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'disableMfa',
    summary: 'Take the caller’s second factor away',
    description:
      'Asks for the password and for a code, or a recovery code. The caller is told by mail.',
  },
}

export const CHOOSE_MFA_METHOD = {
  body: MfaChallengeRequest,
  response: Envelope(MfaChallenge),
  detail: {
    'x-gate': OPEN,
    operationId: 'chooseMfaMethod',
    summary: 'Choose how a challenge of the sign-in will be met',
    description: 'A challenge that is unknown or over gets a 401: sign in again.',
  },
}

export const VERIFY_MFA = {
  body: MfaVerifyRequest,
  response: Envelope(Tokens),
  detail: {
    'x-gate': OPEN,
    operationId: 'verifyMfa',
    summary: 'Meet a challenge of the sign-in by a code',
    description:
      'A code is taken once. After 5 wrong codes of a user, over all challenges, 401 also for ' +
      'the right one, with Retry-After; after 100 of an address 429.',
  },
}
