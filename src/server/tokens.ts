/** Tokens of sessions, and users as the wire shows them. */
import { unauthenticated } from '../kernel/failure.ts'
import { newId } from '../kernel/ids.ts'
import { say } from '../kernel/messages.ts'
import type { CallerFacts } from '../access/callers/caller-facts.ts'
import type { Caller } from '../access/callers/caller.ts'
import { TOKENS } from '../access/floor.ts'
import { findLiveSession, type OpenSession } from '../access/sessions/sessions.ts'
import { planClaims } from '../access/sessions/token.ts'
import type { AppContext } from './context.ts'
import type { Tokens, User } from './token-schema.ts'

/** Issues the tokens of a session as it is now. Throws the 401 of a user no longer admitted. */
export async function issueTokens(app: AppContext, session: OpenSession): Promise<Tokens> {
  const { callers, clock, identity, settings } = app
  const now = clock.now()
  const facts = await callers.load(session.userId, session.companyId)
  const row = await findLiveSession(app.state, session.id, now)
  if (!row)
    throw unauthenticated(say`The session has ended. Please sign in again.`, 'SESSION_ENDED')
  const impersonator = await callers.findImpersonator(row, facts)
  const claims = planClaims({ ...facts, id: session.id, impersonator }, callers.policy, {
    id: newId(),
    now,
  })
  const refreshLifetime = impersonator
    ? Date.parse(row.ExpiresAt) - now.getTime()
    : settings.get(TOKENS.refreshLifetime)
  return {
    AccessToken: await identity.sign(claims),
    TokenType: 'Bearer',
    ExpiresIn: claims.exp - Math.floor(now.getTime() / 1000),
    RefreshToken: session.refreshToken,
    RefreshExpiresIn: Math.floor(refreshLifetime / 1000),
    User: toUser(facts, {
      impersonatorId: impersonator?.userId,
      impersonatorName: impersonator?.userName,
    }),
    ...(facts.mustChangePassword && !impersonator && { MustChangePassword: true as const }),
    ...(callers.mustSetUpMfa(facts, impersonator) && { MfaSetupRequired: true as const }),
  }
}

/** The user as the wire shows them, and who acts as them. */
export const toUser = (
  facts: CallerFacts,
  { impersonatorId, impersonatorName }: Pick<Caller, 'impersonatorId' | 'impersonatorName'>,
): User => ({
  Id: facts.userId,
  UserName: facts.userName,
  DisplayName: facts.displayName,
  Email: facts.email ?? null,
  Roles: [...facts.roles],
  Company: { Id: facts.companyId, Code: facts.companyCode, Name: facts.companyName },
  TimeZone: facts.timeZone,
  Language: facts.language ?? null,
  Impersonator:
    impersonatorId === undefined ? null : { Id: impersonatorId, UserName: impersonatorName ?? '' },
})
