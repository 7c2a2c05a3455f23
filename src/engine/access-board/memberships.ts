/** Memberships that the board makes and ends, in the transaction of the change. */
import { isDirect, loadCompanyCodes, txRows } from '../../access/board-people.ts'
import type { Reach } from '../../access/board-people.ts'
import { writeAudit } from '../../access/audit-entry.ts'
import type { Actor } from '../../access/audit-entry.ts'
import { SYSTEM_ROLE } from '../../access/caller.ts'
import { requireSystemLeft } from '../../access/system-users.ts'
import { requireRoles } from '../../access/users.ts'
import type { Tx } from '../../store/store.ts'
import type { MembershipChange } from './changes.ts'
import { givenIn, isEffectiveIn } from './impact.ts'
import { tellHeld } from './principals.ts'

const GIVE = 'INSERT INTO svc_user_roles (UserId, Role, CompanyId) VALUES (@user, @role, @company)'
const TAKE: Readonly<Record<Reach['scope'], string>> = {
  All: 'DELETE FROM svc_user_roles WHERE UserId = @user AND Role = @role',
  Global: 'DELETE FROM svc_user_roles WHERE UserId = @user AND Role = @role AND CompanyId IS NULL',
  Company:
    'DELETE FROM svc_user_roles WHERE UserId = @user AND Role = @role AND CompanyId = @company',
}

/**
 * Makes and ends memberships of the scope, each with its audit row; those that are so already stay.
 * Throws 409 when nobody would be left to act as System.
 */
export async function changeMemberships(
  tx: Tx,
  reach: Reach,
  changes: readonly MembershipChange[],
  actor: Actor,
): Promise<void> {
  const effective = changes.filter(isEffectiveIn(reach))
  if (effective.length === 0) return
  const company = givenIn(reach)
  requireRoles(
    effective.flatMap(({ role, isGranted }) => (isGranted ? [{ role, companyId: company }] : [])),
    effective.map(({ role }) => role),
  )
  const codes = await loadCompanyCodes(txRows(tx))
  for (const { user, role, isGranted } of effective) {
    await tx.run(isGranted ? GIVE : TAKE[reach.scope], { user: user.id, role, company })
    const taken = user.roles.filter((held) => held.role === role && isDirect(reach, held))
    const given = tellHeld({ role, companyId: company }, codes)
    await writeAudit(tx, actor, {
      entity: 'svc_users',
      id: user.id,
      action: isGranted ? 'role given' : 'role taken',
      changes: {
        Role: isGranted ? [null, given] : [taken.map((held) => tellHeld(held, codes)).join(), null],
      },
    })
  }
  if (effective.some(({ role, isGranted }) => role === SYSTEM_ROLE && !isGranted))
    await requireSystemLeft(tx)
}
