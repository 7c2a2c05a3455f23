/** Users as their administrators see them, limited to the administrator's scope. */
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { SqlArgs } from '../../store/sql.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { type AdminScope, hasCompany, hasRole, planScope } from '../rights/admin-scope.ts'
import { findUserRecord, selectUsers, type UserRecord, type UserSelection } from './user-records.ts'

/** A user with the roles and companies of a scope. */
export type ScopedUser = Omit<UserRecord, 'isSystem'>

/** Query for users of a scope; a member that is left out does not narrow. */
interface UserQuery {
  readonly ids?: readonly number[]
  /** GLOB pattern of the name or display name. */
  readonly pattern?: string | undefined
  /** True when the pattern may match the mail address, too. */
  readonly byEmail?: boolean
  /** Users who hold any of these roles, of the roles that the scope looks at. */
  readonly roles?: readonly string[] | undefined
  readonly companyId?: number | undefined
  readonly active?: boolean | undefined
}

/** The users of the scope that a query finds, by name. */
export async function loadUsers(
  reader: Reader,
  scope: AdminScope,
  query: UserQuery,
  page?: UserSelection['page'],
): Promise<ScopedUser[]> {
  const { where, args } = planUsers(scope, query)
  const users = await selectUsers(reader, { where, args, ...(page && { page }) })
  return users.map((user) => narrowUser(scope, user))
}

/** Counts the users of the scope that a query finds. */
export async function countUsers(
  reader: Reader,
  scope: AdminScope,
  query: UserQuery,
): Promise<number> {
  const { where, args } = planUsers(scope, query)
  const sql = `SELECT count(*) FROM main.svc_users u WHERE ${where}`
  return Number(await reader.text({ sql, args, runs: 'measured' }))
}

/** Counts the users of the scope that hold each role. */
export async function countHolders(
  reader: Reader,
  scope: AdminScope,
): Promise<ReadonlyMap<string, number>> {
  const { user, role, args } = planScope(scope)
  const sql =
    'SELECT r.Role, count(DISTINCT r.UserId) AS Users FROM main.svc_user_roles r ' +
    `JOIN main.svc_users u ON u.Id = r.UserId WHERE ${user} AND ${role} GROUP BY r.Role`
  const rows = await reader.all({ sql, args, runs: 'measured' })
  return new Map(rows.map(({ Role, Users }) => [String(Role), Number(Users)]))
}

/** One user of the scope; undefined for others and unknown ones. */
export async function findScopedUser(
  reader: Reader,
  scope: AdminScope,
  id: number,
): Promise<ScopedUser | undefined> {
  const found = await findUserRecord(reader, id)
  return found && isInScope(scope, found) ? narrowUser(scope, found) : undefined
}

const isInScope = (scope: AdminScope, { companies }: UserRecord): boolean =>
  scope.companies === undefined || companies.some(({ id }) => hasCompany(scope, id))

/** Returns a user without the parts outside the scope. */
const narrowUser = (scope: AdminScope, { isSystem: _, ...user }: UserRecord): ScopedUser => ({
  ...user,
  roles: user.roles.filter((held) => hasRole(scope, held)),
  companies: user.companies.filter(({ id }) => hasCompany(scope, id)),
})

/**
 * Loads a user of the scope with all that the account has, for judging changes to it. 404 for
 * others and unknown ones.
 */
export async function loadWholeUser(tx: Tx, scope: AdminScope, id: number): Promise<UserRecord> {
  const found = await findUserRecord(tx, id)
  if (!found || !isInScope(scope, found)) throw notFound(say`There is no such user`)
  return found
}

/** The condition on `svc_users u`. */
function planUsers(scope: AdminScope, query: UserQuery): { where: string; args: SqlArgs } {
  const { ids, pattern, byEmail, roles, companyId, active } = query
  const { user, role, args } = planScope(scope)
  const names = ['UserName', 'DisplayName', ...(byEmail ? ['Email'] : [])]
  const there = companyId === undefined ? '1' : '(r.CompanyId IS NULL OR r.CompanyId = @companyId)'
  const conditions = [
    user,
    ids && 'u.Id IN (SELECT value FROM json_each(@ids))',
    companyId !== undefined &&
      'EXISTS (SELECT 1 FROM main.svc_user_companies m ' +
        'WHERE m.UserId = u.Id AND m.CompanyId = @companyId)',
    roles &&
      'EXISTS (SELECT 1 FROM main.svc_user_roles r WHERE r.UserId = u.Id AND ' +
        `r.Role IN (SELECT value FROM json_each(@roles)) AND ${role} AND ${there})`,
    active !== undefined && 'u.Active = @active',
    pattern !== undefined && `(${names.map((name) => `u.${name} GLOB @pattern`).join(' OR ')})`,
  ].filter((part) => typeof part === 'string')
  return {
    where: conditions.join(' AND '),
    args: {
      ...args,
      pattern,
      companyId,
      active: active === undefined ? undefined : Number(active),
      ids: ids && JSON.stringify(ids),
      roles: roles && JSON.stringify(roles),
    },
  }
}
