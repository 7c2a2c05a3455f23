/** Who the access board shows: users and the roles that they hold, as far as the caller reaches. */
import type { SqlArgs, SqlRow } from '../store/sql.ts'
import type { Reader } from '../store/store.ts'
import type { Caller } from './caller.ts'
import type { HeldRole } from './role-rows.ts'
import { toUserNameKey } from './user-names.ts'

/** Memberships in all companies, the global ones alone, or those that hold in the current one. */
export const BOARD_SCOPES = ['All', 'Global', 'Company'] as const
export type BoardScope = (typeof BOARD_SCOPES)[number]

/** How far a caller sees, and in which memberships. */
export interface BoardScopeOf {
  readonly scope: BoardScope
  readonly companyId: number
  /** Users of every company, not of the current one alone. */
  readonly isWide: boolean
}

export interface BoardUser {
  readonly id: number
  readonly userName: string
  readonly displayName: string
  readonly isActive: boolean
  /** The companies that the user belongs to. */
  readonly companies: readonly number[]
  /** What they hold within the reach. */
  readonly roles: readonly HeldRole[]
}

/** Rows of the engine's own tables. */
export const readRows = (reader: Reader, sql: string, args: SqlArgs): Promise<SqlRow[]> =>
  reader.all({ sql, args, quick: 'earned' })

/**
 * The reach of a caller: what is asked for can only narrow it (src/server/README.md,
 * Access). System reaches every company, everybody else the one that they are in.
 */
export function planAdminReach(caller: Caller, requested?: BoardScope | null): BoardScopeOf {
  const { companyId, isSystem } = caller
  if (!isSystem)
    return { scope: requested === 'Global' ? requested : 'Company', companyId, isWide: false }
  const scope = requested ?? 'All'
  return { scope, companyId, isWide: scope !== 'Company' }
}

/** Whether a membership is one of the scope itself, not one that only reaches into it. */
export function isDirect({ scope, companyId }: BoardScopeOf, held: HeldRole): boolean {
  if (scope === 'All') return true
  return held.companyId === (scope === 'Global' ? null : companyId)
}

/** The users of a reach, as a condition on `svc_users u` that binds `@company`. */
export const isUserOf = (reach: BoardScopeOf): string =>
  reach.isWide
    ? '1'
    : 'EXISTS (SELECT 1 FROM svc_user_companies m WHERE m.UserId = u.Id AND m.CompanyId = @company)'

/** Memberships by scope, as a condition on `svc_user_roles r`. */
const HELD: Readonly<Record<BoardScope, string>> = {
  All: '1',
  Global: 'r.CompanyId IS NULL',
  Company: '(r.CompanyId IS NULL OR r.CompanyId = @company)',
}

/** The memberships of a reach, as a condition on `svc_user_roles r` that binds `@company`. */
export const holdsIn = ({ scope }: BoardScopeOf): string => HELD[scope]

/** Which users are asked for. */
export interface UserQuery {
  ids?: readonly number[]
  /** Part of the user name or display name, in any case. */
  search?: string
  /** Users who hold any of these roles within the reach. */
  roles?: readonly string[]
}

const SEARCH =
  '(instr(u.UserNameKey, @search) > 0 OR instr(lower(u.DisplayName), lower(@search)) > 0)'

function planUsers(
  reach: BoardScopeOf,
  { ids, search, roles }: UserQuery,
): { sql: string; args: SqlArgs } {
  const conditions = [
    isUserOf(reach),
    ...(ids ? ['u.Id IN (SELECT value FROM json_each(@ids))'] : []),
    ...(search ? [SEARCH] : []),
    ...(roles
      ? [
          'EXISTS (SELECT 1 FROM svc_user_roles r WHERE r.UserId = u.Id AND ' +
            `r.Role IN (SELECT value FROM json_each(@roles)) AND ${holdsIn(reach)})`,
        ]
      : []),
  ]
  const args = {
    company: reach.companyId,
    ids: JSON.stringify(ids ?? []),
    search: toUserNameKey(search ?? ''),
    roles: JSON.stringify(roles ?? []),
  }
  return { sql: `FROM svc_users u WHERE ${conditions.join(' AND ')}`, args }
}

/** How many users of the reach a query finds. */
export async function countBoardUsers(
  reader: Reader,
  reach: BoardScopeOf,
  query: UserQuery,
): Promise<number> {
  const { sql, args } = planUsers(reach, query)
  return Number((await readRows(reader, `SELECT count(*) AS n ${sql}`, args))[0]?.n)
}

