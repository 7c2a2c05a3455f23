/** Changes of a user's details and attributes, and the removal of users. */
import { conflict } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { spellZone } from '../../kernel/zones.ts'
import { allRows, insertRow, updateRows } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { userAttributes, users } from '../../store/tables/users.ts'
import type { Model } from '../../model/model.ts'
import { quote } from '../../model/sql/quote.ts'
import { type Actor, writeAudit } from '../audit-entry.ts'
import { requireWhole } from '../rights/admin-scope.ts'
import { requireSystemLeft } from '../rights/role-rows.ts'
import { notifyAddress } from '../security-notification.ts'
import { endTaskLinks } from '../task-links.ts'
import { requireAttributes, toEmailKey, toUserNameKey } from './user-names.ts'
import type { UserRecord } from './user-records.ts'
import type { UserWork } from './user-roles.ts'
import {
  checkDetails,
  normalizeDetails,
  requireFree,
  type UserDetails,
  type UserRow,
} from './users.ts'

/**
 * Changes the details of a user; a member that is left out stays. A change of the address is
 * reported by mails to the old and the new one. 400 for values that a user cannot have, 409 for a
 * name or address that is taken. The caller of this calls `Callers.forgetUser` after the commit.
 */
export async function saveDetails(
  tx: Tx,
  user: UserRow,
  given: UserDetails,
  actor: Actor,
): Promise<void> {
  const details = normalizeDetails(given)
  checkDetails(details)
  await requireFree(tx, details, user.Id)
  const { userName, displayName, email, timeZone, language } = details
  const values = {
    ...(userName !== undefined && { UserName: userName }),
    ...(displayName !== undefined && { DisplayName: displayName }),
    ...(email !== undefined && { Email: email && toEmailKey(email) }),
    ...(timeZone !== undefined && { TimeZone: timeZone && spellZone(timeZone) }),
    ...(language !== undefined && { Language: language }),
  }
  const changes = Object.entries(values).flatMap(([name, to]) => {
    const from: unknown = Reflect.get(user, name)
    return from === to ? [] : [[name, [from, to]] as const]
  })
  if (changes.length === 0) return
  const set = {
    ...values,
    UserNameKey: userName === undefined ? undefined : toUserNameKey(userName),
    ChangedAt: actor.now.toISOString(),
  }
  await updateRows(tx, users, 'WHERE Id = @id', { id: user.Id, set })
  await writeAudit(tx, actor, {
    entity: 'svc_users',
    id: user.Id,
    action: 'update',
    changes: Object.fromEntries(changes),
  })
  if (values.Email === undefined || values.Email === user.Email) return
  await endTaskLinks(tx, user.Id)
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
  const before = await allRows(tx, userAttributes, 'WHERE UserId = @userId', { userId })
  const from = Object.fromEntries(before.map(({ Name, Value }) => [Name, Value]))
  const isSame =
    before.length === wanted.length && wanted.every(([name, value]) => from[name] === value)
  if (isSame) return
  await tx.run('DELETE FROM svc_user_attributes WHERE UserId = @userId', { userId })
  for (const [name, value] of wanted)
    await insertRow(tx, userAttributes, { UserId: userId, Name: name, Value: value })
  const changes = { Attributes: [from, attributes] } as const
  await writeAudit(tx, actor, { entity: 'svc_users', id: userId, action: 'update', changes })
}

/** Plans a search for ids of users in the records of an application, and in the audit of others. */
function planReferences(model: Model): string {
  const requested = [...model.entities.values()]
    .filter((entity) => !entity.builtIn)
    .flatMap((entity) =>
      entity.columns
        .filter(({ references, kind, name }) => references === 'User' || isBy(kind, name))
        .map(
          (column) =>
            `SELECT '${entity.name}.${column.name}' AS place WHERE EXISTS (SELECT 1 ` +
            `FROM main.${quote(entity.table)} WHERE ${quote(column.name)} = @id)`,
        ),
    )
  const audited =
    `SELECT 'Audit' AS place WHERE EXISTS (SELECT 1 FROM main.svc_audit WHERE UserId = @id ` +
    `AND NOT (Entity = 'svc_users' AND RecordKey = json_array(@id)))`
  return `${[...requested, audited].join(' UNION ALL ')} LIMIT 1`
}

const isBy = (kind: string, name: string): boolean => kind === 'tracking' && name.endsWith('By')

/** Throws 409 for a user whom records refer to. Not on the writer: it may read whole tables. */
export async function requireUnreferenced(reader: Reader, model: Model, id: number): Promise<void> {
  const found = await reader.get({ sql: planReferences(model), args: { id }, runs: 'lane' })
  if (found) throw referenced(found.place)
}

/**
 * Removes a user with roles, companies and attributes. 401 unless the user is the caller's alone to
 * administer, 409 when records refer to the user or no System user would be left. The caller ends
 * the sessions after the commit.
 */
export async function deleteUser(
  { tx, scope, model, actor }: UserWork,
  target: UserRecord,
): Promise<void> {
  requireWhole(scope, target)
  const { Id: id, UserName } = target.user
  const { rows } = await tx.authored(planReferences(model), { id })
  if (rows[0]) throw referenced(rows[0].place)
  await tx.run('DELETE FROM svc_users WHERE Id = @id', { id })
  if (target.isSystem) await requireSystemLeft(tx)
  const changes = { UserName: [UserName, null] } as const
  await writeAudit(tx, actor, { entity: 'svc_users', id, action: 'delete', changes })
}

const referenced = (place: unknown) =>
  conflict(say`Records refer to this user (${String(place)}). Lock the user instead.`, {
    code: 'USER_IN_USE',
  })
