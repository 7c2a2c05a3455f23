/** Users, their roles and companies: `/api/v1/svc/auth/users` (src/server/README.md, Access). */
import { Elysia } from 'elysia'
import type { Administered } from '../../access/admin-scope.ts'
import { giveRole, join, leave, takeRole } from '../../access/user-roles.ts'
import type { UserWork } from '../../access/user-roles.ts'
import type { AppContext } from '../../server/context.ts'
import { ok } from '../../server/reply.ts'
import { callerOf } from '../../server/session.ts'
import { removeUser, resetMfa, resetPassword, saveLock } from './account.ts'
import { changeUser, endLeftOver, LEFT } from './change-user.ts'
import { createUser } from './create-user.ts'
import { listUsers, loadUser, requireSeen } from './list-users.ts'
import * as operations from './operations.ts'
import { writeRole, writeUser } from './user-work.ts'
import type { Feature } from '../../server/feature.ts'

const AREA = {
  name: 'Access',
  description:
    'Who may what: users, roles and their grants. Everybody acts within the companies that ' +
    'they administer, and nobody hands out what they do not hold.',
}

/**
 * Gates: System and Admin, for roles AccessManager too; what they reach is judged in the
 * transaction of each change.
 */
function accessUserRoutes(app: AppContext) {
  return new Elysia({ prefix: '/api/v1/svc/auth/users', strictPath: true, tags: [AREA.name] })
    .get(
      '',
      async ({ query, request }) => ok(await listUsers(app, callerOf(request), query)),
      operations.LIST_USERS,
    )
    .post(
      '',
      async ({ body, request }) => ok(await createUser(app, request, body)),
      operations.CREATE_USER,
    )
    .get(
      '/:userId',
      async ({ params, request }) =>
        ok(await loadUser(app, callerOf(request), Number(params.userId))),
      operations.GET_USER,
    )
    .put(
      '/:userId',
      async ({ params, body, request }) =>
        ok(await changeUser(app, request, Number(params.userId), body)),
      operations.CHANGE_USER,
    )
    .delete(
      '/:userId',
      async ({ params, request }) => {
        await removeUser(app, request, Number(params.userId))
        return ok(null)
      },
      operations.DELETE_USER,
    )
    .post(
      '/:userId/lock',
      async ({ params, request }) => ok(await saveLock(app, request, Number(params.userId), false)),
      operations.LOCK_USER,
    )
    .post(
      '/:userId/unlock',
      async ({ params, request }) => ok(await saveLock(app, request, Number(params.userId), true)),
      operations.UNLOCK_USER,
    )
    .post(
      '/:userId/reset-password',
      async ({ params, request }) => ok(await resetPassword(app, request, Number(params.userId))),
      operations.RESET_PASSWORD,
    )
    .post(
      '/:userId/reset-mfa',
      async ({ params, request }) => {
        await resetMfa(app, request, Number(params.userId))
        return ok(null)
      },
      operations.RESET_MFA,
    )
    .post(
      '/:userId/roles',
      async ({ params, body, request }) => {
        const held = { role: body.Role, companyId: body.CompanyId ?? null }
        const change = { id: Number(params.userId), source: 'auth/users/give-role' }
        const give = (work: UserWork, target: Administered) => giveRole(work, target, held)
        return ok(await writeRole(app, request, change, give))
      },
      operations.GIVE_ROLE,
    )
    .delete(
      '/:userId/roles',
      async ({ params, body, request }) => {
        const held = { role: body.Role, companyId: body.CompanyId ?? null }
        const change = { id: Number(params.userId), source: 'auth/users/take-role' }
        const take = (work: UserWork, target: Administered) => takeRole(work, target, held)
        return ok(await writeRole(app, request, change, take))
      },
      operations.TAKE_ROLE,
    )
    .post(
      '/:userId/companies',
      async ({ params, body, request }) => {
        const id = Number(params.userId)
        const before = await loadUser(app, callerOf(request), id)
        await endLeftOver(app, callerOf(request), before, [body.CompanyId])
        const change = { id, source: 'auth/users/join' }
        const user = await writeUser(app, request, change, (work, target) =>
          join(work, target, body.CompanyId),
        )
        return ok(requireSeen(user))
      },
      operations.JOIN_COMPANY,
    )
    .delete(
      '/:userId/companies/:companyId',
      async ({ params, request }) => {
        const [id, companyId] = [Number(params.userId), Number(params.companyId)]
        await writeUser(app, request, { id, source: 'auth/users/leave' }, (work, target) =>
          leave(work, target, companyId),
        )
        await app.identity.sessions.endIn(companyId, LEFT, id)
        return ok(null)
      },
      operations.LEAVE_COMPANY,
    )
}

/** See `Feature`. */
export const accessUsersFeature: Feature = { areas: [AREA], routes: [accessUserRoutes] }
