/** Principals that rights are given to: roles, and through them users. */
import { invalid } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import type { Reader } from '../../store/store.ts'
import type { Model } from '../../model/model.ts'
import type { AdminScope } from '../../access/rights/admin-scope.ts'
import {
  countHolders,
  countUsers,
  loadUsers,
  type ScopedUser,
} from '../../access/users/scoped-users.ts'
import type { Principal, PrincipalPage } from './board-schema.ts'
import { type BoardRole, listBoardRoles } from './resources.ts'
import { matchesText, planTextPattern } from '../object/read/text-match.ts'

/** The principals that a page is to have. */
interface PrincipalQuery {
  kind: Principal['Kind'] | undefined
  search: string
  page: number
  pageSize: number
}

/** The scope and model whose access is administered. */
export interface AccessSource {
  readonly reader: Reader
  readonly model: Model
  readonly scope: AdminScope
}

/** The source of access for a caller who is answered in a language. */
export interface LocalizedSource extends AccessSource {
  readonly language: string
}

/** The id of a role. */
export const roleId = (name: string): string => `role:${name}`
/** The id of a user. */
export const userId = (id: number): string => `user:${id}`

const USER_ID = /^user:([1-9][0-9]{0,14})$/

/** A role or a user as its id names it. @throws invalid (400) for any other text. */
export function parsePrincipal(
  id: string,
): { kind: 'Role'; name: string } | { kind: 'User'; id: number } {
  const [, user] = USER_ID.exec(id) ?? []
  if (user !== undefined) return { kind: 'User', id: Number(user) }
  if (id.startsWith('role:')) return { kind: 'Role', name: id.slice('role:'.length) }
  throw unknownPrincipal(id)
}

/** The 400 for a principal that does not exist, and for one outside of the caller's scope alike. */
export const unknownPrincipal = (id: string) =>
  invalid(say`There is no principal ${id.slice(0, 80)}`, { code: 'UNKNOWN_PRINCIPAL' })

/** A page of roles, then users, both by name. */
export async function loadPrincipals(
  source: LocalizedSource,
  { kind, search, page, pageSize }: PrincipalQuery,
): Promise<PrincipalPage> {
  const { reader, model, scope, language } = source
  const isFound = ({ name, label }: BoardRole): boolean =>
    [name, renderMessage(label, language)].some((text) => matchesText(text, search, 'contains'))
  const roles = kind === 'User' ? [] : listBoardRoles(model).filter(isFound)
  const query = { pattern: search === '' ? undefined : planTextPattern(search, 'anywhere') }
  const users = kind === 'Role' ? 0 : await countUsers(reader, scope, query)
  const start = (page - 1) * pageSize
  const shown = roles.slice(start, start + pageSize)
  const limit = Math.min(pageSize - shown.length, users)
  const offset = Math.max(0, start - roles.length)
  const found = limit > 0 ? await loadUsers(reader, scope, query, { limit, offset }) : []
  return {
    Scope: scope.held,
    Principals: [...(await toRoles(source, shown)), ...found.map(toUser)],
    Total: roles.length + users,
    Page: page,
    PageSize: pageSize,
  }
}

/** Roles as they are answered, each with the number of its users in scope. */
export async function toRoles(
  { reader, scope, language }: LocalizedSource,
  roles: readonly BoardRole[],
): Promise<Principal[]> {
  if (roles.length === 0) return []
  const holders = await countHolders(reader, scope)
  return roles.map(({ name, label, isBuiltIn }) => ({
    Id: roleId(name),
    Kind: 'Role',
    Name: name,
    Label: renderMessage(label, language),
    Active: true,
    BuiltIn: isBuiltIn,
    Users: holders.get(name) ?? 0,
  }))
}

/** A user as they are answered. */
export const toUser = ({ user, roles }: ScopedUser): Principal => ({
  Id: userId(user.Id),
  Kind: 'User',
  Name: user.UserName,
  Label: user.DisplayName,
  Active: user.Active,
  Roles: roles.map(({ text }) => text),
})
