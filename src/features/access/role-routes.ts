/** Roles and what they grant: `/api/v1/svc/auth/roles` (src/server/README.md, Access). */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { loadScope } from '../../access/admin-scope.ts'
import { loadRoles } from '../../engine/access/role-records.ts'
import type { RoleRecord } from '../../engine/access/role-records.ts'
import { ACCESS_ROLES, createRole, deleteRole, saveRoleLabel } from '../../engine/access/roles.ts'
import { notFound } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { toWords } from '../../model/names.ts'
import type { AppContext } from '../../server/context.ts'
import { rolesGate } from '../../server/gate.ts'
import { modelOf } from '../../server/language.ts'
import { ok } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf, languageOf, traceIdOf } from '../../server/session.ts'
import { AccessRole, NewRoleRequest, RoleLabelRequest, RolePath } from './role-schema.ts'

const GATE = rolesGate('System', 'Admin', 'AccessManager')

const LIST_ROLES = {
  response: Envelope(Type.Array(AccessRole)),
  detail: {
    'x-gate': GATE,
    operationId: 'listRoles',
    summary: 'Every role, with what it grants',
    description: 'Users counts those in the companies that the caller manages.',
  },
}

const GET_ROLE = {
  params: RolePath,
  response: Envelope(AccessRole),
  detail: { 'x-gate': GATE, operationId: 'getRole', summary: 'One role' },
}

const CREATE_ROLE = {
  body: NewRoleRequest,
  response: Envelope(AccessRole),
  detail: {
    'x-gate': GATE,
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
    'x-gate': GATE,
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
    'x-gate': GATE,
    operationId: 'deleteRole',
    summary: 'Remove a role that was made here and that nobody holds',
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
    .get('', async ({ request }) => ok(await listRoles(app, request)), LIST_ROLES)
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

async function listRoles(app: AppContext, request: Request): Promise<AccessRole[]> {
  const scope = await loadScope(app.store, callerOf(request), ACCESS_ROLES)
  const roles = await loadRoles(app.store, modelOf(app, request), scope)
  return roles.map((role) => toAccessRole(role, languageOf(request)))
}

async function requireRole(app: AppContext, request: Request, name: string): Promise<AccessRole> {
  const role = (await listRoles(app, request)).find(({ Name }) => Name === name)
  if (!role) throw notFound(say`There is no such role`)
  return role
}

const toAccessRole = (record: RoleRecord, language: string): AccessRole => {
  const { name, label, isBuiltIn, isDeclared, assignableBy, role, users } = record
  return {
    Name: name,
    Label: renderMessage(label, language),
    IsBuiltIn: isBuiltIn,
    IsDeclared: isDeclared,
    AssignableBy: [...assignableBy],
    Users: users,
    Grants: (role?.grants ?? []).map(({ resource, verbs, capabilities }) => ({
      Resource: resource,
      Verbs: [...verbs],
      Capabilities: [...capabilities],
    })),
    RowFilters: (role?.rowFilters ?? []).map(({ resource, verbs, dataSet, condition }) => ({
      Resource: resource,
      Verbs: verbs ? [...verbs] : null,
      DataSet: dataSet ?? null,
      Sql: condition.text,
    })),
    FieldRules: (role?.fieldRules ?? []).map(({ resource, field, access }) => ({
      Resource: resource,
      Field: field,
      Access: access,
    })),
  }
}
