/** Users, roles and resources as trees, each level loaded by itself. */
import { notFound } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { VERBS } from '../../model/compiled/role.ts'
import type { ModelText } from '../../model/model-text.ts'
import type { Model } from '../../model/model.ts'
import { toWords } from '../../model/names.ts'
import { SYSTEM_ROLE } from '../../access/callers/caller.ts'
import { findScopedUser, loadUsers, type ScopedUser } from '../../access/users/scoped-users.ts'
import type { AccessSource, LocalizedSource } from './principals.ts'
import { type BoardResource, listBoardResources, listBoardRoles } from './resources.ts'
import type { TreeNode } from './schema.ts'
import { matchesText, planTextPattern } from '../object/read/text-match.ts'

/** Nodes of one kind in one answer. */
const TREE_NODES_MAX = 200

/** A request for nodes: those below one, or the roots; of a page; with a text in their label. */
export interface TreeRequest {
  tree: keyof typeof LEVELS
  id: string | undefined
  search: string
  page: number
}

interface Node {
  kind: TreeNode['Kind']
  /** Name or number, unique among its siblings. */
  key: string
  label: ModelText
  isLeaf: boolean
}

/** One step of a path: `user:5`. */
interface Step {
  kind: string
  key: string
}

/** The level below a path: nodes of the model, users of the scope. */
interface Level {
  nodes: readonly Node[]
  /** The users who hold a role, or all users. */
  users?: { role?: string; isLeaf: boolean }
}

/**
 * The children of a node, or the roots of a tree. 404 for a node that is not there, and for users
 * and companies outside of the scope.
 */
export async function loadTree(source: LocalizedSource, request: TreeRequest): Promise<TreeNode[]> {
  const { id, search, page } = request
  const level = await LEVELS[request.tree](source, id === undefined ? [] : parsePath(id))
  const textOf = ({ label }: Node): string => renderMessage(label, source.language)
  const matching = level.nodes.filter(
    (node) => search === '' || matchesText(textOf(node), search, 'contains'),
  )
  const start = (page - 1) * TREE_NODES_MAX
  const nodes = matching.slice(start, start + TREE_NODES_MAX)
  const prefix = id === undefined ? '' : `${id}/`
  return [...nodes, ...(await listUsers(source, request, level))].map((node) => ({
    Id: `${prefix}${node.kind.toLowerCase()}:${encodeURIComponent(node.key)}`,
    Kind: node.kind,
    Label: textOf(node),
    Children: node.isLeaf ? [] : null,
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

const LEVELS = { users: listBelowUsers, roles: listBelowRoles, resources: listBelowResources }

/** Users, their companies, their roles there, the resources of the roles. */
async function listBelowUsers(source: AccessSource, path: readonly Step[]): Promise<Level> {
  const { reader, model, scope } = source
  if (path.length === 0) return { nodes: [], users: { isLeaf: false } }
  const [id = '', company, role] = readKeys(path, ['user', 'company', 'role'])
  const isId = /^[1-9][0-9]{0,14}$/.test(id)
  const user = isId ? await findScopedUser(reader, scope, Number(id)) : undefined
  if (!user) throw missing()
  if (company === undefined) return { nodes: user.companies.map(toCompany) }
  if (!user.companies.some((own) => String(own.id) === company)) throw missing()
  const held = user.roles.filter(
    ({ companyId }) => companyId === null || String(companyId) === company,
  )
  const roles = new Set(held.map((each) => each.role))
  if (role === undefined) return { nodes: [...roles].map((name) => toRole(model, name)) }
  if (!roles.has(role)) throw missing()
  return { nodes: listGranted(model, role).map((resource) => toResource(resource, true)) }
}

/** Roles, their resources with their rights, and who holds them. */
async function listBelowRoles({ model }: AccessSource, path: readonly Step[]): Promise<Level> {
  const names = listBoardRoles(model).map(({ name }) => name)
  if (path.length === 0) return { nodes: names.map((name) => toRole(model, name)) }
  const [role = '', resource] = readKeys(path, ['role', 'resource'])
  if (!names.includes(role)) throw missing()
  if (resource === undefined) {
    const nodes = listGranted(model, role).map((each) => toResource(each, false))
    return { nodes, users: { role, isLeaf: true } }
  }
  const rights = listRights(model, role, resource)
  if (rights.length === 0) throw missing()
  return { nodes: rights.map((right) => toRight(model, right, true)) }
}

/** Resources, their rights, the roles that grant them, and who holds these. */
async function listBelowResources({ model }: AccessSource, path: readonly Step[]): Promise<Level> {
  const resources = listBoardResources(model).filter(({ kind }) => kind !== 'Role')
  if (path.length === 0) return { nodes: resources.map((each) => toResource(each, false)) }
  const [name, right, role] = readKeys(path, ['resource', 'right', 'role'])
  const resource = resources.find(({ id }) => id === name)
  if (!resource) throw missing()
  const { id, rights } = resource
  if (right === undefined) return { nodes: rights.map((each) => toRight(model, each, false)) }
  if (!rights.includes(right)) throw missing()
  const granting = listBoardRoles(model).flatMap((each) =>
    listRights(model, each.name, id).includes(right) ? each.name : [],
  )
  if (role === undefined) return { nodes: granting.map((each) => toRole(model, each)) }
  if (!granting.includes(role)) throw missing()
  return { nodes: [], users: { role, isLeaf: true } }
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
  { reader, scope }: AccessSource,
  { search, page }: TreeRequest,
  { users: wanted }: Level,
): Promise<Node[]> {
  if (!wanted) return []
  const query = {
    pattern: search === '' ? undefined : planTextPattern(search, 'anywhere'),
    roles: wanted.role === undefined ? undefined : [wanted.role],
  }
  const limit = TREE_NODES_MAX
  const users = await loadUsers(reader, scope, query, { limit, offset: (page - 1) * limit })
  return users.map(({ user }) => ({
    kind: 'User',
    key: String(user.Id),
    label: `${user.DisplayName} (${user.UserName})`,
    isLeaf: wanted.isLeaf,
  }))
}

const toCompany = ({ id, code, name }: ScopedUser['companies'][number]): Node => ({
  kind: 'Company',
  key: String(id),
  label: `${name} (${code})`,
  isLeaf: false,
})

const toRole = (model: Model, name: string): Node => ({
  kind: 'Role',
  key: name,
  label: model.roles.get(name)?.label ?? toWords(name),
  isLeaf: false,
})

const toResource = ({ id, label }: BoardResource, isLeaf: boolean): Node => ({
  kind: 'Resource',
  key: id,
  label,
  isLeaf,
})

const VERB_NAMES: readonly string[] = VERBS

const toRight = (model: Model, right: string, isLeaf: boolean): Node => ({
  kind: VERB_NAMES.includes(right) ? 'Verb' : 'Capability',
  key: right,
  label: model.capabilities.get(right) ?? right,
  isLeaf,
})

const listGranted = (model: Model, role: string): BoardResource[] =>
  listBoardResources(model).filter(
    ({ kind, id }) => kind !== 'Role' && listRights(model, role, id).length > 0,
  )

/** The rights that a role grants on a resource; System grants every right. */
function listRights(model: Model, role: string, resource: string): string[] {
  if (role === SYSTEM_ROLE) {
    const known = listBoardResources(model).find(({ id }) => id === resource)
    return known && known.kind !== 'Role' ? [...known.rights] : []
  }
  const grants = (model.roles.get(role)?.grants ?? []).filter((each) => each.resource === resource)
  return [...new Set(grants.flatMap(({ verbs, capabilities }) => [...verbs, ...capabilities]))]
}
