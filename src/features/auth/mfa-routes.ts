/** Second factors: `/api/v1/auth/mfa`. */
import { Elysia } from 'elysia'
import type { AppContext } from '../../server/context.ts'
import { ok } from '../../server/reply.ts'
import { callerOf, languageOf, traceIdOf } from '../../server/session.ts'
import { chooseMethod, verifyChallenge } from './mfa-challenge.ts'
import { CHOOSE_MFA_METHOD, CONFIRM_MFA, DISABLE_MFA } from './mfa-operations.ts'
import { SET_UP_MFA, VERIFY_MFA } from './mfa-operations.ts'
import { confirmMfa, disableMfa, setUpMfa } from './mfa.ts'
import { clientInfoOf, refuseImpersonated } from './client-info.ts'

/**
 * Gates: the challenge of a sign-in and its code are open to all; the others ask for a token and
 * serve its own user.
 */
export function mfaRoutes(app: AppContext) {
  const ownClientInfoOf = (request: Request) => ({
    caller: callerOf(request),
    traceId: traceIdOf(request),
    address: clientInfoOf(request).address,
    language: languageOf(request),
  })
  return new Elysia({ prefix: '/api/v1/auth/mfa', strictPath: true, tags: ['Sign-in'] })
    .post(
      '/setup',
      async ({ body, request }) => ok(await setUpMfa(app, body, ownClientInfoOf(request))),
      { ...SET_UP_MFA, transform: refuseImpersonated },
    )
    .post(
      '/confirm',
      async ({ body, request }) => ok(await confirmMfa(app, body, ownClientInfoOf(request))),
      { ...CONFIRM_MFA, transform: refuseImpersonated },
    )
    .post(
      '/disable',
      async ({ body, request }) => {
        await disableMfa(app, body, ownClientInfoOf(request))
        return ok(null)
      },
      { ...DISABLE_MFA, transform: refuseImpersonated },
    )
    .post('/challenge', async ({ body }) => ok(await chooseMethod(app, body)), CHOOSE_MFA_METHOD)
    .post(
      '/verify',
      async ({ body, request }) => {
        const way = { ...clientInfoOf(request), traceId: traceIdOf(request) }
        return ok(await verifyChallenge(app, body, way))
      },
      VERIFY_MFA,
    )
}
