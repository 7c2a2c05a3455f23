/** Numbers of users, sessions, roles and rights, within the caller's reach. */
import type { BoardScopeOf } from '../../access/board-users.ts'
import { holdsIn, isUserOf, readRows } from '../../access/board-users.ts'
import type { Model } from '../../model/model.ts'
import type { Reader } from '../../store/store.ts'
import { listBoardResources, listBoardRoles } from './resources.ts'

export interface AccessStatistics {
  Scope: BoardScopeOf['scope']
  Users: number
  ActiveUsers: number
  LockedUsers: number
  /** Active users who hold no role in scope. */
  UsersWithoutRole: number
  /** Users whose sign-in asks for a second factor. */
  UsersWithMfa: number
  /** Active users with a one-time password that they have not changed yet. */
  UsersToChangePassword: number
  SystemUsers: number
  Memberships: number
  Roles: number
  Resources: number
  /** Verbs and capabilities that roles grant, each once a role and resource. */
  Grants: number
  RowFilters: number
  /** Sessions that have not ended. */
  Sessions: number
  /** Users who have such a session. */
  UsersSignedIn: number
  /** Sessions that were begun within 24 hours, and within 7 days. */
  RecentSignIns: number
  WeekSignIns: number
}

const DAY_MS = 24 * 60 * 60 * 1000

/** What the numbers are counted in. */
export interface StatisticsSource {
  store: Reader
  state: Reader
  model: Model
  now: Date
}

/** Counts what the caller reaches. */
export async function loadStatistics(
  source: StatisticsSource,
  reach: BoardScopeOf,
): Promise<AccessStatistics> {
  return {
    Scope: reach.scope,
    ...(await countUsers(source, reach)),
    ...countModel(source.model),
    ...(await countSessions(source, reach)),
  }
}

type Names = keyof AccessStatistics

/** The first row as numbers. */
const toNumbers = <N extends Names>(row: Record<string, unknown>, names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, Number(row[name] ?? 0)])) as Record<N, number>

async function countUsers({ store }: StatisticsSource, reach: BoardScopeOf) {
  const held = `svc_user_roles r WHERE r.UserId = u.Id AND ${holdsIn(reach)}`
  const [row = {}] = await readRows(
    store,
    'SELECT count(*) AS Users, sum(u.Active) AS ActiveUsers, sum(NOT u.Active) AS LockedUsers, ' +
      `sum(u.Active AND NOT EXISTS (SELECT 1 FROM ${held})) AS UsersWithoutRole, ` +
      'sum(EXISTS (SELECT 1 FROM svc_mfa f WHERE f.UserId = u.Id AND f.ConfirmedAt IS NOT NULL)) ' +
      'AS UsersWithMfa, sum(u.Active AND u.MustChangePassword) AS UsersToChangePassword, ' +
      `sum(EXISTS (SELECT 1 FROM ${held} AND r.Role = 'System')) AS SystemUsers, ` +
      `sum((SELECT count(*) FROM ${held})) AS Memberships ` +
      `FROM svc_users u WHERE ${isUserOf(reach)}`,
    { company: reach.companyId },
  )
  return toNumbers(row, [
    'Users',
    'ActiveUsers',
    'LockedUsers',
    'UsersWithoutRole',
    'UsersWithMfa',
    'UsersToChangePassword',
    'SystemUsers',
    'Memberships',
  ])
}

function countModel(model: Model) {
  const roles = [...model.roles.values()]
  const rights = new Set(
    roles.flatMap(({ name, grants }) =>
      grants.flatMap(({ resource, verbs, capabilities }) =>
        [...verbs, ...capabilities].map((right) => JSON.stringify([name, resource, right])),
      ),
    ),
  )
  return {
    Roles: listBoardRoles(model).length,
    Resources: listBoardResources(model).filter(({ kind }) => kind !== 'Role').length,
    Grants: rights.size,
    RowFilters: roles.reduce((sum, { rowFilters }) => sum + rowFilters.length, 0),
  }
}

async function countSessions({ state, now }: StatisticsSource, reach: BoardScopeOf) {
  const [row = {}] = await readRows(
    state,
    'SELECT sum(EndedAt IS NULL AND ExpiresAt > @now) AS Sessions, ' +
      'count(DISTINCT CASE WHEN EndedAt IS NULL AND ExpiresAt > @now THEN UserId END) ' +
      'AS UsersSignedIn, sum(CreatedAt > @day) AS RecentSignIns, ' +
      'sum(CreatedAt > @week) AS WeekSignIns FROM svc_sessions ' +
      `WHERE ImpersonatorId IS NULL ${reach.isWide ? '' : 'AND CompanyId = @company'}`,
    {
      now: now.toISOString(),
      day: new Date(now.getTime() - DAY_MS).toISOString(),
      week: new Date(now.getTime() - 7 * DAY_MS).toISOString(),
      company: reach.companyId,
    },
  )
  return toNumbers(row, ['Sessions', 'UsersSignedIn', 'RecentSignIns', 'WeekSignIns'])
}
