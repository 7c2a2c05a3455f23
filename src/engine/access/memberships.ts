/** Memberships that the board makes and ends, in the transaction of the change. */
import { isDirect } from '../../access/board-users.ts'
import type { BoardScopeOf } from '../../access/board-users.ts'
import type { Actor } from '../../access/audit-entry.ts'
import { SYSTEM_ROLE } from '../../access/caller.ts'
import { deleteUserRole, saveUserRole } from '../../access/role-rows.ts'
import { requireSystemLeft } from '../../access/system-users.ts'
import { requireRoles } from '../../access/users.ts'
import type { Tx } from '../../store/store.ts'
import type { MembershipChange } from './changes.ts'
import { givenIn, isEffectiveIn } from './impact.ts'

/**
 * Makes and ends memberships of the scope, each with its audit row; those that are so already stay.
 * Throws 409 when nobody would be left to act as System.
 */
export async function changeMemberships(
  tx: Tx,
  reach: BoardScopeOf,
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
  for (const { user, role, isGranted } of effective)
    if (isGranted) await saveUserRole(tx, { userId: user.id, role, companyId: company }, actor)
    else
      for (const held of user.roles)
        if (held.role === role && isDirect(reach, held))
          await deleteUserRole(tx, { ...held, userId: user.id }, actor)
  if (effective.some(({ role, isGranted }) => role === SYSTEM_ROLE && !isGranted))
    await requireSystemLeft(tx)
}
