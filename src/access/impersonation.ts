/** Acting as somebody else: who may, and what such a session may not do. */
import { denied, unauthenticated } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import type { CallerFacts } from './callers/caller-facts.ts'
import { type Caller, SYSTEM_ROLE } from './callers/caller.ts'

/**
 * Throws 401 (`PERMISSION_DENIED`) for a caller who acts as somebody else: passwords, second
 * factors, users, roles, companies and RBAC are the own affair of whoever is signed in.
 */
export function requireNotImpersonated(caller: Pick<Caller, 'impersonatorId'>): void {
  if (caller.impersonatorId !== undefined)
    throw denied(say`This is not possible while acting as another user`)
}

/** Throws the 401 of an ended session when one may not act, or not any more, as the other. */
export function requireActing(impersonator: CallerFacts, user: CallerFacts): void {
  if (!impersonator.roles.includes(SYSTEM_ROLE) || user.roles.includes(SYSTEM_ROLE))
    throw unauthenticated(say`The session has ended`, 'SESSION_ENDED')
}
