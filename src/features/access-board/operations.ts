/** The operations of the access board as the OpenAPI document tells them. */
import { rolesGate } from '../../server/gate.ts'
import { SAFE } from '../../server/route-table.ts'
import { Envelope } from '../../server/schema.ts'
import {
  ApplyRequest,
  ApplyResult,
  Matrix,
  MatrixRequest,
  PrincipalPage,
  PrincipalsQuery,
  RbacExport,
  RbacImport,
  RbacImportRequest,
  ScopeQuery,
  Statistics,
} from './schema.ts'

const GATE = rolesGate('System', 'Admin', 'AccessManager')
const SYSTEM = rolesGate('System')

const SCOPE =
  'System reaches every company, everybody else the one that they are in; a scope can only ' +
  'narrow that. Gate: System, Admin, AccessManager.'

export const GET_STATISTICS = {
  query: ScopeQuery,
  response: Envelope(Statistics),
  detail: {
    'x-gate': GATE,
    operationId: 'getAccessStatistics',
    summary: 'Numbers of users, sessions, roles and rights',
    description: SCOPE,
  },
}

export const LIST_PRINCIPALS = {
  query: PrincipalsQuery,
  response: Envelope(PrincipalPage),
  detail: {
    'x-gate': GATE,
    operationId: 'listPrincipals',
    summary: 'Roles and users, by name',
    description: SCOPE,
  },
}

export const LOAD_MATRIX = {
  body: MatrixRequest,
  response: Envelope(Matrix),
  detail: {
    ...SAFE,
    'x-gate': GATE,
    operationId: 'loadAccessMatrix',
    summary: 'Who holds which right on what, and whence',
    description:
      'Roles hold rights of their own (granted), users hold them through roles (inherited). A ' +
      'membership is the verb Member on `Role:<Name>`: granted in the scope, inherited where it ' +
      'holds in all companies and the scope is Company. At most 50,000 cells at once: name ' +
      `Principals or Resources where there would be more. ${SCOPE}`,
  },
}

export const APPLY = {
  body: ApplyRequest,
  response: Envelope(ApplyResult),
  detail: {
    'x-gate': GATE,
    operationId: 'applyAccessBoard',
    summary: 'Change rights of roles and memberships of users',
    description:
      'All or none, in the scope of the matrix whose Version is given; 409 when the board moved. ' +
      'A right of a role is written into its Rbac script. Nobody hands out or takes what they do ' +
      'not hold: verbs, capabilities, rows, fields (401); the last System user stays (409). ' +
      'Impact tells for each role and user which verbs come and go and how many rows they can ' +
      `list before and after. Not while acting as somebody else. ${SCOPE}`,
  },
}

export const EXPORT_RBAC = {
  response: Envelope(RbacExport),
  detail: {
    'x-gate': SYSTEM,
    operationId: 'exportRbac',
    summary: 'The Rbac as XML, and who holds which role',
    description: 'Gate: System.',
  },
}

export const IMPORT_RBAC = {
  body: RbacImportRequest,
  response: Envelope(RbacImport),
  detail: {
    'x-gate': SYSTEM,
    operationId: 'importRbac',
    summary: 'Take an export back',
    description:
      'Files become the whole Rbac, by the path of a deploy; without them it stays. Faults are a ' +
      '400 whose `faults` name File, Line, Column and Message. The roles of the Users named ' +
      'become those listed. All or none. Gate: System.',
  },
}
