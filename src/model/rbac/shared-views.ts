/** Saved views that are shared with roles: those of a role that goes are left to their makers. */
import { counted } from '../../kernel/counted.ts'
import { planAuditRecord } from '../../store/audit/record.ts'
import type { Tx } from '../../store/store.ts'
import { BUILT_IN_ROLES } from '../compile/rbac.ts'
import { DEPLOY } from '../deploy/rows-audit.ts'
import { askRows, type RowSource } from '../migrate/stored-schema.ts'
import type { Model } from '../model.ts'
import type { Rename } from './facts.ts'
import { quoteText } from '../sql/quote.ts'

type Roles = Pick<Model, 'roles'>

/** Views that are shared with a role that the model does not have. */
const withoutRole = (known: readonly string[]): string =>
  `FROM svc_saved_views WHERE Shared = 'role' AND OwnerId IS NULL
    AND Role NOT IN (${[...BUILT_IN_ROLES, ...known].map(quoteText).join(', ')})`

/** Describes what a deploy does to views of roles that go, a sentence for each role. */
export async function describeUnshared(
  reader: RowSource,
  { roles }: Roles,
  renames: readonly Rename[],
): Promise<string[]> {
  const known = [...roles.keys(), ...renames.map(({ from }) => from)]
  const sql = `SELECT Role, count(*) AS Views, count(MakerId) AS Kept ${withoutRole(known)}
    GROUP BY Role ORDER BY Role`
  return (await askRows(reader, sql)).flatMap(({ Role, Views, Kept }) => {
    const [kept, lost] = [Number(Kept), Number(Views) - Number(Kept)]
    const tell = (count: number, one: string, many: string): string[] =>
      count === 0
        ? []
        : [
            `role ${String(Role)} is removed: ${counted(count, 'saved view')} shared with it` +
              (count === 1 ? one : many),
          ]
    return [
      ...tell(kept, ' stays with its maker', ' stay with their makers'),
      ...tell(lost, ', whose maker is gone, goes with it', ', whose makers are gone, go with it'),
    ]
  })
}

/** Leaves views of roles that the model no longer has to their makers, each with an audit row. */
export async function unshareViews(
  tx: Tx,
  { roles }: Roles,
  { at, by }: { at: Date; by: number | undefined },
): Promise<void> {
  const found = await tx.all(
    `SELECT Id, CompanyId, MakerId, Role ${withoutRole([...roles.keys()])} ORDER BY Id`,
    {},
  )
  for (const { Id = null, CompanyId, MakerId = null, Role } of found) {
    const sql =
      MakerId === null
        ? 'DELETE FROM svc_saved_views WHERE Id = @id'
        : `UPDATE svc_saved_views SET Shared = 'none', Role = NULL, OwnerId = MakerId,
            RowVersion = RowVersion + 1, ChangedAt = @at WHERE Id = @id`
    await tx.run(sql, { id: Id, ...(MakerId !== null && { at: at.toISOString() }) })
    const changes = { Shared: ['role', MakerId === null ? null : 'none'], Role: [Role, null] }
    const author = { ...DEPLOY, userId: by, companyId: Number(CompanyId) }
    const action = MakerId === null ? 'delete' : 'unshare'
    const change = { entity: 'svc_saved_views', key: [Id], action, changes }
    await tx.audit(planAuditRecord(at, author, change))
  }
}
