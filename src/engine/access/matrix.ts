/** The cells of the access board: who holds which right on what, and from which role. */
import { invalid } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import type { Reader } from '../../store/store.ts'
import type { Verb } from '../../model/compiled/role.ts'
import type { Model } from '../../model/model.ts'
import { SYSTEM_ROLE } from '../../access/callers/caller.ts'
import { type AdminScope, type HeldScope, planScope } from '../../access/rights/admin-scope.ts'
import { planAccess } from '../../access/rights/resource-access.ts'
import type { HeldRole } from '../../access/rights/role-rows.ts'
import { countUsers, loadUsers, type ScopedUser } from '../../access/users/scoped-users.ts'
import type { RecordedRole } from '../../access/users/user-records.ts'
import { type BoardCell, type BoardMatrix, type MatrixRequest, Scope } from './board-schema.ts'
import {
  type AccessSource,
  type LocalizedSource,
  parsePrincipal,
  roleId,
  toRoles,
  toUser,
  unknownPrincipal,
  userId,
} from './principals.ts'
import {
  type BoardResource,
  type BoardRole,
  listBoardResources,
  listBoardRoles,
  MEMBER,
} from './resources.ts'

/** The most cells of one answer: more are requested in parts. */
const CELLS_MAX = 50_000

type MatrixQuery = Pick<MatrixRequest, 'Principals' | 'Resources'>

/** @throws invalid (400) for an unknown principal or resource, and for too many cells. */
export async function loadMatrix(
  source: LocalizedSource,
  query: MatrixQuery,
): Promise<BoardMatrix> {
  const { reader, scope, model, language } = source
  // Read before the data that it covers: a change in between makes it stale, not wrong.
  const version = await loadBoardVersion(reader, scope)
  const resources = findResources(model, query.Resources)
  const rights = resources.reduce((sum, resource) => sum + resource.rights.length, 0)
  const { roles, users } = await findPrincipals(source, query.Principals, rights)
  return {
    Scope: scope.held,
    Resources: resources.map(({ id, kind, label, rights: verbs }) => ({
      Id: id,
      Kind: kind,
      Label: renderMessage(label, language),
      Verbs: [...verbs],
    })),
    Principals: [...(await toRoles(source, roles)), ...users.map(toUser)],
    Cells: [
      ...roles.flatMap(({ name }) => planRoleCells(model, name, resources)),
      ...users.flatMap((user) => planUserCells(source, user, resources)),
    ],
    Version: version,
  }
}

/**
 * The state that the board shows, as one opaque text: Rbac scripts and memberships of the scope.
 * Memberships are inserted and deleted, never changed, and their ids are never used again: their
 * number and greatest id tell every change.
 */
export async function loadBoardVersion(reader: Reader, scope: AdminScope): Promise<string> {
  const { user, role, args } = planScope(scope)
  const scripts = await reader.all({
    sql:
      'SELECT Name, VersionHash FROM svc_scripts ' +
      "WHERE IsCurrent AND Type = 'Rbac' ORDER BY Name",
    args: {},
    runs: 'measured',
  })
  const held = await reader.all({
    sql:
      'SELECT r.Role, r.CompanyId, count(*) AS n, max(r.Id) AS last, sum(r.UserId) AS users ' +
      'FROM main.svc_user_roles r JOIN main.svc_users u ON u.Id = r.UserId ' +
      `WHERE ${user} AND ${role} GROUP BY r.Role, r.CompanyId ORDER BY r.Role, r.CompanyId`,
    args,
    runs: 'measured',
  })
  const text = JSON.stringify([scripts, held, args.within ?? null])
  const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex')
  return `${scope.held}.${hash.slice(0, 40)}`
}

/** The scope that a version was read in; undefined for a text that is not a version. */
export const scopeOfVersion = (version: string): HeldScope | undefined =>
  Scope.anyOf.find(({ const: name }) => version.startsWith(`${name}.`))?.const

/** True when a role of a user is given in the scope itself and does not only reach into it. */
export const isDirect = ({ held, companyId }: AdminScope, role: HeldRole): boolean =>
  held === 'All' || role.companyId === (held === 'Global' ? null : companyId)

function findResources(model: Model, ids: readonly string[] | null | undefined): BoardResource[] {
  const all = listBoardResources(model)
  if (!ids) return [...all]
  const byId = new Map(all.map((resource) => [resource.id, resource]))
  return [...new Set(ids)].map((id) => {
    const resource = byId.get(id)
    if (!resource) throw unknownResource(id)
    return resource
  })
}

/** 400 for a resource that neither the model nor the engine has. */
export const unknownResource = (id: string) =>
  invalid(say`There is no resource ${id.slice(0, 80)}`, { code: 'UNKNOWN_RESOURCE' })

