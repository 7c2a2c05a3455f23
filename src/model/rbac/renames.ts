/** Roles and capabilities that a deploy renames: their holders keep them. */
import { planAuditRecord } from '../../store/audit/record.ts'
import type { Tx } from '../../store/store.ts'
import type { Script } from '../compiled/script.ts'
import { DEPLOY } from '../deploy/rows-audit.ts'
import { readRbac, type Rename } from './facts.ts'

/** Plans the renames that the files declare, for what is here under the former name. */
export function planRenames(given: readonly Script[], stored: readonly Script[]): Rename[] {
  const found = given.flatMap(({ element }) =>
    element.children.flatMap(({ name: kind, attributes: { Name: to = '', Was: from } }) =>
      (kind === 'Role' || kind === 'Capability') && from !== undefined && from !== to
        ? [{ kind, from, to } as const]
        : [],
    ),
  )
  if (found.length === 0) return []
  const { homes } = readRbac(stored)
  return found.filter(
    ({ kind, from, to }) => homes.has(`${kind} ${from}`) && !homes.has(`${kind} ${to}`),
  )
}

/** Describes in a sentence what a rename means for the holders of the role or capability. */
export function describeRename({ kind, from, to }: Rename): string {
  if (kind === 'Capability')
    return `capability ${from} is called ${to} now: everyone who has it keeps it`
  const settings = 'change the settings that name it yourself (Svc:Mfa:RequiredRoles)'
  return `role ${from} is called ${to} now: its users keep it; ${settings}`
}

const USERS =
  'SELECT r.UserId, r.CompanyId, c.Code FROM svc_user_roles r ' +
  'LEFT JOIN svc_companies c ON c.Id = r.CompanyId WHERE r.Role = @from ORDER BY r.Id'

/** Deletes the former role of users who hold the new one there already. */
const FORGET_DOUBLES =
  'DELETE FROM svc_user_roles WHERE Role = @from AND EXISTS (SELECT 1 FROM svc_user_roles o ' +
  'WHERE o.Role = @to AND o.UserId = svc_user_roles.UserId ' +
  'AND o.CompanyId IS svc_user_roles.CompanyId)'

/** Gives the users of a renamed role its new name, each with an audit row. */
export async function renameRoles(
  tx: Tx,
  renames: readonly Rename[],
  { at, by }: { at: Date; by: number | undefined },
): Promise<void> {
  for (const { kind, from, to } of renames) {
    if (kind !== 'Role') continue
    const held = await tx.all(USERS, { from })
    const names = { from, to }
    await tx.run(FORGET_DOUBLES, names)
    await tx.run('UPDATE svc_user_roles SET Role = @to WHERE Role = @from', names)
    await tx.run('UPDATE svc_saved_views SET Role = @to WHERE Role = @from', names)
    for (const { UserId, Code } of held) {
      const within = Code === null ? '' : `@${String(Code)}`
      const changes = { Role: [`${from}${within}`, `${to}${within}`] }
      const change = { entity: 'svc_users', key: [UserId], action: 'rename role', changes }
      await tx.audit(planAuditRecord(at, { ...DEPLOY, userId: by }, change))
    }
  }
}
