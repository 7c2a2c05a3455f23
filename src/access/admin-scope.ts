/** Whom a caller administers, and where: as the tables say it now, not as the token once did. */
import { denied, notFound } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { and, eq, readDatabase } from '../store/drizzle.ts'
import type { Reader, Tx } from '../store/store.ts'
import { userAttributes, userCompanies, userRoles, users } from '../store/tables/users.ts'
import type { Caller } from './caller.ts'
import { SYSTEM_ROLE } from './caller.ts'
import type { Giver } from './delegation.ts'
import type { HeldRole } from './role-rows.ts'
import { renewCaller } from './caller-validity.ts'
import type { UserRow } from './users.ts'

type Database = ReturnType<typeof readDatabase>

/** The companies that a caller administers. */
export interface AdminScope {
  readonly userId: number
  readonly isSystem: boolean
  /** Ids; undefined for System: every company. */
  readonly companies: ReadonlySet<number> | undefined
  /** Whether the administering role is held in all companies of theirs, so that it may be given. */
  readonly isEverywhere: boolean
  /** The caller's own, by name. */
  readonly attributes: Readonly<Record<string, string>>
  /** What the caller can hand out in a company: by their roles there. */
  giverIn(companyId: number): Giver
}

/** A user as those who administer them see what matters. */
export interface Administered {
  readonly user: UserRow
  readonly roles: readonly HeldRole[]
  /** Ids of their companies, closed ones too. */
  readonly companies: readonly number[]
  readonly attributes: Readonly<Record<string, string>>
  readonly isSystem: boolean
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
 * The companies in which a caller holds one of the administering roles; those of a role that is
 * held in all companies are the caller's own ones. Throws 401 when there are none any more.
 */
export async function loadScope(
  reader: Reader,
  caller: Caller,
  roles: readonly string[],
): Promise<AdminScope> {
  const { userId } = caller
  const database = readDatabase(reader)
  const held = await selectRoles(database, userId)
  const memberOf = await selectCompanies(database, userId, true)
  const rolesIn = (companyId: number | null): string[] =>
    held
      .filter((each) => each.companyId === null || each.companyId === companyId)
      .map(({ role }) => role)
  const administers = (companyId: number | null): boolean =>
    rolesIn(companyId).some((role) => roles.includes(role))
  const isSystem =
    memberOf.includes(caller.companyId) && rolesIn(caller.companyId).includes(SYSTEM_ROLE)
  const companies = new Set(memberOf.filter(administers))
  if (!isSystem && companies.size === 0) throw denied()
  return {
    userId,
    isSystem,
    companies: isSystem ? undefined : companies,
    isEverywhere: isSystem || administers(null),
    attributes: await selectAttributes(database, userId),
    giverIn: (companyId) => ({ roles: isSystem ? [SYSTEM_ROLE] : rolesIn(companyId) }),
  }
}

/** Whether a company is within the scope. */
export const hasCompany = ({ companies }: AdminScope, id: number): boolean =>
  companies?.has(id) ?? true

/** Throws the 404 of a company that is not there for one that the caller does not administer. */
export function requireInScope(scope: AdminScope, companyId: number): void {
  if (!hasCompany(scope, companyId)) throw notFound(say`There is no such company`)
}

/** A user of the scope's companies; System sees every user. 404 for others and unknown ones. */
export async function loadAdministered(
  tx: Tx,
  scope: AdminScope,
  userId: number,
): Promise<Administered> {
  const database = readDatabase(tx)
  const [user] = await database.select().from(users).where(eq(users.Id, userId))
  const companies = await selectCompanies(database, userId)
  if (!user || !(scope.isSystem || companies.some((id) => hasCompany(scope, id))))
    throw notFound(say`There is no such user`)
  const roles = await selectRoles(database, userId)
  const isSystem = roles.some(({ role }) => role === SYSTEM_ROLE)
  const attributes = await selectAttributes(database, userId)
  return { user, roles, companies, attributes, isSystem }
}

/** Throws 401 for a System user whom a caller who is none would change, in whatever way. */
export function requireNoSystem(scope: AdminScope, { isSystem }: Administered): void {
  if (isSystem && !scope.isSystem) throw beyond()
}

/**
 * Throws 401 unless the whole account is the caller's to administer: what is done to it is done in
 * each of its companies.
 */
export function requireWhole(scope: AdminScope, user: Administered): void {
  requireNoSystem(scope, user)
  if (user.companies.some((id) => !hasCompany(scope, id))) throw beyond()
}

const beyond = () => denied(say`Only a System user may do this to this user`)

async function selectRoles(database: Database, userId: number): Promise<HeldRole[]> {
  return database
    .select({ role: userRoles.Role, companyId: userRoles.CompanyId })
    .from(userRoles)
    .where(eq(userRoles.UserId, userId))
}

async function selectAttributes(
  database: Database,
  userId: number,
): Promise<Readonly<Record<string, string>>> {
  const rows = await database.select().from(userAttributes).where(eq(userAttributes.UserId, userId))
  return Object.fromEntries(rows.map(({ Name, Value }) => [Name, Value]))
}

async function selectCompanies(
  database: Database,
  userId: number,
  isActive?: true,
): Promise<number[]> {
  const rows = await database
    .select({ id: userCompanies.CompanyId })
    .from(userCompanies)
    .innerJoin(users, eq(users.Id, userCompanies.UserId))
    .where(and(eq(userCompanies.UserId, userId), isActive && eq(users.Active, true)))
  return rows.map(({ id }) => id)
}
