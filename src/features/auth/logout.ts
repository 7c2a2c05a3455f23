/** Ending sessions. */
import type { Caller } from '../../access/caller.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import type { AppContext } from '../../server/context.ts'
import type { LogoutRequest } from './schema.ts'

/**
 * Ends every session of the caller (`All`), the one that a refresh token of theirs continues, or
 * the one that asks. A refresh token that is not theirs, or not known, ends the asking session:
 * nobody who signs out stays signed in. Resolves to how many sessions ended; their access tokens
 * are refused from the next request on.
 */
export async function logout(
  { identity: { sessions } }: AppContext,
  caller: Caller,
  body: LogoutRequest,
): Promise<number> {
  if (body.All) {
    // The user's own sessions are not the impersonator's to end.
    requireNotImpersonated(caller)
    return sessions.endAll(caller.userId, 'Signed out everywhere')
  }
  const named = body.RefreshToken
    ? await sessions.find(caller.userId, body.RefreshToken)
    : undefined
  await sessions.end(named ?? caller.sessionId, 'Signed out')
  return 1
}
