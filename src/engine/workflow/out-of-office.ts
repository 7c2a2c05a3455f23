/** The substitutes of users who are away. */
import { validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { getRow, upsertRow } from '../../store/rows.ts'
import type { Reader } from '../../store/store.ts'
import { workflowDelegations } from '../../store/tables/workflows.ts'
import { type Mutation, writeMutation } from '../object/mutation.ts'

export type DelegationRow = typeof workflowDelegations.$inferSelect

/** The delegation of a user in a company, past or future; undefined without one. */
export const findDelegation = (
  reader: Pick<Reader, 'get'>,
  of: { user: number; company: number },
) => getRow(reader, workflowDelegations, 'WHERE UserId = @user AND CompanyId = @company', of)

const REPLACE = `ON CONFLICT (UserId, CompanyId) DO UPDATE SET ToUserId = excluded.ToUserId,
  FromAt = excluded.FromAt, UntilAt = excluded.UntilAt, Comment = excluded.Comment`

const MEMBER = `SELECT 1 AS Found FROM main.svc_users u
  JOIN main.svc_user_companies m ON m.UserId = u.Id AND m.CompanyId = @company
  WHERE u.Id = @user AND u.Active`

/** The caller's substitute, and the time from when until when they act. */
export type NewDelegation = Omit<DelegationRow, 'UserId' | 'CompanyId'>

/** Saves a delegation in place of the one before; undefined removes it. @throws validation */
export function saveDelegation(
  mutation: Mutation,
  delegation: NewDelegation | undefined,
): Promise<DelegationRow | undefined> {
  const { userId, companyId } = mutation.caller
  return writeMutation(mutation, 'delegation', async (tx) => {
    const of = { user: userId, company: companyId }
    if (!delegation) {
      await tx.run(
        'DELETE FROM svc_workflow_delegations WHERE UserId = @user AND CompanyId = @company',
        of,
      )
      return undefined
    }
    const { ToUserId, FromAt, UntilAt } = delegation
    const member = await tx.get(MEMBER, { user: ToUserId, company: companyId })
    if (!member || ToUserId === userId)
      throw validation({ UserId: say`This user cannot act for you` })
    if (UntilAt <= FromAt) throw validation({ Until: say`Until must be after From` })
    const row = { ...delegation, UserId: userId, CompanyId: companyId }
    await upsertRow(tx, workflowDelegations, row, REPLACE)
    return findDelegation(tx, of)
  })
}
