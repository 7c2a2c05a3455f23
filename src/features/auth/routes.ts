/** Signing in, staying in and signing out: `/api/v1/auth`. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { named } from '../../kernel/schema.ts'
import { clientInfoOf, ownRequestOf } from '../../server/client-info.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { authenticatedBefore, OPEN } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf } from '../../server/session.ts'
import { Tokens } from '../../server/token-schema.ts'
import { toUser } from '../../server/tokens.ts'
import { accountRoutes } from './account-routes.ts'
import { apiKeyRoutes } from './api-key-routes.ts'
import { GERMAN } from './german.ts'
import { mfaRoutes } from './mfa-routes.ts'
import { MFA_ISSUER } from './mfa.ts'
import { changePassword, RESET_PATH } from './passwords.ts'
import {
  KeySet,
  LoginRequest,
  LogoutRequest,
  Me,
  MfaRequired,
  PasswordChangeRequest,
  RefreshRequest,
  SessionsEnded,
} from './schema.ts'
import { logout, Refreshes } from './sessions.ts'
import { login } from './sign-in.ts'
import { refuseImpersonated } from './start-session.ts'

const LOGIN = {
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

const REFRESH = {
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

const LOGOUT = {
  body: LogoutRequest,
  response: Envelope(SessionsEnded),
  detail: {
    'x-gate': authenticatedBefore('change password', 'set up second factor'),
    operationId: 'logout',
    summary: 'End this session, the one of a refresh token, or all of the user’s',
    description: 'Access tokens of an ended session are refused from the next request on.',
  },
}

const CHANGE_PASSWORD = {
  body: PasswordChangeRequest,
  response: Envelope(Type.Null()),
  detail: {
    'x-gate': authenticatedBefore('change password'),
    operationId: 'changePassword',
    summary: 'Change the caller’s password and end their other sessions',
    description: 'A one-time password opens nothing else before it is changed.',
  },
}

const GET_ME = {
  response: Envelope(Me),
  detail: {
    'x-gate': authenticatedBefore('change password', 'set up second factor'),
    operationId: 'getMe',
    summary: 'The user of the token, and the company',
  },
}

const GET_KEY_SET = {
  response: named('KeySetAnswer', Type.Composite([Envelope(KeySet), KeySet])),
  detail: {
    'x-gate': OPEN,
    operationId: 'getKeySet',
    summary: 'The public keys that access tokens are verified with (RFC 7517)',
    description: 'The members of the set are beside `data`, too, for stock JWKS clients.',
  },
}

const AREA = {
  name: 'Sign-in',
  description: 'Tokens and sessions. Sign in here, then give the AccessToken to Authorize.',
}

/**
 * Gates: login, refresh and jwks are open to all; the others ask for a token and serve its own
 * user.
 */
function authRoutes(app: AppContext) {
  const refreshes = new Refreshes(app)
  const keySet = app.keys.toJwks()
  return new Elysia({ prefix: '/api/v1/auth', strictPath: true, tags: [AREA.name] })
    .post(
      '/login',
      async ({ body, request }) => ok(await login(app, body, clientInfoOf(request))),
      LOGIN,
    )
    .post('/refresh', async ({ body }) => ok(await refreshes.refresh(body.RefreshToken)), REFRESH)
    .post(
      '/logout',
      async ({ body, request }) =>
        ok({ SessionsEnded: await logout(app, callerOf(request), body) }),
      LOGOUT,
    )
    .post(
      '/password/change',
      async ({ body, request }) => {
        await changePassword(app, body, ownRequestOf(request))
        return ok(null)
      },
      { ...CHANGE_PASSWORD, transform: refuseImpersonated },
    )
    .get(
      '/me',
      async ({ request }) => {
        const caller = callerOf(request)
        const facts = await app.callers.load(caller.userId, caller.companyId)
        return ok({ ...toUser(facts, caller), MfaEnabled: facts.mfaEnabled })
      },
      GET_ME,
    )
    .get(
      '/jwks',
      ({ set }) => {
        set.headers['cache-control'] = 'public, max-age=300'
        return { ...ok(keySet), keys: keySet.keys }
      },
      GET_KEY_SET,
    )
}

/** See `Feature`. */
export const authFeature: Feature = {
  areas: [AREA],
  routes: [authRoutes, accountRoutes, mfaRoutes, apiKeyRoutes],
  settings: [{ MFA_ISSUER, RESET_PATH }],
  translations: { de: GERMAN },
}
