/** Memberships of users by name, as an import brings them. */
import type { Actor } from '../../access/audit-entry.ts'
import { loadCompanyCodes, txRows } from '../../access/board-people.ts'
import { deleteUserRole, saveUserRole } from '../../access/role-rows.ts'
import { parseRoleGrant, toUserNameKey } from '../../access/user-names.ts'
import { requireRoles } from '../../access/users.ts'
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'

/** What a user holds: `Clerk@NORTH` in one company, `Clerk` in all of theirs. */
export interface UserRoles {
  UserName: string
  Roles: string[]
}

/** What an import changes of one user. */
export interface ChangedUser {
  UserName: string
  Given: string[]
  Taken: string[]
}

const FIND =
  'SELECT u.Id, u.UserName, (SELECT json_group_array(m.CompanyId) FROM svc_user_companies m ' +
  'WHERE m.UserId = u.Id) AS Companies, (SELECT json_group_array(json_array(r.Role, ' +
  'r.CompanyId)) FROM svc_user_roles r WHERE r.UserId = u.Id) AS Roles ' +
  'FROM svc_users u WHERE u.UserNameKey = @key'
/**
 * Gives and takes what lies between what each of the users holds and what they are to hold.
 * @throws invalid (400) for an unknown user, role or company, or one that the user is not of.
 */
export async function changeUserRoles(
  tx: Tx,
  users: readonly UserRoles[],
  knownRoles: readonly string[],
  actor: Actor,
): Promise<ChangedUser[]> {
  const codes = await loadCompanyCodes(txRows(tx))
  const ids = new Map([...codes].map(([id, code]) => [code.toLowerCase(), id]))
  const changed: ChangedUser[] = []
  for (const user of users) {
    const change = await changeUser(tx, user, { ids, codes, knownRoles, actor })
    if (change.Given.length + change.Taken.length > 0) changed.push(change)
  }
  return changed
}

interface Parts {
  ids: ReadonlyMap<string, number>
  codes: ReadonlyMap<number, string>
  knownRoles: readonly string[]
  actor: Actor
}

async function changeUser(
  tx: Tx,
  { UserName, Roles }: UserRoles,
  { ids, codes, knownRoles, actor }: Parts,
): Promise<ChangedUser> {
  const row = await tx.get(FIND, { key: toUserNameKey(UserName) })
  if (!row) throw invalid(say`There is no user ${UserName.slice(0, 80)}`)
  const companies = JSON.parse(String(row.Companies)) as number[]
  const grants = Roles.map(parseRoleGrant)
  requireRoles(grants, knownRoles)
  const wanted = grants.map(({ role, company }): [string, number | null] => {
    if (company === undefined) return [role, null]
    const id = ids.get(company.toLowerCase())
    if (id === undefined || !companies.includes(id))
      throw invalid(
        say`${UserName.slice(0, 80)} does not belong to company ${company.slice(0, 80)}`,
      )
    return [role, id]
  })
  const held = JSON.parse(String(row.Roles)) as [string, number | null][]
  const tell = ([role, company]: [string, number | null]): string =>
    company === null ? role : `${role}@${codes.get(company) ?? ''}`
  const before = new Map(held.map((each) => [tell(each), each]))
  const after = new Map(wanted.map((each) => [tell(each), each]))
  const given = [...after].filter(([name]) => !before.has(name))
  const taken = [...before].filter(([name]) => !after.has(name))
  const userId = Number(row.Id)
  for (const [, [role, companyId]] of given)
    await saveUserRole(tx, { userId, role, companyId }, actor)
  for (const [, [role, companyId]] of taken)
    await deleteUserRole(tx, { userId, role, companyId }, actor)
  return {
    UserName: String(row.UserName),
    Given: given.map(([name]) => name),
    Taken: taken.map(([name]) => name),
  }
}
