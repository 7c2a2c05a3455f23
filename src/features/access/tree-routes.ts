/** Rights of users, as trees and as an answer to one question (src/server/README.md, Access). */
import { Type } from '@sinclair/typebox'
import { explain } from '../../engine/access/explain.ts'
import { ExplainRequest, Explanation, TreeNode, TreeQuery } from '../../engine/access/schema.ts'
import { loadTree, type TreeRequest } from '../../engine/access/trees.ts'
import type { RequestCall } from '../../server/call.ts'
import { ok } from '../../server/reply.ts'
import { SAFE } from '../../server/route-table.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
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
export const TREE_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/auth',
  area: 'Access',
  routes: [
    route('GET', '/explorer/users', EXPLORE_USERS, async (call) =>
      ok(await list(call, 'users', call.query)),
    ),
    route('GET', '/explorer/roles', EXPLORE_ROLES, async (call) =>
      ok(await list(call, 'roles', call.query)),
    ),
    route('GET', '/explorer/resources', EXPLORE_RESOURCES, async (call) =>
      ok(await list(call, 'resources', call.query)),
    ),
    route('POST', '/explain', EXPLAIN, async (call) => {
      const source = {
        ...(await openAccess(call)),
        caller: call.caller,
        now: call.app.clock.now(),
      }
      return ok(await explain(source, call.body))
    }),
  ],
}

async function list(call: RequestCall, tree: TreeRequest['tree'], { id, search, page }: TreeQuery) {
  const wanted = { tree, id, search: readSearch(search), page: Number(page ?? 1) }
  return loadTree(await openAccess(call), wanted)
}
