/** Roles and their grants: `/api/v1/svc/auth/roles` (src/server/README.md, Access). */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
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
import type { AppContext } from '../../server/context.ts'
import { ok } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf, traceIdOf } from '../../server/session.ts'
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
  detail: { 'x-gate': ACCESS_GATE, operationId: 'getRole', summary: 'One role' },
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
export function roleRoutes(app: AppContext) {
  const changeOf = (request: Request, role: string) => ({
    caller: callerOf(request),
    traceId: traceIdOf(request),
    role,
  })
  return new Elysia({ prefix: '/api/v1/svc/auth/roles', strictPath: true, tags: ['Access'] })
    .get('', async ({ request }) => ok(await listRoles(await openAccess(app, request))), LIST_ROLES)
    .post(
      '',
      async ({ body, request }) => {
        const { Name, Label } = body
        await createRole(app, changeOf(request, Name), Label ?? toWords(Name))
        return ok(await requireRole(app, request, Name))
      },
      CREATE_ROLE,
    )
    .get(
      '/:role',
      async ({ params, request }) => ok(await requireRole(app, request, params.role)),
      GET_ROLE,
    )
    .put(
      '/:role',
      async ({ params, body, request }) => {
        await saveRoleLabel(app, changeOf(request, params.role), body.Label)
        return ok(await requireRole(app, request, params.role))
      },
      CHANGE_ROLE,
    )
    .delete(
      '/:role',
      async ({ params, request }) => {
        await deleteRole(app, changeOf(request, params.role))
        return ok(null)
      },
      DELETE_ROLE,
    )
}

async function requireRole(app: AppContext, request: Request, name: string): Promise<AccessRole> {
  const roles = await listRoles(await openAccess(app, request))
  const role = roles.find(({ Name }) => Name === name)
  if (!role) throw notFound(say`There is no such role`)
  return role
}
