/** Users as those whom a mail goes to. */
import type { Reader } from '../store/store.ts'
import { toEmailKey, toUserNameKey } from './user-names.ts'
import { selectUsers } from './user-records.ts'
import type { UserRow } from './users.ts'

/** The user with that mail address, however it is written. */
export async function findUserByEmail(reader: Reader, email: string): Promise<UserRow | undefined> {
  const key = { key: toEmailKey(email) }
  const [found] = await selectUsers(reader, { where: 'u.Email = @key', args: key })
  return found?.user
}

/** Whom a model names: a role, a user by name or id, users by id; each may be left out. */
export interface Named {
  role: string | null
  user: string | null
  ids: readonly number[] | null
}

/** Their ids. A number is a name first: the id counts where nobody has that name. */
const NAMED = `SELECT value FROM json_each(@ids)
  UNION SELECT UserId FROM main.svc_user_roles
    WHERE Role = @role AND (CompanyId IS NULL OR CompanyId = @company)
  UNION SELECT Id FROM main.svc_users WHERE UserNameKey = @key
  UNION SELECT @id WHERE NOT EXISTS (SELECT 1 FROM main.svc_users WHERE UserNameKey = @key)`

const BELONGS =
  '(@company IS NULL OR EXISTS (SELECT 1 FROM main.svc_user_companies m ' +
  'WHERE m.UserId = u.Id AND m.CompanyId = @company))'

/**
 * The users that may be written to: those who are not locked, have an address and belong to the
 * company, when there is one. Each comes once, by name.
 */
export async function loadRecipients(
  reader: Reader,
  { role, user, ids }: Named,
  company: number | null,
): Promise<UserRow[]> {
  const args = {
    ...{ role, company, ids: JSON.stringify(ids ?? []) },
    key: user === null ? null : toUserNameKey(user),
    id: user !== null && /^\d{1,15}$/.test(user) ? Number(user) : null,
  }
  const where = `u.Active AND u.Email IS NOT NULL AND u.Id IN (${NAMED}) AND ${BELONGS}`
  return (await selectUsers(reader, { where, args })).map((found) => found.user)
}
