/** Second factors: `/api/v1/auth/mfa`. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { clientInfoOf, ownRequestOf } from '../../server/client-info.ts'
import type { AppContext } from '../../server/context.ts'
import { AUTHENTICATED, authenticatedBefore, OPEN } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
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
export function mfaRoutes(app: AppContext) {
  return new Elysia({ prefix: '/api/v1/auth/mfa', strictPath: true, tags: ['Sign-in'] })
    .post(
      '/setup',
      async ({ body, request }) => ok(await setUpMfa(app, body, ownRequestOf(request))),
      { ...SET_UP_MFA, transform: refuseImpersonated },
    )
    .post(
      '/confirm',
      async ({ body, request }) => ok(await confirmMfa(app, body, ownRequestOf(request))),
      { ...CONFIRM_MFA, transform: refuseImpersonated },
    )
    .post(
      '/disable',
      async ({ body, request }) => {
        await disableMfa(app, body, ownRequestOf(request))
        return ok(null)
      },
      { ...DISABLE_MFA, transform: refuseImpersonated },
    )
    .post('/challenge', async ({ body }) => ok(await chooseMethod(app, body)), CHOOSE_MFA_METHOD)
    .post(
      '/verify',
      async ({ body, request }) => ok(await verifyChallenge(app, body, clientInfoOf(request))),
      VERIFY_MFA,
    )
}
