/** The rows of who holds which role: given and taken here alone, each with its audit row. */
import { conflict } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { and, eq, isNull, txDatabase } from '../../store/drizzle.ts'
import type { Tx } from '../../store/store.ts'
import { companies, userCompanies, userRoles, users } from '../../store/tables/users.ts'
import { type Actor, writeAudit } from '../audit-entry.ts'
import { SYSTEM_ROLE } from '../callers/caller.ts'

/** A role of a user, in one company or (null) in all of theirs. */
export interface HeldRole {
  readonly role: string
  readonly companyId: number | null
}

/** A role of one user. */
interface UserRole extends HeldRole {
  readonly userId: number
}

/** Gives a user a role that they do not hold there. That they may is checked before. */
export async function saveUserRole(tx: Tx, given: UserRole, actor: Actor): Promise<void> {
  const { userId, role, companyId } = given
  await txDatabase(tx)
    .insert(userRoles)
    .values({ UserId: userId, Role: role, CompanyId: companyId })
  const change = [null, await describeHeld(tx, given)] as const
  await writeAudit(tx, actor, planEntry(userId, 'give role', change))
}

/** Takes a role from a user and resolves to whether they held it there. */
export async function deleteUserRole(tx: Tx, taken: UserRole, actor: Actor): Promise<boolean> {
  const { userId, role, companyId } = taken
  const within =
    companyId === null ? isNull(userRoles.CompanyId) : eq(userRoles.CompanyId, companyId)
  const removed = await txDatabase(tx)
    .delete(userRoles)
    .where(and(eq(userRoles.UserId, userId), eq(userRoles.Role, role), within))
    .returning({ id: userRoles.Id })
  if (removed.length === 0) return false
  const change = [await describeHeld(tx, taken), null] as const
  await writeAudit(tx, actor, planEntry(userId, 'take role', change))
  return true
}

const planEntry = (id: number, action: string, change: readonly [unknown, unknown]) =>
  ({ entity: 'svc_users', id, action, changes: { Role: change } }) as const

/** `Clerk@NORTH`, or `Clerk` for one that is held in all companies. */
async function describeHeld(tx: Tx, { role, companyId }: HeldRole): Promise<string> {
  if (companyId === null) return role
  const [company] = await txDatabase(tx)
    .select({ code: companies.Code })
    .from(companies)
    .where(eq(companies.Id, companyId))
  return `${role}@${company?.code ?? ''}`
}

/**
 * Throws 409 when, after the changes of this transaction, no active user could act as System: one
 * who belongs to an open company and holds the role. Ask it last.
 */
export async function requireSystemLeft(tx: Tx): Promise<void> {
  const [found] = await txDatabase(tx)
    .select({ id: users.Id })
    .from(users)
    .innerJoin(userRoles, eq(userRoles.UserId, users.Id))
    .innerJoin(userCompanies, eq(userCompanies.UserId, users.Id))
    .innerJoin(companies, eq(companies.Id, userCompanies.CompanyId))
    .where(
      and(
        eq(users.Active, true),
        eq(companies.Active, true),
        eq(userRoles.Role, SYSTEM_ROLE),
        isNull(userRoles.CompanyId),
      ),
    )
    .limit(1)
  if (!found) throw conflict(say`Somebody must be left who can act as System`)
}
