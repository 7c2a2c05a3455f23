/** Deleting users: only those whom no record refers to, so that what was done keeps its names. */
import { conflict } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import type { Model } from '../model/model.ts'
import { quote } from '../model/quote.ts'
import { eq, txDatabase } from '../store/drizzle.ts'
import type { Reader } from '../store/store.ts'
import { users } from '../store/tables/users.ts'
import { requireWhole } from './admin-scope.ts'
import { writeAudit } from './audit-entry.ts'
import { requireSystemLeft } from './system-users.ts'
import type { UserRecord } from './user-records.ts'
import type { UserWork } from './user-roles.ts'

/** Where ids of users stand in the records of an application, and in the audit of others. */
export function planReferences(model: Model): string {
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

/** Throws 409 for a user whom records refer to. Beside the writer: it may read whole tables. */
export async function requireUnreferenced(reader: Reader, model: Model, id: number): Promise<void> {
  const found = await reader.get({ sql: planReferences(model), args: { id }, quick: 'never' })
  if (found) throw referenced(found.place)
}

/**
 * Removes a user with roles, companies and attributes. 401 for one who is not the caller's alone to
 * administer, 409 when records refer to the user or nobody would be left to act as System. The
 * caller ends the sessions after the commit.
 */
export async function deleteUser(
  { tx, scope, model, actor }: UserWork,
  target: UserRecord,
): Promise<void> {
  requireWhole(scope, target)
  const { Id: id, UserName } = target.user
  const { rows } = await tx.authored(planReferences(model), { id })
  if (rows[0]) throw referenced(rows[0].place)
  await txDatabase(tx).delete(users).where(eq(users.Id, id))
  if (target.isSystem) await requireSystemLeft(tx)
  const changes = { UserName: [UserName, null] } as const
  await writeAudit(tx, actor, { entity: 'svc_users', id, action: 'delete', changes })
}

const referenced = (place: unknown) =>
  conflict(say`Records refer to this user (${String(place)}): lock the user instead of deleting`, {
    code: 'USER_IN_USE',
  })
