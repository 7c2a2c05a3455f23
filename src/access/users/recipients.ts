/** Users as recipients of mails. */
import type { SqlValue } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import { HOME } from './home-company.ts'
import { toEmailKey, toUserNameKey } from './user-names.ts'
import { selectUsers } from './user-records.ts'
import { findUser, type UserRow } from './users.ts'

/**
 * Finds the user that a name at sign-in means: the user of that name, else the one with that mail
 * address. Both are always looked up, so that the time tells nothing.
 */
export async function findUserToSignIn(reader: Reader, name: string): Promise<UserRow | undefined> {
  const [named, mailed] = await Promise.all([findUser(reader, name), findByEmail(reader, name)])
  return named ?? mailed
}

/** The user with that mail address, however it is written; none where several have it. */
async function findByEmail(reader: Reader, email: string): Promise<UserRow | undefined> {
  const key = { key: toEmailKey(email) }
  const [found, ...more] = await selectUsers(reader, { where: 'u.Email = @key', args: key })
  return more.length === 0 ? found?.user : undefined
}

/** Recipients that a model names: a role, a user by name or id, or ids; each may be left out. */
interface Named {
  role: string | null
  user: string | null
  ids: readonly number[] | null
}

/**
 * Users `u` who are named, active and belong to the company, as a condition, with its arguments.
 */
export const namedUsers = ({ role, user, ids }: Named, company: number | null): UserQuery => ({
  where: `u.Active AND u.Id IN (${NAMED}) AND ${BELONGS}`,
  args: {
    role,
    company,
    ids: JSON.stringify(ids ?? []),
    key: user === null ? null : toUserNameKey(user),
    id: user !== null && /^\d{1,15}$/.test(user) ? Number(user) : null,
  },
})

/** Ids of named users. A number is a name first: the id counts where no user has that name. */
const NAMED = `SELECT value FROM json_each(@ids)
  UNION SELECT UserId FROM main.svc_user_roles
    WHERE Role = @role AND (CompanyId IS NULL OR CompanyId = @company)
  UNION SELECT Id FROM main.svc_users WHERE UserNameKey = @key
  UNION SELECT @id WHERE NOT EXISTS (SELECT 1 FROM main.svc_users WHERE UserNameKey = @key)`

const BELONGS =
  '(@company IS NULL OR EXISTS (SELECT 1 FROM main.svc_user_companies m ' +
  'WHERE m.UserId = u.Id AND m.CompanyId = @company))'

/**
 * Loads the users that a mail may go to: not locked, with an address, and members of the company,
 * when there is one. Each comes once, by name.
 */
export async function loadRecipients(
  reader: Reader,
  named: Named,
  company: number | null,
): Promise<UserRow[]> {
  const { where, args } = namedUsers(named, company)
  const found = await selectUsers(reader, { where: `u.Email IS NOT NULL AND ${where}`, args })
  return found.map(({ user }) => user)
}

/** Users `u` of svc_users, as a condition with its arguments. */
export interface UserQuery {
  where: string
  args: Record<string, SqlValue>
}

/**
 * Builds the SQL of a company's active users: all of them, those with a given name, id or role, or
 * those who are at home there.
 */
export function usersOf(
  company: number,
  {
    named,
    home,
  }: {
    named?: { users: readonly (string | number)[]; roles: readonly string[] }
    home?: boolean
  } = {},
): UserQuery {
  const where = `u.Active AND ${BELONGS}`
  if (home === true) return { where: `${where} AND ${HOME} = @company`, args: { company } }
  if (!named) return { where, args: { company } }
  const keys = named.users.flatMap((user) => (typeof user === 'string' ? toUserNameKey(user) : []))
  const ids = named.users.filter((user) => typeof user === 'number')
  return {
    where: `${where} AND u.Id IN (SELECT value FROM json_each(@ids)
      UNION SELECT Id FROM main.svc_users WHERE UserNameKey IN (SELECT value FROM json_each(@keys))
      UNION SELECT UserId FROM main.svc_user_roles
        WHERE Role COLLATE NOCASE IN (SELECT value FROM json_each(@roles))
          AND (CompanyId IS NULL OR CompanyId = @company))`,
    args: {
      company,
      ids: JSON.stringify(ids),
      keys: JSON.stringify(keys),
      roles: JSON.stringify(named.roles),
    },
  }
}
