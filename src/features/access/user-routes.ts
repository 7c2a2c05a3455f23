/** Users, their roles and companies: `/api/v1/svc/auth/users` (src/server/README.md, Access). */
import { Type } from '@sinclair/typebox'
import { rolesGate } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import {
  changeRole,
  changeUser,
  joinCompany,
  leaveCompany,
  removeUser,
  resetMfa,
  resetPassword,
  saveLock,
} from './change-user.ts'
import { createUser } from './create-user.ts'
import {
  AccessUser,
  CompanyRequest,
  CreatedUser,
  NewUserRequest,
  PasswordReset,
  RoleHolder,
  RoleRequest,
  TakenRoleRequest,
  UserChangeRequest,
  UserCompanyPath,
  UserPage,
  UserPath,
  UsersQuery,
} from './user-schema.ts'
import { listUsers, openUser } from './users.ts'

const GATE = rolesGate('System', 'Admin')

const params = UserPath
const Done = Envelope(Type.Null())

const ASSIGNING = rolesGate('System', 'Admin', 'AccessManager')

const LIST_USERS = {
  query: UsersQuery,
  response: Envelope(UserPage),
  detail: {
    'x-gate': GATE,
    operationId: 'listUsers',
    summary: 'Users, by name',
    description: 'Those of the companies that the caller administers; System sees all.',
  },
}

const GET_USER = {
  params,
  response: Envelope(AccessUser),
  detail: {
    'x-gate': GATE,
    operationId: 'getUser',
    summary: 'One user',
    description: 'With the roles and companies that they have.',
  },
}

const CREATE_USER = {
  body: NewUserRequest,
  response: Envelope(CreatedUser),
  detail: {
    'x-gate': GATE,
    operationId: 'createUser',
    summary: 'Create a user',
    description:
      'Without a Password the answer has a one-time one, told this once. A name or mailbox that ' +
      'is taken, in whatever case, Unicode form or with a + in it, is 409 and says no more. ' +
      'Without Companies the user joins those of the Roles, else the caller’s.',
  },
}

const CHANGE_USER = {
  params,
  body: UserChangeRequest,
  response: Envelope(AccessUser),
  detail: {
    'x-gate': GATE,
    operationId: 'changeUser',
    summary: 'Change a user',
    description:
      'What is left out stays. Roles and Companies replace those that the caller administers and ' +
      'leave others as they are.',
  },
}

const DELETE_USER = {
  params,
  response: Done,
  detail: {
    'x-gate': GATE,
    operationId: 'deleteUser',
    summary: 'Delete a user whom no record refers to',
    description:
      'Else 409 with the code USER_IN_USE: lock the user. The last active System user stays, and ' +
      'you cannot delete your own account.',
  },
}

const LOCK_USER = {
  params,
  response: Envelope(AccessUser),
  detail: {
    'x-gate': GATE,
    operationId: 'lockUser',
    summary: 'Lock a user out',
    description:
      'Their sessions end at once. You cannot lock your own account, and the last active ' +
      'System user cannot be locked.',
  },
}

const UNLOCK_USER = {
  params,
  response: Envelope(AccessUser),
  detail: {
    'x-gate': GATE,
    operationId: 'unlockUser',
    summary: 'Let a locked user sign in again',
    description: 'Sessions that the lock has ended stay so.',
  },
}

const RESET_PASSWORD = {
  params,
  response: Envelope(PasswordReset),
  detail: {
    'x-gate': GATE,
    operationId: 'resetUserPassword',
    summary: 'Give a user a one-time password',
    description: 'It is shown only now; the user’s sessions end.',
  },
}

const RESET_MFA = {
  params,
  response: Done,
  detail: {
    'x-gate': GATE,
    operationId: 'resetUserMfa',
    summary: 'Take a user’s second factor and recovery codes away',
    description: 'The user’s sessions end.',
  },
}

const GIVE_ROLE = {
  params,
  body: RoleRequest,
  response: Envelope(RoleHolder),
  detail: {
    'x-gate': ASSIGNING,
    operationId: 'giveRole',
    summary: 'Give a user a role, in one company or (null) in all of theirs',
    description: 'Gate: System, Admin, AccessManager.',
  },
}

const TAKE_ROLE = {
  params,
  body: TakenRoleRequest,
  response: Envelope(RoleHolder),
  detail: {
    'x-gate': ASSIGNING,
    operationId: 'takeRole',
    summary: 'Take a role from a user',
    description:
      'It holds from the user’s next request on. The last System user keeps the role. ' +
      'Gate: System, Admin, AccessManager.',
  },
}

const JOIN_COMPANY = {
  params,
  body: CompanyRequest,
  response: Envelope(AccessUser),
  detail: {
    'x-gate': GATE,
    operationId: 'joinCompany',
    summary: 'Add a user to a company',
    description: 'Roles that the user holds in all companies then hold there too.',
  },
}

const LEAVE_COMPANY = {
  params: UserCompanyPath,
  response: Done,
  detail: {
    'x-gate': GATE,
    operationId: 'leaveCompany',
    summary: 'Take a user out of a company, with the roles held there',
    description: 'Their sessions in it end at once.',
  },
}

/**
 * Gates: System and Admin, for roles AccessManager too; the scope is checked in the transaction of
 * each change.
 */
export const USER_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/auth/users',
  area: 'Access',
  routes: [
    route('GET', '', LIST_USERS, async (call) =>
      ok(await listUsers(call.app, call.caller, call.query)),
    ),
    route('POST', '', CREATE_USER, async (call) => ok(await createUser(call, call.body))),
    route('GET', '/:userId', GET_USER, async (call) =>
      ok((await openUser(call, Number(call.params.userId))).user),
    ),
    route('PUT', '/:userId', CHANGE_USER, async (call) =>
      ok(await changeUser(call, Number(call.params.userId), call.body)),
    ),
    route('DELETE', '/:userId', DELETE_USER, async (call) => {
      await removeUser(call, Number(call.params.userId))
      return ok(null)
    }),
    route('POST', '/:userId/lock', LOCK_USER, async (call) =>
      ok(await saveLock(call, Number(call.params.userId), false)),
    ),
    route('POST', '/:userId/unlock', UNLOCK_USER, async (call) =>
      ok(await saveLock(call, Number(call.params.userId), true)),
    ),
    route('POST', '/:userId/reset-password', RESET_PASSWORD, async (call) =>
      ok(await resetPassword(call, Number(call.params.userId))),
    ),
    route('POST', '/:userId/reset-mfa', RESET_MFA, async (call) => {
      await resetMfa(call, Number(call.params.userId))
      return ok(null)
    }),
  ],
}

/** Gates: System and Admin; for roles AccessManager, too. */
export const MEMBERSHIP_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/auth/users',
  area: 'Access',
  routes: [
    route('POST', '/:userId/roles', GIVE_ROLE, async (call) =>
      ok(await changeRole(call, Number(call.params.userId), { ...call.body, act: 'give' })),
    ),
    route('DELETE', '/:userId/roles', TAKE_ROLE, async (call) =>
      ok(await changeRole(call, Number(call.params.userId), { ...call.body, act: 'take' })),
    ),
    route('POST', '/:userId/companies', JOIN_COMPANY, async (call) =>
      ok(await joinCompany(call, Number(call.params.userId), call.body.CompanyId)),
    ),
    route('DELETE', '/:userId/companies/:companyId', LEAVE_COMPANY, async (call) => {
      await leaveCompany(call, Number(call.params.userId), Number(call.params.companyId))
      return ok(null)
    }),
  ],
}
