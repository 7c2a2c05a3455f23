/** Who rights can be given to: roles, and through them users. */
import {
  countBoardUsers,
  countHolders,
  loadBoardUsers,
  loadCompanyCodes,
} from '../../access/board-users.ts'
import type { BoardUser, BoardScopeOf, UserQuery } from '../../access/board-users.ts'
import type { HeldRole } from '../../access/role-rows.ts'
import { invalid } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import type { Model } from '../../model/model.ts'
import { listBoardRoles } from './resources.ts'
import type { BoardRole } from './resources.ts'
import type { Reader } from '../../store/store.ts'

/** A role or a user, as the board names it: `role:Clerk`, `user:3`. */
export type PrincipalId = { kind: 'Role'; name: string } | { kind: 'User'; id: number }

/** A principal as it is answered. */
export interface Principal {
  Id: string
  Kind: 'Role' | 'User'
  Name: string
  Label: string
  /** False for a locked user. */
  Active: boolean
  /** Roles: whether the engine knows it by itself, and how many users in scope hold it. */
  BuiltIn?: boolean
  Users?: number
  /** Users: what they hold in scope; `Clerk@NORTH` in one company, `Clerk` in all of theirs. */
  Roles?: string[]
}

/** Which principals a page is to have. */
export interface PrincipalQuery {
  kind: 'Role' | 'User' | undefined
  search: string
  page: number
  pageSize: number
}

export interface PrincipalPage {
  Scope: BoardScopeOf['scope']
  Principals: Principal[]
  Total: number
  Page: number
  PageSize: number
}

/** What principals are read from. */
export interface BoardSource {
  reader: Reader
  reach: BoardScopeOf
  model: Model
  /** What labels are told in. */
  language?: string
}

/** The id of a role. */
export const roleId = (name: string): string => `role:${name}`
/** The id of a user. */
export const userId = (id: number): string => `user:${id}`

const USER_ID = /^user:([1-9][0-9]{0,14})$/

/** @throws invalid (400) for what is no principal's id. */
export function parsePrincipal(id: string): PrincipalId {
  const [, user] = USER_ID.exec(id) ?? []
  if (user !== undefined) return { kind: 'User', id: Number(user) }
  if (id.startsWith('role:')) return { kind: 'Role', name: id.slice('role:'.length) }
  throw unknownPrincipal(id)
}

/** The same 400 for one that does not exist and one out of the caller's reach. */
export const unknownPrincipal = (id: string) =>
  invalid(say`There is no principal ${id.slice(0, 80)}`, { code: 'UNKNOWN_PRINCIPAL' })

/** `Clerk`, or `Clerk@NORTH` for a role in one company. */
export function tellHeld(held: HeldRole, codes: ReadonlyMap<number, string>): string {
  return held.companyId === null ? held.role : `${held.role}@${codes.get(held.companyId) ?? ''}`
}

/** A page of roles, then users, both by name. */
export async function loadPrincipals(
  source: BoardSource,
  { kind, search, page, pageSize }: PrincipalQuery,
): Promise<PrincipalPage> {
  const { reader, reach } = source
  const roles = kind === 'User' ? [] : await loadRoles(source, findRoles(source, search))
  const query: UserQuery = { search: search.trim() }
  const users = kind === 'Role' ? 0 : await countBoardUsers(reader, reach, query)
  const start = (page - 1) * pageSize
  const shown = roles.slice(start, start + pageSize)
  const limit = Math.min(pageSize - shown.length, users)
  const offset = Math.max(0, start - roles.length)
  const found = limit > 0 ? await loadBoardUsers(reader, reach, query, { limit, offset }) : []
  return {
    Scope: reach.scope,
    Principals: [...shown, ...(await toUsers(reader, found))],
    Total: roles.length + users,
    Page: page,
    PageSize: pageSize,
  }
}

function findRoles({ model, language }: BoardSource, search: string): BoardRole[] {
  const searched = search.trim().toLowerCase()
  return listBoardRoles(model).filter(({ name, label }) =>
    [name, renderMessage(label, language)].some((text) => text.toLowerCase().includes(searched)),
  )
}

/** Roles as they are answered. */
export async function loadRoles(
  { reader, reach, language }: BoardSource,
  roles: readonly BoardRole[],
): Promise<Principal[]> {
  const holders = await countHolders(reader, reach)
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

/** Users as they are answered. */
export async function toUsers(reader: Reader, users: readonly BoardUser[]): Promise<Principal[]> {
  const codes = await loadCompanyCodes(reader)
  return users.map(({ id, userName, displayName, isActive, roles }) => ({
    Id: userId(id),
    Kind: 'User',
    Name: userName,
    Label: displayName,
    Active: isActive,
    Roles: roles.map((held) => tellHeld(held, codes)),
  }))
}
