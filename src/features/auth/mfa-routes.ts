/** Second factors: `/api/v1/auth/mfa`. */
import { Type } from '@sinclair/typebox'
import { clientInfoOf, ownRequestOf } from '../../server/client-info.ts'
import { AUTHENTICATED, authenticatedBefore, OPEN } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { Tokens } from '../../server/token-schema.ts'
import { confirmMfa, disableMfa, setUpMfa } from './mfa.ts'
import {
  MfaChallenge,
  MfaChallengeRequest,
  MfaConfirmRequest,
  MfaDisableRequest,
  MfaSetup,
  MfaSetupRequest,
  MfaVerifyRequest,
  RecoveryCodes,
} from './schema.ts'
import { chooseMethod, verifyChallenge } from './sign-in.ts'
import { refuseImpersonated } from './start-session.ts'

const SET_UP_MFA = {
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

const CONFIRM_MFA = {
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

const DISABLE_MFA = {
  body: MfaDisableRequest,
  response: Envelope(Type.Null()),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'disableMfa',
    summary: 'Take the caller’s second factor away',
    description:
      'Asks for the password and for a code, or a recovery code. The caller gets a mail.',
  },
}

const CHOOSE_MFA_METHOD = {
  body: MfaChallengeRequest,
  response: Envelope(MfaChallenge),
  detail: {
    'x-gate': OPEN,
    operationId: 'chooseMfaMethod',
    summary: 'Choose how a challenge of the sign-in will be met',
    description: 'A challenge that is unknown or over gets a 401: sign in again.',
  },
}

const VERIFY_MFA = {
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

/**
 * Gates: the challenge of a sign-in and its code are open to all; the others ask for a token and
 * serve its own user.
 */
export const MFA_ROUTES: RouteGroup = {
  prefix: '/api/v1/auth/mfa',
  area: 'Sign-in',
  routes: [
    route(
      'POST',
      '/setup',
      SET_UP_MFA,
      async (call) => ok(await setUpMfa(call.app, call.body, ownRequestOf(call))),
      { before: refuseImpersonated },
    ),
    route(
      'POST',
      '/confirm',
      CONFIRM_MFA,
      async (call) => ok(await confirmMfa(call.app, call.body, ownRequestOf(call))),
      { before: refuseImpersonated },
    ),
    route(
      'POST',
      '/disable',
      DISABLE_MFA,
      async (call) => {
        await disableMfa(call.app, call.body, ownRequestOf(call))
        return ok(null)
      },
      { before: refuseImpersonated },
    ),
    route('POST', '/challenge', CHOOSE_MFA_METHOD, async (call) =>
      ok(await chooseMethod(call.app, call.body)),
    ),
    route('POST', '/verify', VERIFY_MFA, async (call) =>
      ok(await verifyChallenge(call.app, call.body, clientInfoOf(call))),
    ),
  ],
}