/** The users of the reach that a query finds, by name. */
export async function loadBoardUsers(
  reader: Reader,
  reach: BoardScopeOf,
  query: UserQuery,
  page: { limit: number; offset: number },
): Promise<BoardUser[]> {
  const { sql, args } = planUsers(reach, query)
  const found = await readRows(
    reader,
    'SELECT u.Id, u.UserName, u.DisplayName, u.Active, ' +
      '(SELECT json_group_array(m.CompanyId) FROM svc_user_companies m WHERE m.UserId = u.Id) ' +
      'AS Companies, (SELECT json_group_array(json_array(r.Role, r.CompanyId)) FROM ' +
      `svc_user_roles r WHERE r.UserId = u.Id AND ${holdsIn(reach)}) AS Roles ` +
      `${sql} ORDER BY u.UserNameKey LIMIT @limit OFFSET @offset`,
    { ...args, ...page },
  )
  return found.map(toBoardUser)
}

function toBoardUser(row: SqlRow): BoardUser {
  const held = JSON.parse(String(row.Roles)) as [string, number | null][]
  return {
    id: Number(row.Id),
    userName: String(row.UserName),
    displayName: String(row.DisplayName),
    isActive: row.Active === 1,
    companies: JSON.parse(String(row.Companies)) as number[],
    roles: held
      .map(([role, companyId]) => ({ role, companyId }))
      .sort((a, b) => (a.role < b.role ? -1 : a.role > b.role ? 1 : 0)),
  }
}

/** How many users of the reach hold each role. */
export async function countHolders(
  reader: Reader,
  reach: BoardScopeOf,
): Promise<ReadonlyMap<string, number>> {
  const found = await readRows(
    reader,
    'SELECT r.Role, count(DISTINCT r.UserId) AS n FROM svc_user_roles r ' +
      `JOIN svc_users u ON u.Id = r.UserId WHERE ${isUserOf(reach)} AND ${holdsIn(reach)} ` +
      'GROUP BY r.Role',
    { company: reach.companyId },
  )
  return new Map(found.map((row) => [String(row.Role), Number(row.n)]))
}

/** The codes of all companies by id. */
export async function loadCompanyCodes(reader: Reader): Promise<ReadonlyMap<number, string>> {
  const found = await readRows(reader, 'SELECT Id, Code FROM svc_companies', {})
  return new Map(found.map((row) => [Number(row.Id), String(row.Code)]))
}

/**
 * What the board stands on, as one opaque text: the Rbac scripts, and the memberships of the reach.
 * Memberships are inserted and deleted, never changed, and their ids are never used again: their
 * number and greatest id tell every change.
 */
export async function loadBoardVersion(reader: Reader, reach: BoardScopeOf): Promise<string> {
  const scripts = await readRows(
    reader,
    "SELECT Name, VersionHash FROM svc_scripts WHERE IsCurrent AND Type = 'Rbac' ORDER BY Name",
    {},
  )
  const held = await readRows(
    reader,
    'SELECT r.Role, r.CompanyId, count(*) AS n, max(r.Id) AS last, sum(r.UserId) AS users ' +
      'FROM svc_user_roles r JOIN svc_users u ON u.Id = r.UserId ' +
      `WHERE ${isUserOf(reach)} AND ${holdsIn(reach)} GROUP BY r.Role, r.CompanyId ` +
      'ORDER BY r.Role, r.CompanyId',
    { company: reach.companyId },
  )
  const text = JSON.stringify([scripts, held, reach.isWide ? null : reach.companyId])
  const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex')
  return `${reach.scope}.${hash.slice(0, 40)}`
}

/** The scope that a version was read in; undefined for a text that is none. */
export function scopeOfVersion(version: string): BoardScope | undefined {
  return BOARD_SCOPES.find((scope) => version.startsWith(`${scope}.`))
}

/** The roles that hold for a user in a company, by name; none for one who is locked. */
export async function loadRolesIn(
  reader: Reader,
  userId: number,
  companyId: number,
): Promise<readonly HeldRole[]> {
  const found = await readRows(
    reader,
    'SELECT r.Role, r.CompanyId FROM svc_user_roles r JOIN svc_users u ON u.Id = r.UserId ' +
      'JOIN svc_user_companies m ON m.UserId = u.Id AND m.CompanyId = @company ' +
      'WHERE u.Id = @user AND u.Active AND (r.CompanyId IS NULL OR r.CompanyId = @company)',
    { user: userId, company: companyId },
  )
  return found.map((row) => ({
    role: String(row.Role),
    companyId: row.CompanyId === null ? null : Number(row.CompanyId),
  }))
}
