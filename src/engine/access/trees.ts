/** The access explorer: users, roles and resources as trees, each level asked for by itself. */
import type { AdminScope } from '../../access/admin-scope.ts'
import { findRecord, loadUsers } from '../../access/user-records.ts'
import type { UserRecord } from '../../access/user-records.ts'
import { SYSTEM_ROLE } from '../../access/caller.ts'
import { notFound } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import type { Model } from '../../model/model.ts'
import { VERBS } from '../../model/model.ts'
import { toWords } from '../../model/names.ts'
import type { Reader } from '../../store/store.ts'
import { listBoardResources, listBoardRoles } from './resources.ts'
import type { BoardResource } from './resources.ts'
import { planTextPattern, matchesText } from '../object/read/text-match.ts'

export const EXPLORER_TREES = ['users', 'roles', 'resources'] as const
export type ExplorerTree = (typeof EXPLORER_TREES)[number]

/** Nodes of one kind in one answer. */
export const EXPLORER_NODES_MAX = 200

export interface ExplorerNode {
  Id: string
  Kind: 'User' | 'Company' | 'Role' | 'Resource' | 'Verb' | 'Capability'
  Label: string
  /** Null: they are asked for by the Id. */
  Children: ExplorerNode[] | null
}

/** What exploring reads, and how far whoever asks sees. */
export interface Explorer {
  reader: Reader
  model: Model
  scope: AdminScope
  /** What labels are told in. */
  language: string
}

/** Which nodes: those below one, or the roots; of a page; with a text in their label. */
export interface ExploreRequest {
  tree: ExplorerTree
  id: string | undefined
  search: string
  page: number
}

/** A node with what it is called; `path` leads to it from its root. */
interface Found {
  kind: ExplorerNode['Kind']
  /** Name or number, unique among its siblings. */
  key: string
  label: string
  isLeaf: boolean
}

/** One step of a path: `user:5`. */
interface Step {
  kind: string
  key: string
}

/**
 * The children of a node, or the roots of a tree. 404 for a node that is not there, and for users
 * and companies out of the scope.
 */
export async function explore(
  explorer: Explorer,
  request: ExploreRequest,
): Promise<ExplorerNode[]> {
  const path = request.id === undefined ? [] : parsePath(request.id)
  const found = await LEVELS[request.tree](explorer, path, request)
  if (!found) throw missing()
  const prefix = request.id === undefined ? '' : `${request.id}/`
  return found.map(({ kind, key, label, isLeaf }) => ({
    Id: `${prefix}${kind.toLowerCase()}:${encodeURIComponent(key)}`,
    Kind: kind,
    Label: label,
    Children: isLeaf ? [] : null,
  }))
}

const missing = () => notFound(say`There is no such node`)

function parsePath(id: string): Step[] {
  return id.split('/').map((part) => {
    const [, kind = '', key = ''] = /^([a-z]+):(.+)$/.exec(part) ?? []
    try {
      return { kind, key: decodeURIComponent(key) }
    } catch {
      throw missing()
    }
  })
}

/** What stands below a path; undefined where there is no such path. */
type Level = (
  explorer: Explorer,
  path: readonly Step[],
  request: ExploreRequest,
) => Promise<Found[] | undefined>

const LEVELS: Readonly<Record<ExplorerTree, Level>> = {
  users: exploreUsers,
  roles: exploreRoles,
  resources: exploreResources,
}

/** Users, their companies, their roles there, the resources of the roles. */
async function exploreUsers(
  explorer: Explorer,
  path: readonly Step[],
  request: ExploreRequest,
): Promise<Found[] | undefined> {
  if (path.length === 0) return listUsers(explorer, request, undefined, false)
  const [user, company, role] = readKeys(path, ['user', 'company', 'role'])
  const record = await findUser(explorer, user)
  if (!record) return undefined
  if (company === undefined) return take(record.companies.map(toCompany), request)
  if (!record.companies.some(({ id }) => String(id) === company)) return undefined
  const held = new Set(
    record.roles
      .filter(({ companyId }) => companyId === null || String(companyId) === company)
      .map((each) => each.role),
  )
  if (role === undefined)
    return take(
      [...held].map((name) => toRole(explorer, name)),
      request,
    )
  return held.has(role) ? take(listResources(explorer, role, true), request) : undefined
}

/** Roles, their resources with their rights, and who holds them. */
async function exploreRoles(
  explorer: Explorer,
  path: readonly Step[],
  request: ExploreRequest,
): Promise<Found[] | undefined> {
  const names = listBoardRoles(explorer.model).map(({ name }) => name)
  if (path.length === 0)
    return take(
      names.map((name) => toRole(explorer, name)),
      request,
    )
  const [role = '', resource] = readKeys(path, ['role', 'resource'])
  if (!names.includes(role)) return undefined
  if (resource === undefined) {
    const resources = take(listResources(explorer, role, false), request)
    return [...resources, ...(await listUsers(explorer, request, role, true))]
  }
  const rights = listRights(explorer, role, resource)
  return rights.length > 0
    ? take(
        rights.map((right) => toRight(explorer, right, true)),
        request,
      )
    : undefined
}

