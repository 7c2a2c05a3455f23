/** Signing in, staying in and signing out: `/api/v1/auth`. */
import { Type } from '@sinclair/typebox'
import { named } from '../../kernel/schema.ts'
import { clientInfoOf, ownRequestOf } from '../../server/client-info.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { authenticatedBefore, OPEN } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { Tokens } from '../../server/token-schema.ts'
import { toUser } from '../../server/tokens.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import { API_KEY_ROUTES } from './api-key-routes.ts'
import { GERMAN } from './german.ts'
import { METHODS_ROUTES, PRODUCT } from './methods-routes.ts'
import { MFA_ROUTES } from './mfa-routes.ts'
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
    description: 'With roles as of now; while acting as another, `Impersonator` is who does it.',
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

const KEY_SET_HEADERS = {
  'Content-Type': 'application/json',
  'Cache-Control': 'public, max-age=300',
}

const AREA = {
  name: 'Sign-in',
  description: 'Tokens and sessions. Sign in here, then give the AccessToken to Authorize.',
}

/**
 * Gates: login, refresh and jwks are open to all; the others ask for a token and serve its own
 * user.
 */
function authRoutes(app: AppContext): RouteGroup {
  const refreshes = new Refreshes(app)
  const { keys } = app.keys.toJwks()
  const keySet = JSON.stringify({ ...ok({ keys }), keys })
  return {
    prefix: '/api/v1/auth',
    area: AREA.name,
    routes: [
      route('POST', '/login', LOGIN, async (call) =>
        ok(await login(call.app, call.body, clientInfoOf(call))),
      ),
      route('POST', '/refresh', REFRESH, async (call) =>
        ok(await refreshes.refresh(call.body.RefreshToken)),
      ),
      route('POST', '/logout', LOGOUT, async (call) =>
        ok({ SessionsEnded: await logout(call.app, call.caller, call.body) }),
      ),
      route(
        'POST',
        '/password/change',
        CHANGE_PASSWORD,
        async (call) => {
          await changePassword(call.app, call.body, ownRequestOf(call))
          return ok(null)
        },
        { before: refuseImpersonated },
      ),
      route('GET', '/me', GET_ME, async (call) => {
        const { caller } = call
        const facts = await call.app.callers.load(caller.userId, caller.companyId)
        return ok({ ...toUser(facts, caller), MfaEnabled: facts.mfaEnabled })
      }),
      route('GET', '/jwks', GET_KEY_SET, () => new Response(keySet, { headers: KEY_SET_HEADERS })),
    ],
  }
}

/** See `Feature`. */
export const authFeature: Feature = {
  areas: [AREA],
  routes: [authRoutes, ACCOUNT_ROUTES, MFA_ROUTES, API_KEY_ROUTES, METHODS_ROUTES],
  settings: [{ MFA_ISSUER, RESET_PATH }, PRODUCT],
  translations: { de: GERMAN },
}
