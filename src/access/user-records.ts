/** Users as those who administer them see them: no more than what is theirs to administer. */
import { asc, eq, inArray, readDatabase } from '../store/drizzle.ts'
import type { SqlArgs } from '../store/sql.ts'
import type { Reader } from '../store/store.ts'
import { mfa } from '../store/tables/mfa.ts'
import {
  companies,
  userAttributes,
  userCompanies,
  userRoles,
  users,
} from '../store/tables/users.ts'
import { hasCompany } from './admin-scope.ts'
import type { AdminScope } from './admin-scope.ts'
import type { UserRow } from './users.ts'

/** A user with what hangs on the account. */
export interface UserRecord {
  readonly user: UserRow
  /** Those of the scope's companies, and those that hold in all of the user's. */
  readonly roles: readonly { role: string; companyId: number | null }[]
  readonly companies: readonly { id: number; code: string; name: string }[]
  readonly attributes: Readonly<Record<string, string>>
  readonly hasMfa: boolean
}

/** Which users are asked for; what is left out does not narrow. */
export interface UserQuery {
  /** GLOB pattern for name, display name and address. */
  pattern?: string | undefined
  role?: string | undefined
  companyId?: number | undefined
  active?: boolean | undefined
}

/** A page of users of the scope, by name, and how many there are in all. */
export async function loadUsers(
  reader: Reader,
  scope: AdminScope,
  query: UserQuery,
  page: { number: number; size: number },
): Promise<{ users: UserRecord[]; total: number }> {
  const { where, args } = planUsers(scope, query)
  const from = `FROM main.svc_users u WHERE ${where}`
  const counted = { sql: `SELECT count(*) ${from}`, args, quick: 'never' } as const
  const total = Number(await reader.text(counted))
  const rows = await reader.all({
    sql: `SELECT u.Id ${from} ORDER BY u.UserNameKey LIMIT @size OFFSET @skipped`,
    args: { ...args, size: page.size, skipped: (page.number - 1) * page.size },
    quick: 'never',
  })
  return {
    users: await loadRecords(
      reader,
      scope,
      rows.map((row) => Number(row.Id)),
    ),
    total,
  }
}

/** One user of the scope; undefined for others and unknown ones. */
export async function findRecord(
  reader: Reader,
  scope: AdminScope,
  userId: number,
): Promise<UserRecord | undefined> {
  const { where, args } = planUsers(scope, {})
  const sql = `SELECT u.Id FROM main.svc_users u WHERE (${where}) AND u.Id = @id`
  const row = await reader.get({ sql, args: { ...args, id: userId }, quick: 'always' })
  return row && (await loadRecords(reader, scope, [userId]))[0]
}

/** The condition on `svc_users u`: users of the scope's companies, System's of any or none. */
export function planUsers(scope: AdminScope, query: UserQuery): { where: string; args: SqlArgs } {
  const { pattern, role, companyId, active } = query
  const within = scope.companies && JSON.stringify([...scope.companies])
  const isIn = 'SELECT 1 FROM main.svc_user_companies m WHERE m.UserId = u.Id AND m.CompanyId'
  const holds = 'SELECT 1 FROM main.svc_user_roles r WHERE r.UserId = u.Id AND r.Role = @role'
  const seen = within === undefined ? '1' : 'r.CompanyId IN (SELECT value FROM json_each(@within))'
  const there = companyId === undefined ? seen : 'r.CompanyId = @companyId'
  const conditions = [
    within !== undefined && `EXISTS (${isIn} IN (SELECT value FROM json_each(@within)))`,
    companyId !== undefined && `EXISTS (${isIn} = @companyId)`,
    role !== undefined && `EXISTS (${holds} AND (r.CompanyId IS NULL OR ${there}))`,
    active !== undefined && 'u.Active = @active',
    pattern !== undefined &&
      '(u.UserName GLOB @pattern OR u.DisplayName GLOB @pattern OR u.Email GLOB @pattern)',
  ].filter((part) => part !== false)
  const args = { within, companyId, role, active: active === undefined ? null : Number(active) }
  return { where: conditions.join(' AND ') || '1', args: { ...args, pattern } }
}

async function loadRecords(
  reader: Reader,
  scope: AdminScope,
  ids: readonly number[],
): Promise<UserRecord[]> {
  if (ids.length === 0) return []
  const database = readDatabase(reader)
  const among = [...ids]
  const found = await database.select().from(users).where(inArray(users.Id, among))
  const roles = await database
    .select({ userId: userRoles.UserId, role: userRoles.Role, companyId: userRoles.CompanyId })
    .from(userRoles)
    .where(inArray(userRoles.UserId, among))
    .orderBy(asc(userRoles.Role), asc(userRoles.CompanyId))
  const memberships = await database
    .select({
      userId: userCompanies.UserId,
      id: companies.Id,
      code: companies.Code,
      name: companies.Name,
    })
    .from(userCompanies)
    .innerJoin(companies, eq(companies.Id, userCompanies.CompanyId))
    .where(inArray(userCompanies.UserId, among))
    .orderBy(asc(companies.Code))
  const attributes = await database
    .select()
    .from(userAttributes)
    .where(inArray(userAttributes.UserId, among))
  const factors = await database.select().from(mfa).where(inArray(mfa.UserId, among))
  const byId = new Map(found.map((user) => [user.Id, user]))
  return ids.flatMap((id) => {
    const user = byId.get(id)
    if (!user) return []
    return {
      user,
      roles: roles.filter(
        ({ userId, companyId }) =>
          userId === id && (companyId === null || hasCompany(scope, companyId)),
      ),
      companies: memberships.filter(
        (company) => company.userId === id && hasCompany(scope, company.id),
      ),
      attributes: Object.fromEntries(
        attributes.filter(({ UserId }) => UserId === id).map(({ Name, Value }) => [Name, Value]),
      ),
      hasMfa: factors.some(({ UserId, ConfirmedAt }) => UserId === id && ConfirmedAt !== null),
    }
  })
}
