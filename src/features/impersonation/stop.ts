/** Being oneself again. */
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import type { Caller } from '../../access/caller.ts'
import { findLiveSession } from '../../access/sessions.ts'
import { toNetwork } from '../../access/throttle.ts'
import { invalid, unauthenticated } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { AppContext } from '../../server/context.ts'
import { issueTokens } from '../../server/tokens.ts'
import type { Tokens } from '../../server/token-schema.ts'
import type { Way } from './start.ts'
import { systemScope } from '../../store/store.ts'

/**
 * Ends the caller's session and resumes the one that began it. 400 when the caller acts as nobody
 * else; 401 when either session has ended, so that of two stops one gets tokens. From another
 * network than the one that it was begun from it ends as well, but gives no tokens (401
 * `IMPERSONATION_ENDED`): a token that opens what a user may see must not, once stolen, become one
 * that opens what System may.
 */
export async function stopImpersonation(
  app: AppContext,
  caller: Caller,
  { address, traceId }: Pick<Way, 'address' | 'traceId'>,
): Promise<Tokens> {
  if (caller.impersonatorId === undefined)
    throw invalid(say`This session acts as nobody else`, { code: 'NOT_IMPERSONATING' })
  const { sessions } = app.identity
  const now = app.clock.now()
  const row = await findLiveSession(app.state, caller.sessionId, now)
  const isEnded = await sessions.end(caller.sessionId, 'The impersonation was stopped')
  if (!isEnded || !row?.ImpersonatorSessionId)
    throw unauthenticated(say`The session has ended`, 'SESSION_ENDED')
  const actor = actorOf(caller, { now, source: 'impersonation/stop', traceId })
  await app.store.write(
    (tx) =>
      writeAudit(tx, actor, {
        entity: 'svc_users',
        id: caller.userId,
        action: 'impersonate-end',
        changes: { Reason: [row.ImpersonationReason, null] },
      }),
    systemScope('users belong to no one company'),
  )
  if (toNetwork(address) !== toNetwork(row.Address ?? ''))
    throw unauthenticated(say`This has ended; go on with your own tokens`, 'IMPERSONATION_ENDED')
  return issueTokens(app, await sessions.resume(row.ImpersonatorSessionId))
}
