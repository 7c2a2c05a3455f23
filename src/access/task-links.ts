/** Links of task mails, which act for their user without a sign-in: what ends all of a user's. */
import type { Tx } from '../store/store.ts'

const END = 'DELETE FROM svc_workflow_links WHERE UserId = @user'

/**
 * Ends the links of a user at a lock, a new password or a new address: the reason may be a stranger
 * in the mailbox or with the password.
 */
export const endTaskLinks = (tx: Tx, userId: number): Promise<number> =>
  tx.run(END, { user: userId })
