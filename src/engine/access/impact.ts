/** The effect of board changes: who gains and loses which rights, and how many rows. */
import { Failure } from '../../kernel/failure.ts'
import { renderMessage } from '../../kernel/messages.ts'
import type { Reader } from '../../store/store.ts'
import { type View, VIEW_TYPES } from '../../model/compiled/view.ts'
import type { Model } from '../../model/model.ts'
import type { RightChange } from '../../model/rbac/edit.ts'
import { describeSqlRight } from '../../model/rbac/sql-rights.ts'
import { type CallerFacts, loadCallerFacts } from '../../access/callers/caller-facts.ts'
import { type Caller, SYSTEM_ROLE } from '../../access/callers/caller.ts'
import type { AdminScope } from '../../access/rights/admin-scope.ts'
import { Grant } from '../../access/rights/grant.ts'
import type { HeldRole } from '../../access/rights/role-rows.ts'
import {
  countHolders,
  countUsers,
  loadUsers,
  type ScopedUser,
} from '../../access/users/scoped-users.ts'
import type { Impact } from './board-schema.ts'
import { type BoardChanges, givenIn, isEffectiveIn, type MembershipChange } from './changes.ts'
import { isDirect, listHeld } from './matrix.ts'
import { type AccessSource, roleId, userId } from './principals.ts'
import { listEffective } from './rbac-scripts.ts'
import { listBoardResources } from './resources.ts'
import { planTable } from '../object/read/table.ts'
import { isFreeOfParameters } from '../object/read/view-parameters.ts'
import { BOUNDED_COUNT_MAX } from '../object/schema.ts'

/** Users whose rows are counted; of a role with more members the rest are a number. */
const IMPACT_USERS_MAX = 100

/** The model before and after, and the changes between the two. */
interface Transition {
  before: Model
  after: Model
  changes: BoardChanges
  now: Date
  /** The language of the caller. */
  language: string | undefined
}

/** The impact of changes that were not made yet; `omitted` users were not counted. */
export async function loadImpact(
  { reader, scope }: AccessSource,
  transition: Transition,
): Promise<{ entries: Impact[]; omitted: number }> {
  const { before, changes } = transition
  const rights = listEffective(before, changes.rights)
  const memberships = changes.memberships.filter(isEffectiveIn(scope))
  const roles = [...new Set(rights.map(({ role }) => role))]
  const page = { limit: IMPACT_USERS_MAX, offset: 0 }
  const members = memberships.map(({ user }) => user)
  const holders = await loadUsers(reader, scope, { roles }, page)
  const users = new Map([...members, ...holders].map((each) => [each.user.Id, each]))
  const affected = [...users.values()].slice(0, IMPACT_USERS_MAX)
  const others = (await countUsers(reader, scope, { roles })) - holders.length
  const counter = new RowCounter(reader, transition.now)
  const numbers = await countHolders(reader, scope)
  const entries = roles.flatMap((role) =>
    planRoleImpacts(transition, rights, role, numbers.get(role) ?? 0),
  )
  for (const user of affected)
    for (const { id } of user.companies) {
      const facts = await loadCallerFacts(reader, user.user.Id, id)
      if (!facts) continue
      const step = { ...transition, rights, counter, facts }
      entries.push(...(await loadUserImpacts(scope, step, user, memberships)))
    }
  return { entries, omitted: users.size - affected.length + others }
}

function planRoleImpacts(
  { before, after, language }: Transition,
  rights: readonly RightChange[],
  role: string,
  users: number,
): Impact[] {
  const resources = new Set(rights.flatMap((each) => (each.role === role ? each.resource : [])))
  return [...resources].map((resource) => ({
    Principal: roleId(role),
    Name: role,
    Company: null,
    Resource: resource,
    Object: null,
    ...compareRights(before, after, { resource, roles: [role], rolesAfter: [role], language }),
    RowsBefore: null,
    RowsAfter: null,
    RowsAreExact: false,
    Users: users,
  }))
}

function compareRights(
  before: Model,
  after: Model,
  held: {
    resource: string
    roles: readonly string[]
    rolesAfter: readonly string[]
    language: string | undefined
  },
): Pick<Impact, 'VerbsGained' | 'VerbsLost' | 'Note'> {
  const was = listHeld(before, held.roles, held.resource)
  const is = listHeld(after, held.rolesAfter, held.resource)
  const gained = [...is].filter((right) => !was.has(right))
  const notes = gained.flatMap((right) => describeSqlRight(held.resource, right) ?? [])
  return {
    VerbsGained: gained,
    VerbsLost: [...was].filter((right) => !is.has(right)),
    Note: notes.map((note) => renderMessage(note, held.language)).join('. ') || null,
  }
}

