/** The operations of forgotten passwords and of the caller's sessions, as OpenAPI tells them. */
import { Type } from '@sinclair/typebox'
import { AUTHENTICATED, OPEN } from '../../server/gate.ts'
import { Envelope } from '../../server/schema.ts'
import {
  PasswordForgotRequest,
  PasswordResetRequest,
  Session,
  SessionPath,
  SessionsEnded,
} from './schema.ts'

export const FORGOT_PASSWORD = {
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

export const RESET_PASSWORD = {
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

export const LIST_SESSIONS = {
  response: Envelope(Type.Array(Session)),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'listSessions',
    summary: 'The caller’s sessions that live, newest first',
  },
}

export const END_SESSION = {
  params: SessionPath,
  response: Envelope(SessionsEnded),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'endSession',
    summary: 'End one of the caller’s sessions',
    description: 'Its tokens are refused from the next request on.',
  },
}
