/** A user's sessions: continued, listed, ended. */
import { Failure, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { isOver } from '../../kernel/stored-times.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { loadLiveSessions, type SessionRow } from '../../access/sessions/session-rows.ts'
import {
  findLiveSession,
  type OpenSession,
  REFRESH_GRACE_MS,
  refreshInvalid,
} from '../../access/sessions/sessions.ts'
import { findUserById } from '../../access/users/users.ts'
import type { AppContext } from '../../server/context.ts'
import type { Tokens } from '../../server/token-schema.ts'
import { issueTokens } from '../../server/tokens.ts'
import type { LogoutRequest, Session } from './schema.ts'

interface Recent {
  tokens: Promise<Tokens>
  /** Milliseconds since 1970. */
  until: number
}

/**
 * Uses refresh tokens up. A repeat of the same one within `REFRESH_GRACE_MS`, in parallel or after
 * a lost answer, gets the very same pair: the refresh token because it is derived, the access token
 * from memory.
 */
export class Refreshes {
  readonly #app: AppContext
  /** By the new refresh token, the oldest first. */
  readonly #recent = new Map<string, Recent>()

  constructor(app: AppContext) {
    this.#app = app
  }

  /**
   * The next pair. Throws the 401 of a token that is unknown, expired, or used up too long ago, and
   * the 429 of a session with too many of these.
   */
  async refresh(token: string): Promise<Tokens> {
    const session = await this.#rotate(token)
    this.#dropOld()
    const known = this.#recent.get(session.refreshToken)
    if (known) return known.tokens
    const tokens = issueTokens(this.#app, session)
    const until = this.#now() + REFRESH_GRACE_MS
    this.#recent.set(session.refreshToken, { tokens, until })
    tokens.catch(() => this.#recent.delete(session.refreshToken))
    return tokens
  }

  /**
   * Rotates a token. A token is not a guess: many may run at once, and only refused ones count,
   * against their own session. One without a session opens nothing and costs one look: to count it
   * against its address would lock out the other users there.
   */
  async #rotate(token: string): Promise<OpenSession> {
    const { sessions, throttles } = this.#app.identity
    const family = await sessions.findFamily(token)
    if (family === undefined) throw refreshInvalid()
    const attempt = { user: family }
    await throttles.refresh.require(attempt)
    try {
      return await sessions.rotate(token)
    } catch (error) {
      if (error instanceof Failure && error.kind === 'unauthorized')
        await throttles.refresh.fail(attempt)
      throw error
    }
  }

  #dropOld(): void {
    const now = this.#now()
    for (const [token, { until }] of this.#recent) {
      if (!isOver(until - REFRESH_GRACE_MS, REFRESH_GRACE_MS, now)) return
      this.#recent.delete(token)
    }
  }

  #now(): number {
    return this.#app.clock.now().getTime()
  }
}

/** The live sessions of the caller, newest first. */
export async function listSessions(app: AppContext, caller: Caller): Promise<Session[]> {
  const rows = await loadLiveSessions(app.state, caller.userId, app.clock.now())
  return Promise.all(rows.map((row) => toSession(app, row, caller)))
}

/**
 * Ends one of the caller's sessions. 404 for any other id, another user's like an unknown one. An
 * impersonator ends no session but the one that they do it in.
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

/**
 * Ends every session of the caller (`All`), the one that a refresh token of theirs continues, or
 * the asking one. A refresh token that is not theirs, or not known, ends the asking session: a user
 * who signs out never stays signed in. Resolves to how many sessions ended; their access tokens are
 * refused from the next request on.
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
