/** Acting as another user: the callers who may, and the acts denied to such a session. */
import { denied, unauthenticated } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import type { CallerFacts } from './callers/caller-facts.ts'
import { type Caller, SYSTEM_ROLE } from './callers/caller.ts'

/**
 * Throws 401 (`PERMISSION_DENIED`) for a caller who acts as another user: passwords, second
 * factors, users, roles, companies and RBAC are the own affair of the signed-in user.
 */
export function requireNotImpersonated(caller: Pick<Caller, 'impersonatorId'>): void {
  if (caller.impersonatorId !== undefined)
    throw denied(say`You cannot do this while acting as another user`)
}

/** Throws the 401 of an ended session when one may not act, or not any more, as the other. */
export function requireActing(impersonator: CallerFacts, user: CallerFacts): void {
  if (!impersonator.roles.includes(SYSTEM_ROLE) || user.roles.includes(SYSTEM_ROLE))
    throw unauthenticated(say`The session has ended. Please sign in again.`, 'SESSION_ENDED')
}