async function findPrincipals(
  { reader, scope, model }: AccessSource,
  ids: readonly string[] | null | undefined,
  rights: number,
): Promise<{ roles: readonly BoardRole[]; users: ScopedUser[] }> {
  const roles = listBoardRoles(model)
  if (!ids) {
    requireCells((roles.length + (await countUsers(reader, scope, {}))) * rights)
    return { roles, users: await loadUsers(reader, scope, {}) }
  }
  requireCells(ids.length * rights)
  const parsed = ids.map(parsePrincipal)
  const named = new Set(parsed.flatMap((each) => (each.kind === 'Role' ? each.name : [])))
  const userIds = parsed.flatMap((each) => (each.kind === 'User' ? each.id : []))
  const found = {
    roles: roles.filter(({ name }) => named.has(name)),
    users: await loadUsers(reader, scope, { ids: userIds }),
  }
  const known = new Set([
    ...found.roles.map(({ name }) => roleId(name)),
    ...found.users.map(({ user }) => userId(user.Id)),
  ])
  for (const id of ids) if (!known.has(id)) throw unknownPrincipal(id)
  return found
}

function requireCells(count: number): void {
  if (count > CELLS_MAX)
    throw invalid(
      say`At most ${CELLS_MAX} cells can be loaded at once. Name fewer Principals or Resources.`,
    )
}

function planRoleCells(
  model: Model,
  role: string,
  resources: readonly BoardResource[],
): BoardCell[] {
  return resources.flatMap(({ id, kind, rights }) => {
    const holds = kind === 'Role' ? () => undefined : findHolding(model, [role], id)
    return rights.map((right): BoardCell => {
      const held = holds(right)
      return {
        Principal: roleId(role),
        Resource: id,
        Verb: right,
        State: held ? 'granted' : 'none',
        Source: held ? role : null,
        Filtered: held?.isFiltered ?? false,
      }
    })
  })
}

function planUserCells(
  { model, scope }: AccessSource,
  { user, roles }: ScopedUser,
  resources: readonly BoardResource[],
): BoardCell[] {
  const principal = userId(user.Id)
  const names = [...new Set(roles.map(({ role }) => role))]
  return resources.flatMap(({ id, kind, rights }) => {
    if (kind === 'Role') return planMembership(scope, principal, roles, id)
    const holds = findHolding(model, names, id)
    const givers = roles.map((from) => ({ from, holds: findHolding(model, [from.role], id) }))
    return rights.map((right): BoardCell => {
      const held = holds(right)
      const from = givers.flatMap((giver) => (giver.holds(right) ? giver.from : []))
      return {
        Principal: principal,
        Resource: id,
        Verb: right,
        State: held ? 'inherited' : 'none',
        Source: held ? describeSources(from) : null,
        Filtered: held?.isFiltered ?? false,
      }
    })
  })
}

function planMembership(
  scope: AdminScope,
  principal: string,
  roles: readonly RecordedRole[],
  resource: string,
): BoardCell {
  const role = resource.slice('Role:'.length)
  const own = roles.filter((held) => held.role === role)
  const state = own.some((held) => isDirect(scope, held)) ? 'granted' : 'inherited'
  return {
    Principal: principal,
    Resource: resource,
    Verb: MEMBER,
    Filtered: false,
    State: own.length === 0 ? 'none' : state,
    Source: own.length === 0 ? null : describeSources(own),
  }
}

const describeSources = (roles: readonly RecordedRole[]): string =>
  roles.map(({ text }) => text).join(', ')

type Holds = (right: string) => { isFiltered: boolean } | undefined

/** Many users hold the same roles. */
const holdings = new WeakMap<Model, Map<string, Holds>>()
const HOLDINGS_MAX = 10_000

/** The rights that a set of roles holds on a resource, right by right. */
function findHolding(model: Model, roles: readonly string[], resource: string): Holds {
  let known = holdings.get(model)
  if (!known || known.size >= HOLDINGS_MAX) holdings.set(model, (known = new Map()))
  const key = JSON.stringify([resource, ...roles])
  let holds = known.get(key)
  if (!holds) known.set(key, (holds = planHolding(model, roles, resource)))
  return holds
}

function planHolding(model: Model, roles: readonly string[], resource: string): Holds {
  const access = planAccess(model, roles, resource, '')
  const isSystem = roles.includes(SYSTEM_ROLE)
  return (right) => {
    const isVerb = access.verbs.has(right as Verb)
    if (!isSystem && !isVerb && !access.capabilities.has(right)) return undefined
    return { isFiltered: access.filters.get(right) !== undefined }
  }
}

/** The rights on a resource that a set of roles holds, limited to rights that exist there. */
export function listHeld(model: Model, roles: readonly string[], resource: string): Set<string> {
  const found = listBoardResources(model).find(({ id }) => id === resource)
  const holds = findHolding(model, roles, resource)
  return new Set((found?.rights ?? []).filter((right) => holds(right) !== undefined))
}
