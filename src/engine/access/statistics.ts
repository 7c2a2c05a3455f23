/** Numbers of users, sessions, roles and rights, within the caller's scope. */
import type { SqlRow } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import type { Model } from '../../model/model.ts'
import { planScope } from '../../access/rights/admin-scope.ts'
import type { AccessStatistics } from './board-schema.ts'
import type { AccessSource } from './principals.ts'
import { listBoardResources, listBoardRoles } from './resources.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Sources of the statistics; sessions are in a database of their own. */
interface StatisticsSource extends AccessSource {
  state: Reader
  now: Date
}

/** Counts accounts, model and sessions in the caller's scope. */
export async function loadStatistics(source: StatisticsSource): Promise<AccessStatistics> {
  return {
    Scope: source.scope.held,
    ...(await countAccounts(source)),
    ...countModel(source.model),
    ...(await countSessions(source)),
  }
}

type Names = keyof AccessStatistics

/** The first row as numbers. */
const toNumbers = <N extends Names>(row: SqlRow | undefined, names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, Number(row?.[name] ?? 0)])) as Record<N, number>

async function countAccounts({ reader, scope }: AccessSource) {
  const { user, role, args } = planScope(scope)
  const held = `main.svc_user_roles r WHERE r.UserId = u.Id AND ${role}`
  const sql =
    'SELECT count(*) AS Users, sum(u.Active) AS ActiveUsers, sum(NOT u.Active) AS LockedUsers, ' +
    `sum(u.Active AND NOT EXISTS (SELECT 1 FROM ${held})) AS UsersWithoutRole, ` +
    'sum(EXISTS (SELECT 1 FROM svc_mfa f WHERE f.UserId = u.Id AND f.ConfirmedAt IS NOT NULL)) ' +
    'AS UsersWithMfa, sum(u.Active AND u.MustChangePassword) AS UsersToChangePassword, ' +
    `sum(EXISTS (SELECT 1 FROM ${held} AND r.Role = 'System')) AS SystemUsers, ` +
    `sum((SELECT count(*) FROM ${held})) AS Memberships FROM main.svc_users u WHERE ${user}`
  const row = await reader.get({ sql, args, runs: 'measured' })
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

async function countSessions({ state, scope, now }: StatisticsSource) {
  const within = 'CompanyId IN (SELECT value FROM json_each(@within))'
  const sql =
    'SELECT sum(EndedAt IS NULL AND ExpiresAt > @now) AS Sessions, ' +
    'count(DISTINCT CASE WHEN EndedAt IS NULL AND ExpiresAt > @now THEN UserId END) ' +
    'AS UsersSignedIn, sum(CreatedAt > @day) AS RecentSignIns, ' +
    'sum(CreatedAt > @week) AS WeekSignIns FROM svc_sessions ' +
    `WHERE ImpersonatorId IS NULL ${scope.companies ? `AND ${within}` : ''}`
  const args = {
    ...planScope(scope).args,
    now: now.toISOString(),
    day: new Date(now.getTime() - DAY_MS).toISOString(),
    week: new Date(now.getTime() - 7 * DAY_MS).toISOString(),
  }
  const row = await state.get({ sql, args, runs: 'measured' })
  return toNumbers(row, ['Sessions', 'UsersSignedIn', 'RecentSignIns', 'WeekSignIns'])
}
