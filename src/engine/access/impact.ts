/** What changes of the board would do: who gains and loses which rights, and how many rows. */
import {
  countBoardUsers,
  countHolders,
  isDirect,
  loadBoardUsers,
  loadCompanyCodes,
} from '../../access/board-users.ts'
import type { BoardUser, BoardScopeOf } from '../../access/board-users.ts'
import type { HeldRole } from '../../access/role-rows.ts'
import { SYSTEM_ROLE } from '../../access/caller.ts'
import { loadCallerFacts } from '../../access/caller-facts.ts'
import type { CallerFacts } from '../../access/caller-facts.ts'
import type { Model, View } from '../../model/model.ts'
import type { RightChange } from '../../model/rbac-edit.ts'
import type { Reader } from '../../store/store.ts'
import type { BoardChanges, MembershipChange } from './changes.ts'
import { RowCounter } from './count-rows.ts'
import { listHeld } from './matrix.ts'
import { roleId, userId } from './principals.ts'
import type { BoardSource } from './principals.ts'
import { listEffective } from './rbac-plan.ts'
import { listBoardResources } from './resources.ts'

/** Users whose rows are counted; of a role with more members the rest are a number. */
export const IMPACT_USERS_MAX = 100

/** What changes for a role, or for a user in one company, on one resource. */
export interface Impact {
  Principal: string
  Name: string
  /** The code of the company that a user's rights hold in; null for a role. */
  Company: string | null
  Resource: string
  /** The view whose rows were counted. */
  Object: string | null
  VerbsGained: string[]
  VerbsLost: string[]
  /** Rows that can be listed; null where they were not counted. */
  RowsBefore: number | null
  RowsAfter: number | null
  /** False where there are more rows than the number says. */
  RowsAreExact: boolean
  /** Of a role: its users in scope. */
  Users: number | null
}

/** The model before and after, and the changes between the two. */
export interface Turn {
  before: Model
  after: Model
  changes: BoardChanges
  reader: Reader
  now: Date
}

export interface Impacts {
  entries: Impact[]
  /** Affected users who were not looked at. */
  omitted: number
}

/** The impact of changes that were not made yet. */
export async function loadImpact(source: BoardSource, turn: Turn): Promise<Impacts> {
  const { reader, reach } = source
  const rights = listEffective(turn.before, turn.changes.rights)
  const memberships = turn.changes.memberships.filter(isEffectiveIn(reach))
  const roles = [...new Set(rights.map(({ role }) => role))]
  const page = { limit: roles.length > 0 ? IMPACT_USERS_MAX : 0, offset: 0 }
  const members = memberships.map(({ user }) => user)
  const holders = await loadBoardUsers(reader, reach, { roles }, page)
  const users = new Map([...members, ...holders].map((user) => [user.id, user]))
  const looked = [...users.values()].slice(0, IMPACT_USERS_MAX)
  const unseen = (await countBoardUsers(reader, reach, { roles })) - holders.length
  const counter = new RowCounter(turn.reader, turn.now)
  const codes = await loadCompanyCodes(reader)
  const numbers = await countHolders(reader, reach)
  const entries = roles.flatMap((role) =>
    planRoleImpacts(turn, rights, role, numbers.get(role) ?? 0),
  )
  for (const user of looked)
    for (const company of reach.isWide ? user.companies : [reach.companyId]) {
      const facts = await loadCallerFacts(turn.reader, user.id, company)
      if (!facts) continue
      const step = { ...turn, rights, counter, company, facts, code: codes.get(company) ?? '' }
      entries.push(...(await loadUserImpacts(reach, step, user, memberships)))
    }
  return { entries, omitted: users.size - looked.length + unseen }
}

/** Whether a change makes or ends a membership of the scope. */
export const isEffectiveIn =
  (reach: BoardScopeOf) =>
  ({ user, role, isGranted }: MembershipChange): boolean =>
    user.roles.some((held) => held.role === role && isDirect(reach, held)) !== isGranted

/** The company of a membership that is given in a scope: null for all of the user's. */
export const givenIn = ({ scope, companyId }: BoardScopeOf): number | null =>
  scope === 'Company' ? companyId : null

