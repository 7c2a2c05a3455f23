/** Who may change what on the access board: nobody hands out, or takes, what they do not hold. */
import type { BoardScopeOf } from '../../access/board-users.ts'
import type { HeldRole } from '../../access/role-rows.ts'
import { ACCESS_MANAGER_ROLE, ADMIN_ROLE, SYSTEM_ROLE } from '../../access/caller.ts'
import { findExcess, isOfRank, requireMayAssign } from '../../access/delegation.ts'
import type { Giver } from '../../access/delegation.ts'
import { denied } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Model, Role, Verb } from '../../model/model.ts'
import { VERBS } from '../../model/model.ts'
import type { RightChange } from '../../model/rbac-edit.ts'
import type { BoardChanges, MembershipChange } from './changes.ts'

/** Who changes the board, by what they hold now in the company that they are in. */
export interface Changer {
  userId: number
  roles: readonly HeldRole[]
  reach: BoardScopeOf
}

const MANAGERS: readonly string[] = [ADMIN_ROLE, ACCESS_MANAGER_ROLE]
const VERB_NAMES: readonly string[] = VERBS

/**
 * Judges every change by what the changer holds before any of them.
 * @throws denied (401) for the first that is not theirs to make.
 */
export function validateChanges(changer: Changer, model: Model, changes: BoardChanges): void {
  const here = toGiver(changer.roles)
  if (here.roles.includes(SYSTEM_ROLE)) return
  requireManager(here)
  // What a role may do holds in every company, so that only what is held in all of them counts.
  const everywhere = toGiver(changer.roles.filter(({ companyId }) => companyId === null))
  for (const change of changes.rights) requireMayChangeRight(everywhere, model, change)
  for (const change of changes.memberships) requireMayChangeMembership(changer, here, model, change)
}

const toGiver = (held: readonly HeldRole[]): Giver => ({
  roles: [...new Set(held.map(({ role }) => role))],
})

function requireManager(giver: Giver): void {
  if (!giver.roles.some((role) => MANAGERS.includes(role))) throw denied()
}

function requireMayChangeRight(giver: Giver, model: Model, change: RightChange): void {
  requireManager(giver)
  const { role, resource, right } = change
  const excess = findExcess(giver, model, toTouched(model, change))
  if (isOfRank(giver, role) && excess === undefined) return
  throw denied(
    say`Nobody hands out or takes what they do not hold: ${right} on ${resource}, role ${role}`,
  )
}

/** The role with nothing but what a change moves, under its own filters and field rules. */
function toTouched(model: Model, { role, resource, right }: RightChange): Role {
  const declared = model.roles.get(role)
  const isVerb = VERB_NAMES.includes(right)
  const holdsView = declared?.grants.some(
    (grant) => grant.resource === resource && grant.verbs.has('View'),
  )
  const verbs = new Set<Verb>(isVerb ? [right as Verb] : [])
  // Without List the rows of View stand in for its own, which may be more.
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

function requireMayChangeMembership(
  { userId, reach }: Changer,
  giver: Giver,
  model: Model,
  { user, role }: MembershipChange,
): void {
  if (user.roles.some((held) => held.role === SYSTEM_ROLE))
    throw denied(say`Only a System user may do this to this user`)
  const companyId = reach.scope === 'Company' ? reach.companyId : null
  const assigner = { userId, isSystem: false, giverIn: () => giver }
  requireMayAssign(assigner, model, { role, companyId, user })
}
