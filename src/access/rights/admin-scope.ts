/** Whom a caller administers, and where: as the tables say it now, not as the token once did. */
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

/** Roles as they are held: in whatever company, in all at once, or those that hold in one. */
export type HeldScope = 'All' | 'Global' | 'Company'

/** Who administers, in which companies, looking at which roles of the users there. */
export interface AdminScope {
  readonly userId: number
  /** The company that the caller is in. */
  readonly companyId: number
  readonly isSystem: boolean
  /** Ids of the companies whose users are in scope; undefined: every user. */
  readonly companies: ReadonlySet<number> | undefined
  readonly held: HeldScope
  /** Whether the administering role is held in all companies of theirs, so that it may be given. */
  readonly isEverywhere: boolean
  /** The caller's own, by name. */
  readonly attributes: Readonly<Record<string, string>>
  /** What the caller can hand out in a company by their roles there; null: in all companies. */
  giverIn(companyId: number | null): Giver
}

/**
 * The companies in which a caller holds one of the administering roles; those of a role that is
 * held in all companies are the caller's own ones. Throws 401 when there are none any more.
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
 * What a caller asks for can only narrow their scope (src/server/README.md, Access): System reaches
 * every company, everybody else the one that they are in. Throws 401 for who administers others.
 */
export function narrowScope(scope: AdminScope, requested?: HeldScope | null): AdminScope {
  const { isSystem, companyId } = scope
  if (!hasCompany(scope, companyId)) throw denied()
  const narrowest = requested === 'Global' ? requested : 'Company'
  const held = isSystem ? (requested ?? 'All') : narrowest
  const isWide = isSystem && held !== 'Company'
  return { ...scope, held, companies: isWide ? undefined : new Set([companyId]) }
}

/** Whether a company is within the scope. */
export const hasCompany = ({ companies }: AdminScope, id: number): boolean =>
  companies?.has(id) ?? true

/** Whether a role is one that the scope looks at. */
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

/** Throws 401 for a System user whom a caller who is none would change, in whatever way. */
export function requireNoSystem(scope: AdminScope, { isSystem }: UserRecord): void {
  if (isSystem && !scope.isSystem) throw beyond()
}

/**
 * Throws 401 unless the whole account is the caller's to administer: what is done to it is done in
 * each of its companies.
 */
export function requireWhole(scope: AdminScope, user: UserRecord): void {
  requireNoSystem(scope, user)
  if (user.companies.some(({ id }) => !hasCompany(scope, id))) throw beyond()
}

const beyond = () => denied(say`Only a System user may do this to this user`)
