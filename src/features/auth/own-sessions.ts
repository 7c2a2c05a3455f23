/** The caller's sessions: what there is, and the end of one. */
import type { Caller } from '../../access/caller.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { loadLiveSessions } from '../../access/session-list.ts'
import type { SessionRow } from '../../access/session-rows.ts'
import { findLiveSession } from '../../access/sessions.ts'
import { findUserById } from '../../access/users.ts'
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { AppContext } from '../../server/context.ts'
import type { Session } from './schema.ts'

/** The live sessions of the caller, newest first. */
export async function listSessions(app: AppContext, caller: Caller): Promise<Session[]> {
  const rows = await loadLiveSessions(app.state, caller.userId, app.clock.now())
  return Promise.all(rows.map((row) => toSession(app, row, caller)))
}

/**
 * Ends one of the caller's sessions. 404 for any other id, somebody else's like one of nobody. Who
 * acts as the user ends no session but the one that they do it in.
 */
export async function endSession(app: AppContext, caller: Caller, id: string): Promise<void> {
  const row = await findLiveSession(app.state, id, app.clock.now())
  if (row?.UserId !== caller.userId) throw notFound(say`There is no such session`)
  if (id !== caller.sessionId) requireNotImpersonated(caller)
  await app.identity.sessions.end(id, 'Ended by its user')
}

async function toSession(app: AppContext, row: SessionRow, caller: Caller): Promise<Session> {
  const used = app.callers.uses.find(row.Id)?.toISOString() ?? ''
  return {
    Id: row.Id,
    Client: row.Client,
    Address: row.Address,
    CreatedAt: row.CreatedAt,
    LastUsedAt: used > row.LastUsedAt ? used : row.LastUsedAt,
    IsCurrent: row.Id === caller.sessionId,
    Impersonator: await findImpersonator(app, row.ImpersonatorId),
  }
}

async function findImpersonator(
  app: AppContext,
  id: number | null,
): Promise<Session['Impersonator']> {
  if (id === null) return null
  return { Id: id, UserName: (await findUserById(app.store, id))?.UserName ?? '' }
}
