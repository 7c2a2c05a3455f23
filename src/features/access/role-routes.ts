/** Roles and their grants: `/api/v1/svc/auth/roles` (src/server/README.md, Access). */
import { Type } from '@sinclair/typebox'
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { toWords } from '../../model/names.ts'
import { createRole, deleteRole, listRoles, saveRoleLabel } from '../../engine/access/roles.ts'
import {
  AccessRole,
  NewRoleRequest,
  RoleLabelRequest,
  RolePath,
} from '../../engine/access/schema.ts'
import type { RequestCall } from '../../server/call.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { ACCESS_GATE, openAccess } from './open-access.ts'

const LIST_ROLES = {
  response: Envelope(Type.Array(AccessRole)),
  detail: {
    'x-gate': ACCESS_GATE,
    operationId: 'listRoles',
    summary: 'Every role, with what it grants',
    description: 'Users counts those in the companies that the caller manages.',
  },
}

const GET_ROLE = {
  params: RolePath,
  response: Envelope(AccessRole),
  detail: {
    'x-gate': ACCESS_GATE,
    operationId: 'getRole',
    summary: 'One role',
    description: 'With what it grants, by resource, and who may give it.',
  },
}

const CREATE_ROLE = {
  body: NewRoleRequest,
  response: Envelope(AccessRole),
  detail: {
    'x-gate': ACCESS_GATE,
    operationId: 'createRole',
    summary: 'Make a role that grants nothing yet',
    description: 'The access board gives it rights. It lives in a script that no deploy replaces.',
  },
}

const CHANGE_ROLE = {
  params: RolePath,
  body: RoleLabelRequest,
  response: Envelope(AccessRole),
  detail: {
    'x-gate': ACCESS_GATE,
    operationId: 'changeRole',
    summary: 'Give a role another label',
    description:
      'For those who hold their administering role in all of their companies, as the label holds ' +
      'in every company. A built-in role keeps its label.',
  },
}

const DELETE_ROLE = {
  params: RolePath,
  response: Envelope(Type.Null()),
  detail: {
    'x-gate': ACCESS_GATE,
    operationId: 'deleteRole',
    summary: 'Remove a role that was created here and that no user has',
    description:
      '409 while a user holds it, and for a role that the model declares: it is removed there.',
  },
}

/** Gates: System, Admin and AccessManager; roles hold in every company, their counts do not. */
export const ROLE_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/auth/roles',
  area: 'Access',
  routes: [
    route('GET', '', LIST_ROLES, async (call) => ok(await listRoles(await openAccess(call)))),
    route('POST', '', CREATE_ROLE, async (call) => {
      const { Name, Label } = call.body
      await createRole(call.app, changeOf(call, Name), Label ?? toWords(Name))
      return ok(await requireRole(call, Name))
    }),
    route('GET', '/:role', GET_ROLE, async (call) => ok(await requireRole(call, call.params.role))),
    route('PUT', '/:role', CHANGE_ROLE, async (call) => {
      await saveRoleLabel(call.app, changeOf(call, call.params.role), call.body.Label)
      return ok(await requireRole(call, call.params.role))
    }),
    route('DELETE', '/:role', DELETE_ROLE, async (call) => {
      await deleteRole(call.app, changeOf(call, call.params.role))
      return ok(null)
    }),
  ],
}

const changeOf = ({ caller, traceId }: RequestCall, role: string) => ({ caller, traceId, role })

async function requireRole(call: RequestCall, name: string): Promise<AccessRole> {
  const roles = await listRoles(await openAccess(call))
  const role = roles.find(({ Name }) => Name === name)
  if (!role) throw notFound(say`There is no such role`)
  return role
}
