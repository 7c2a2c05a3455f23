/** Users and companies that a caller administers, by the tables of now, not by the token. */
import { denied, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { SqlArgs } from '../../store/sql.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { renewCaller } from '../callers/caller-validity.ts'
import { ACCESS_MANAGER_ROLE, ADMIN_ROLE, type Caller, SYSTEM_ROLE } from '../callers/caller.ts'
import type { Giver } from './delegation.ts'
import type { HeldRole } from './role-rows.ts'
import { findUserRecord, type UserRecord } from '../users/user-records.ts'

/** Roles that administer users (src/server/README.md, Gates); System passes every gate. */
export const USER_ADMINS: readonly string[] = [ADMIN_ROLE]
/** Roles that manage access: what roles grant, and who holds them. */
export const ACCESS_ADMINS: readonly string[] = [ADMIN_ROLE, ACCESS_MANAGER_ROLE]

/** Roles by where they hold: in any company, in all at once, or in one. */
export type HeldScope = 'All' | 'Global' | 'Company'

/** The administering caller, their companies and the roles of the users there that they look at. */
export interface AdminScope {
  readonly userId: number
  /** The company that the caller is in. */
  readonly companyId: number
  readonly isSystem: boolean
  /** Ids of the companies whose users are in scope; undefined: every user. */
  readonly companies: ReadonlySet<number> | undefined
  readonly held: HeldScope
  /** True when the administering role holds in all of the caller's companies and may be given. */
  readonly isEverywhere: boolean
  /** The caller's own attributes, by name. */
  readonly attributes: Readonly<Record<string, string>>
  /** Roles by which the caller hands out in a company; null: in all companies. */
  giverIn(companyId: number | null): Giver
}

/**
 * Loads the companies in which a caller holds one of the administering roles; a role that holds in
 * all companies counts for the caller's own ones. Throws 401 when no company is left.
 */
export async function loadScope(
  reader: Reader,
  { userId, companyId, apiKey }: Caller,
  roles: readonly string[],
): Promise<AdminScope> {
  const found = await findUserRecord(reader, userId)
  const own = found?.user.Active ? found : undefined
  const isLeft = (role: string): boolean => apiKey?.roles.includes(role) ?? true
  const rolesIn = (id: number | null): string[] =>
    (own?.roles ?? []).flatMap((held) =>
      (held.companyId === null || held.companyId === id) && isLeft(held.role) ? held.role : [],
    )
  const administers = (id: number | null): boolean =>
    rolesIn(id).some((role) => roles.includes(role))
  const memberOf = (own?.companies ?? [])
    .map(({ id }) => id)
    .filter((id) => apiKey?.companies.includes(id) ?? true)
  const isSystem = memberOf.includes(companyId) && rolesIn(companyId).includes(SYSTEM_ROLE)
  const companies = new Set(memberOf.filter(administers))
  if (!isSystem && companies.size === 0) throw denied()
  return {
    userId,
    companyId,
    isSystem,
    held: 'All',
    companies: isSystem ? undefined : companies,
    isEverywhere: !apiKey && (isSystem || administers(null)),
    attributes: own?.attributes ?? {},
    giverIn: (id) => ({ roles: isSystem ? [SYSTEM_ROLE] : rolesIn(id) }),
  }
}

/**
 * `loadScope` within a transaction: what decides must still hold when it is written, the session of
 * the caller included.
 */
export async function renewScope(
  tx: Tx,
  caller: Caller,
  roles: readonly string[],
): Promise<AdminScope> {
  await renewCaller(caller)
  return loadScope(tx, caller, roles)
}

/** Throws 401 for a caller who is System no longer, whatever their gate knew of them. */
export async function requireStillSystem(tx: Tx, caller: Caller): Promise<void> {
  if (!(await renewScope(tx, caller, [])).isSystem) throw denied()
}

/**
 * Narrows a scope to the requested one (src/server/README.md, Access): System reaches every
 * company, other callers the one that they are in. Throws 401 for a caller who administers others.
 */
export function narrowScope(scope: AdminScope, requested?: HeldScope | null): AdminScope {
  const { isSystem, companyId } = scope
  if (!hasCompany(scope, companyId)) throw denied()
  const narrowest = requested === 'Global' ? requested : 'Company'
  const held = isSystem ? (requested ?? 'All') : narrowest
  const isWide = isSystem && held !== 'Company'
  return { ...scope, held, companies: isWide ? undefined : new Set([companyId]) }
}

/** Returns true for a company within the scope. */
export const hasCompany = ({ companies }: AdminScope, id: number): boolean =>
  companies?.has(id) ?? true

/** Returns true for a role that the scope looks at. */
export const hasRole = (scope: AdminScope, { companyId }: HeldRole): boolean =>
  companyId === null || (scope.held !== 'Global' && hasCompany(scope, companyId))

/** The users of a scope and the roles that it looks at, as conditions. */
interface ScopeConditions {
  /** On `svc_users u`. */
  readonly user: string
  /** On `svc_user_roles r`. */
  readonly role: string
  readonly args: SqlArgs
}

/** `hasCompany` and `hasRole` as SQL. */
export function planScope({ companies, held }: AdminScope): ScopeConditions {
  const within = companies && JSON.stringify([...companies])
  const list = '(SELECT value FROM json_each(@within))'
  const own = within === undefined ? '1' : `(r.CompanyId IS NULL OR r.CompanyId IN ${list})`
  const user =
    'EXISTS (SELECT 1 FROM main.svc_user_companies m ' +
    `WHERE m.UserId = u.Id AND m.CompanyId IN ${list})`
  return {
    user: within === undefined ? '1' : user,
    role: held === 'Global' ? 'r.CompanyId IS NULL' : own,
    args: { within },
  }
}

/** Throws the 404 of a company that is not there for one that the caller does not administer. */
export function requireInScope(scope: AdminScope, companyId: number): void {
  if (!hasCompany(scope, companyId)) throw notFound(say`There is no such company`)
}

/** Throws 401 when a caller who is not System would change a System user in any way. */
export function requireNoSystem(scope: AdminScope, { isSystem }: UserRecord): void {
  if (isSystem && !scope.isSystem) throw beyond()
}

/**
 * Throws 401 unless the caller administers the whole account: a change to it holds in each of its
 * companies.
 */
export function requireWhole(scope: AdminScope, user: UserRecord): void {
  requireNoSystem(scope, user)
  if (user.companies.some(({ id }) => !hasCompany(scope, id))) throw beyond()
}

const beyond = () => denied(say`Only a System user may do this to this user`)