interface Step extends Transition {
  rights: readonly RightChange[]
  counter: RowCounter
  facts: CallerFacts
}

async function loadUserImpacts(
  scope: AdminScope,
  step: Step,
  { user, roles: ofUser }: ScopedUser,
  memberships: readonly MembershipChange[],
): Promise<Impact[]> {
  const own = memberships.filter((change) => change.user.user.Id === user.Id)
  const { companyId, companyCode } = step.facts
  const roles = namesIn(ofUser, companyId)
  const rolesAfter = namesIn(changeRoles(scope, ofUser, own), companyId)
  const impacts: Impact[] = []
  for (const resource of listResources(step, [...roles, ...rolesAfter], own)) {
    const held = { resource, roles, rolesAfter, language: step.language }
    const rights = compareRights(step.before, step.after, held)
    const views = [...step.after.views.values()].filter(
      (view) => view.resource === resource && !VIEW_TYPES[view.viewType].hasSteps,
    )
    for (const view of views.length > 0 ? views : [undefined]) {
      const counted = await countRows(step, view, { roles, rolesAfter })
      const isMoved = counted.RowsBefore !== counted.RowsAfter
      if (rights.VerbsGained.length + rights.VerbsLost.length === 0 && !isMoved) continue
      impacts.push({
        Principal: userId(user.Id),
        Name: user.UserName,
        Company: companyCode,
        Resource: resource,
        Object: view?.name ?? null,
        ...rights,
        ...counted,
        Users: null,
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
  scope: AdminScope,
  held: readonly HeldRole[],
  changes: readonly MembershipChange[],
): HeldRole[] {
  const taken = new Set(changes.flatMap(({ role, isGranted }) => (isGranted ? [] : role)))
  const given = changes.flatMap(({ role, isGranted }) =>
    isGranted ? { role, companyId: givenIn(scope) } : [],
  )
  return [...held.filter((each) => !taken.has(each.role) || !isDirect(scope, each)), ...given]
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

/** A number of rows; a lower bound where more exist than were counted. */
interface RowCount {
  rows: number
  isExact: boolean
}

/** Statements of one request at most: the others stay uncounted. */
const READS_MAX = 400

/** Counts rows, each statement once, within a bound of reads and each within the read deadline. */
class RowCounter {
  readonly #reader: Reader
  readonly #now: Date
  readonly #counted = new Map<string, Promise<RowCount | undefined>>()

  constructor(reader: Reader, now: Date) {
    this.#reader = reader
    this.#now = now
  }

  /**
   * The rows that a user with these roles can list in a view of the model; none without List or
   * View on it. Undefined where that was not counted: too many reads, or one that took too long.
   */
  async count(
    user: CallerFacts,
    roles: readonly string[],
    model: Model,
    view: View,
  ): Promise<RowCount | undefined> {
    const caller = toCaller(user, roles)
    const grant =
      Grant.find(caller, model, view.resource, 'List') ??
      Grant.find(caller, model, view.resource, 'View')
    if (!grant) return { rows: 0, isExact: true }
    if (!isFreeOfParameters(view)) return undefined
    const context = { caller, now: this.#now, model }
    const { count } = planTable(view, { CountMode: 'bounded' }, grant, context)
    if (!count) return undefined
    const key = JSON.stringify([count.sql, count.args])
    const known = this.#counted.get(key)
    if (known) return known
    if (this.#counted.size >= READS_MAX) return undefined
    const counted = this.#reader.text(count).then(toCount, ignoreRefusal)
    this.#counted.set(key, counted)
    return counted
  }
}

function toCount(text: string): RowCount {
  const rows = Number(text)
  const isExact = rows <= BOUNDED_COUNT_MAX
  return { rows: isExact ? rows : BOUNDED_COUNT_MAX, isExact }
}

/** Ignores a count that takes too long: the change is not refused for it. */
function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error
}

/** The user as they would ask, with other roles than they have. */
const toCaller = (user: CallerFacts, roles: readonly string[]): Caller => ({
  ...user,
  sessionId: '',
  roles: [...roles].sort(),
  isSystem: roles.includes(SYSTEM_ROLE),
  impersonatorId: undefined,
})
