/** From the changes of a request to edits of roles and of memberships. */
import { isDirect, loadBoardUsers } from '../../access/board-users.ts'
import type { BoardUser } from '../../access/board-users.ts'
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { BUILT_IN_CAPABILITIES } from '../../model/compile/compilation.ts'
import type { Model } from '../../model/model.ts'
import { VERBS } from '../../model/model.ts'
import type { RightChange } from '../../model/rbac-edit.ts'
import { unknownResource } from './matrix.ts'
import { parsePrincipal, unknownPrincipal } from './principals.ts'
import type { BoardSource } from './principals.ts'
import { listBoardResources, listBoardRoles, MEMBER } from './resources.ts'

/** One change of a request. */
export interface BoardChange {
  Principal: string
  Resource: string
  Verb: string
  Grant: boolean
}

/** A role that a user is to hold, or not to hold any more, directly in the scope. */
export interface MembershipChange {
  user: BoardUser
  role: string
  isGranted: boolean
}

/** What a request asks for; what is so already is asked for too. */
export interface BoardChanges {
  rights: readonly RightChange[]
  memberships: readonly MembershipChange[]
}

const ROLE = 'Role:'

/**
 * Reads the changes of a request against the board as it is.
 * @throws invalid (400) for a principal, resource or verb that is not there, for a right given to a
 * user or a membership to a role, and for two changes of one cell.
 */
export async function planChanges(
  source: BoardSource,
  changes: readonly BoardChange[],
): Promise<BoardChanges> {
  const rights: RightChange[] = []
  const memberships: MembershipChange[] = []
  const users = await findUsers(source, changes)
  const cells = new Set<string>()
  for (const change of changes) {
    const cell = JSON.stringify([change.Principal, change.Resource, change.Verb])
    if (cells.has(cell))
      throw invalid(say`Two changes of one cell: ${change.Principal}, ${change.Resource}`)
    cells.add(cell)
    const principal = parsePrincipal(change.Principal)
    if (principal.kind === 'Role') rights.push(planRight(source.model, principal.name, change))
    else {
      const user = users.get(principal.id)
      if (!user) throw unknownPrincipal(change.Principal)
      memberships.push(planMembership(source, user, change))
    }
  }
  return { rights, memberships }
}

async function findUsers(
  { reader, reach }: BoardSource,
  changes: readonly BoardChange[],
): Promise<ReadonlyMap<number, BoardUser>> {
  const principals = changes.map(({ Principal }) => parsePrincipal(Principal))
  const ids = principals.flatMap((each) => (each.kind === 'User' ? each.id : []))
  if (ids.length === 0) return new Map()
  const found = await loadBoardUsers(reader, reach, { ids }, { limit: ids.length, offset: 0 })
  return new Map(found.map((user) => [user.id, user]))
}

function planRight(model: Model, role: string, change: BoardChange): RightChange {
  const { Principal, Resource: resource, Verb: right } = change
  if (!listBoardRoles(model).some(({ name }) => name === role)) throw unknownPrincipal(Principal)
  if (resource.startsWith(ROLE)) throw invalid(say`A role cannot be a member of another role`)
  if (!listBoardResources(model).some(({ id }) => id === resource)) throw unknownResource(resource)
  const known: readonly string[] = [
    ...VERBS,
    ...BUILT_IN_CAPABILITIES,
    ...model.capabilities.keys(),
  ]
  if (!known.includes(right))
    throw invalid(say`There is no verb or capability ${right.slice(0, 80)}`)
  return { role, resource, right, isGranted: change.Grant }
}

function planMembership(
  { model, reach }: BoardSource,
  user: BoardUser,
  { Resource: resource, Verb: right, Grant: isGranted }: BoardChange,
): MembershipChange {
  if (!resource.startsWith(ROLE))
    throw invalid(say`Users hold rights through roles: give a role, or give the right to a role`)
  const role = resource.slice(ROLE.length)
  if (!listBoardRoles(model).some(({ name }) => name === role)) throw unknownResource(resource)
  if (right !== MEMBER) throw invalid(say`The verb of a membership is ${MEMBER}`)
  const own = user.roles.filter((held) => held.role === role)
  if (!isGranted && own.length > 0 && !own.some((held) => isDirect(reach, held)))
    throw invalid(say`${user.userName} holds ${role} in all companies: take it in scope Global`)
  return { user, role, isGranted }
}
