/**
 * The operations of `/api/v1/auth` as the OpenAPI document tells them, with what they take and
 * answer.
 */
import { Type } from '@sinclair/typebox'
import { authenticatedBefore, OPEN } from '../../server/gate.ts'
import { Envelope } from '../../server/schema.ts'
import { Tokens } from '../../server/token-schema.ts'
import { MfaRequired } from './mfa-schema.ts'
import {
  KeySet,
  LoginRequest,
  LogoutRequest,
  Me,
  PasswordChangeRequest,
  RefreshRequest,
  SessionsEnded,
} from './schema.ts'

export const LOGIN = {
  body: LoginRequest,
  response: Envelope(Type.Union([Tokens, MfaRequired])),
  detail: {
    'x-gate': OPEN,
    'x-example': { UserName: 'ana', Password: 'ana-demo-password' },
    operationId: 'login',
    summary: 'Sign in with a user name and a password',
    description:
      'An unknown user, a locked one and a wrong password get the same 401. After 10 failures of ' +
      'a user or 100 of an address within 15 minutes: 429 with Retry-After. For a user with a ' +
      'second factor a challenge takes the place of the tokens: meet it at /mfa/verify.',
  },
}

export const REFRESH = {
  body: RefreshRequest,
  response: Envelope(Tokens),
  detail: {
    'x-gate': OPEN,
    operationId: 'refresh',
    summary: 'Use a refresh token up for the next pair of tokens',
    description:
      'Offered again within 10 seconds it gives the same pair; after that it ends the session.',
  },
}

export const LOGOUT = {
  body: LogoutRequest,
  response: Envelope(SessionsEnded),
  detail: {
    'x-gate': authenticatedBefore('change password', 'set up second factor'),
    operationId: 'logout',
    summary: 'End this session, the one of a refresh token, or all of the user’s',
    description: 'Access tokens of an ended session are refused from the next request on.',
  },
}

export const CHANGE_PASSWORD = {
  body: PasswordChangeRequest,
  response: Envelope(Type.Null()),
  detail: {
    'x-gate': authenticatedBefore('change password'),
    operationId: 'changePassword',
    summary: 'Change the caller’s password and end their other sessions',
    description: 'A one-time password opens nothing else before it is changed.',
  },
}

export const GET_ME = {
  response: Envelope(Me),
  detail: {
    'x-gate': authenticatedBefore('change password', 'set up second factor'),
    operationId: 'getMe',
    summary: 'Who the token stands for, and where',
  },
}

export const GET_KEY_SET = {
  response: Type.Composite([Envelope(KeySet), KeySet]),
  detail: {
    'x-gate': OPEN,
    operationId: 'getKeySet',
    summary: 'The public keys that access tokens are verified with (RFC 7517)',
    description: 'The members of the set stand beside `data` too, for stock JWKS clients.',
  },
}
