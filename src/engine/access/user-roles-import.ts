/** Memberships of users by name, as an import brings them. */
import type { AdminScope } from '../../access/admin-scope.ts'
import { requireMayAssign } from '../../access/delegation.ts'
import type { Actor } from '../../access/audit-entry.ts'
import { loadCompanyCodes } from '../../access/board-users.ts'
import { deleteUserRole, saveUserRole } from '../../access/role-rows.ts'
import { parseRoleGrant, toUserNameKey } from '../../access/user-names.ts'
import { requireRoles } from '../../access/users.ts'
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Model } from '../../model/model.ts'
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
/** Who imports, into what. */
export interface ImportWork {
  scope: AdminScope
  model: Model
  actor: Actor
}

/**
 * Gives and takes what lies between what each of the users holds and what they are to hold.
 * @throws invalid (400) for an unknown user, role or company, or one that the user is not of;
 * denied (401) for a role that is not theirs to give or take
 */
export async function changeUserRoles(
  tx: Tx,
  users: readonly UserRoles[],
  { scope, model, actor }: ImportWork,
): Promise<ChangedUser[]> {
  const codes = await loadCompanyCodes(tx)
  const ids = new Map([...codes].map(([id, code]) => [code.toLowerCase(), id]))
  const changed: ChangedUser[] = []
  for (const user of users) {
    const change = await changeUser(tx, user, { ids, codes, scope, model, actor })
    if (change.Given.length + change.Taken.length > 0) changed.push(change)
  }
  return changed
}

interface Parts extends ImportWork {
  ids: ReadonlyMap<string, number>
  codes: ReadonlyMap<number, string>
}

async function changeUser(
  tx: Tx,
  { UserName, Roles }: UserRoles,
  { ids, codes, scope, model, actor }: Parts,
): Promise<ChangedUser> {
  const row = await tx.get(FIND, { key: toUserNameKey(UserName) })
  if (!row) throw invalid(say`There is no user ${UserName.slice(0, 80)}`)
  const companies = JSON.parse(String(row.Companies)) as number[]
  const grants = Roles.map(parseRoleGrant)
  requireRoles(grants, model.roles.keys())
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
  const user = { id: userId, roles: held.map(([role, companyId]) => ({ role, companyId })) }
  for (const [, [role, companyId]] of [...given, ...taken])
    requireMayAssign(scope, model, { role, companyId, user })
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
