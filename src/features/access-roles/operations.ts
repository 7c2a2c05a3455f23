/** The operations of `/api/v1/svc/auth/roles` as the OpenAPI document tells them. */
import { Type } from '@sinclair/typebox'
import { rolesGate } from '../../server/gate.ts'
import { Envelope } from '../../server/schema.ts'
import { AccessRole, NewRoleRequest, RoleLabelRequest, RolePath } from './schema.ts'

const GATE = rolesGate('System', 'Admin', 'AccessManager')

export const LIST_ROLES = {
  response: Envelope(Type.Array(AccessRole)),
  detail: {
    'x-gate': GATE,
    operationId: 'listRoles',
    summary: 'Every role, with what it grants',
    description: 'Users counts those in the companies that the caller manages.',
  },
}

export const GET_ROLE = {
  params: RolePath,
  response: Envelope(AccessRole),
  detail: { 'x-gate': GATE, operationId: 'getRole', summary: 'One role' },
}

export const CREATE_ROLE = {
  body: NewRoleRequest,
  response: Envelope(AccessRole),
  detail: {
    'x-gate': GATE,
    operationId: 'createRole',
    summary: 'Make a role that grants nothing yet',
    description: 'The access board gives it rights. It lives in a script that no deploy replaces.',
  },
}

export const CHANGE_ROLE = {
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

export const DELETE_ROLE = {
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
