/** Roles as those who manage access see them. */
import type { AdminScope } from '../../access/admin-scope.ts'
import { listAssigners } from '../../access/delegation.ts'
import { BUILT_IN_ROLES } from '../../access/users.ts'
import type { ModelText } from '../../model/model-text.ts'
import type { Model, Role } from '../../model/model.ts'
import { toWords } from '../../model/names.ts'
import type { SqlArgs } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import { isMadeHere } from './roles.ts'

export interface RoleRecord {
  readonly name: string
  readonly label: ModelText
  readonly isBuiltIn: boolean
  /** Whether a script of the model folder declares it; else it is built in alone, or made here. */
  readonly isDeclared: boolean
  /** Who may hand it out without holding it, beside System. */
  readonly assignableBy: readonly string[]
  /** What it grants; undefined for a built-in role that the model does not declare. */
  readonly role: Role | undefined
  /** Users of the scope who hold it. */
  readonly users: number
}

/** Every role: the built-in ones first, then those of the model. */
export async function loadRoles(
  reader: Reader,
  model: Model,
  scope: AdminScope,
): Promise<RoleRecord[]> {
  const users = await countHolders(reader, scope)
  const builtIn: readonly string[] = BUILT_IN_ROLES
  return [...new Set([...builtIn, ...model.roles.keys()])].map((name) => {
    const role = model.roles.get(name)
    return {
      name,
      label: role?.label ?? toWords(name),
      isBuiltIn: builtIn.includes(name),
      isDeclared: role !== undefined && !isMadeHere(model, name),
      assignableBy: listAssigners(model, name),
      role,
      users: users.get(name) ?? 0,
    }
  })
}

/** Memberships that a scope reaches, as a condition on `svc_user_roles r`. */
export function planHeld(scope: AdminScope): { where: string; args: SqlArgs } {
  if (scope.companies === undefined) return { where: '1', args: {} }
  const list = '(SELECT value FROM json_each(@within))'
  const member =
    'EXISTS (SELECT 1 FROM main.svc_user_companies m WHERE m.UserId = r.UserId ' +
    `AND m.CompanyId IN ${list})`
  return {
    where: `(r.CompanyId IN ${list} OR r.CompanyId IS NULL) AND ${member}`,
    args: { within: JSON.stringify([...scope.companies]) },
  }
}

async function countHolders(
  reader: Reader,
  scope: AdminScope,
): Promise<ReadonlyMap<string, number>> {
  const { where, args } = planHeld(scope)
  const sql =
    'SELECT r.Role, count(DISTINCT r.UserId) AS Users FROM main.svc_user_roles r ' +
    `WHERE ${where} GROUP BY r.Role`
  const rows = await reader.all({ sql, args, quick: 'never' })
  return new Map(rows.map(({ Role, Users }) => [String(Role), Number(Users)]))
}
