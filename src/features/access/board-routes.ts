/**
 * The access board: who may do what, changed with its impact shown (src/server/README.md, Access).
 */
import { type HeldScope, narrowScope } from '../../access/rights/admin-scope.ts'
import { applyBoard } from '../../engine/access/apply.ts'
import {
  AccessStatistics,
  ApplyRequest,
  ApplyResult,
  BoardMatrix,
  MatrixRequest,
  PrincipalPage,
  PrincipalsQuery,
  RbacExport,
  RbacImport,
  RbacImportRequest,
  ScopeQuery,
} from '../../engine/access/board-schema.ts'
import { loadMatrix } from '../../engine/access/matrix.ts'
import { loadPrincipals, type LocalizedSource } from '../../engine/access/principals.ts'
import { exportRbac, importRbac } from '../../engine/access/rbac-files.ts'
import { loadStatistics } from '../../engine/access/statistics.ts'
import type { RequestCall } from '../../server/call.ts'
import { rolesGate } from '../../server/gate.ts'
import { ok, okText } from '../../server/reply.ts'
import { SAFE } from '../../server/route-table.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { ACCESS_GATE, openAccess, readSearch } from './open-access.ts'

const PAGE_SIZE_DEFAULT = 50

const SYSTEM = rolesGate('System')

const GATE = 'Gate: System, Admin, AccessManager.'

const GET_STATISTICS = {
  query: ScopeQuery,
  response: Envelope(AccessStatistics),
  detail: {
    'x-gate': ACCESS_GATE,
    operationId: 'getAccessStatistics',
    summary: 'Numbers of users, sessions, roles and rights',
    description: GATE,
  },
}

const LIST_PRINCIPALS = {
  query: PrincipalsQuery,
  response: Envelope(PrincipalPage),
  detail: {
    'x-gate': ACCESS_GATE,
    operationId: 'listPrincipals',
    summary: 'Roles and users, by name',
    description: GATE,
  },
}

const LOAD_MATRIX = {
  body: MatrixRequest,
  response: Envelope(BoardMatrix),
  detail: {
    ...SAFE,
    'x-gate': ACCESS_GATE,
    operationId: 'loadAccessMatrix',
    summary: 'Who holds which right on what, and whence',
    description:
      'Roles hold rights of their own (granted), users hold them through roles (inherited). A ' +
      'membership is the verb Member on `Role:<Name>`: granted in the scope, inherited where it ' +
      'holds in all companies and the scope is Company. At most 50,000 cells at once: name ' +
      `Principals or Resources where there would be more. ${GATE}`,
  },
}

const APPLY = {
  body: ApplyRequest,
  response: Envelope(ApplyResult),
  detail: {
    'x-gate': ACCESS_GATE,
    operationId: 'applyAccessBoard',
    summary: 'Change rights of roles and memberships of users',
    description:
      'All or none, in the scope of the matrix whose Version is given; 409 when the board moved. ' +
      'A right of a role is written into its Rbac script. You cannot grant or remove what you do ' +
      'not hold: verbs, capabilities, rows, fields (401); the last System user stays (409). ' +
      'Impact tells for each role and user which verbs come and go and how many rows they can ' +
      `list before and after. Not while acting as another user. ${GATE}`,
  },
}

const EXPORT_RBAC = {
  response: Envelope(RbacExport),
  detail: {
    'x-gate': SYSTEM,
    operationId: 'exportRbac',
    summary: 'The Rbac as XML, and who holds which role',
    description: 'Gate: System.',
  },
}

const IMPORT_RBAC = {
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

/** Gates: System, Admin and AccessManager; the Rbac as a whole is System’s. */
export const BOARD_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/auth',
  area: 'Access',
  routes: [
    route('GET', '/statistics', GET_STATISTICS, async (call) => {
      const source = await open(call, call.query.scope)
      return ok(
        await loadStatistics({ ...source, state: call.app.state, now: call.app.clock.now() }),
      )
    }),
    route('GET', '/board/principals', LIST_PRINCIPALS, async (call) => {
      const { kind, search, page = 1, pageSize = PAGE_SIZE_DEFAULT, scope } = call.query
      const wanted = { kind, search: readSearch(search) }
      const cut = { page: Number(page), pageSize: Number(pageSize) }
      return ok(await loadPrincipals(await open(call, scope), { ...wanted, ...cut }))
    }),
    route('POST', '/board/matrix', LOAD_MATRIX, async (call) => {
      const matrix = await loadMatrix(await open(call, call.body.Scope), call.body)
      // Sent as text: checking tens of thousands of cells takes longer than making them.
      return okText(JSON.stringify(matrix))
    }),
    route('POST', '/board/apply', APPLY, async (call) =>
      ok(await applyBoard(call.app, call.caller, call.body, call.traceId)),
    ),
    route('GET', '/rbac/export', EXPORT_RBAC, async (call) =>
      ok(await exportRbac(call.app.store, call.app.models.get())),
    ),
    route('POST', '/rbac/import', IMPORT_RBAC, async (call) =>
      ok(await importRbac(call.app, call.caller, call.body, call.traceId)),
    ),
  ],
}

async function open(call: RequestCall, held?: HeldScope | null): Promise<LocalizedSource> {
  const source = await openAccess(call)
  return { ...source, scope: narrowScope(source.scope, held) }
}
