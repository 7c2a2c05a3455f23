/** Links of task mails, which act for their user without a sign-in: what ends all of a user's. */
import type { Tx } from '../store/store.ts'

const END = 'DELETE FROM svc_workflow_links WHERE UserId = @user'

/**
 * Ends the links of a user with a lock, another password or another address: whoever had the
 * mailbox or the password may be why.
 */
export const endTaskLinks = (tx: Tx, userId: number): Promise<number> =>
  tx.run(END, { user: userId })
