/** Signing in, staying in and signing out: `/api/v1/auth`. */
import { Elysia } from 'elysia'
import type { AppContext } from '../../server/context.ts'
import { toUser } from '../../server/tokens.ts'
import { ok } from '../../server/reply.ts'
import { callerOf, traceIdOf } from '../../server/session.ts'
import { changePassword } from './change-password.ts'
import { RESET_PATH } from './forgot-password.ts'
import { login } from './login.ts'
import { logout } from './logout.ts'
import { CHANGE_PASSWORD, GET_KEY_SET, GET_ME, LOGIN, LOGOUT, REFRESH } from './operations.ts'
import { clientInfoOf, refuseImpersonated } from './client-info.ts'
import { MFA_ISSUER } from './mfa.ts'
import { Refreshes } from './refresh.ts'
import { accountRoutes } from './account-routes.ts'
import { mfaRoutes } from './mfa-routes.ts'
import type { Feature } from '../../server/feature.ts'
import type { Translations } from '../../kernel/messages.ts'

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
        const origin = { caller: callerOf(request), traceId: traceIdOf(request) }
        await changePassword(app, body, { ...clientInfoOf(request), ...origin })
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

/** Its sentences in German, by English template. */
const GERMAN: Translations = [
  ['The user name or the password is wrong', 'Der Benutzername oder das Kennwort ist falsch'],
  [
    'This user belongs to no company; an administrator can add one',
    'Dieser Benutzer gehört zu keiner Firma; ein Administrator kann eine hinzufügen',
  ],
  ['The password was changed by someone else', 'Das Kennwort wurde von jemand anderem geändert'],
  ['The new password is the present one', 'Das neue Kennwort ist das jetzige'],
  ['The password is wrong', 'Das Kennwort ist falsch'],
  [
    'The link is not valid any more; ask for another one',
    'Der Link gilt nicht mehr; bitte einen neuen anfordern',
  ],
  ['There is no such session', 'Diese Sitzung gibt es nicht'],
  ['Set a new password', 'Neues Kennwort setzen'],
  [
    'Somebody asked for a new password of {0}. This page sets it:',
    'Für {0} wurde ein neues Kennwort angefordert. Auf dieser Seite wird es gesetzt:',
  ],
  [
    'It does so once, within {0} minutes. If you did not ask, leave this mail alone.',
    'Das geht einmal, binnen {0} Minuten. Wenn Sie das nicht waren, ist nichts zu tun.',
  ],
  ['A sign-in with a new client', 'Anmeldung mit einem neuen Programm'],
  [
    '{0} signed in with a client that is new: {1}.',
    '{0} hat sich mit einem neuen Programm angemeldet: {1}.',
  ],
  ['Client: {0}', 'Programm: {0}'],
  ['Address: {0}', 'Adresse: {0}'],
  ['There is no second factor', 'Es gibt keinen zweiten Faktor'],
  ['This sign-in is over; begin it again', 'Diese Anmeldung ist abgelaufen; bitte neu beginnen'],
]

/** See `Feature`. */
export const authFeature: Feature = {
  areas: [AREA],
  routes: [authRoutes, accountRoutes, mfaRoutes],
  settings: [{ MFA_ISSUER, RESET_PATH }],
  german: GERMAN,
}
