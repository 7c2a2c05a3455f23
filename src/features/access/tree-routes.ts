/** Rights of users, as trees and as an answer to one question (src/server/README.md, Access). */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { explain } from '../../engine/access/explain.ts'
import { ExplainRequest, Explanation, TreeNode, TreeQuery } from '../../engine/access/schema.ts'
import { loadTree, type TreeRequest } from '../../engine/access/trees.ts'
import type { AppContext } from '../../server/context.ts'
import { ok } from '../../server/reply.ts'
import { SAFE } from '../../server/route-table.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf } from '../../server/session.ts'
import { ACCESS_GATE, openAccess, readSearch } from './open-access.ts'

const BOUND =
  'Without `id` the roots, with it the children of that node, at most 200 of a kind. Users and ' +
  'companies are those that the caller manages.'

const exploring = (operationId: string, summary: string) => ({
  query: TreeQuery,
  response: Envelope(Type.Array(TreeNode)),
  detail: { 'x-gate': ACCESS_GATE, operationId, summary, description: BOUND },
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
    'x-gate': ACCESS_GATE,
    operationId: 'explainAccess',
    summary: 'Why a user may do something, or not',
    description:
      'Decides as the engine does for that user, and tells each grant, row filter, field rule ' +
      'and permit behind it. A record is looked at only where the caller sees it themselves; ' +
      'else the answer leaves it out.',
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
    .post(
      '/explain',
      async ({ body, request }) => {
        const source = {
          ...(await openAccess(app, request)),
          caller: callerOf(request),
          now: app.clock.now(),
        }
        return ok(await explain(source, body))
      },
      EXPLAIN,
    )
}

async function list(
  app: AppContext,
  request: Request,
  tree: TreeRequest['tree'],
  { id, search, page }: TreeQuery,
) {
  const wanted = { tree, id, search: readSearch(search), page: Number(page ?? 1) }
  return loadTree(await openAccess(app, request), wanted)
}
