/** Forgotten passwords and the caller's sessions: `/api/v1/auth/password` and `/sessions`. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { clientInfoOf } from '../../server/client-info.ts'
import type { AppContext } from '../../server/context.ts'
import { AUTHENTICATED, OPEN } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf } from '../../server/session.ts'
import { forgotPassword, resetPassword } from './passwords.ts'
import {
  PasswordForgotRequest,
  PasswordResetRequest,
  Session,
  SessionPath,
  SessionsEnded,
} from './schema.ts'
import { endSession, listSessions } from './sessions.ts'

const FORGOT_PASSWORD = {
  body: PasswordForgotRequest,
  response: Envelope(Type.Null()),
  detail: {
    'x-gate': OPEN,
    operationId: 'forgotPassword',
    summary: 'Ask for a mail with a link that sets a new password',
    description:
      'The same answer for every name. The link holds ?token=, for /password/reset. After 5 ' +
      'times for a name or 50 from an address within an hour: 429 with Retry-After.',
  },
}

const RESET_PASSWORD = {
  body: PasswordResetRequest,
  response: Envelope(Type.Null()),
  detail: {
    'x-gate': OPEN,
    operationId: 'resetPassword',
    summary: 'Set a new password by the token of a mail',
    description:
      'The token holds for 30 minutes, once. Every session of the user ends; a second factor ' +
      'stays in force.',
  },
}

const LIST_SESSIONS = {
  response: Envelope(Type.Array(Session)),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'listSessions',
    summary: 'The caller’s sessions that live, newest first',
  },
}

const END_SESSION = {
  params: SessionPath,
  response: Envelope(SessionsEnded),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'endSession',
    summary: 'End one of the caller’s sessions',
    description: 'Its tokens are refused from the next request on.',
  },
}

/** Gates: forgot and reset are open to all; sessions ask for a token and are its own user's. */
export function accountRoutes(app: AppContext) {
  return new Elysia({ prefix: '/api/v1/auth', strictPath: true, tags: ['Sign-in'] })
    .post(
      '/password/forgot',
      async ({ body, request }) => {
        await forgotPassword(app, body, clientInfoOf(request))
        return ok(null)
      },
      FORGOT_PASSWORD,
    )
    .post(
      '/password/reset',
      async ({ body, request }) => {
        await resetPassword(app, body, clientInfoOf(request))
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
