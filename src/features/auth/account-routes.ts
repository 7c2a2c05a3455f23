/** Forgotten passwords and the caller's sessions: `/api/v1/auth/password` and `/sessions`. */
import { Type } from '@sinclair/typebox'
import { clientInfoOf } from '../../server/client-info.ts'
import { AUTHENTICATED, OPEN } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
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
    description: 'Each with where it was begun and last used; `IsCurrent` is the one that asks.',
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
export const ACCOUNT_ROUTES: RouteGroup = {
  prefix: '/api/v1/auth',
  area: 'Sign-in',
  routes: [
    route('POST', '/password/forgot', FORGOT_PASSWORD, async (call) => {
      await forgotPassword(call.app, call.body, clientInfoOf(call))
      return ok(null)
    }),
    route('POST', '/password/reset', RESET_PASSWORD, async (call) => {
      await resetPassword(call.app, call.body, clientInfoOf(call))
      return ok(null)
    }),
    route('GET', '/sessions', LIST_SESSIONS, async (call) =>
      ok(await listSessions(call.app, call.caller)),
    ),
    route('DELETE', '/sessions/:id', END_SESSION, async (call) => {
      await endSession(call.app, call.caller, call.params.id)
      return ok({ SessionsEnded: 1 })
    }),
  ],
}
