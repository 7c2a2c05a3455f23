/** The rows of who holds which role: given and taken here alone, each with its audit row. */
import { conflict } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { getRow, insertRow } from '../../store/rows.ts'
import type { Tx } from '../../store/store.ts'
import { companies, userRoles } from '../../store/tables/users.ts'
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
  await insertRow(tx, userRoles, { UserId: userId, Role: role, CompanyId: companyId })
  const change = [null, await describeHeld(tx, given)] as const
  await writeAudit(tx, actor, planEntry(userId, 'give role', change))
}

const TAKE = `DELETE FROM svc_user_roles
  WHERE UserId = @userId AND Role = @role AND CompanyId IS @companyId`

/** Takes a role from a user and resolves to whether they held it there. */
export async function deleteUserRole(tx: Tx, taken: UserRole, actor: Actor): Promise<boolean> {
  const { userId, role, companyId } = taken
  if ((await tx.run(TAKE, { userId, role, companyId })) === 0) return false
  const change = [await describeHeld(tx, taken), null] as const
  await writeAudit(tx, actor, planEntry(userId, 'take role', change))
  return true
}

const planEntry = (id: number, action: string, change: readonly [unknown, unknown]) =>
  ({ entity: 'svc_users', id, action, changes: { Role: change } }) as const

/** `Clerk@NORTH`, or `Clerk` for one that is held in all companies. */
async function describeHeld(tx: Tx, { role, companyId }: HeldRole): Promise<string> {
  if (companyId === null) return role
  const company = await getRow(tx, companies, 'WHERE Id = @companyId', { companyId })
  return `${role}@${company?.Code ?? ''}`
}

const ACTIVE_SYSTEM = `SELECT 1 AS found FROM svc_users u
  JOIN svc_user_roles r ON r.UserId = u.Id
  JOIN svc_user_companies m ON m.UserId = u.Id
  JOIN svc_companies c ON c.Id = m.CompanyId
  WHERE u.Active = 1 AND c.Active = 1 AND r.Role = @role AND r.CompanyId IS NULL LIMIT 1`

/**
 * Throws 409 when, after the changes of this transaction, no active user could act as System: one
 * who belongs to an open company and holds the role. Ask it last.
 */
export async function requireSystemLeft(tx: Tx): Promise<void> {
  const found = await tx.get(ACTIVE_SYSTEM, { role: SYSTEM_ROLE })
  if (!found) throw conflict(say`At least one user must still be able to act as System`)
}
