/** Reading users: those of the companies that the caller administers. */
import { hasCompany, loadScope } from '../../access/admin-scope.ts'
import type { AdminScope } from '../../access/admin-scope.ts'
import { ACCESS_MANAGER_ROLE, ADMIN_ROLE } from '../../access/caller.ts'
import type { Caller } from '../../access/caller.ts'
import { findRecord, loadUsers } from '../../access/user-records.ts'
import type { UserRecord } from '../../access/user-records.ts'
import { isMatchable, planTextPattern } from '../../engine/object/read/text-match.ts'
import { invalid, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { AppContext } from '../../server/context.ts'
import type { AccessUser, UserPage, UsersQuery } from './user-schema.ts'

/** Roles that administer users (src/server/README.md, Gates); System passes every gate. */
export const ADMINISTERING: readonly string[] = [ADMIN_ROLE]
/** Roles that give and take roles of users. */
export const ASSIGNING: readonly string[] = [ADMIN_ROLE, ACCESS_MANAGER_ROLE]

const PAGE_SIZE = 50

/** A page of users, by name. */
export async function listUsers(
  app: AppContext,
  caller: Caller,
  query: UsersQuery,
): Promise<UserPage> {
  const scope = await loadScope(app.store, caller, ADMINISTERING)
  const search = query.search?.trim() ?? ''
  if (!isMatchable(search)) throw invalid(say`This is no text that can be searched for`)
  const page = { number: Number(query.page ?? 1), size: Number(query.pageSize ?? PAGE_SIZE) }
  const requested = {
    pattern: search === '' ? undefined : planTextPattern(search, 'anywhere'),
    role: query.role,
    companyId: companyOf(query, scope),
    active: query.active === undefined ? undefined : query.active === 'true',
  }
  const { users, total } = await loadUsers(app.store, scope, requested, page)
  const pages = Math.ceil(total / page.size)
  return {
    Rows: users.map(toAccessUser),
    Pagination: {
      Page: page.number,
      PageSize: page.size,
      TotalRows: total,
      TotalPages: pages,
      TotalIsExact: true,
      HasNext: page.number < pages,
    },
  }
}

/** No company has the id 0: one that the caller does not administer is as good as none. */
function companyOf({ company }: UsersQuery, scope: AdminScope): number | undefined {
  const id = company === undefined ? undefined : Number(company)
  return id === undefined || hasCompany(scope, id) ? id : 0
}

/** One user. 404 for those of other companies as for those who are not there. */
export async function loadUser(app: AppContext, caller: Caller, id: number): Promise<AccessUser> {
  const scope = await loadScope(app.store, caller, ADMINISTERING)
  return requireSeen(await findUserIn(app, scope, id))
}

/** One user of a scope. */
export async function findUserIn(
  app: AppContext,
  scope: AdminScope,
  id: number,
): Promise<AccessUser | undefined> {
  const found = await findRecord(app.store, scope, id)
  return found && toAccessUser(found)
}

/** Throws the 404 of a user who is not there. */
export function requireSeen(user: AccessUser | undefined): AccessUser {
  if (!user) throw notFound(say`There is no such user`)
  return user
}

function toAccessUser(record: UserRecord): AccessUser {
  const { user, roles, companies, attributes, hasMfa } = record
  return {
    Id: user.Id,
    UserName: user.UserName,
    DisplayName: user.DisplayName,
    Email: user.Email,
    Active: user.Active,
    MustChangePassword: user.MustChangePassword,
    MfaEnabled: hasMfa,
    TimeZone: user.TimeZone,
    Roles: roles.map(({ role, companyId }) => ({ Role: role, CompanyId: companyId })),
    Companies: companies.map(({ id, code, name }) => ({ Id: id, Code: code, Name: name })),
    Attributes: { ...attributes },
    CreatedAt: user.CreatedAt,
    ChangedAt: user.ChangedAt,
  }
}
