/** The operations of the explorer and of `explain` as the OpenAPI document tells them. */
import { Type } from '@sinclair/typebox'
import { rolesGate } from '../../server/gate.ts'
import { SAFE } from '../../server/route-table.ts'
import { Envelope } from '../../server/schema.ts'
import { ExplainRequest, Explanation, ExplorerNode, ExplorerQuery } from './schema.ts'

const GATE = rolesGate('System', 'Admin', 'AccessManager')

const BOUND =
  'Without `id` the roots, with it the children of that node, at most 200 of a kind. Users and ' +
  'companies are those that the caller manages.'

const explore = (operationId: string, summary: string) => ({
  query: ExplorerQuery,
  response: Envelope(Type.Array(ExplorerNode)),
  detail: { 'x-gate': GATE, operationId, summary, description: BOUND },
})

export const EXPLORE_USERS = explore(
  'exploreUsers',
  'Users, their companies, the roles held there, the resources of the roles',
)

export const EXPLORE_ROLES = explore(
  'exploreRoles',
  'Roles, their resources and the rights on them, and who holds the role',
)

export const EXPLORE_RESOURCES = explore(
  'exploreResources',
  'Resources, the rights on them, the roles that grant them, and who holds these',
)

export const EXPLAIN = {
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
