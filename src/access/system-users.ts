/** Somebody must always be left who can act as System. */
import { conflict } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { and, eq, isNull, txDatabase } from '../store/drizzle.ts'
import type { Tx } from '../store/store.ts'
import { companies, userCompanies, userRoles, users } from '../store/tables/users.ts'
import { SYSTEM_ROLE } from './caller.ts'

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
