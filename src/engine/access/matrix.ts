/** Who holds which right on what, and whence: the cells of the access board. */
import {
  countBoardUsers,
  isDirect,
  loadBoardUsers,
  loadBoardVersion,
  loadCompanyCodes,
} from '../../access/board-users.ts'
import type { BoardUser, BoardScopeOf } from '../../access/board-users.ts'
import type { HeldRole } from '../../access/role-rows.ts'
import { SYSTEM_ROLE } from '../../access/caller.ts'
import { planAccess } from '../../access/resource-access.ts'
import { invalid } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import type { Model, Verb } from '../../model/model.ts'
import {
  loadRoles,
  parsePrincipal,
  roleId,
  tellHeld,
  toUsers,
  unknownPrincipal,
  userId,
} from './principals.ts'
import type { BoardSource, Principal } from './principals.ts'
import { listBoardResources, listBoardRoles, MEMBER } from './resources.ts'
import type { BoardResource, BoardRole } from './resources.ts'

/** Cells of one answer: more are asked for in parts. */
export const CELLS_MAX = 50_000

export interface Cell {
  Principal: string
  Resource: string
  Verb: string
  /** A role's own; a user's through roles; of a membership, in the scope or from all companies. */
  State: 'granted' | 'inherited' | 'none'
  /** The roles that give it: `Clerk@NORTH` in one company, `Clerk` in all. */
  Source: string | null
  /** Whether a row filter narrows it. */
  Filtered: boolean
}

/** What of the board is asked for; undefined lists mean all. */
export interface MatrixQuery {
  principals: readonly string[] | undefined
  resources: readonly string[] | undefined
}

export interface Matrix {
  Scope: BoardScopeOf['scope']
  Resources: { Id: string; Kind: BoardResource['kind']; Label: string; Verbs: string[] }[]
  Principals: Principal[]
  Cells: Cell[]
  Version: string
}

/** @throws invalid (400) for an unknown principal or resource, and for too many cells. */
export async function loadMatrix(source: BoardSource, query: MatrixQuery): Promise<Matrix> {
  const { reader, reach, model, language } = source
  // Before what it stands for is read: a change in between makes it stale, not wrong.
  const version = await loadBoardVersion(reader, reach)
  const resources = findResources(model, query.resources)
  const rights = resources.reduce((sum, resource) => sum + resource.rights.length, 0)
  const { roles, users } = await findPrincipals(source, query.principals, rights)
  const codes = await loadCompanyCodes(reader)
  return {
    Scope: reach.scope,
    Resources: resources.map(({ id, kind, label, rights: verbs }) => ({
      ...{ Id: id, Kind: kind, Label: renderMessage(label, language) },
      Verbs: [...verbs],
    })),
    Principals: [...(await loadRoles(source, roles)), ...(await toUsers(reader, users))],
    Cells: [
      ...roles.flatMap(({ name }) => planRoleCells(model, name, resources)),
      ...users.flatMap((user) => planUserCells({ model, reach, codes }, user, resources)),
    ],
    Version: version,
  }
}

function findResources(model: Model, ids: readonly string[] | undefined): BoardResource[] {
  const all = listBoardResources(model)
  if (ids === undefined) return [...all]
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
  { reader, reach, model }: BoardSource,
  ids: readonly string[] | undefined,
  rights: number,
): Promise<{ roles: BoardRole[]; users: BoardUser[] }> {
  const roles = listBoardRoles(model)
  if (ids === undefined) {
    const count = await countBoardUsers(reader, reach, {})
    requireCells((roles.length + count) * rights)
    const page = { limit: count, offset: 0 }
    return { roles, users: await loadBoardUsers(reader, reach, {}, page) }
  }
  requireCells(ids.length * rights)
  const requested = [...new Set(ids)]
  const parsed = requested.map(parsePrincipal)
  const named = new Set(parsed.flatMap((each) => (each.kind === 'Role' ? each.name : [])))
  const users = parsed.flatMap((each) => (each.kind === 'User' ? each.id : []))
  const page = { limit: users.length, offset: 0 }
  const found = {
    roles: roles.filter(({ name }) => named.has(name)),
    users: await loadBoardUsers(reader, reach, { ids: users }, page),
  }
  const known = new Set([
    ...found.roles.map(({ name }) => roleId(name)),
    ...found.users.map(({ id }) => userId(id)),
  ])
  for (const id of requested) if (!known.has(id)) throw unknownPrincipal(id)
  return found
}

function requireCells(count: number): void {
  if (count > CELLS_MAX)
    throw invalid(say`Name fewer Principals or Resources: at most ${CELLS_MAX} cells at once`)
}

function planRoleCells(model: Model, role: string, resources: readonly BoardResource[]): Cell[] {
  return resources.flatMap(({ id, kind, rights }) => {
    const holds = kind === 'Role' ? () => undefined : findHolding(model, [role], id)
    return rights.map((right): Cell => {
      const held = holds(right)
      return {
        ...{ Principal: roleId(role), Resource: id, Verb: right },
        State: held ? 'granted' : 'none',
        Source: held ? role : null,
        Filtered: held?.isFiltered ?? false,
      }
    })
  })
}

interface UserScope {
  model: Model
  reach: BoardScopeOf
  codes: ReadonlyMap<number, string>
}

function planUserCells(
  scope: UserScope,
  user: BoardUser,
  resources: readonly BoardResource[],
): Cell[] {
  const names = [...new Set(user.roles.map(({ role }) => role))]
  return resources.flatMap(({ id, kind, rights }) => {
    if (kind === 'Role') return planMembership(scope, user, id)
    const holds = findHolding(scope.model, names, id)
    const givers = user.roles.map((held) => ({
      held,
      holds: findHolding(scope.model, [held.role], id),
    }))
    return rights.map((right): Cell => {
      const held = holds(right)
      const from = givers.filter((giver) => giver.holds(right)).map((giver) => giver.held)
      return {
        ...{ Principal: userId(user.id), Resource: id, Verb: right },
        State: held ? 'inherited' : 'none',
        Source: held ? describeSources(from, scope.codes) : null,
        Filtered: held?.isFiltered ?? false,
      }
    })
  })
}

function planMembership({ reach, codes }: UserScope, user: BoardUser, resource: string): Cell[] {
  const role = resource.slice('Role:'.length)
  const own = user.roles.filter((held) => held.role === role)
  const state = own.some((held) => isDirect(reach, held)) ? 'granted' : 'inherited'
  return [
    {
      ...{ Principal: userId(user.id), Resource: resource, Verb: MEMBER },
      State: own.length === 0 ? 'none' : state,
      Source: own.length === 0 ? null : describeSources(own, codes),
      Filtered: false,
    },
  ]
}

const describeSources = (held: readonly HeldRole[], codes: ReadonlyMap<number, string>): string =>
  held.map((each) => tellHeld(each, codes)).join(', ')

type Holds = (right: string) => { isFiltered: boolean } | undefined

/** Many users hold the same roles. */
const holdings = new WeakMap<Model, Map<string, Holds>>()
const HOLDINGS_MAX = 10_000

/** What a set of roles holds of a resource, asked right by right. */
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

/** The rights on a resource that a set of roles holds, of those that mean something there. */
export function listHeld(model: Model, roles: readonly string[], resource: string): Set<string> {
  const found = listBoardResources(model).find(({ id }) => id === resource)
  const holds = findHolding(model, roles, resource)
  return new Set((found?.rights ?? []).filter((right) => holds(right) !== undefined))
}
