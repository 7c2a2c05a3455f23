/** A user's own time zone. */
import { notFound, validation } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { isZone, spellZone } from '../kernel/zones.ts'
import { eq, txDatabase } from '../store/drizzle.ts'
import type { Tx } from '../store/store.ts'
import { users } from '../store/tables/users.ts'
import { writeAudit } from './audit-entry.ts'
import type { Actor } from './audit-entry.ts'

/**
 * Sets a user's zone, or clears it with null, so that the company's holds. 400 with `fieldErrors`
 * for what is no IANA zone, 404 for an unknown user. The caller tells `Callers.forgetUser` after
 * the commit.
 */
export async function saveTimeZone(
  tx: Tx,
  userId: number,
  zone: string | null,
  actor: Actor,
): Promise<void> {
  if (zone !== null && !isZone(zone)) throw validation({ TimeZone: say`This is no IANA time zone` })
  const database = txDatabase(tx)
  const [user] = await database
    .select({ timeZone: users.TimeZone })
    .from(users)
    .where(eq(users.Id, userId))
  if (!user) throw notFound(say`There is no such user`)
  const timeZone = zone === null ? null : spellZone(zone)
  if (user.timeZone === timeZone) return
  await database
    .update(users)
    .set({ TimeZone: timeZone, ChangedAt: actor.now.toISOString() })
    .where(eq(users.Id, userId))
  await writeAudit(tx, actor, {
    entity: 'svc_users',
    id: userId,
    action: 'update',
    changes: { TimeZone: [user.timeZone, timeZone] },
  })
}