function planRoleImpacts(
  { before, after }: Turn,
  rights: readonly RightChange[],
  role: string,
  users: number,
): Impact[] {
  const resources = new Set(rights.flatMap((each) => (each.role === role ? each.resource : [])))
  return [...resources].map((resource) => ({
    ...{ Principal: roleId(role), Name: role, Company: null, Resource: resource, Object: null },
    ...compareRights(before, after, { resource, roles: [role], rolesAfter: [role] }),
    ...{ RowsBefore: null, RowsAfter: null, RowsAreExact: false, Users: users },
  }))
}

function compareRights(
  before: Model,
  after: Model,
  held: { resource: string; roles: readonly string[]; rolesAfter: readonly string[] },
): Pick<Impact, 'VerbsGained' | 'VerbsLost'> {
  const was = listHeld(before, held.roles, held.resource)
  const is = listHeld(after, held.rolesAfter, held.resource)
  return {
    VerbsGained: [...is].filter((right) => !was.has(right)),
    VerbsLost: [...was].filter((right) => !is.has(right)),
  }
}

interface Step extends Turn {
  rights: readonly RightChange[]
  counter: RowCounter
  facts: CallerFacts
  company: number
  code: string
}

async function loadUserImpacts(
  reach: BoardScopeOf,
  step: Step,
  user: BoardUser,
  memberships: readonly MembershipChange[],
): Promise<Impact[]> {
  const own = memberships.filter((change) => change.user.id === user.id)
  const roles = namesIn(user.roles, step.company)
  const rolesAfter = namesIn(changeRoles(reach, user.roles, own), step.company)
  const impacts: Impact[] = []
  for (const resource of listResources(step, [...roles, ...rolesAfter], own)) {
    const rights = compareRights(step.before, step.after, { resource, roles, rolesAfter })
    const views = [...step.after.views.values()].filter(
      (view) => view.resource === resource && view.viewType !== 'Wizard',
    )
    for (const view of views.length > 0 ? views : [undefined]) {
      const counted = await countRows(step, view, { roles, rolesAfter })
      const isMoved = counted.RowsBefore !== counted.RowsAfter
      if (rights.VerbsGained.length + rights.VerbsLost.length === 0 && !isMoved) continue
      impacts.push({
        ...{ Principal: userId(user.id), Name: user.userName, Company: step.code },
        ...{ Resource: resource, Object: view?.name ?? null, ...rights, ...counted, Users: null },
      })
    }
  }
  return impacts
}

const namesIn = (held: readonly HeldRole[], company: number): string[] => [
  ...new Set(
    held.flatMap(({ role, companyId }) =>
      companyId === null || companyId === company ? role : [],
    ),
  ),
]

function changeRoles(
  reach: BoardScopeOf,
  held: readonly HeldRole[],
  changes: readonly MembershipChange[],
): HeldRole[] {
  const taken = new Set(changes.flatMap(({ role, isGranted }) => (isGranted ? [] : role)))
  const given = changes.flatMap(({ role, isGranted }) =>
    isGranted ? { role, companyId: givenIn(reach) } : [],
  )
  return [...held.filter((each) => !taken.has(each.role) || !isDirect(reach, each)), ...given]
}

/** The resources on which changes of rights or memberships may matter to one with these roles. */
function listResources(
  { before, after, rights }: Step,
  roles: readonly string[],
  memberships: readonly MembershipChange[],
): Set<string> {
  const changed = rights.flatMap(({ role, resource }) => (roles.includes(role) ? resource : []))
  const moved = memberships.flatMap(({ role }) => {
    if (role === SYSTEM_ROLE)
      return listBoardResources(after).flatMap(({ id, kind }) => (kind === 'Role' ? [] : id))
    return [before, after].flatMap((model) =>
      (model.roles.get(role)?.grants ?? []).map(({ resource }) => resource),
    )
  })
  return new Set([...changed, ...moved])
}

async function countRows(
  { before, after, counter, facts }: Step,
  view: View | undefined,
  { roles, rolesAfter }: { roles: readonly string[]; rolesAfter: readonly string[] },
): Promise<Pick<Impact, 'RowsBefore' | 'RowsAfter' | 'RowsAreExact'>> {
  if (!view) return { RowsBefore: null, RowsAfter: null, RowsAreExact: false }
  const viewBefore = before.views.get(view.name) ?? view
  const was = await counter.count(facts, roles, before, viewBefore)
  const is = await counter.count(facts, rolesAfter, after, view)
  return {
    RowsBefore: was?.rows ?? null,
    RowsAfter: is?.rows ?? null,
    RowsAreExact: (was?.isExact ?? false) && (is?.isExact ?? false),
  }
}
