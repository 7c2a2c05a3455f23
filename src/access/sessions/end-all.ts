/** The end of every session: of a folder that was restored, or given to others. */
import type { Tx } from '../../store/store.ts'

/** Tables of `state.db` that a sign-in writes, those of a session's parts first. */
const TABLES = ['svc_refresh_tokens', 'svc_sessions', 'svc_mfa_challenges', 'svc_password_resets']

/** Ends all sessions, sign-ins that wait for a factor, and links that set a password. */
export async function endAllSessions(tx: Tx): Promise<void> {
  for (const table of TABLES) await tx.authored(`DELETE FROM ${table}`)
}
