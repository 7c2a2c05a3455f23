/** Who belongs to which company: nobody, System users included, acts in one without it. */
import { notFound } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { and, eq, txDatabase } from '../store/drizzle.ts'
import type { Tx } from '../store/store.ts'
import { companies, userCompanies, userRoles, users } from '../store/tables/users.ts'
import { writeAudit } from './audit-entry.ts'
import type { Actor } from './audit-entry.ts'
import type { CompanyRow } from './companies.ts'
import { requireSystemLeft } from './system-users.ts'

/** A user in a company. */
export interface Member {
  userId: number
  companyId: number
}

/**
 * Writes a membership and resolves to whether it is new. 404 for an unknown user or company. The
 * caller tells `Callers.forgetUser` after the commit.
 */
export async function saveMembership(tx: Tx, member: Member, actor: Actor): Promise<boolean> {
  const company = await requireBoth(tx, member)
  const { userId: UserId, companyId: CompanyId } = member
  const added = await txDatabase(tx)
    .insert(userCompanies)
    .values({ UserId, CompanyId })
    .onConflictDoNothing()
    .returning({ id: userCompanies.UserId })
  if (added.length === 0) return false
  await writeAudit(tx, actor, planEntry('join', UserId, [null, company.Code]))
  return true
}

/**
 * Deletes a membership with the roles that the user holds in that company, and resolves to whether
 * there was one. 404 for an unknown user or company, 409 when nobody would be left to act as
 * System. The caller tells `Callers.forgetUser` and `Sessions.endIn` after the commit.
 */
export async function deleteMembership(tx: Tx, member: Member, actor: Actor): Promise<boolean> {
  const company = await requireBoth(tx, member)
  const { userId, companyId } = member
  const database = txDatabase(tx)
  const removed = await database
    .delete(userCompanies)
    .where(and(eq(userCompanies.UserId, userId), eq(userCompanies.CompanyId, companyId)))
    .returning({ id: userCompanies.UserId })
  if (removed.length === 0) return false
  await database
    .delete(userRoles)
    .where(and(eq(userRoles.UserId, userId), eq(userRoles.CompanyId, companyId)))
  await requireSystemLeft(tx)
  await writeAudit(tx, actor, planEntry('leave', userId, [company.Code, null]))
  return true
}

const planEntry = (action: string, id: number, change: readonly [unknown, unknown]) =>
  ({ entity: 'svc_users', id, action, changes: { Company: change } }) as const

async function requireBoth(tx: Tx, { userId, companyId }: Member): Promise<CompanyRow> {
  const database = txDatabase(tx)
  const [user] = await database.select({ id: users.Id }).from(users).where(eq(users.Id, userId))
  if (!user) throw notFound(say`There is no such user`)
  const [company] = await database.select().from(companies).where(eq(companies.Id, companyId))
  if (!company) throw notFound(say`There is no such company`)
  return company
}
