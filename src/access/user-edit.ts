/** Changes to what a user is called, is reached by and is judged by. */
import { spellZone } from '../kernel/zones.ts'
import { eq, txDatabase } from '../store/drizzle.ts'
import type { Tx } from '../store/store.ts'
import { userAttributes, users } from '../store/tables/users.ts'
import { writeAudit } from './audit-entry.ts'
import type { Actor } from './audit-entry.ts'
import { notifyAddress } from './security-notification.ts'
import { requireAttributes, toEmailKey, toUserNameKey } from './user-names.ts'
import { checkDetails, requireFree } from './users.ts'
import type { UserDetails, UserRow } from './users.ts'

/**
 * Changes the details of a user; what is left out stays. Of another address they are told at both.
 * 400 for what a user cannot have, 409 for a
 * name or address that is taken. The caller tells `Callers.forgetUser` after the commit.
 */
export async function saveDetails(
  tx: Tx,
  user: UserRow,
  details: UserDetails,
  actor: Actor,
): Promise<void> {
  checkDetails(details)
  await requireFree(tx, details, user.Id)
  const { userName, displayName, email, timeZone } = details
  const values = {
    ...(userName !== undefined && { UserName: userName }),
    ...(displayName !== undefined && { DisplayName: displayName }),
    ...(email !== undefined && { Email: email && toEmailKey(email) }),
    ...(timeZone !== undefined && { TimeZone: timeZone && spellZone(timeZone) }),
  }
  const changes = Object.entries(values).flatMap(([name, to]) => {
    const from: unknown = Reflect.get(user, name)
    return from === to ? [] : [[name, [from, to]] as const]
  })
  if (changes.length === 0) return
  await txDatabase(tx)
    .update(users)
    .set({
      ...values,
      ...(userName !== undefined && { UserNameKey: toUserNameKey(userName) }),
      ChangedAt: actor.now.toISOString(),
    })
    .where(eq(users.Id, user.Id))
  await writeAudit(tx, actor, {
    entity: 'svc_users',
    id: user.Id,
    action: 'update',
    changes: Object.fromEntries(changes),
  })
  if (values.Email === undefined || values.Email === user.Email) return
  await notifyAddress(tx, user, 'address left', actor)
  await notifyAddress(tx, { ...user, ...values }, 'address joined', actor)
}

/** Replaces the attributes of a user. 400 for a name that SQL could not name, or a long value. */
export async function saveAttributes(
  tx: Tx,
  userId: number,
  attributes: Readonly<Record<string, string>>,
  actor: Actor,
): Promise<void> {
  const wanted = Object.entries(attributes)
  requireAttributes(attributes)
  const database = txDatabase(tx)
  const own = eq(userAttributes.UserId, userId)
  const before = await database.select().from(userAttributes).where(own)
  const from = Object.fromEntries(before.map(({ Name, Value }) => [Name, Value]))
  const isSame =
    before.length === wanted.length && wanted.every(([name, value]) => from[name] === value)
  if (isSame) return
  await database.delete(userAttributes).where(own)
  for (const [name, value] of wanted)
    await database.insert(userAttributes).values({ UserId: userId, Name: name, Value: value })
  const changes = { Attributes: [from, attributes] } as const
  await writeAudit(tx, actor, { entity: 'svc_users', id: userId, action: 'update', changes })
}
