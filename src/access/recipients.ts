/** Users as those whom a mail goes to. */
import { and, eq, inArray, isNull, or, readDatabase } from '../store/drizzle.ts'
import type { Reader } from '../store/store.ts'
import { userCompanies, userRoles, users } from '../store/tables/users.ts'
import { toEmailKey } from './user-names.ts'
import { findUser, findUserById } from './users.ts'
import type { UserRow } from './users.ts'

/** The user with that mail address, however it is written. */
export async function findUserByEmail(reader: Reader, email: string): Promise<UserRow | undefined> {
  const [row] = await readDatabase(reader)
    .select()
    .from(users)
    .where(eq(users.Email, toEmailKey(email)))
  return row
}

/** Whom a model names: a role, a user by name or id, users by id; each may be left out. */
export interface Named {
  role: string | null
  user: string | null
  ids: readonly number[] | null
}

/** Ids that are looked for in one statement. */
const IDS_AT_ONCE = 500

/**
 * The users that may be written to: those who are not locked, have an address and belong to the
 * company, when there is one. Each comes once.
 */
export async function loadRecipients(
  reader: Reader,
  named: Named,
  companyId: number | null,
): Promise<UserRow[]> {
  const ids = new Set(named.ids ?? [])
  if (named.role !== null)
    for (const id of await loadHolders(reader, named.role, companyId)) ids.add(id)
  if (named.user !== null) {
    const user = await findNamed(reader, named.user)
    if (user) ids.add(user.Id)
  }
  const found = await loadUsers(reader, [...ids])
  const members = companyId === null ? undefined : await loadMembers(reader, companyId)
  return found.filter(
    ({ Id, Active, Email }) => Active && Email !== null && (members?.has(Id) ?? true),
  )
}

async function findNamed(reader: Reader, user: string): Promise<UserRow | undefined> {
  const byName = await findUser(reader, user)
  return byName ?? (/^\d{1,15}$/.test(user) ? findUserById(reader, Number(user)) : undefined)
}

async function loadHolders(
  reader: Reader,
  role: string,
  companyId: number | null,
): Promise<number[]> {
  const isHeld =
    companyId === null
      ? isNull(userRoles.CompanyId)
      : or(isNull(userRoles.CompanyId), eq(userRoles.CompanyId, companyId))
  const rows = await readDatabase(reader)
    .selectDistinct({ id: userRoles.UserId })
    .from(userRoles)
    .where(and(eq(userRoles.Role, role), isHeld))
  return rows.map(({ id }) => id)
}

async function loadMembers(reader: Reader, companyId: number): Promise<Set<number>> {
  const rows = await readDatabase(reader)
    .select({ id: userCompanies.UserId })
    .from(userCompanies)
    .where(eq(userCompanies.CompanyId, companyId))
  return new Set(rows.map(({ id }) => id))
}

async function loadUsers(reader: Reader, ids: readonly number[]): Promise<UserRow[]> {
  const found: UserRow[] = []
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const some = ids.slice(from, from + IDS_AT_ONCE)
    const rows = await readDatabase(reader).select().from(users).where(inArray(users.Id, some))
    found.push(...rows)
  }
  return found
}
