/**
 * Changes of the access board: their meaning, and who may make them. Callers give and take only
 * rights that they hold themselves.
 */
import { denied, invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { BUILT_IN_CAPABILITIES } from '../../model/compile/compilation.ts'
import { type Role, type Verb, VERBS } from '../../model/compiled/role.ts'
import type { Model } from '../../model/model.ts'
import type { RightChange } from '../../model/rbac/edit.ts'
import { SYSTEM_ROLE } from '../../access/callers/caller.ts'
import type { AdminScope } from '../../access/rights/admin-scope.ts'
import { findExcess, isOfRank, requireMayAssign } from '../../access/rights/delegation.ts'
import { loadUsers, type ScopedUser } from '../../access/users/scoped-users.ts'
import type { BoardChange } from './board-schema.ts'
import { isDirect, unknownResource } from './matrix.ts'
import { type AccessSource, parsePrincipal, unknownPrincipal } from './principals.ts'
import { listBoardResources, listBoardRoles, MEMBER } from './resources.ts'

/** A role that a user is to hold, or not to hold any more, directly in the scope. */
export interface MembershipChange {
  user: ScopedUser
  role: string
  isGranted: boolean
}

/** Changes that a request asks for, also those already in effect. */
export interface BoardChanges {
  rights: readonly RightChange[]
  memberships: readonly MembershipChange[]
}

const ROLE = 'Role:'
const VERB_NAMES: readonly string[] = VERBS

/**
 * Reads the changes of a request against the board as it is.
 * @throws invalid (400) for a principal, resource or verb that is not there, for a right given to a
 * user or a membership to a role, and for two changes of one cell.
 */
export async function planChanges(
  source: AccessSource,
  changes: readonly BoardChange[],
): Promise<BoardChanges> {
  const rights: RightChange[] = []
  const memberships: MembershipChange[] = []
  const users = await findUsers(source, changes)
  const cells = new Set<string>()
  for (const change of changes) {
    const cell = JSON.stringify([change.Principal, change.Resource, change.Verb])
    if (cells.has(cell))
      throw invalid(say`The same cell is changed twice: ${change.Principal}, ${change.Resource}`)
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
  { reader, scope }: AccessSource,
  changes: readonly BoardChange[],
): Promise<ReadonlyMap<number, ScopedUser>> {
  const principals = changes.map(({ Principal }) => parsePrincipal(Principal))
  const ids = principals.flatMap((each) => (each.kind === 'User' ? each.id : []))
  if (ids.length === 0) return new Map()
  const found = await loadUsers(reader, scope, { ids })
  return new Map(found.map((each) => [each.user.Id, each]))
}

function planRight(model: Model, role: string, change: BoardChange): RightChange {
  const { Principal, Resource: resource, Verb: right } = change
  if (!listBoardRoles(model).some(({ name }) => name === role)) throw unknownPrincipal(Principal)
  if (resource.startsWith(ROLE)) throw invalid(say`A role cannot be a member of another role`)
  if (!listBoardResources(model).some(({ id }) => id === resource)) throw unknownResource(resource)
  const known = [...VERB_NAMES, ...BUILT_IN_CAPABILITIES, ...model.capabilities.keys()]
  if (!known.includes(right))
    throw invalid(say`There is no verb or capability ${right.slice(0, 80)}`)
  return { role, resource, right, isGranted: change.Grant }
}

function planMembership(
  { model, scope }: AccessSource,
  user: ScopedUser,
  { Resource: resource, Verb: right, Grant: isGranted }: BoardChange,
): MembershipChange {
  if (!resource.startsWith(ROLE))
    throw invalid(say`Users get rights through roles. Assign a role, or grant the right to a role.`)
  const role = resource.slice(ROLE.length)
  if (!listBoardRoles(model).some(({ name }) => name === role)) throw unknownResource(resource)
  if (right !== MEMBER) throw invalid(say`The verb of a role membership must be ${MEMBER}`)
  const own = user.roles.filter((held) => held.role === role)
  if (!isGranted && own.length > 0 && !own.some((held) => isDirect(scope, held)))
    throw invalid(
      say`${user.user.UserName} has ${role} in all companies. Remove it in the Global scope.`,
    )
  return { user, role, isGranted }
}

/** True when a change makes or ends a membership of the scope. */
export const isEffectiveIn =
  (scope: AdminScope) =>
  ({ user, role, isGranted }: MembershipChange): boolean =>
    user.roles.some((held) => held.role === role && isDirect(scope, held)) !== isGranted

/** The company of a membership that is given in a scope: null for all of the user's. */
export const givenIn = ({ held, companyId }: AdminScope): number | null =>
  held === 'Company' ? companyId : null

/**
 * Checks every change against the caller's own rights before any of them is made.
 * @throws denied (401) for the first that the caller may not make.
 */
export function requireMayChange(scope: AdminScope, model: Model, changes: BoardChanges): void {
  if (scope.isSystem) return
  for (const change of changes.rights) requireMayChangeRight(scope, model, change)
  for (const { user, role } of changes.memberships) {
    if (user.roles.some((held) => held.role === SYSTEM_ROLE))
      throw denied(say`Only a System user may do this to this user`)
    const holder = { id: user.user.Id, roles: user.roles }
    requireMayAssign(scope, model, { role, companyId: givenIn(scope), user: holder })
  }
}

/** Checks a right against all companies: a role's rights hold in every company. */
function requireMayChangeRight(scope: AdminScope, model: Model, change: RightChange): void {
  if (!scope.isEverywhere) throw denied()
  const giver = scope.giverIn(null)
  const { role, resource, right } = change
  const excess = findExcess(giver, model, planChangedRole(model, change))
  if (isOfRank(giver, role) && excess === undefined) return
  throw denied(
    say`You can only change rights that you have yourself: ${right} on ${resource}, role ${role}`,
  )
}

/** The role with only the right that a change moves, under its own filters and field rules. */
function planChangedRole(model: Model, { role, resource, right }: RightChange): Role {
  const declared = model.roles.get(role)
  const isVerb = VERB_NAMES.includes(right)
  const holdsView = declared?.grants.some(
    (grant) => grant.resource === resource && grant.verbs.has('View'),
  )
  const verbs = new Set<Verb>(isVerb ? [right as Verb] : [])
  // Without List the rows of View are used in place of its own, which may be more.
  if (right === 'List' && holdsView) verbs.add('View')
  return {
    name: role,
    label: role,
    assignableBy: [],
    grants: [{ resource, verbs, capabilities: new Set(isVerb ? [] : [right]) }],
    rowFilters: declared?.rowFilters ?? [],
    fieldRules: declared?.fieldRules ?? [],
  }
}