/** Resources, their rights, the roles that grant them, and who holds these. */
async function exploreResources(
  explorer: Explorer,
  path: readonly Step[],
  request: ExploreRequest,
): Promise<Found[] | undefined> {
  const resources = listBoardResources(explorer.model).filter(({ kind }) => kind !== 'Role')
  if (path.length === 0)
    return take(
      resources.map((each) => toResource(explorer, each, false)),
      request,
    )
  const [name, right, role] = readKeys(path, ['resource', 'right', 'role'])
  const resource = resources.find(({ id }) => id === name)
  if (!resource) return undefined
  if (right === undefined)
    return take(
      resource.rights.map((each) => toRight(explorer, each, false)),
      request,
    )
  if (!resource.rights.includes(right)) return undefined
  const granting = listBoardRoles(explorer.model).filter((each) =>
    listRights(explorer, each.name, resource.id).includes(right),
  )
  if (role === undefined)
    return take(
      granting.map((each) => toRole(explorer, each.name)),
      request,
    )
  return granting.some((each) => each.name === role)
    ? listUsers(explorer, request, role, true)
    : undefined
}

/** The keys of a path that is made of these kinds, in order. */
function readKeys(path: readonly Step[], kinds: readonly string[]): (string | undefined)[] {
  const fits =
    path.length <= kinds.length &&
    path.every(({ kind, key }, at) => key !== '' && isKind(kind, kinds[at] ?? ''))
  if (!fits) throw missing()
  return path.map(({ key }) => key)
}

/** Verbs and capabilities are both rights. */
const isKind = (kind: string, wanted: string): boolean =>
  wanted === 'right' ? kind === 'verb' || kind === 'capability' : kind === wanted

async function listUsers(
  { reader, scope }: Explorer,
  { search, page }: ExploreRequest,
  role: string | undefined,
  isLeaf: boolean,
): Promise<Found[]> {
  const pattern = search === '' ? undefined : planTextPattern(search, 'anywhere')
  const size = EXPLORER_NODES_MAX
  const { users } = await loadUsers(reader, scope, { pattern, role }, { number: page, size })
  return users.map(({ user }) => ({
    kind: 'User',
    key: String(user.Id),
    label: `${user.DisplayName} (${user.UserName})`,
    isLeaf,
  }))
}

async function findUser(
  { reader, scope }: Explorer,
  key: string | undefined,
): Promise<UserRecord | undefined> {
  return /^[1-9][0-9]{0,14}$/.test(key ?? '') ? findRecord(reader, scope, Number(key)) : undefined
}

function take(found: readonly Found[], { search, page }: ExploreRequest): Found[] {
  const matching =
    search === '' ? found : found.filter(({ label }) => matchesText(label, search, 'contains'))
  const start = (page - 1) * EXPLORER_NODES_MAX
  return matching.slice(start, start + EXPLORER_NODES_MAX)
}

const toCompany = ({ id, code, name }: UserRecord['companies'][number]): Found => ({
  kind: 'Company',
  key: String(id),
  label: `${name} (${code})`,
  isLeaf: false,
})

const toRole = ({ model, language }: Explorer, name: string): Found => ({
  kind: 'Role',
  key: name,
  label: renderMessage(model.roles.get(name)?.label ?? toWords(name), language),
  isLeaf: false,
})

const toResource = (
  { language }: Explorer,
  { id, label }: BoardResource,
  isLeaf: boolean,
): Found => ({
  kind: 'Resource',
  key: id,
  label: renderMessage(label, language),
  isLeaf,
})

const VERB_NAMES: readonly string[] = VERBS

const toRight = ({ model, language }: Explorer, right: string, isLeaf: boolean): Found => ({
  kind: VERB_NAMES.includes(right) ? 'Verb' : 'Capability',
  key: right,
  label: renderMessage(model.capabilities.get(right) ?? right, language),
  isLeaf,
})

const listResources = (explorer: Explorer, role: string, isLeaf: boolean): Found[] =>
  listBoardResources(explorer.model)
    .filter(({ kind, id }) => kind !== 'Role' && listRights(explorer, role, id).length > 0)
    .map((resource) => toResource(explorer, resource, isLeaf))

/** What a role grants on a resource; System everything. */
function listRights({ model }: Explorer, role: string, resource: string): string[] {
  if (role === SYSTEM_ROLE) {
    const known = listBoardResources(model).find(({ id }) => id === resource)
    return known && known.kind !== 'Role' ? [...known.rights] : []
  }
  const grants = (model.roles.get(role)?.grants ?? []).filter((each) => each.resource === resource)
  return [...new Set(grants.flatMap(({ verbs, capabilities }) => [...verbs, ...capabilities]))]
}
