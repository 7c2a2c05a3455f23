/** Forgotten passwords and the caller's sessions: `/api/v1/auth/password` and `/sessions`. */
import { Elysia } from 'elysia'
import type { AppContext } from '../../server/context.ts'
import { ok } from '../../server/reply.ts'
import { callerOf, languageOf, traceIdOf } from '../../server/session.ts'
import {
  END_SESSION,
  FORGOT_PASSWORD,
  LIST_SESSIONS,
  RESET_PASSWORD,
} from './account-operations.ts'
import { forgotPassword } from './forgot-password.ts'
import { clientInfoOf } from './client-info.ts'
import { endSession, listSessions } from './own-sessions.ts'
import { resetPassword } from './reset-password.ts'

/** Gates: forgot and reset are open to all; sessions ask for a token and are its own user's. */
export function accountRoutes(app: AppContext) {
  const wayOf = (request: Request) => ({
    address: clientInfoOf(request).address,
    language: languageOf(request),
    traceId: traceIdOf(request),
  })
  return new Elysia({ prefix: '/api/v1/auth', strictPath: true, tags: ['Sign-in'] })
    .post(
      '/password/forgot',
      async ({ body, request }) => {
        await forgotPassword(app, body, wayOf(request))
        return ok(null)
      },
      FORGOT_PASSWORD,
    )
    .post(
      '/password/reset',
      async ({ body, request }) => {
        await resetPassword(app, body, wayOf(request))
        return ok(null)
      },
      RESET_PASSWORD,
    )
    .get(
      '/sessions',
      async ({ request }) => ok(await listSessions(app, callerOf(request))),
      LIST_SESSIONS,
    )
    .delete(
      '/sessions/:id',
      async ({ params, request }) => {
        await endSession(app, callerOf(request), params.id)
        return ok({ SessionsEnded: 1 })
      },
      END_SESSION,
    )
}
