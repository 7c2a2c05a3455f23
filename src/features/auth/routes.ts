/** Signing in, staying in and signing out: `/api/v1/auth`. */
import { Elysia } from 'elysia'
import type { AppContext } from '../../server/context.ts'
import { ok } from '../../server/reply.ts'
import { addressOf, callerOf, traceIdOf } from '../../server/session.ts'
import { changePassword } from './change-password.ts'
import { openIdentity, toUser } from './identity.ts'
import { login } from './login.ts'
import { logout } from './logout.ts'
import { CHANGE_PASSWORD, GET_KEY_SET, GET_ME, LOGIN, LOGOUT, REFRESH } from './operations.ts'
import { Refreshes } from './refresh.ts'

/** All that come over no network are throttled as one. */
const NO_NETWORK = 'none'

const originOf = (request: Request) => ({
  address: addressOf(request) ?? NO_NETWORK,
  client: request.headers.get('user-agent') ?? undefined,
})

/**
 * Gates: login, refresh and jwks are open to all; the others ask for a token and serve its own
 * user.
 */
export function authRoutes(app: AppContext) {
  const identity = openIdentity(app)
  const refreshes = new Refreshes(identity)
  const keySet = app.keys.toJwks()
  return new Elysia({ prefix: '/api/v1/auth', strictPath: true, tags: ['Sign-in'] })
    .post(
      '/login',
      async ({ body, request }) => ok(await login(identity, body, originOf(request))),
      LOGIN,
    )
    .post('/refresh', async ({ body }) => ok(await refreshes.refresh(body.RefreshToken)), REFRESH)
    .post(
      '/logout',
      async ({ body, request }) =>
        ok({ SessionsEnded: await logout(identity, callerOf(request), body) }),
      LOGOUT,
    )
    .post(
      '/password/change',
      async ({ body, request }) => {
        const origin = { caller: callerOf(request), traceId: traceIdOf(request) }
        await changePassword(identity, body, { ...origin, address: originOf(request).address })
        return ok(null)
      },
      CHANGE_PASSWORD,
    )
    .get(
      '/me',
      async ({ request }) => {
        const { userId, companyId } = callerOf(request)
        return ok(toUser(await app.callers.load(userId, companyId)))
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
