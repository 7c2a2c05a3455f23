/** The substitutes of users who are away. */
import { validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Reader } from '../../store/store.ts'
import type { workflowDelegations } from '../../store/tables/workflows.ts'
import { type Mutation, writeMutation } from '../object/mutation.ts'

export type DelegationRow = typeof workflowDelegations.$inferSelect

const FIND = `SELECT * FROM svc_workflow_delegations
  WHERE UserId = @user AND CompanyId = @company`

/** The delegation of a user in a company, past or future; undefined without one. */
export const findDelegation = (
  reader: Pick<Reader, 'get'>,
  of: { user: number; company: number },
) => reader.get<DelegationRow>(FIND, of)

const SAVE = `INSERT INTO svc_workflow_delegations
  (UserId, CompanyId, ToUserId, FromAt, UntilAt, Comment)
  VALUES (@UserId, @CompanyId, @ToUserId, @FromAt, @UntilAt, @Comment)
  ON CONFLICT (UserId, CompanyId) DO UPDATE SET ToUserId = excluded.ToUserId,
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
    await tx.run(SAVE, { ...delegation, UserId: userId, CompanyId: companyId })
    return findDelegation(tx, of)
  })
}
