/** Reading users: those of the companies that the caller administers. */
import { hasCompany, loadScope, USER_ADMINS } from '../../access/admin-scope.ts'
import type { AdminScope } from '../../access/admin-scope.ts'
import type { Caller } from '../../access/caller.ts'
import { countUsers, findScopedUser, loadUsers } from '../../access/scoped-users.ts'
import type { ScopedUser } from '../../access/scoped-users.ts'
import { planTextPattern } from '../../engine/object/read/text-match.ts'
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { AppContext } from '../../server/context.ts'
import { readSearch } from './open-access.ts'
import type { AccessUser, UserPage, UsersQuery } from './user-schema.ts'

const PAGE_SIZE = 50

/** A page of users, by name. */
export async function listUsers(
  app: AppContext,
  caller: Caller,
  query: UsersQuery,
): Promise<UserPage> {
  const scope = await loadScope(app.store, caller, USER_ADMINS)
  const search = readSearch(query.search)
  const page = { number: Number(query.page ?? 1), size: Number(query.pageSize ?? PAGE_SIZE) }
  const requested = {
    pattern: search === '' ? undefined : planTextPattern(search, 'anywhere'),
    byEmail: true,
    roles: query.role === undefined ? undefined : [query.role],
    companyId: companyOf(query, scope),
    active: query.active === undefined ? undefined : query.active === 'true',
  }
  const offset = (page.number - 1) * page.size
  const users = await loadUsers(app.store, scope, requested, { limit: page.size, offset })
  const total = await countUsers(app.store, scope, requested)
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
  const scope = await loadScope(app.store, caller, USER_ADMINS)
  return requireSeen(await findUserIn(app, scope, id))
}

/** One user of a scope. */
export async function findUserIn(
  app: AppContext,
  scope: AdminScope,
  id: number,
): Promise<AccessUser | undefined> {
  const found = await findScopedUser(app.store, scope, id)
  return found && toAccessUser(found)
}

/** Throws the 404 of a user who is not there. */
export function requireSeen(user: AccessUser | undefined): AccessUser {
  if (!user) throw notFound(say`There is no such user`)
  return user
}

function toAccessUser(record: ScopedUser): AccessUser {
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
