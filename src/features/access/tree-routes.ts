/** Who may what, as trees and as an answer to one question (src/server/README.md, Access). */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { loadScope } from '../../access/admin-scope.ts'
import { explore } from '../../engine/access/trees.ts'
import type { ExplorerTree } from '../../engine/access/trees.ts'
import { ACCESS_ROLES } from '../../engine/access/roles.ts'
import { explain } from '../../engine/access/explain.ts'
import { isMatchable } from '../../engine/object/read/text-match.ts'
import { invalid } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import type { AppContext } from '../../server/context.ts'
import { rolesGate } from '../../server/gate.ts'
import { modelOf } from '../../server/language.ts'
import { ok } from '../../server/reply.ts'
import { SAFE } from '../../server/route-table.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf, languageOf } from '../../server/session.ts'
import { ExplainRequest, Explanation, ExplorerNode, ExplorerQuery } from './tree-schema.ts'

const GATE = rolesGate('System', 'Admin', 'AccessManager')

const BOUND =
  'Without `id` the roots, with it the children of that node, at most 200 of a kind. Users and ' +
  'companies are those that the caller manages.'

const exploring = (operationId: string, summary: string) => ({
  query: ExplorerQuery,
  response: Envelope(Type.Array(ExplorerNode)),
  detail: { 'x-gate': GATE, operationId, summary, description: BOUND },
})

const EXPLORE_USERS = exploring(
  'exploreUsers',
  'Users, their companies, the roles held there, the resources of the roles',
)

const EXPLORE_ROLES = exploring(
  'exploreRoles',
  'Roles, their resources and the rights on them, and who holds the role',
)

const EXPLORE_RESOURCES = exploring(
  'exploreResources',
  'Resources, the rights on them, the roles that grant them, and who holds these',
)

const EXPLAIN = {
  body: ExplainRequest,
  response: Envelope(Explanation),
  detail: {
    ...SAFE,
    'x-gate': GATE,
    operationId: 'explainAccess',
    summary: 'Why a user may do something, or not',
    description:
      'Decides as the engine does for that user, and tells each grant, row filter, field rule ' +
      'and permit behind it. A record is looked at only where the caller sees it themselves; ' +
      'else what is decided without it is told.',
  },
}

/** Gates: System, Admin and AccessManager, each within the companies that they manage. */
export function treeRoutes(app: AppContext) {
  return new Elysia({ prefix: '/api/v1/svc/auth', strictPath: true, tags: ['Access'] })
    .get(
      '/explorer/users',
      async ({ query, request }) => ok(await list(app, request, 'users', query)),
      EXPLORE_USERS,
    )
    .get(
      '/explorer/roles',
      async ({ query, request }) => ok(await list(app, request, 'roles', query)),
      EXPLORE_ROLES,
    )
    .get(
      '/explorer/resources',
      async ({ query, request }) => ok(await list(app, request, 'resources', query)),
      EXPLORE_RESOURCES,
    )
    .post('/explain', async ({ body, request }) => ok(await answer(app, request, body)), EXPLAIN)
}

async function list(app: AppContext, request: Request, tree: ExplorerTree, query: ExplorerQuery) {
  const search = query.search?.trim() ?? ''
  if (!isMatchable(search)) throw invalid(say`This is no text that can be searched for`)
  const scope = await loadScope(app.store, callerOf(request), ACCESS_ROLES)
  const language = languageOf(request)
  const explorer = { reader: app.store, model: modelOf(app, request), scope, language }
  return explore(explorer, { tree, id: query.id, search, page: Number(query.page ?? 1) })
}

async function answer(
  app: AppContext,
  request: Request,
  body: ExplainRequest,
): Promise<Explanation> {
  const parts = { reader: app.store, model: modelOf(app, request), now: app.clock.now() }
  const found = await explain(parts, callerOf(request), {
    userId: body.UserId,
    object: body.Object,
    verb: body.Verb,
    keys: body.Keys ?? undefined,
    companyId: body.CompanyId ?? undefined,
  })
  const { Id, UserName, DisplayName, Active } = found.user.user
  const language = languageOf(request)
  return {
    User: { Id, UserName, DisplayName, Active },
    CompanyId: found.companyId,
    Object: found.requested.view?.name ?? null,
    Resource: found.requested.resource,
    Right: found.requested.right,
    Decision: found.decision,
    Reasons: found.reasons.map((reason) => renderMessage(reason, language)),
    RecordJudged: found.isEvaluated,
    Roles: found.roles.map((role) => toRole(role, language)),
    Fields: { Hidden: [...found.hidden], ReadOnly: [...found.readOnly] },
    Permit: found.permit ? { Sql: found.permit.sql, Passes: found.permit.passes } : null,
  }
}

type Explained = Awaited<ReturnType<typeof explain>>['roles'][number]

const toRole = (role: Explained, language: string): Explanation['Roles'][number] => ({
  Role: role.role,
  Label: renderMessage(role.label, language),
  CompanyId: role.companyId,
  Grants: role.grants,
  Verbs: [...role.verbs],
  Capabilities: [...role.capabilities],
  RowFilters: role.filters.map(({ condition, verbs, dataSet, applies, passes }) => ({
    Verbs: verbs ? [...verbs] : null,
    DataSet: dataSet ?? null,
    Sql: condition.text,
    Applies: applies,
    Passes: passes,
  })),
  FieldRules: role.fieldRules.map(({ field, access }) => ({ Field: field, Access: access })),
})
